"""Theory of the open-source coin game: expectations of the coin game, for all meta-rounds."""

from __future__ import annotations

import math

import pytest

import econzoo
from econzoo.envs.families.open_source.library import program
from econzoo.envs.games.coin_game import solution as coin_game
from econzoo.envs.games.program_coin import rules, solution
from games.program_coin.test_rules import params
from games.program_matches import ruled, sandboxed


def test_reference_points_are_those_of_the_coin_game_for_all_meta_rounds() -> None:
    for rounds in (1, 4):
        once = coin_game.reference(econzoo.game("coin_game").params(size=2, rounds=5)[1])
        points = solution.reference(params(size=2, rounds=rounds, turns=5))
        assert set(points) == set(once) - {"equilibrium"}, rounds
        assert points, rounds
        for name, pair in points.items():
            assert pair == pytest.approx([rounds * x for x in once[name]]), rounds


def test_equilibria_between_programs_pay_differently() -> None:
    assert all(math.isnan(x) for x in solution.equilibrium_payoffs(params()))
    assert solution.share_of_equilibrium(params(), (3.0, 3.0)) == (None, None)


@sandboxed
@pytest.mark.long
def test_two_that_leave_the_others_coins_alone_do_better_than_two_takers() -> None:
    """Over 30 boards. A coin of the other's is taken by the first two only where both coins lie on one cell."""
    sums, thefts = {}, {}
    p = params(turns=10)
    for name in ("cooperative", "greedy"):
        source = program("coin_game", name)
        came = [ruled("program_coin", [source, source], seed, turns=10) for seed in range(30)]
        sums[name] = sum(result.payoff for ruling in came for result in ruling.results)
        thefts[name] = sum(sum(rules.META.replay_moves(p, ruling.moves)[0].thefts) for ruling in came)
    assert sums["cooperative"] > 2 * sums["greedy"]
    assert thefts["cooperative"] == 0 < thefts["greedy"]


def test_advice() -> None:
    p = params()
    view = rules.observe(p, rules.initial(p), 0)
    assert any("1 less" in one for one in solution.advise(view).values())
    assert list(solution.advise(view._replace(over=1))) == ["advice"]
