"""Theory of the open-source game of two moves: reference points by hand, and programs that keep to them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from econzoo.envs.families.open_source.library import program
from econzoo.envs.games.program_matrix import GAME, rules, solution
from games.program_matches import ruled, sandboxed
from refusals import refuses


def params(**given: Any) -> rules.Params:
    return GAME.params(**given)[1]


REFERENCE = [
    # game: security (minmax), utilitarian, of one turn
    ("prisoners-dilemma", (1, 1), (3, 3)),
    ("stag-hunt", (3, 3), (4, 4)),
    ("chicken", (1, 1), (3, 3)),
    ("matching-pennies", (0, 0), (0, 0)),
    ("battle-of-the-sexes", (2 / 3, 2 / 3), (1.5, 1.5)),  # CC and DD are equally good: their mean
]


def test_reference_points_are_those_of_a_turn_for_all_turns() -> None:
    for (game, security, utilitarian), (rounds, turns) in product(REFERENCE, ((1, 1), (3, 10))):
        points = solution.reference(params(stage_game=game, rounds=rounds, turns=turns))
        many = rounds * turns
        assert points["security"] == pytest.approx([many * x for x in security]), (game, security, utilitarian)
        assert sum(points["utilitarian"]) == pytest.approx(many * sum(utilitarian)), (game, security, rounds)
        for name in ("nash", "kalai_smorodinsky"):
            assert all(x >= y - 1e-9 for x, y in zip(points[name], points["security"], strict=True)), game


def test_programs_that_do_not_read_have_one_equilibrium_in_the_dilemma() -> None:
    assert solution.reference(params(rounds=2, turns=5))["blind"] == (10.0, 10.0)
    assert "blind" not in solution.reference(params(stage_game="chicken"))


def test_noise_is_counted_in() -> None:
    """With noise 1/2 every cell is as likely as any other: (3 + 0 + 5 + 1) / 4 = 2.25."""
    points = solution.reference(params(noise=0.5, rounds=1, turns=4))
    assert all(point == pytest.approx((9.0, 9.0)) for point in points.values())


def test_equilibria_between_programs_pay_differently() -> None:
    assert all(math.isnan(x) for x in solution.equilibrium_payoffs(params()))
    assert solution.share_of_equilibrium(params(), (30.0, 30.0)) == (None, None)
    with refuses(ValueError, "payoffs", (30.0,)):
        solution.share_of_equilibrium(params(), (30.0,))


def payoffs(first: str, second: str) -> tuple[float, float]:
    came = ruled("program_matrix", [program("matrix", first), program("matrix", second)], turns=10)
    return came.results[0].payoff, came.results[1].payoff


@sandboxed
def test_comparing_sources_is_a_program_equilibrium() -> None:
    """Tennenholtz 2004, theorem 1: two copies cooperate, and no other program does better against one of them."""
    copies = payoffs("clique_bot", "clique_bot")
    assert copies == (30.0, 30.0)
    others = ["defect", "cooperate", "tit_for_tat", "exploiter", "false_clique_bot", "fair_bot", "prudent_bot"]
    assert max(payoffs(other, "clique_bot")[0] for other in others) <= 10.0


@sandboxed
def test_not_reading_is_no_equilibrium_of_cooperation() -> None:
    assert payoffs("defect", "cooperate") == (50.0, 0.0)


def test_advice_tells_what_is_sure_and_what_is_even() -> None:
    p = params()
    told = solution.advise(rules.observe(p, rules.initial(p), 1))
    assert {"D", "1 points"} <= set(told.values())
    assert any(one.startswith("3 and 3 ") for one in told.values())
    over = rules.observe(p, rules.initial(p), 1)._replace(over=1)
    assert list(solution.advise(over)) == ["advice"]
