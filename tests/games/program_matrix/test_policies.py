"""What becomes of turns that a program does not answer: five failures, each with a policy of its own."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import econzoo
from econzoo.envs.families.open_source import MATRIX, Failure
from econzoo.envs.games.program_matrix import rules
from games.program_matches import failing, of_players, program, results, ruled, sandboxed, submitted, tape

pytestmark = sandboxed

FAILING = failing(MATRIX)
COOPERATE = tape(MATRIX, "C")
FAILURES = list(FAILING)
TURNS = 3


def option(failure: Failure) -> str:
    return f"on_{failure.name.lower()}"


def played(failure: Failure, turns: int = TURNS, seed: int = 0, **policies: str) -> Any:
    return ruled("program_matrix", [FAILING[failure], COOPERATE], seed, turns=turns, **policies)


def test_a_failure_forfeits_its_turn_and_is_told() -> None:
    """Faults 5 and 9 of the public code: an error bought a random move, junk was taken for D."""
    for failure in FAILURES:
        ruling = played(failure)
        first, second = ruling.results
        assert (first.moves, first.against, first.payoff) == ("---", "CCC", 0.0), failure
        assert (first.failed, first.failure) == (3, failure.label)
        assert first.problem, failure
        assert "\n" not in first.problem, failure
        assert (second.moves, second.against, second.payoff) == ("CCC", "---", 4.5), failure
        assert (second.failed, second.failure, second.problem) == (0, "", ""), failure
        for own, other in of_players(ruling):
            assert own == (rules.FORFEIT, (float(failure),))
            assert other == (rules.C, (0.0,)), failure


def test_a_policy_makes_a_move_of_its_failure_and_of_no_other() -> None:
    for move, failure in product(("C", "D"), FAILURES):
        for other in FAILURES:
            first = played(other, **{option(failure): move}).results[0]
            assert first.moves == (move * TURNS if other is failure else "-" * TURNS)
            assert (first.failed, first.failure) == (TURNS, other.label), "it is counted all the same"


def test_a_move_can_be_drawn() -> None:
    for failure in FAILURES:
        policy = {option(failure): "random"}
        moves = played(failure, 60, **policy).results[0].moves
        assert set(moves) == {"C", "D"}, failure
        assert played(failure, 60, **policy).results[0].moves == moves
        assert played(failure, 60, seed=1, **policy).results[0].moves != moves


def test_drawn_moves_are_as_often_c_as_d() -> None:
    """200 +- 10 of 400; four standard deviations are 40."""
    moves = played(Failure.NO_PROGRAM, 400, on_no_program="random").results[0].moves
    assert abs(moves.count("C") - 200) < 40


def test_all_of_a_program_is_not_lost_for_one_turn() -> None:
    ruling = ruled("program_matrix", [tape(MATRIX, "C!D"), COOPERATE], turns=6)
    first, second = ruling.results
    assert (first.moves, first.failed, first.failure) == ("C-DC-D", 2, "exception")
    assert "ValueError: no idea" in first.problem
    assert first.problem.startswith("line 4: ")
    assert (first.payoff, second.payoff) == (2 * (3 + 0 + 5), 2 * (3 + 1.5 + 0))


def test_a_program_that_exceeded_a_limit_forfeits_the_rest() -> None:
    bomb = program(MATRIX, "if len(my_history) == 2:", "    return 'x' * 10 ** 9", "return 'C'")
    first = ruled("program_matrix", [bomb, COOPERATE], turns=5).results[0]
    assert (first.moves, first.failed, first.failure) == ("CC---", 3, "limit exceeded")


def test_both_can_fail() -> None:
    ruling = ruled("program_matrix", [FAILING[Failure.EXCEPTION], FAILING[Failure.WRONG_RETURN]], turns=2)
    assert [(r.moves, r.payoff, r.failure) for r in ruling.results] == [
        ("--", 0.0, "exception"),
        ("--", 0.0, "wrong return value"),
    ]


def test_fault_9_what_is_no_move_is_not_taken_for_one() -> None:
    for value in ["'c'", "'D '", "'cooperate'", "None", "1", "True", "['D']", "('D', 'C')", "b'D'"]:
        first = ruled("program_matrix", [program(MATRIX, f"return {value}"), COOPERATE], turns=1).results[0]
        assert (first.moves, first.failure) == ("-", "wrong return value"), value
        assert "allowed: 'C', 'D'" in first.problem, value


def test_a_forfeit_stands_as_a_dash_for_people_and_as_d_for_programs() -> None:
    """The first never moves; the second plays C while it sees no D, and D from then on."""
    grim = program(MATRIX, "return 'D' if 'D' in opp_history else 'C'")
    knows_two = program(MATRIX, "return {'C': 'C', 'D': 'D'}[opp_history[-1]] if opp_history else 'C'")
    for other in (grim, knows_two):
        first, second = ruled("program_matrix", [FAILING[Failure.EXCEPTION], other], turns=3).results
        assert (first.moves, second.against, second.moves, second.failed) == ("---", "---", "CDD", 0)
    own = program(MATRIX, "if not my_history:", "    return 1 / 0", "return 'C' if my_history == ['D'] else 'D'")
    assert ruled("program_matrix", [own, COOPERATE], turns=2).results[0].moves == "-C"


def test_the_policies_of_the_published_code_can_be_had() -> None:
    market = econzoo.game("program_matrix").scenarios.SETTINGS["as-published"]
    assert played(Failure.WRONG_RETURN, **market).results[0].moves == "DDD"
    assert set(played(Failure.EXCEPTION, 60, **market).results[0].moves) == {"C", "D"}


def test_fault_8_no_program_is_counted_and_neither_author_gets_nothing_and_nothing() -> None:
    """In the public code the match was scored 0:0, beside mutual defection's 1 a turn, and nothing said so."""
    env = submitted("program_matrix", rounds=1, turns=10, max_retries=0)
    env.step("no program at all")
    env.step({"program": COOPERATE})
    assert (env.errors, env.defaults) == ([1, 0], [1, 0])
    first, second = results(env)
    assert (first.failed, first.failure, first.moves) == (10, "no program", "-" * 10)
    assert (first.payoff, second.payoff) == (0.0, 15.0)
    assert env.game_state.failures == (10, 0)


def test_a_refused_program_is_played_as_what_it_is() -> None:
    """After the last attempt a program with an error in its syntax fails for this reason, not for being missing."""
    for failure in (Failure.SYNTAX_ERROR, Failure.NO_PROGRAM):
        env = submitted("program_matrix", [FAILING[failure], COOPERATE], rounds=1, turns=2, max_retries=0)
        assert (env.errors, env.defaults) == ([1, 0], [1, 0])
        assert env.events[0].action.program == FAILING[failure]
        assert results(env)[0].failure == failure.label


def test_a_refused_program_in_json_is_played_as_what_it_is() -> None:
    """A model that is held to JSON writes its program there."""
    env = submitted("program_matrix", face="text", rounds=1, turns=2, max_retries=0)
    for source in (FAILING[Failure.SYNTAX_ERROR], COOPERATE):
        env.step(json.dumps({"program": source}))
    assert (env.errors, env.defaults) == ([1, 0], [1, 0])
    assert [result.failure for result in results(env)] == ["syntax error", ""]
