"""Commands that ``kill -9`` ends at random moments and that are given again: nothing lost, doubled or changed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from given_commands import COMMANDS, command, lasting
from lm_world import build_tiny, learning_curve, weights, write_records

from econzoo.baselines import read_metadata
from econzoo.train.rl.curve import read_curve
from econzoo.train.rl.files import latest_policy

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("alone")]

KILLS = 8


def run(*words: object, after: float = 600) -> int:
    """Gives a command in a process of its own, kills it after so many seconds, and tells how it has ended."""
    line = [sys.executable, "-m", "econzoo", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env) as process:
        with suppress(subprocess.TimeoutExpired):
            process.wait(after)
        process.kill()
        assert process.stderr is not None
        assert "Traceback" not in (said := process.stderr.read()), said
    return process.returncode


def chain(give: Callable[[float], int], took: float, luck: random.Random) -> Iterator[int]:
    """Gives a command that took so long, killed at random moments; yields how each has ended, the last with 0."""
    for _ in range(KILLS):
        ended = give(luck.uniform(0, took))
        assert ended in (0, -signal.SIGKILL)
        yield ended
    assert give(600) == 0
    yield 0


def written() -> list[str]:
    """All that has been recorded, each line of which is whole."""
    return lasting(line for path in Path("o").rglob("*.jsonl") for line in path.read_text().splitlines())


RUNS: dict[str, tuple[object, ...]] = {
    **{name: words for name, words in COMMANDS.items() if name in ("tournament", "judge", "run sparc", "programs")},
    "run standard": ("run", "standard", "random", "--seeds", 2, "--out", "o"),
    "processes": ("tournament", "bargaining", "fair", "greedy", "spe", "--seeds", 400, "--jobs", 2, "--out", "o"),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_on(name: str) -> None:
    """Of a server, only the calls that were under way may be paid twice."""
    pytest.importorskip("openai")
    from models.faults import BadDay

    command("play", "bargaining", "fair", "fair", "--matches", 2, "--out", "m.jsonl")
    with BadDay({}) as good:
        words = [str(word).replace("MODEL", good.spec) for word in RUNS[name]]
        began = time.monotonic()
        assert run(*words) == 0
        took, whole = time.monotonic() - began, written()
    Path("o").rename("good")
    with BadDay({}) as server:
        words = [word.replace(good.spec, server.spec) for word in words]
        ends = [*chain(lambda after: run(*words, after=after), took, random.Random(name))]
        assert not good.paid - server.paid
        assert (server.paid - good.paid).total() <= ends.count(-signal.SIGKILL)
    assert -signal.SIGKILL in ends
    assert written() == whole
    assert not list(Path("o").rglob("*.calls"))


PPO = (
    *("train", "ppo", "bargaining", "--opponents", "linear", "--n-envs", 32, "--n-steps", 8, "--batch-size", 64),
    *("--epochs", 1, "--net", 8, "--eval-every", 512, "--eval-episodes", 2, "--checkpoint-every", 512),
    *("--timesteps", 16384, "--no-progress", "--out", "o"),
)


def test_a_training_by_ppo_goes_on() -> None:
    """The curve has every measurement once, and all that lies there can be read."""
    pytest.importorskip("numba")
    began = time.monotonic()
    assert run(*PPO) == 0
    took, whole = time.monotonic() - began, [point.timesteps for point in read_curve(Path("o/learning_curve.csv"))]
    Path("o").rename("good")
    ended = 0

    def give(after: float) -> int:
        return run(*PPO, *["--resume"] * (latest_policy(Path("o")) is not None), after=after)

    for _ in chain(give, took, random.Random(1)):
        made = [read_metadata(path)["timesteps"] for path in Path("o").rglob("*.zip")]
        assert max(made, default=0) >= ended, "what was trained is not lost"
        ended = max(made, default=0)
    assert ended == 16384
    assert [point.timesteps for point in read_curve(Path("o/learning_curve.csv"))] == whole


def test_a_training_by_sft_goes_on(tmp_path: Path) -> None:
    """To the same weights and the same curve as without a kill."""
    pytest.importorskip("trl")
    records = write_records(tmp_path / "r.jsonl", [("fair", "fair"), ("linear", "boulware")], 2)
    tiny = build_tiny(tmp_path / "tiny", records)
    words = (
        *("train", "sft", records, "--model", f"hf:{tiny}", "--steps", 12, "--batch-size", 2, "--dtype", "float32"),
        *("--checkpoint-every", 2, "--keep", 1),
    )
    began = time.monotonic()
    assert run(*words, "--out", "good") == 0
    took = time.monotonic() - began

    def give(after: float) -> int:
        return run(*words, "--out", "o", *["--resume"] * Path("o/config.toml").exists(), after=after)

    for _ in chain(give, took, random.Random(2)):
        pass
    ours, others = weights(Path("o")), weights(Path("good"))
    assert all(ours[name].equal(others[name]) for name in {**ours, **others})
    curves = [[row[:-1] for row in learning_curve(Path(name))] for name in ("o", "good")]
    assert curves[0] == curves[1]
