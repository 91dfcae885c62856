"""Referees: rulings are recorded and replayed without running anything, and a game without its sandbox says why."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.contract import Game, Move, Ruling
from econzoo.envs.core.env.refereeing import plain_ruling, referee_of
from econzoo.envs.core.record import RecordFile
from econzoo.envs.families.open_source import COIN_GAME, MATRIX
from econzoo.evaluate.run import EnvPool, replay
from econzoo.testing.playing import freeze, play, random_policy
from games.program_matches import ruled, sandboxed, submitted, tape
from refusals import refuses, says

C, D = tape(MATRIX, "C"), tape(MATRIX, "D")
PLAYERS = {"program_matrix": ["fair-bot", "random"], "program_coin": ["greedy", "random"]}
RULING = {
    "moves": [[0, 0], [1, 0.0]],
    "results": [
        {"moves": "C", "against": "D", "payoff": 0.0, "failed": 0, "failure": "", "problem": ""},
        {"moves": "D", "against": "C", "payoff": 5.0, "failed": 0, "failure": "", "problem": ""},
    ],
}
"""A meta-round of one turn."""


def failing(failure: str, problem: str) -> list[dict[str, Any]]:
    """The results, with a failure of the second seat."""
    return [RULING["results"][0], {**RULING["results"][1], "failure": failure, "problem": problem}]


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """No program can run: nothing may ask for one."""
    for name in PLAYERS:
        referee = econzoo.game(name).referee
        monkeypatch.setattr(referee, "unavailable", lambda: "it is not installed")
        monkeypatch.setattr(referee, "ruling", lambda *_: pytest.fail("the referee was asked"))


def given(*rulings: Any, face: str = "structured", **params: Any) -> Any:
    """A match with these rulings."""
    env = econzoo.make("program_matrix", face=face, turns=1, **params)
    env.reset(seed=0, options={"rulings": list(rulings)})
    return env


def submit(env: Any, *sources: str) -> None:
    for source in sources:
        env.step({"program": source})


# Recorded and replayed


@sandboxed
@pytest.mark.parametrize("name", PLAYERS)
def test_a_record_keeps_a_ruling_for_every_meta_round(name: str) -> None:
    record = econzoo.play(name, PLAYERS[name], seed=1, rounds=3, turns=4)
    assert record.rulings is not None
    assert len(record.rulings) == 3
    for ruling in record.rulings:
        assert set(ruling) == {"moves", "results"}
        assert all(isinstance(kind, int) and isinstance(amount, float) for kind, amount in ruling["moves"])
        assert len(ruling["results"]) == 2
    payoffs = [sum(ruling["results"][seat]["payoff"] for ruling in record.rulings) for seat in (0, 1)]
    assert record.payoffs == payoffs


@sandboxed
@pytest.mark.parametrize("name", PLAYERS)
def test_a_record_replays_where_no_program_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    record = econzoo.play(name, PLAYERS[name], seed=2, rounds=2, turns=4)
    RecordFile(tmp_path / "records.jsonl").append(record)
    kept = json.loads((tmp_path / "records.jsonl").read_text())
    request.getfixturevalue("without_sandbox")
    assert replay(record, EnvPool()) == []
    assert replay(kept, EnvPool()) == []


@sandboxed
def test_a_record_in_which_a_ruling_was_changed_does_not_replay() -> None:
    record = econzoo.play("program_matrix", ["cooperate", "defect"], seed=2, rounds=2, turns=3)
    changed = copy.deepcopy(record)
    changed.rulings[0]["moves"][0] = [1, 0.0]
    assert replay(record, EnvPool()) == []
    assert replay(changed, EnvPool())


def test_games_without_a_referee_have_no_rulings() -> None:
    record = econzoo.play("matrix", ["random", "random"], seed=0)
    assert record.rulings is None
    assert referee_of(econzoo.game("matrix"), {"rulings": [RULING]}) is None


@sandboxed
@pytest.mark.parametrize("name", PLAYERS)
def test_an_environment_plays_recorded_rulings_alike(name: str, request: pytest.FixtureRequest) -> None:
    env = econzoo.make(name, face="structured", turns=3)
    one = play(env, random_policy(4), seed=8)
    rulings, state = list(env.rulings), env.game_state
    request.getfixturevalue("without_sandbox")
    again = econzoo.make(name, face="structured", turns=3)
    assert play(again, random_policy(4), seed=8, options={"rulings": rulings}) == one
    assert (again.game_state, again.rulings) == (state, rulings)


@sandboxed
def test_nature_goes_on_the_same_after_recorded_rulings() -> None:
    """Whether a ruling was found or given, the seeds of later ones are the same."""
    drawing = f"def strategy_function({', '.join(MATRIX.parameters)}):\n    return random.choice('CD')\n"
    env = submitted("program_matrix", [drawing, drawing], rounds=1, turns=20)
    first = env.rulings
    env.reset()
    submit(env, drawing, drawing)
    second = env.rulings
    env.reset(seed=0, options={"rulings": first})
    submit(env, C, C)
    env.reset()
    submit(env, drawing, drawing)
    assert env.rulings == second != first


def test_a_ruling_in_plain_form_is_read_back() -> None:
    results = econzoo.game("program_matrix").rules.Result
    game = econzoo.game("program_matrix")
    params = game.params(turns=1)[1]
    ruling = Ruling(
        (Move(0, (0.0,)), Move(2, (4.0,))),
        (results("C", "-", 1.5, 0, "", ""), results("-", "C", 0.0, 1, "exception", "y")),
    )
    plain = json.loads(json.dumps(plain_ruling(ruling)))
    referee = referee_of(game, {"rulings": [plain]})
    assert referee is not None
    assert referee(params, game.rules.initial(params), [None, None], 0) == ruling


def test_given_rulings_are_played_and_told(without_sandbox: None) -> None:
    env = given(RULING, RULING, rounds=2)
    submit(env, C, D)
    assert (env.game_state.score, env.events[0].fact.against) == ((0, 5), "D")
    submit(env, C, D)
    assert (env.payoffs, env.over) == ((0.0, 10.0), True)
    assert len(env.rulings) == 2


# Rulings that are none


def test_what_is_no_ruling_is_refused_in_one_line() -> None:
    for rulings, wrong in [
        ("CD", "'CD'"),
        (5, 5),
        ({"moves": []}, "{'moves': []}"),
        (["CD"], "'CD'"),
        ([None], None),
        ([{}], "{}"),
        ([{"moves": []}], "moves"),
        ([{"moves": [[0]], "results": []}], "moves"),
        ([{"moves": [["C", 0.0]], "results": []}], "moves"),
        ([{"moves": [], "results": [{"moves": "C"}]}], "moves"),
        ([{"moves": [], "results": [{**RULING["results"][0], "luck": 1}]}], "moves"),
        ([RULING, {"moves": 1, "results": []}], "moves"),
    ]:
        env = econzoo.make("program_matrix")
        with refuses(ValueError, "program_matrix", "options['rulings']", wrong) as refused:
            env.reset(seed=0, options={"rulings": rulings})
        assert "\n" not in str(refused.value), rulings


def test_a_ruling_that_cannot_be_played_is_refused_when_its_round_comes(without_sandbox: None) -> None:
    for change, named in [
        ({"results": RULING["results"][:1]}, (1, "2 seats")),
        ({"moves": [[7, 0], [0, 0]]}, ()),
        ({"moves": [[0, 0]]}, ()),
        ({"moves": [[0, 0], [1, 0]] * 2}, ("4 moves", "1 turns")),
        ({"moves": [[1, 0], [1, 0]]}, ()),
        ({"moves": [[0, 0, 0], [1, 0]]}, ([0, 0.0, 0.0],)),
        ({"moves": [[0, 0], [1, 7]]}, ([1, 7.0],)),
        ({"moves": [[0, 0], [1, 0.5]]}, ([1, 0.5],)),
        ({"moves": [[0, 0], [1, 4]]}, ([1, 4.0],)),
        ({"moves": [[0, 0], [2, 0]]}, ([2, 0.0],)),
        ({"moves": [[-3, 0], [1, 0]]}, ([-3, 0.0],)),
        ({"moves": [[0, 0], [2, 4]]}, ("failure", "''", "'exception'")),
        ({"results": failing("exception", "y")}, ("failure", "'exception'")),
        ({"results": failing("", "y")}, ("problem", "'y'")),
    ]:
        env = given(RULING, {**RULING, **change}, rounds=2)
        submit(env, C, D, C)
        with refuses(ValueError, "program_matrix", "round 2", *named) as refused:
            submit(env, D)
        assert "\n" not in str(refused.value), change


def test_too_few_rulings_are_named(without_sandbox: None) -> None:
    env = given(RULING, rounds=3)
    submit(env, C, D)
    with refuses(ValueError, "program_matrix", 1):
        submit(env, C, D)


# Where the sandbox is missing


def test_a_game_that_cannot_run_programs_does_not_start(without_sandbox: None) -> None:
    for name in PLAYERS:
        for face in ["numeric", "structured", "text", "chat"]:
            with refuses(ImportError, name, "it is not installed"):
                econzoo.make(name, face=face).reset(seed=0)


def test_what_is_missing_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from econzoo.envs.families.open_source import sandbox

    monkeypatch.setattr(sandbox, "find_spec", lambda name: None)
    sandbox.unavailable_reason.cache_clear()
    try:
        assert str(sandbox.unavailable_reason()).endswith("pip install 'econzoo[sandbox]'")
    finally:
        sandbox.unavailable_reason.cache_clear()


MISSING = """
import sys
sys.modules["pydantic_monty"] = None
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "pydantic_monty" else found(name, *rest)
from econzoo.__main__ import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_the_command_line_says_so_in_one_line() -> None:
    command = [sys.executable, "-c", MISSING, "play", "program_matrix", "cooperate", "defect", "--seed", "1"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    says(line, "econzoo", "program_matrix", "econzoo[sandbox]")
    assert "Traceback" not in done.stdout


@sandboxed
def test_a_referee_is_asked_once_a_meta_round_after_all_have_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    game = econzoo.game("program_coin")
    asked: list[tuple[Any, ...]] = []
    ruling = game.referee.ruling
    monkeypatch.setattr(game.referee, "ruling", lambda *told: asked.append(told) or ruling(*told))
    up, left = tape(COIN_GAME, ["UP"]), tape(COIN_GAME, ["LEFT"])
    env = econzoo.make("program_coin", face="structured", rounds=2, turns=2)
    env.reset(seed=0)
    for number in range(2):
        submit(env, up)
        assert len(asked) == number
        submit(env, left)
        assert len(asked) == number + 1
    assert [[action.program for action in actions] for _, _, actions, _ in asked] == [[up, left]] * 2
    assert asked[0][3] != asked[1][3], "each meta-round has a seed of its own"
    assert [state.round for _, state, *_ in asked] == [1, 2]


@sandboxed
def test_the_parallel_view_asks_the_same_referee() -> None:
    aec = submitted("program_matrix", [C, D], [D, C], rounds=2, turns=3, noise=0.4)
    parallel = econzoo.make_parallel("program_matrix", face="structured", rounds=2, turns=3, noise=0.4)
    parallel.reset(seed=0)
    for sources in ((C, D), (D, C)):
        parallel.step({agent: {"program": x} for agent, x in zip(parallel.agents, sources, strict=True)})
    assert parallel.aec.rulings == aec.rulings
    assert freeze(parallel.aec.game_state) == freeze(aec.game_state)


@sandboxed
def test_a_ruling_depends_on_its_arguments_alone() -> None:
    assert ruled("program_matrix", [C, D], 3, turns=5, noise=0.5) == ruled(
        "program_matrix", [C, D], 3, turns=5, noise=0.5
    )


def test_program_games_have_a_referee() -> None:
    with_one = {name for name in econzoo.games() if econzoo.game(name).referee is not None}
    assert with_one == set(PLAYERS)
    referee = econzoo.game("program_matrix").referee
    assert isinstance(econzoo.game("program_coin"), Game)
    assert callable(referee.ruling)
    assert callable(referee.unavailable)
