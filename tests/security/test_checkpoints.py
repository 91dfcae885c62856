"""Checkpoints from anywhere: tensors and JSON are read, nothing in them is executed."""

from __future__ import annotations

import base64
import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from econzoo.baselines import METADATA, OPTIMIZER, WEIGHTS, DivergedError, ModelError, player, read_metadata
from econzoo.baselines.models import load
from econzoo.evaluate.run import play_match
from econzoo.train.rl.files import latest_policy
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.sb3 import make_model
from later import Later
from refusals import refuses

torch, ppo = Later("torch"), Later("econzoo.train.rl.ppo")
pytestmark = pytest.mark.models

RAN = "ECONZOO_A_PICKLE_RAN"


class Code:
    """What leaves a mark in this process when it is unpickled."""

    def __reduce__(self):
        return os.putenv, (RAN, "1")


class Planted(Code):
    """The same by a function of Python itself."""

    def __reduce__(self):
        return exec, (f"import os; os.environ[{RAN!r}] = '1'",)


def args(out: Path, **changes: object) -> PPORecipe:
    small = {"n_envs": 2, "n_steps": 8, "batch_size": 16, "epochs": 1, "net": [4], "eval_episodes": 2, "threads": 1}
    rest = {"opponents": ["fair"], "timesteps": 16, "eval_every": 0, "checkpoint_every": 0, "progress": False}
    return PPORecipe("bargaining", algorithm="sb3", out=out, **{**small, **rest, **changes})


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    return ppo.train_ppo(args(tmp_path_factory.mktemp("run")))


def rewritten(trained: Path, folder: Path, **entries: bytes | None) -> Path:
    """A copy of the checkpoint with other entries, by their names up to the first dot; None: without it."""
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(trained) as old, zipfile.ZipFile(folder / "policy.zip", "w") as new:
        for name in old.namelist():
            held = entries.get(name.replace(".", "_"), old.read(name))
            if held is not None:
                new.writestr(name, held)
    return folder / "policy.zip"


def in_every_value(trained: Path) -> bytes:
    """The ``data`` entry with a pickle that runs code in the place of every pickle."""
    pickled = base64.b64encode(pickle.dumps(Planted())).decode()
    with zipfile.ZipFile(trained) as archive:
        data = json.loads(archive.read("data"))
    found = [value for value in data.values() if isinstance(value, dict) and ":serialized:" in value]
    assert len(found) > 5
    for value in found:
        value[":serialized:"] = pickled
    return json.dumps(data).encode()


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch):
    monkeypatch.delenv(RAN, raising=False)
    yield
    assert RAN not in os.environ


def test_the_planted_code_would_run(monkeypatch) -> None:
    monkeypatch.setenv(RAN, "0")
    pickle.loads(pickle.dumps(Planted()))
    assert os.environ.pop(RAN) == "1"


def test_a_training_goes_on_without_reading_the_pickles_of_a_checkpoint(trained: Path, tmp_path: Path) -> None:
    rewritten(trained, tmp_path / "stranger", data=in_every_value(trained))
    ppo.train_ppo(args(tmp_path / "stranger", timesteps=32, resume=True))
    assert (tmp_path / "stranger" / "policy.zip").is_file()


def test_it_is_the_training_that_the_pickles_would_have_given(trained: Path, tmp_path: Path) -> None:
    """Without ``data`` at all the same tensors come out as with it."""
    ends = []
    for name, changed in (("with", {}), ("without", {"data": None})):
        path = rewritten(trained, tmp_path / name, **changed)
        ppo.train_ppo(args(path.parent, timesteps=48, resume=True))
        model = make_model(args(path.parent), path)
        ends.append((model.policy.state_dict(), model.policy.optimizer.state_dict()["state"], model.num_timesteps))
    (one, kept, count), (other, kept_too, count_too) = ends
    assert count == count_too == 48
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert all(torch.equal(kept[at][name], kept_too[at][name]) for at in kept for name in kept[at])


def saved(value: object) -> bytes:
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


BROKEN: dict[str, Callable[[], bytes | None]] = {
    "code": lambda: saved({"a": Planted()}),
    "a bare pickle": lambda: pickle.dumps(Planted()),
    "a list": lambda: saved([torch.zeros(2)]),
    "other tensors": lambda: saved({"state": {0: {"exp_avg": torch.zeros(3)}}, "a": torch.zeros(2)}),
    "numbers": lambda: saved({"state": 3}),
    "bytes": lambda: b"\x80\x04nothing",
    "nothing": lambda: b"",
    "no such entry": lambda: None,
}


def test_anything_but_tensors_is_refused_in_one_line(trained: Path, tmp_path: Path) -> None:
    for entry in (WEIGHTS, OPTIMIZER):
        for broken, made in BROKEN.items():
            rewritten(trained, tmp_path, **{entry.replace(".", "_"): made()})
            with pytest.raises(ValueError, match=r"policy\.zip: ") as told:
                ppo.train_ppo(args(tmp_path, timesteps=32, resume=True))
            assert "\n" not in str(told.value), (broken, entry)
            if entry == WEIGHTS:
                with pytest.raises(ValueError, match=r"policy\.zip: "):
                    play_match("bargaining", [f"ppo:{tmp_path}", "fair"])


def test_a_description_with_other_values_is_refused_in_one_line(trained: Path, tmp_path: Path) -> None:
    for changed in [
        *(
            {"net": [10**9]},
            {"net": ["4"]},
            {"net": 4},
            {"features": "ab"},
            {"features": [1]},
            {"grid": -1},
            {"grid": True},
        ),
        *({"timesteps": "many"}, {"timesteps": -1}, {"algorithm": "os.system"}, {"game": 3}, {"game": ["bargaining"]}),
    ]:
        with zipfile.ZipFile(trained) as archive:
            metadata = json.loads(archive.read(METADATA))
        rewritten(trained, tmp_path, econzoo_json=json.dumps({**metadata, **changed}).encode())
        with refuses(ValueError, next(iter(changed)), "econzoo.json"):
            player(f"ppo:{tmp_path}", "bargaining")


def test_a_description_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "policy.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(METADATA, b" " * (10**7 + 1))
    assert (tmp_path / "policy.zip").stat().st_size < 10**5
    with refuses(ValueError, "10,000,000"):
        player(f"ppo:{tmp_path}", "bargaining")


# Models of transformers


CODE = f"import os\nos.environ[{RAN!r}] = '1'\nclass Model: pass\nclass Config: pass\nclass Tokenizer: pass\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A small model in a folder, whose weights are in safetensors."""
    pytest.importorskip("transformers")
    from tiny_llama import build

    return build(tmp_path / "llama")


def test_no_code_of_a_models_folder_is_run_and_nobody_is_asked_whether_to(model: Path, monkeypatch) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: pytest.fail("a question at the terminal"))
    (model / "code.py").write_text(CODE)
    auto = {
        "AutoConfig": "code.Config",
        "AutoModelForCausalLM": "code.Model",
        "AutoTokenizer": ["code.Tokenizer", None],
    }
    for name, changed in (("config.json", {"model_type": "stranger"}), ("tokenizer_config.json", {})):
        file = model / name
        file.write_text(json.dumps({**json.loads(file.read_text()), **changed, "auto_map": auto}))
    with refuses(ModelError, model):
        load(str(model), "cpu")


def test_weights_of_a_model_are_tensors(model: Path) -> None:
    """A pickle with code in the place of the weights."""
    (model / "model.safetensors").unlink()
    torch.save({"model.embed_tokens.weight": Planted()}, model / "pytorch_model.bin")
    with refuses(ModelError, model):
        load(str(model), "cpu")


def test_a_network_of_numbers_that_are_not_finite_neither_plays_nor_learns_on(trained: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(trained) as archive:
        weights = torch.load(archive.open(WEIGHTS), weights_only=True)
    for change in (
        lambda tensor: tensor * float("nan"),
        lambda tensor: tensor + float("inf"),
        lambda tensor: tensor.to(torch.int8),
    ):
        held = saved({name: change(tensor) for name, tensor in weights.items()})
        path = rewritten(trained, tmp_path, policy_pth=held)
        with refuses(ValueError, path, WEIGHTS, "finite"):
            play_match("bargaining", [f"ppo:{path}", "fair"])
        with refuses(ValueError, path, WEIGHTS, "finite"):
            ppo.train_ppo(args(tmp_path, timesteps=32, resume=True))


def test_a_pickle_that_takes_memory_is_refused(trained: Path, tmp_path: Path) -> None:
    """`torch` makes a bytearray of any length."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("a/data.pkl", b"\x80\x02cbuiltins\nbytearray\n\x8a\x05\x00\x00\x00\x00\x10\x85R.")
        archive.writestr("a/version", b"3")
    path = rewritten(trained, tmp_path, policy_pth=held.getvalue())
    with refuses(ValueError, path, WEIGHTS):
        play_match("bargaining", [f"ppo:{path}", "fair"])


def test_a_training_that_diverges_keeps_the_last_network_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sb3_contrib import MaskablePPO

    learned, count = MaskablePPO.train, iter(range(9))

    def broken(self) -> None:
        learned(self)
        if next(count) == 2:
            next(self.policy.parameters()).data.fill_(float("nan"))

    monkeypatch.setattr(MaskablePPO, "train", broken)
    with refuses(DivergedError, tmp_path / "checkpoints" / "32.zip", 32, "finite"):
        ppo.train_ppo(args(tmp_path, timesteps=64))
    assert read_metadata(latest_policy(tmp_path))["timesteps"] == 32
    ppo.train_ppo(args(tmp_path, timesteps=64, resume=True))


def test_a_damaged_policy_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "policy.zip").write_bytes(b"PK")
    with refuses(ValueError, tmp_path / "policy.zip", "incomplete"):
        ppo.train_ppo(args(tmp_path, resume=True))
    (tmp_path / "policy.zip").unlink()
    with refuses(FileNotFoundError, tmp_path):
        ppo.train_ppo(args(tmp_path, resume=True))
