"""Records and trainings go to a Hub on loopback and come back as they were, with cards that say what they are."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hub_server import Hub, hub

import econzoo
from econzoo.baselines import METADATA, metadata_of
from econzoo.envs.core.record import Record, RecordFile
from econzoo.evaluate.formats.conversions import formats_of
from econzoo.evaluate.formats.record_table import record_of
from econzoo.evaluate.run import new_design, read_folder
from refusals import refuses, says

datasets, hf, _ = map(pytest.importorskip, ("datasets", "huggingface_hub", "pyarrow"))
pytestmark = pytest.mark.slow

ADDRESS = "http://10.1.2.3:8000"
SPEC = f"openai:m@{ADDRESS}/v1?temperature=0"
CURVE = "timesteps,reward,low,high,opponent\n0,0.1,0.05,0.15,spe\n64,0.25,0.2,0.3,spe\n64,0.5,0.4,0.6,fair\n"

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Hugging Face Hub\n")[2].partition("\n## ")[0]
(EXAMPLE,) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
LOAD = f"""{EXAMPLE.replace("USER/bargaining", "u/games")}
import json
turns = load_dataset("u/games", "turns", split="train")
files = ["runs/w/records.jsonl", "runs/a/records.jsonl"]
turned = load_dataset("json", data_files=files, features=record_features(), split="train")
found = {{"records": [record.to_json() for record in records], "seats": seats.to_dict("records"), "turns": list(turns)}}
print(json.dumps({{**found, "lines": list(lines), "turned": list(turned)}}))
"""


class Pushed(NamedTuple):
    """What was pushed from a place, and what a reader got."""

    place: Path
    server: Hub
    loaded: dict[str, list[Any]]

    def file(self, kind: str, repo: str, name: str) -> bytes:
        return self.server.files[kind, repo][name]


def run(server: Hub, place: Path, *words: object, token: str = "hf_writer") -> subprocess.CompletedProcess[str]:
    env = {"HF_ENDPOINT": server.url, "HF_HUB_DISABLE_XET": "1", "HF_TOKEN": token, "HF_HOME": str(place / "home")}
    command, environ = [sys.executable, *map(str, words)], {**os.environ, **env}
    return subprocess.run(command, cwd=place, env=environ, capture_output=True, text=True, check=False, timeout=600)


def convert(server: Hub, place: Path, *words: object, token: str = "hf_writer") -> subprocess.CompletedProcess[str]:
    return run(server, place, "-m", "econzoo", "convert", *words, "--to", "hub", token=token)


def write_training(folder: Path) -> None:
    """A policy with its curve, and an evaluation below it."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "policy.zip", "w") as archive:
        archive.writestr(METADATA, json.dumps(metadata_of(econzoo.game("bargaining"), 11, "compiled", [4], 64, {})))
    (folder / "learning_curve.csv").write_text(CURVE)
    for stray in ("notes.key", "passwords.csv", "notes.txt", "private.json"):
        (folder / stray).write_text("not to be published")
    (folder / "config.toml").write_text(f'opponents = ["{SPEC}", "fair"]\n')
    econzoo.run(new_design("bargaining", ["fair"], seeds=2, opponents=["spe"]), folder / "test")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushed]:
    place = tmp_path_factory.mktemp("hub")
    folder = place / "runs"
    econzoo.run(new_design("bargaining", ["spe", "fair"], seeds=2), folder / "a")
    econzoo.run(new_design("water_allocation", ["mpc", "random"], [{"days": 2}], seeds=1), folder / "w")
    (first, *_), _ = read_folder(folder / "a")
    RecordFile(folder / "a" / "records.jsonl").append(replace(first, players=[SPEC, "fair"], id=""))
    write_training(place / "policy")
    with hub() as server:
        for words in (("runs", "u/games", "--license", "cc-by-4.0"), ("policy", "u/policy", "--public", "--yes")):
            done = convert(server, place, *words)
            assert done.returncode == 0, done.stderr
        done = run(server, place, "-c", LOAD)
        assert done.returncode == 0, done.stderr
        yield Pushed(place, server, json.loads(done.stdout))


def test_records_come_back_equal_but_for_addresses_of_servers(pushed: Pushed) -> None:
    back = {record.id: record for record in map(Record.from_json, pushed.loaded["records"])}
    before = {record.id: record for record in read_folder(pushed.place / "runs")[0]}
    assert back.keys() == before.keys()
    for id, record in before.items():
        players = [one.replace(f"@{ADDRESS}/v1", "") for one in record.players]
        assert back[id] == replace(record, players=players)
    assert any(record.players == ["openai:m?temperature=0", "fair"] for record in back.values())
    files = pushed.server.files["datasets", "u/games"]
    assert ADDRESS not in json.dumps(pushed.loaded["records"] + pushed.loaded["seats"]) + files["README.md"].decode()


def test_tables_of_two_games_have_the_numbers_of_the_records(pushed: Pushed) -> None:
    """Bargaining pays thousands and water shares of days: a type guessed from the first rows would cut the latter."""
    records = [*map(Record.from_json, pushed.loaded["records"])]
    for game in ("bargaining", "water_allocation"):
        paid = [payoff for record in records if record.game == game for payoff in record.payoffs]
        assert sorted(row["payoff"] for row in pushed.loaded["seats"] if row["game"] == game) == sorted(paid)
    assert len(pushed.loaded["turns"]) == sum(len(record.turns) for record in records)


def test_files_of_records_of_two_games_load_in_any_order(pushed: Pushed) -> None:
    """With the types declared; `datasets` itself writes the numbers of such files with ten digits after the point."""
    rounded = partial(pytest.approx, rel=0, abs=1e-9)
    before = {record.id: record for record in read_folder(pushed.place / "runs")[0]}
    for name in ("lines", "turned"):
        rows = {row["id"]: row for row in pushed.loaded[name]}
        assert rows.keys() == before.keys()
        for id, row in rows.items():
            found = record_of(row)
            assert found.payoffs == rounded(before[id].payoffs)
            assert found.params == before[id].params
            assert [turn.seat for turn in found.turns] == [turn.seat for turn in before[id].turns]


def test_the_card_of_data_says_what_it_is_and_how_it_was_made(pushed: Pushed) -> None:
    card = hf.DatasetCard(pushed.file("datasets", "u/games", "README.md").decode())
    assert card.data.license == "cc-by-4.0"
    assert card.data.size_categories == ["n<1K"]
    assert {one["config_name"] for one in card.data.configs} == {"records", "matches", "seats", "turns"}
    for one in card.data.configs:
        assert one["data_files"] in pushed.server.files["datasets", "u/games"]
    for told in ("of bargaining, water_allocation", "Discount factor per round", "spe", "mpc", "EconZoo", "convert"):
        assert told in card.text


def test_the_card_of_a_model_has_validation_and_evaluation(pushed: Pushed) -> None:
    card = hf.ModelCard(pushed.file("models", "u/policy", "README.md").decode())
    played, _ = read_folder(pushed.place / "policy" / "test")
    gains = [record.metrics["gains"][record.players.index("fair")] for record in played]
    (result,) = card.data.eval_results
    assert (result.dataset_type, result.dataset_config, result.metric_type) == ("bargaining", "test", "self_gain")
    assert result.metric_value == pytest.approx(sum(gains) / len(gains))
    assert re.search(r"\| spe \| 0\.250 \(0\.20.0\.30\) \|", card.text)
    assert re.search(r"\| fair \| 0\.500 \(0\.40.0\.60\) \|", card.text)
    assert "64 moves" in card.text


def test_a_training_is_pushed_without_what_is_not_its_own(pushed: Pushed) -> None:
    place = pushed.place / "policy"
    own = {"README.md", "policy.zip", "learning_curve.csv", "config.toml"}
    assert set(pushed.server.files["models", "u/policy"]) == own
    assert pushed.file("models", "u/policy", "policy.zip") == (place / "policy.zip").read_bytes()
    done = convert(pushed.server, pushed.place, "policy", "u/again")
    left = {line.rpartition("/")[2] for line in done.stderr.splitlines() if "not pushed" in line}
    assert (done.returncode, left) == (0, {"notes.key", "notes.txt", "passwords.csv", "private.json"})


def test_no_file_of_a_training_names_a_server(pushed: Pushed) -> None:
    """Wherever a training wrote its opponents: options, metadata in the archive, curves, card."""
    place = pushed.place / "addresses"
    write_training(place)
    with zipfile.ZipFile(place / "policy.zip", "w") as archive:
        metadata = metadata_of(econzoo.game("bargaining"), 11, "compiled", [4], 64, {"opponents": [SPEC]})
        archive.writestr(METADATA, json.dumps(metadata))
        archive.writestr("policy.pth", b"weights")
    (place / "learning_curve.csv").write_text(CURVE.replace("spe", SPEC))
    assert convert(pushed.server, pushed.place, "addresses", "u/clean").returncode == 0
    files = pushed.server.files["models", "u/clean"]
    with zipfile.ZipFile(io.BytesIO(files["policy.zip"])) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    assert inside["policy.pth"] == b"weights"
    assert json.loads(inside[METADATA])["options"]["opponents"] == ["openai:m?temperature=0"]
    assert tomllib.loads(files["config.toml"].decode())["opponents"] == ["openai:m?temperature=0", "fair"]
    assert files["learning_curve.csv"].decode() == CURVE.replace("spe", "openai:m?temperature=0")
    assert ADDRESS.encode() not in b"".join([*files.values(), *inside.values()])


def move_away(path: Path, place: Path) -> None:
    """Leave a link to it."""
    path.rename(elsewhere := place / f"elsewhere-{len(list(place.iterdir()))}")
    path.symlink_to(elsewhere)


@pytest.mark.parametrize(
    "name", ["policy.zip", "learning_curve.csv", "README.md", "test/records.jsonl", "test/manifest.json", "test"]
)
def test_a_link_in_a_training_is_not_followed(pushed: Pushed, name: str) -> None:
    place = pushed.place / f"linked-{name.replace('/', '-')}"
    write_training(place)
    (place / "README.md").write_text("mine")
    move_away(place / name, pushed.place)
    done = convert(pushed.server, pushed.place, place.name, "u/linked")
    if name == "test":  # a linked folder is not looked into
        assert b"Evaluation" not in pushed.file("models", "u/linked", "README.md")
    else:
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
        says(done.stderr, name, "is a link")


def test_a_link_among_records_is_not_followed(pushed: Pushed) -> None:
    for name in ("records.jsonl", "sub"):
        place = pushed.place / f"linked-{name}"
        for folder in (place, place / "sub"):
            econzoo.run(new_design("bargaining", ["spe"], seeds=1), folder)
        move_away(place / name, pushed.place)
        done = convert(pushed.server, pushed.place, place.name, f"u/records-{name}")
        assert len(done.stderr.splitlines()) == 1 or name == "sub"
        assert (("datasets", f"u/records-{name}") in pushed.server.files) == (name == "sub")


@pytest.mark.parametrize("name", ["../../x", "", "u", "u/x/y", "u/\x1b]0;x", "u/a--b", "/x", "u/", "ü/x", "u/x\n"])
def test_a_name_that_no_repository_has_is_refused_before_anything_is_read(pushed: Pushed, name: str) -> None:
    for source in ("runs", "policy"):
        before = len(pushed.server.requests)
        done = convert(pushed.server, pushed.place, source, name)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
        says(done.stderr, "USER/NAME")
        assert "\x1b" not in done.stderr
        assert len(pushed.server.requests) == before


def test_what_everybody_will_read_is_listed_and_needs_a_yes(pushed: Pushed) -> None:
    """Also where the repository is public already, whoever made it so."""
    for repo, words in (("u/fresh", ["--public"]), ("u/policy", []), ("u/policy", ["--public"])):
        files = dict(pushed.server.files.get(("models", repo), {}))
        (pushed.place / "policy" / "learning_curve.csv").write_text(CURVE + "128,1,1,1,spe\n")
        done = convert(pushed.server, pushed.place, "policy", repo, *words)
        assert done.returncode == 1
        says(done.stderr, f"public repository {repo}", "policy.zip", "--yes" if words else "--public")
        assert pushed.server.files.get(("models", repo), {}) == files


def test_a_repository_is_private_unless_somebody_says_otherwise(pushed: Pushed) -> None:
    assert "u/games" in pushed.server.private
    assert "u/policy" not in pushed.server.private


def test_who_is_not_logged_in_is_told_how_to(pushed: Pushed) -> None:
    done = convert(pushed.server, pushed.place, "runs", "u/other", token="hf_stranger")
    assert done.returncode == 1
    (why,) = (line for line in done.stderr.splitlines() if line.startswith("econzoo:"))
    assert "cannot push to u/other (log in with 'hf auth login')" in why
    assert ("datasets", "u/other") not in pushed.server.files


def test_a_hub_that_cannot_be_reached_is_one_line(pushed: Pushed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushed.server, "url", "http://127.0.0.1:9")
    done = convert(pushed.server, pushed.place, "runs", "u/other")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_the_own_card_of_a_language_model_stays_with_a_license(tmp_path: Path) -> None:
    from econzoo.evaluate.adapters.hub_cards import model_card

    head = "---\nlibrary_name: transformers\ntags:\n- econzoo\n- dpo\n---\n\n# mine\n\n"
    (tmp_path / "README.md").write_text(f"{head}econzoo play matrix hf:{tmp_path} random\n")
    card = hf.ModelCard(model_card(tmp_path, "u/mine", "mit"))
    assert (card.data.license, card.data.library_name, card.data.tags) == ("mit", "transformers", ["econzoo", "dpo"])
    assert "play matrix hf:u/mine random" in card.text


def test_what_is_pushed_is_known_by_its_files_and_only_when_asked_for(tmp_path: Path) -> None:
    """A training has records beside it: what it learned from, or what it came to."""
    (tmp_path / "records.jsonl").touch()
    assert formats_of(tmp_path, Path("u/x"), "", "hub") == ("records", "hub")
    for sign, kind in (("model.safetensors", "model"), ("policy.zip", "policy"), ("adapter_config.json", "lora")):
        (tmp_path / sign).touch()
        assert formats_of(tmp_path, Path("u/x"), "", "hub") == (kind, "hub")
    assert formats_of(tmp_path, Path("whole"), "lora", "") == ("lora", "model")
    with refuses(ValueError, "policy", "policy to hub"):
        formats_of(tmp_path, Path("u/x"), "policy", "")


def test_every_field_of_a_record_is_a_column() -> None:
    from econzoo.evaluate.formats.record_table import FLAT, record_schema

    assert record_schema().names == list(Record.__dataclass_fields__)
    assert set(record_schema().names) > FLAT
