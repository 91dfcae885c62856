"""A bad day of one match never ends a run: providers that fail, players that raise."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("openai")

from given_commands import COMMANDS, command, filled, played

import econzoo
from econzoo.baselines import RandomPlayer
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import MAX_TRIES, FailedMatch, missing_matches, new_design, read_folder, replay, run
from econzoo.evaluate.run.failures import MAX_CONSECUTIVE_FAILURES
from exhaustive import long_unless
from models.faults import EMPTY, FAULTS, BadDay
from models.local_server import Answer, error
from refusals import says

SEEDS = 8


pytestmark = pytest.mark.usefixtures("alone")

TOURNAMENT = ("tournament", "bargaining", "--opponents", "fair", "-p", "horizon=3", "--seeds", SEEDS, "--jobs", 1)


@pytest.mark.slow
def test_a_tournament_outlives_every_fault_and_pays_for_no_call_twice(capsys: pytest.CaptureFixture[str]) -> None:
    """Each fault ends one match; the same command plays it again from where it failed, and gives the same records."""
    with BadDay({}) as good:
        assert command(*TOURNAMENT, good.spec, "--out", "good") == 0
    apart = {2 + 3 * number: fault for number, fault in enumerate(FAULTS.values())}
    with BadDay(apart) as server:
        codes = [command(*TOURNAMENT, server.spec, "--out", "bad", "--concurrent", 2) for _ in range(4)]
        said = capsys.readouterr().err
    assert codes == [0, 0, 0, 0]
    assert re.search(r"\d+ matches failed.*\n  .*: openai:m@", said)
    assert played("bad") == played("good")
    assert len(played("bad")) == 2 * SEEDS
    for record in read_record_file("bad/records.jsonl.failed"):
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
    (record,) = read_record_file("m.jsonl")
    assert record.errors == [1, 0]
    assert not Path("m.jsonl.failed").exists()


@pytest.mark.parametrize("fault", [FAULTS["401"], FAULTS["404"], error(402, "Insufficient balance")])
def test_what_cannot_pass_by_itself_ends_the_run_at_once_with_one_line(
    fault: Answer, capsys: pytest.CaptureFixture[str]
) -> None:
    """No match has failed, so that the same command plays all of them later."""
    with BadDay(lambda call: fault) as server:
        assert command(*TOURNAMENT, server.spec, "--out", "o") == 3
    (line,) = capsys.readouterr().err.splitlines()
    says(line, "econzoo", "m at http://127.0.0.1", f"HTTP {fault.status}")
    assert not Path("o/records.jsonl.failed").exists()


def test_nobody_at_an_address_ends_the_run_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with BadDay({}) as server:
        spec = server.spec
    assert command(*TOURNAMENT, spec, "--out", "o") == 3
    (line,) = capsys.readouterr().err.splitlines()
    says(line, "m at http://127.0.0.1", "no server answers", "refused")


def test_a_run_waits_for_a_busy_server_and_loses_no_match(capsys: pytest.CaptureFixture[str]) -> None:
    busy = error(429, "slow down", retry_after_ms="1")
    with BadDay({2: busy, 3: busy, 7: error(503, "The model is overloaded.", retry_after_ms="1")}) as server:
        assert command(*TOURNAMENT, server.spec, "--out", "o") == 0
    assert "failed" not in capsys.readouterr().err
    assert len(played("o")) == 2 * SEEDS


def test_a_run_at_the_end_of_its_patience_stops_and_goes_on_later(capsys: pytest.CaptureFixture[str]) -> None:
    busy = error(429, "slow down", Retry_After="3600")
    with BadDay(lambda call: busy if call > 3 else None) as server:
        assert command(*TOURNAMENT, server.spec, "--out", "o", "--patience", "10m") == 4
    told = capsys.readouterr().err.splitlines()[-1]
    says(told, "127.0.0.1", "patience of 10 min", "60 min more", "slow down", "--patience")
    assert not Path("o/records.jsonl.failed").exists()
    with BadDay({}) as good:
        assert command(*TOURNAMENT, server.spec.replace(server.url, good.url), "--out", "o") == 0


def test_five_failures_in_a_row_end_the_run_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with BadDay(lambda call: FAULTS["500"]) as server:
        assert command(*TOURNAMENT, server.spec, "--out", "o") == 3
        assert server.calls in (5, 6)  # one is in flight when the fifth is recorded
    (line,) = capsys.readouterr().err.splitlines()
    says(line, "econzoo", "5 matches", "openai:m", "HTTP 500")
    assert len(Path("o/records.jsonl.failed").read_text().splitlines()) == MAX_CONSECUTIVE_FAILURES


GIVEN_UP: dict[str, tuple[object, ...]] = {
    "play": ("play", "bargaining", "MODEL", "fair", "--matches", 2, "--out", "o/records.jsonl"),
    "tournament": ("tournament", "bargaining", "MODEL", "--opponents", "fair", "--seeds", 1, "--out", "o"),
    "evaluate": (
        "evaluate",
        "bargaining",
        "MODEL",
        "--opponents",
        "fair",
        "--settings",
        "default",
        "--seeds",
        1,
        "--out",
        "o",
    ),
    "run": ("run", "bargaining", "MODEL", "--opponents", "fair", "--seeds", 1, "--out", "o"),
    "sparc": ("run", "sparc", "MODEL", "--settings", "TitForTat", "--settings", "Grudger", "--no-baselines"),
}
"""A command, with two matches."""


@pytest.mark.parametrize("name", long_unless("run".__eq__, GIVEN_UP, "slow"))
def test_a_run_of_which_no_match_ends_says_so_until_it_has_given_up_and_then(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with BadDay(lambda call: FAULTS["500"]) as server:
        words = [str(word).replace("MODEL", server.spec) for word in GIVEN_UP[name]]
        assert [command(*words) for _ in range(MAX_TRIES + 1)] == [3] * (MAX_TRIES + 1)
        assert server.calls == 2 * MAX_TRIES
    says(capsys.readouterr().err.splitlines()[-1], "2 matches", "3 times")


def test_a_match_that_always_fails_is_tried_three_times_and_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the design is played; a single match in Python raises what it meets."""
    design = new_design("bargaining", ["fair"], seeds=4, opponents=["random"])
    bad, act = {match.id for match in design.matches() if match.seed == 2}, RandomPlayer.act

    def clumsy(player: RandomPlayer, observation: Any, info: dict[str, Any]) -> Any:
        if player.match in bad:
            raise KeyError("oops")
        return act(player, observation, info)

    monkeypatch.setattr(RandomPlayer, "act", clumsy)
    for left in (2, 2, 0):
        run(design, tmp_path, jobs=1)
        records, left_out = read_folder(tmp_path)
        assert (len(records), {type(line) for line in left_out}) == (6, {FailedMatch})
        assert len(missing_matches(design, tmp_path)) == left
    says(left_out[0].reason, "3 times", "random", "KeyError: 'oops'", "test_bad_day.py")
    with pytest.raises(KeyError, match="oops"):
        econzoo.play("bargaining", ["fair", "random"], seed=2)


def test_a_person_loses_no_move_to_a_failing_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with BadDay({1: FAULTS["500"]}) as server:
        monkeypatch.setattr("sys.stdin", io.StringIO("5000\n\n"))
        assert command("play", "bargaining", "human", server.spec, "-p", "horizon=1", "--save", "kept.json") == 0
        assert "(openai:m@" in capsys.readouterr().out
        assert command("play", "--resume", "kept.json", "--connect", server.url, "--out", "m.jsonl") == 0
    (record,) = read_record_file("m.jsonl")
    assert (record.status, len(record.turns), record.reason) == ("finished", 2, None)


@pytest.mark.parametrize(
    "words",
    [
        ("judge", "m.jsonl", "--judge"),
        pytest.param(("analyze", "p.jsonl", "programs", "--format", "csv", "--judge"), marks=pytest.mark.long),
    ],
)
@pytest.mark.slow
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
    says(capsys.readouterr().err, "m at http://127.0.0.1")
    assert server.paid == good.paid
    assert set(server.paid.values()) == {1}
    assert not list(Path().rglob("*.calls"))


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "judge"])
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
    assert all(isinstance(line, FailedMatch) for line in given_up)
    assert set(played("o")) <= set(played("good"))
    assert len(played("o")) + len(given_up) == len(played("good"))
