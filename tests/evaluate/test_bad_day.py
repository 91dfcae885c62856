"""A bad day of one match never ends a run: providers that fail, players that raise, runs that are killed."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")

import econzoo
from econzoo.__main__ import main
from econzoo.baselines.random_player import RandomPlayer
from econzoo.envs.core.record.record import read_records
from econzoo.evaluate.failures import IN_A_ROW, TRIES
from econzoo.evaluate.folder import Failed, read_folder
from econzoo.evaluate.plan import new_plan
from econzoo.evaluate.replay import replay
from econzoo.evaluate.tournament import missing, run
from models.faults import EMPTY, FAULTS, BadDay

SEEDS = 8


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def command(*words: object) -> int:
    """Runs a command in this process; its exit code."""
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def played(folder: str) -> list[str]:
    """The matches in all folders below, each of which must replay; without times, ids and the address of the server."""
    found = [record for path in sorted(Path(folder).rglob("*.jsonl")) for record in read_records(path)]
    assert all(record.status != "failed" and not replay(record) for record in found)
    assert len({record.id for record in found}) == len(found)
    changing = re.compile(r'"seconds":[0-9.e-]+|127\.0\.0\.1:\d+|"id":"\w+"')
    return sorted(changing.sub("", record.to_json()) for record in found)


TOURNAMENT = ("tournament", "bargaining", "--opponent", "fair", "-p", "horizon=3", "--seeds", SEEDS, "--jobs", 1)


def test_a_tournament_outlives_every_fault_and_pays_for_no_call_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """Each fault ends one match; the same command plays it again from where it failed, and gives the same records."""
    with BadDay({}) as good:
        assert command(*TOURNAMENT, good.spec, "--out", "good") == 0
    apart = {2 + 3 * number: fault for number, fault in enumerate(FAULTS.values())}
    with BadDay(apart) as server:
        codes = [command(*TOURNAMENT, server.spec, "--out", "bad", "--concurrent", 2) for _ in range(4)]
        said = capsys.readouterr().err
    assert codes == [0, 0, 0, 0]
    assert re.search(r"\d+ matches failed; the same command tries again\n  .*, failed once: openai:m@", said)
    assert played("bad") == played("good")
    assert len(played("bad")) == 2 * SEEDS
    for record in read_records("bad/records.jsonl.failed"):
        assert (record.status, record.payoffs, replay(record)) == ("failed", [0.0, 0.0], [])
    assert set(server.paid.values()) == {1}
    assert sum(server.paid.values()) == sum(good.paid.values())
    assert not Path("bad/records.jsonl.calls").exists()


def test_a_match_of_which_nothing_is_kept_is_paid_once_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    with BadDay({2: FAULTS["500"]}) as server:
        play = "play", "bargaining", server.spec, server.spec, "--matches", 2
        assert [command(*play), command(*play)] == [0, 0]
    assert set(server.paid.values()) == {1}
    assert not list(Path("cache").rglob("*.calls"))


def test_a_reply_that_is_empty_is_no_move_and_no_failure() -> None:
    with BadDay({1: EMPTY}) as server:
        assert command("play", "bargaining", server.spec, "fair", "--out", "m.jsonl") == 0
    (record,) = read_records("m.jsonl")
    assert record.errors == [1, 0]
    assert not Path("m.jsonl.failed").exists()


def test_five_failures_in_a_row_end_the_run_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with BadDay(lambda call: FAULTS["401"]) as server:
        assert command(*TOURNAMENT, server.spec, "--out", "o") == 3
        assert server.calls == 2 * SEEDS  # side by side, each match asks once
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("econzoo: 5 matches in a row failed, the last one: openai:m@")
    assert "the key was refused (HTTP 401" in line
    assert len(Path("o/records.jsonl.failed").read_text().splitlines()) == IN_A_ROW


GIVEN_UP: dict[str, tuple[object, ...]] = {
    "play": ("play", "bargaining", "MODEL", "fair", "--matches", 2, "--out", "o/records.jsonl"),
    "tournament": ("tournament", "bargaining", "MODEL", "--opponent", "fair", "--seeds", 1, "--out", "o"),
    "evaluate": ("evaluate", "MODEL", "--opponent", "fair", "--market", "default", "--seeds", 1, "--out", "o"),
    "sparc": ("benchmark", "sparc", "--player", "MODEL", "--subset", "TitForTat", "Grudger", "--no-baselines"),
}
"""A command, with two matches."""


@pytest.mark.parametrize("name", GIVEN_UP)
def test_a_run_of_which_no_match_ends_says_so_until_it_has_given_up_and_then(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with BadDay(lambda call: FAULTS["500"]) as server:
        words = [str(word).replace("MODEL", server.spec) for word in GIVEN_UP[name]]
        assert [command(*words) for _ in range(TRIES + 1)] == [3] * (TRIES + 1)
        assert server.calls == 2 * TRIES
    assert "2 matches failed and none ended, the last one failed 3 times" in capsys.readouterr().err.splitlines()[-1]


def test_a_match_that_always_fails_is_tried_three_times_and_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the plan is played; a single match in Python raises what it meets."""
    plan = new_plan("bargaining", ["fair"], seeds=4, opponents=["random"])
    bad, act = {match.id for match in plan.matches() if match.seed == 2}, RandomPlayer.act

    def clumsy(player: RandomPlayer, observation: Any, info: dict[str, Any]) -> Any:
        if player.match in bad:
            raise KeyError("oops")
        return act(player, observation, info)

    monkeypatch.setattr(RandomPlayer, "act", clumsy)
    for left in (2, 2, 0):
        run(plan, tmp_path, jobs=1)
        records, left_out = read_folder(tmp_path)
        assert (len(records), {type(line) for line in left_out}) == (6, {Failed})
        assert len(missing(plan, tmp_path)) == left
    assert "failed 3 times: random: KeyError: 'oops' (test_bad_day.py, line" in left_out[0].why
    with pytest.raises(KeyError, match="oops"):
        econzoo.play("bargaining", ["fair", "random"], seed=2)


def test_a_person_loses_no_move_to_a_failing_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with BadDay({1: FAULTS["500"]}) as server:
        monkeypatch.setattr("sys.stdin", io.StringIO("5000\n\n"))
        assert command("play", "bargaining", "human", server.spec, "-p", "horizon=1", "--save", "kept.json") == 0
        assert "Paused: openai:m@" in capsys.readouterr().out
        assert command("play", "--resume", "kept.json", "--connect", server.url, "--out", "m.jsonl") == 0
    (record,) = read_records("m.jsonl")
    assert (record.status, len(record.turns), record.reason) == ("finished", 2, None)


@pytest.mark.parametrize(
    "words",
    [
        ("judge", "m.jsonl", "--resamples", 200, "--judge"),
        pytest.param(("programs", "p.jsonl", "--out", "o", "--judge"), marks=pytest.mark.long),
    ],
)
def test_a_judge_outlives_faults_and_is_paid_once_for_each_answer(
    words: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A judgement that lacks an answer is not written, and tried again; answers that are there are not asked for."""
    command("play", "bargaining", "fair", "fair", "--matches", 2, "--out", "m.jsonl")
    command("play", "program_matrix", "fair-bot", "defect", "-p", "turns=2", "-p", "rounds=2", "--out", "p.jsonl")
    with BadDay({}) as good:
        assert command(*words, good.spec) == 0
    for path in Path().rglob("judg*/*.jsonl"):
        path.unlink()
    with BadDay({2: FAULTS["400"], 3: FAULTS["dropped"], 7: FAULTS["garbage"]}) as server:
        assert [command(*words, server.spec) for _ in range(3)] == [0, 0, 0]
    assert "failed, the last one: m at http://127.0.0.1" in capsys.readouterr().err
    assert server.paid == good.paid
    assert set(server.paid.values()) == {1}
    assert not list(Path().rglob("*.calls"))


KILLED = """
import sys
from econzoo.__main__ import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize("words", [(*TOURNAMENT[:-4], "--seeds", 2), ("play", "bargaining", "--matches", 4)])
def test_a_run_that_is_killed_in_a_match_goes_on_there(words: tuple[object, ...]) -> None:
    """Killed at its fourth call, while every call before has been answered."""
    process: list[subprocess.Popen[bytes]] = []

    def kill(call: int) -> None:
        if call == 4:
            process[0].kill()

    def line(server: BadDay, out: str) -> list[str]:
        play = words[0] == "play"
        rest = (server.spec, server.spec, "--out", f"{out}/records.jsonl") if play else (server.spec, "--out", out)
        return [str(word) for word in (*words[:2], *rest, *words[2:])]

    for folder in ("good", "bad"):
        Path(folder).mkdir()
    with BadDay({}) as good:
        assert command(*line(good, "good")) == 0
    with BadDay(kill) as server:
        process.append(subprocess.Popen([sys.executable, "-c", KILLED, *line(server, "bad")]))
        assert process[0].wait() == -signal.SIGKILL
        assert server.calls == 4
        assert command(*line(server, "bad")) == 0
    assert played("bad") == played("good")
    paid = sorted(server.paid.values())
    assert paid[:-1] == [1] * (len(good.paid) - 1)
    assert paid[-1] <= 2  # the call that was under way


GUESS = ("experiment", "guess", "--rounds", 2, "--games", 2, "--opponents", "fixed", "--players")
COMMANDS: dict[str, tuple[object, ...]] = {
    "play": ("play", "bargaining", "MODEL", "fair", "--matches", 7, "--out", "o/records.jsonl"),
    "tournament": ("tournament", "persuasion", "MODEL", "--seeds", 4, "-p", "rounds=3", "--out", "o"),
    "evaluate": ("evaluate", "MODEL", "--game", "bargaining", "--opponent", "fair", "--seeds", 1, "--out", "o"),
    "channel": ("channel", "bargaining", "--players", "MODEL", "fair", "--games", 2, "--out", "o"),
    "evolve": ("evolve", "--game", "matrix", "--players", "MODEL,tit-for-tat", "--repetitions", 4, "--out", "o"),
    "experiment": (*GUESS, "MODEL", "--out", "o"),
    "benchmark sparc": (
        "benchmark",
        "sparc",
        "--player",
        "MODEL",
        "--subset",
        "TitForTat",
        "Grudger",
        "--seeds",
        5,
        "--out",
        "o",
    ),
    "benchmark glee": ("benchmark", "glee", "MODEL", "--opponent", "fair", "--family", "bargaining", "--out", "o"),
    "programs": ("tournament", "program_matrix", "MODEL", "fair-bot", "--seeds", 2, "--out", "o"),
}
"""A command that takes a model, with not more than a few matches."""


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("seed", range(3))
def test_every_command_outlives_faults_at_random_calls(name: str, seed: int) -> None:
    """One call in six goes wrong, in any way; given again and again, the command ends as on a good day."""
    rng, faults = np.random.default_rng(seed), [*FAULTS.values()]
    bad = {call: faults[rng.integers(len(faults))] for call in range(1, 2000) if rng.random() < 1 / 6}
    with BadDay({}) as good:
        assert command(*filled(name, good.spec)) == 0
    Path("o").rename("good")
    with BadDay(bad) as server:
        codes = {command(*filled(name, server.spec)) for _ in range(8)}
    assert codes <= {0, 3}
    assert list(Path("o").rglob("*.failed"))
    assert not server.paid - good.paid
    given_up = [line for path in Path("o").rglob("records.jsonl") for line in read_folder(path)[1]]
    assert all(isinstance(line, Failed) for line in given_up)
    assert set(played("o")) <= set(played("good"))
    assert len(played("o")) + len(given_up) == len(played("good"))


def filled(name: str, spec: str) -> list[str]:
    return [str(word).replace("MODEL", spec) for word in COMMANDS[name]]
