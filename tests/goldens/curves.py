"""Learning curves of a few tiny trainings, which no change of structure may change.

Language models start from a Llama of some ten thousand random weights, which answers by the grammar of the game.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shlex
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from goldens.command_numbers import HERE, beside_folders, condensed, json_form, run

SHORT = ("money=100", "horizon=2", "messages=false")
_RECORDS = f"play bargaining random fair --matches 8 -p {' -p '.join(SHORT)} --out records.jsonl"
_MODEL = "--model hf:tiny --dtype float32 --lr 2e-3"
_PLAYS = f"{_MODEL} --constrained --max-new-tokens 24 --opponents fair --param {' --param '.join(SHORT)}"

TRAININGS: dict[str, str] = {
    "ppo": "train ppo bargaining --opponents fair --settings '{\"horizon\":3}' --grid 11 --net 8 --n-envs 4 "
    "--n-steps 32 --batch-size 64 --timesteps 512 --eval-every 128 --eval-episodes 8 --out out",
    "sft": f"train sft records.jsonl {_MODEL} --steps 8 --batch-size 4 --keep 1 --out out",
    "dpo": f"train dpo {_PLAYS} --matches 6 --plays 4 --steps 4 --batch-size 2 --out out",
    "iterate": f"train iterate {_PLAYS} --matches 4 --plays 4 --rounds 2 --steps 3 --batch-size 2 --eval 4 --out out",
    "grpo": f"train grpo bargaining {_PLAYS} --steps 3 --groups 2 --group-size 4 --out out",
}
"""Command lines by name."""

CURVES = ("learning_curve.csv", "rounds.csv")
WEIGHTS = ("policy.zip", "model.safetensors")
CHANGING = ("seconds", "accuracy")
"""Columns that are left out: times, and DPO's accuracy, a tie at first, which rounding breaks."""


class Trained(NamedTuple):
    """What a training wrote.

    Attributes:
        curve: Its learning curve as CSV, without what changes.
        settings: What it says of itself, in the normal form of `goldens.command_numbers`.
        digest: SHA-256 of curve and weights, for comparisons on one machine.
    """

    curve: str
    settings: dict[str, Any]
    digest: str


def train(name: str) -> Trained:
    """Trains on one thread, in a folder of its own."""
    from econzoo.train.lm.tiny import TinyArgs, build

    with beside_folders(), one_thread(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        if name != "ppo":
            run(_RECORDS)
            build(TinyArgs(["records.jsonl"], "tiny", hidden=32, layers=2, vocabulary=500))
        finish(TRAININGS[name])
        curve = next(Path("out") / file for file in CURVES if (Path("out") / file).exists())
        weights = next(Path("out") / file for file in WEIGHTS if (Path("out") / file).exists())
        timeless = lasting(curve.read_text(encoding="utf-8"))
        exact, said = parts_of(weights)
        settings = {key: condensed(json_form(value)) for key, value in said.items() if key != "options"}
        settings["options"] = {key: json_form(value) for key, value in said["options"].items()}
        return Trained(timeless, settings, hashlib.sha256(timeless.encode() + exact).hexdigest())


def finish(line: str) -> None:
    """Runs a command, which must not fail."""
    from econzoo.__main__ import main

    try:
        main(shlex.split(line))
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{line} ended with {end.code}") from end


def parts_of(weights: Path) -> tuple[bytes, dict[str, Any]]:
    """The bytes of the weights, and what stands beside them about the training, without the software."""
    if weights.suffix == ".zip":
        archive = zipfile.ZipFile(weights)
        exact, text = archive.read("policy.pth"), archive.read("econzoo.json").decode()
    else:
        exact, text = weights.read_bytes(), (weights.parent / "training.json").read_text(encoding="utf-8")
    return exact, {key: value for key, value in json.loads(text).items() if key != "software"}


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums come out the same to the last bit only in one order."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def lasting(text: str) -> str:
    """A table in CSV without the columns that differ from run to run or from machine to machine."""
    rows = list(csv.DictReader(io.StringIO(text)))
    kept = [name for name in rows[0] if name not in CHANGING]
    return "".join(",".join(line) + "\n" for line in [kept, *([row[name] for name in kept] for row in rows)])


def kept_curve(name: str) -> Path:
    """The file that keeps the learning curve of a training; beside it, as JSON, what the training says of itself."""
    return HERE / "curves" / f"{name}.csv"
