"""From records to rows of numbers, by hand."""

from __future__ import annotations

import math

import pytest
from handmade import match
from program_sources import BROKEN, CLIQUE, COOPERATE, DEFECT

from econzoo.envs.core.record.record import Turn
from econzoo.evaluate.analyses.programs.exploitability import Exploitability
from econzoo.evaluate.analyses.programs.rows import failures_of, program_table
from econzoo.evaluate.analyses.programs.sources import token_similarity
from econzoo.evaluate.analyses.programs.submissions import submissions_of

pytest.importorskip("radon")


def test_who_submitted_what(three_rounds):
    found = submissions_of([three_rounds])
    assert [(one.place["player"], one.round) for one in found] == [
        (who, at) for at in (1, 2, 3) for who in ("ann", "ben")
    ]
    assert [one.source for one in found] == [COOPERATE, DEFECT, CLIQUE, COOPERATE, CLIQUE, None]
    assert [one.refusal_codes for one in found] == [(), (), ("no_program",), (), (), ("no_program",)]
    assert found[0].text == "Be kind."
    assert found[2].text.startswith("I will look.")
    assert found[4].text == ""


def test_what_came_of_the_programs(three_rounds):
    found = submissions_of([three_rounds])
    assert found[3].letters == ("CC-C", "CCCD")
    assert [one.payoff for one in found] == [0, 5, 2.25, 2, 3, 0]
    assert [dict(one.failures) for one in found] == [{}, {}, {}, {"exception": 1}, {}, {"no program": 4}]


def test_a_move_in_the_place_of_an_answer_is_nobody_s(by_hand):
    """Where the policy lets C be played for a failure, the record says C and that it failed."""
    record = by_hand([(COOPERATE, DEFECT, "CCC", "DDD")])
    record.rulings[0]["moves"][2] = [0, 4.0]  # seat 0 in the second turn
    assert submissions_of([record])[0].letters == ("C-C", "DDD")


def test_matches_that_broke_off_and_other_games():
    broken = match("program_matrix", [Turn(0, 1, "?", None, error=["no_program", "?"])], status="forfeited")
    (one,) = submissions_of([broken, match("bargaining", [])])
    assert (one.source, one.moves, one.payoff, one.letters) == (None, (), None, None)


def test_moves_of_the_coin_game_are_no_letters():
    """D is a step down there."""
    turns = [Turn(seat, 1, {"program": COOPERATE}, {"program": COOPERATE}) for seat in (0, 1)]
    record = match("program_coin", turns, rounds=1)
    results = [{"moves": "DD", "against": "DU", "payoff": 1.0, "own": own, "others": 1} for own in (3, 0)]
    record.rulings = [{"moves": [[-1, 4.0], [1, 0.0], [1, 0.0], [1, 0.0], [0, 0.0]], "results": results}]
    first, second = submissions_of([record])
    assert first.letters is None
    assert (first.coins, second.coins) == ((3, 1), (0, 1))
    row = program_table([first, second]).iloc[0]
    assert (row["own_coins"], row["own_coins_hits"], row["own_coins_cases"], row["payoff"]) == (0.75, 3, 4, 0.5)
    assert math.isnan(row["cooperation"])


def test_the_rows(three_rounds):
    table = program_table(submissions_of([three_rounds]))
    assert table["cooperation"].tolist()[:5] == [1, 0, 0.75, 1, 0]
    assert table["after_cc_cases"].tolist() == [0, 0, 2, 1, 0, 0]
    assert table["after_cc_hits"].tolist() == [0, 0, 2, 1, 0, 0]
    assert table["access_paper"].tolist()[:5] == [0, 0, 1, 0, 1]
    assert table["unmeasured"].tolist() == ["", "", "", "", "", "no program"]
    assert table["failed"].tolist() == [0, 0, 0, 1, 0, 4]
    assert table["token_opponent"].tolist()[2] == token_similarity(CLIQUE, DEFECT)
    assert table["token_own"].tolist()[4] == 1
    undefined = table.iloc[5][["cooperation", "sloc", "access_paper", "access_extended", "token_own", "exploitability"]]
    assert undefined.isna().all()
    assert table["token_own"].isna().tolist() == [True, True, False, False, False, True]


def test_a_program_that_is_not_python_is_measured_as_nothing_and_counted(by_hand):
    record = by_hand([(BROKEN, COOPERATE, "----", "CCCC")])
    table = program_table(submissions_of([record]), lambda one: Exploitability(1.0, "x", 2.0, 3.0, 4.0))
    assert table["unmeasured"].tolist() == ["syntax error", ""]
    assert table["sloc"].isna().tolist() == table["exploitability"].isna().tolist() == [True, False]
    assert table["margin"].tolist()[1] == 4.0


def test_failures_are_counted(three_rounds):
    found = failures_of(submissions_of([three_rounds]))
    ann, ben = (found["program_matrix", who] for who in ("ann", "ben"))
    assert ann == {"programs": 3, "turns": 12, "no program": 0, "refused: no_program": 1}
    assert ben == {
        "programs": 3,
        "turns": 12,
        "no program": 1,
        "refused: no_program": 1,
        "turn: exception": 1,
        "turn: no program": 4,
    }
