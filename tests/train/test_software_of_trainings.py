"""What trained a policy or an adapter: its file, options and card name package, commit and libraries."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from lm_world import settings, write_records
from small_training import SMALL

from econzoo.baselines import METADATA, player, read_metadata
from econzoo.envs.command_line import CONFIG_FILE, read_config, read_software
from econzoo.envs.core.record import Software, current_software
from econzoo.train.lm.card import LIBRARIES
from econzoo.train.rl.recipe import PPORecipe
from later import Later
from refusals import refuses, says

ppo, sft = Later("econzoo.train.rl.ppo"), Later("econzoo.train.lm.sft")
pytestmark = [pytest.mark.models, pytest.mark.slow]

COMPILED = current_software("numba", "numpy", "torch")


def recipe(out: Path, **changes: Any) -> PPORecipe:
    return PPORecipe("bargaining", out=out, **{**SMALL, "progress": False, **changes})


def rewritten(file: Path, **changes: Any) -> None:
    """A policy file with other metadata."""
    with zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    held[METADATA] = json.dumps({**json.loads(held[METADATA]), **changes}).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)


def test_a_policy_and_its_options_name_what_trained_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = ppo.train_ppo(recipe(tmp_path))
    for one in (file, *(tmp_path / "checkpoints").glob("*.zip")):
        assert read_metadata(one)["software"] == COMPILED.to_plain()
    assert {"torch", "numpy", "numba"} == set(COMPILED.libraries)
    assert read_software(tmp_path) == COMPILED
    options = read_config(tmp_path / CONFIG_FILE, PPORecipe)
    assert (options["timesteps"], "software" in options) == (512, False)
    ppo.train_ppo(recipe(tmp_path, timesteps=1024, resume=True))
    assert "resuming a training" not in capsys.readouterr().err
    config = tmp_path / CONFIG_FILE
    config.write_text(config.read_text().replace("[software]", '[software]\nversion = "0.0.9"\n[before]'))
    assert read_software(tmp_path).of_package == Software("0.0.9")
    ppo.train_ppo(recipe(tmp_path, timesteps=1536, resume=True))
    says(capsys.readouterr().err, "resuming a training of EconZoo 0.0.9 with", str(current_software()))
    assert read_software(tmp_path) == COMPILED


def test_the_options_of_another_version_train_the_same_policy(tmp_path: Path) -> None:
    first = ppo.train_ppo(recipe(tmp_path / "a"))
    text = (tmp_path / "a" / CONFIG_FILE).read_text()
    (tmp_path / "other.toml").write_text(text.replace(COMPILED.version, "0.0.9"))
    again = PPORecipe(**{**read_config(tmp_path / "other.toml", PPORecipe), "out": tmp_path / "b", "progress": False})
    second = ppo.train_ppo(again)
    weights = [zipfile.ZipFile(one).read("policy.pth") for one in (first, second)]
    assert weights[0] == weights[1]


def test_a_policy_of_stable_baselines_names_it_too(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    small = {"algorithm": "sb3", "n_envs": 2, "n_steps": 16, "batch_size": 16, "timesteps": 32, "checkpoint_every": 0}
    file = ppo.train_ppo(recipe(tmp_path, **small))
    found = read_metadata(file)["software"]["libraries"]
    assert set(found) == {"numpy", "torch", "stable-baselines3", "sb3-contrib"}
    assert set(player(f"ppo:{tmp_path}").libraries) == set(found)


def test_policies_without_it_or_with_another_form_are_refused(tmp_path: Path) -> None:
    file = ppo.train_ppo(recipe(tmp_path))
    assert player(f"ppo:{file}").libraries == ("numpy", "torch")
    for software in (None, {"torch": "2.0"}):
        rewritten(file, software=software)
        with refuses(ValueError, "software", "version"):
            read_metadata(file)


def test_an_adapter_its_options_and_its_card_name_what_trained_it(tmp_path: Path, tiny: str) -> None:
    records = write_records(tmp_path / "r.jsonl", [("random", "fair")], 4)
    out = tmp_path / "out"
    small = {"keep": 0.5, "steps": 2, "batch_size": 2, "micro_batch": 1, "checkpoint_every": 1, "lora": 2}
    sft.train_sft(sft.SFTRecipe([records], model=f"hf:{tiny}", out=str(out), **small))
    now = current_software(*LIBRARIES)
    assert {"torch", "transformers", "trl", "peft"} <= set(now.libraries)
    assert (out / "adapter_config.json").is_file()
    assert settings(out)["software"] == now.to_plain()
    assert read_software(out) == now
    for folder in (out, out / "checkpoint-2"):
        says((folder / "README.md").read_text(), str(now))
