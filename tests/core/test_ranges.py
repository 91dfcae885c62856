"""Ranges of payoffs, metrics and objectives: nothing lies outside, and brute force reaches their ends."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, Move, Objective, Outcome, Ranges
from econzoo.envs.core.contract.objectives import UNBOUNDED, declared_ranges
from econzoo.envs.games.matrix.rules import C, D
from econzoo.envs.games.program_matrix.rules import FORFEIT, turn_payoff
from econzoo.testing.playing import Choose, positions_of, random_policy, settings_of
from extreme_play import extreme_policy

SPECS = (
    "payoff",
    "self_gain",
    "efficiency",
    "fairness",
    "nash_product",
    "inequity(1, 0.5)",
    "excess(0.2)",
    "0.7*self_gain + 0.3*fairness",
    "self_gain - 2*inequity(3, 0.9) - fairness",
)
GAMES = [name for name in sorted(econzoo.games()) if econzoo.game(name).referee is None]
"""Games whose results follow from the rules alone; those of programs are below."""


def test_ranges_by_hand() -> None:
    ranges = Ranges(((0.0, 5.0), (-2.0, 1.0)), ((0.0, 0.5), (-1.0, 1.0)), (0.0, 1.0), (-3.0, 1.0))
    for spec, first, second in [
        ("payoff", (0, 5), (-2, 1)),
        ("self_gain", (0, 0.5), (-1, 1)),
        ("-2*self_gain", (-1, 0), (-2, 2)),
        ("efficiency", (0, 1), (0, 1)),
        ("self_gain - fairness", (-1, 3.5), (-2, 4)),
        ("0.5*self_gain + 0.5*fairness", (-1.5, 0.75), (-2, 1)),
        ("0*fairness", (0, 0), (0, 0)),
        ("nash_product", (0, 0.5), (0, 0.5)),
        ("excess(0.2)", (0, 0.8), (0, 0.3)),
        ("self_gain - 2*excess(0.2)", (-1.6, 0.5), (-1.6, 1)),
        ("inequity(1, 0)", (-1, 0.5), (-2.5, 1)),  # 0 - (1 - 0) and -1 - (0.5 + 1); being ahead costs nothing
        ("inequity(0, 0.5)", (-0.5, 0.5), (-1, 0.75)),  # 0 - (0 + 1) / 2; 1 - (1 - 0.5) / 2
    ]:
        assert Objective(spec).range(ranges, 0) == pytest.approx(first), spec
        assert Objective(spec).range(ranges, 1) == pytest.approx(second), spec


BOX = st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)).map(sorted), min_size=1, max_size=3)


@given(box=BOX, alpha=st.floats(0, 4), beta=st.floats(0, 0.99), parts=st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_inequity_is_least_and_greatest_at_corners_of_the_gains(
    box: list[list[float]], alpha: float, beta: float, parts: list[float]
) -> None:
    goal = Objective(f"inequity({alpha!r}, {beta!r})")
    low, high = goal.range(Ranges(((0.0, 0.0),) * len(box), tuple((a, b) for a, b in box)), 0)
    own = box[0]
    ends = [[*own], *[[a, b, *[min(max(end, a), b) for end in own]] for a, b in box[1:]]]
    values = [goal((), Outcome(corner, 0.0, 0.0, False), 0) for corner in itertools.product(*ends)]
    assert low == pytest.approx(min(values))
    assert high == pytest.approx(max(values))
    inside = tuple(a + part * (b - a) for (a, b), part in zip(box, parts, strict=False))
    assert low - 1e-9 <= goal((), Outcome(inside, 0.0, 0.0, False), 0) <= high + 1e-9


def test_without_a_declaration_only_efficiency_and_fairness_are_bounded_from_above() -> None:
    ranges = declared_ranges(ModuleType("metrics"), None, 2)
    assert Objective("self_gain").range(ranges, 0) == UNBOUNDED
    assert Objective("0.5*fairness + efficiency").range(ranges, 1) == (-math.inf, 1.5)
    for spec in SPECS:
        assert not any(map(math.isnan, Objective(spec).range(ranges, 1))), spec
    assert Objective("inequity(0, 0)").range(ranges, 0) == UNBOUNDED
    assert Objective("0*self_gain + efficiency").range(ranges, 0) == (-math.inf, 1.0)


def test_prices_without_a_bound_have_results_without_one() -> None:
    game = econzoo.game("negotiation")
    ranges = game.ranges(game.params(bound=None)[1])
    assert ranges.payoffs == ranges.gains == (UNBOUNDED, UNBOUNDED)
    assert ranges.fairness == (-math.inf, 1.0)


# -- by brute force ----------------------------------------------------------------------------------------


def apply(name: str, params: Any, *moves: tuple[tuple[int, tuple[float, ...]], ...]) -> Any:
    """Position after moves, each a tuple with one (kind, numbers) per mover."""
    rules = econzoo.game(name).rules
    state = rules.initial(params)
    for joint in moves:
        state = rules.apply(params, state, tuple(Move(kind, values) for kind, values in joint))
    return state


def hull(name: str, params: Any, states: Iterable[Any], definition: str = "paper") -> Ranges:
    """Least and greatest results of positions."""
    game = econzoo.game(name)
    found = [(*game.rules.payoffs(params, s), *game.metrics.outcome(params, s, definition)) for s in states]
    seats = game.seats(params)
    gains = [row[seats] for row in found]
    columns = [*zip(*[row[:seats] for row in found], strict=True)], [*zip(*gains, strict=True)]
    ends = [tuple((min(each), max(each)) for each in column) for column in columns]
    last = [[row[k] for row in found if not math.isnan(row[k])] for k in (seats + 1, seats + 2)]
    return Ranges(*ends, *[(min(each), max(each)) for each in last])


def equal(found: Ranges, declared: Ranges) -> bool:
    """Whether ranges are equal, up to rounding."""
    flat = [[end for one in (*each.payoffs, *each.gains, *each[2:]) for end in one] for each in (found, declared)]
    return flat[0] == pytest.approx(flat[1], abs=1e-7)


def test_a_price_at_an_end_of_its_range_gives_the_extremes_of_negotiation() -> None:
    for setting in ({}, {"seller_value": 0.2}, {"complete_information": False}, {"money": 50.0, "bound": 3.0}):
        game = econzoo.game("negotiation")
        params = game.params(**setting)[1]
        ends = [*game.rules.bounds(params, game.rules.initial(params), 0)[0], *params.value]
        deals = [apply("negotiation", params, ((0, (price,)),), ((1, (0.0,)),)) for price in ends]
        assert equal(hull("negotiation", params, [game.rules.initial(params), *deals]), game.ranges(params)), setting


def test_all_divisions_of_bargaining_and_of_items() -> None:
    game = econzoo.game("bargaining")
    params = game.params(delta=(0.5, 0.5))[1]
    deals = [apply("bargaining", params, ((0, (asked,)),), ((1, (0.0,)),)) for asked in (0.0, 5000.0, 10_000.0)]
    assert equal(hull("bargaining", params, [game.rules.initial(params), *deals]), game.ranges(params))
    game = econzoo.game("multi_issue")
    params = game.params()[1]
    kept = itertools.product(range(4), range(3), range(2))
    deals = [apply("multi_issue", params, ((0, tuple(map(float, own))),), ((1, (0.0,) * 3),)) for own in kept]
    assert equal(hull("multi_issue", params, [game.rules.initial(params), *deals]), game.ranges(params))


def test_all_boards_and_steps_of_a_round_of_coins() -> None:
    game = econzoo.game("coin_game")
    params = game.params(size=2, rounds=1)[1]
    ends = []
    for board, steps in itertools.product(itertools.product(range(4), repeat=4), itertools.product(range(4), repeat=2)):
        placed = [((CHANCE, (float(cell),)),) for cell in board]
        ends.append(apply("coin_game", params, *placed, tuple((step, (0.0,)) for step in steps)))
    assert equal(hull("coin_game", params, ends), game.ranges(params))


def test_all_ends_of_values_and_offers() -> None:
    game = econzoo.game("double_auction")
    for buyers, sellers in ((1, 1), (2, 1)):
        params, seats = game.params(buyers=buyers, sellers=sellers, talk=0, money=8.0)[1], buyers + sellers
        ends = []
        for *numbers, lot in itertools.product(*[(0.0, 8.0)] * 2 * seats, (0.0, 4.0)):
            drawn = [((CHANCE, (number,)),) for number in (*numbers[:seats], *[lot] * (seats > 2))]
            ends.append(apply("double_auction", params, *drawn, tuple((2, (own,)) for own in numbers[seats:])))
        found, declared = hull("double_auction", params, ends), game.ranges(params)
        assert (found.payoffs, found.efficiency) == (declared.payoffs, declared.efficiency)
        assert found.fairness == pytest.approx(declared.fairness)
    assert declared.fairness[0] == 1 - 1.5**2


def test_all_outcomes_of_a_round_of_a_table() -> None:
    game = econzoo.game("matrix")
    for table in ("prisoners-dilemma", "chicken", "matching-pennies"):
        params = game.params(stage_game=table, rounds=1)[1]
        ends = [apply("matrix", params, ((row, ()), (column, ()))) for row in (0, 1) for column in (0, 1)]
        found, declared = hull("matrix", params, [game.rules.initial(params), *ends]), game.ranges(params)
        assert (found.payoffs, found.gains, found.efficiency) == (declared.payoffs, declared.gains, (0.0, 1.0))
        assert declared.fairness == (0.0, 1.0)


def test_the_dearest_punishment_reaches_the_lowest_gain_efficiency_and_fairness() -> None:
    game = econzoo.game("public_goods")
    params = game.params(rounds=1)[1]

    def ends(gave: tuple[float, ...], *points: tuple[float, ...]) -> Outcome:
        first = tuple((0, (own, 0.0, 0.0, 0.0)) for own in gave)
        state = apply("public_goods", params, first, tuple((1, (*own, 0.0)) for own in points))
        return game.metrics.outcome(params, state)

    declared = game.ranges(params)
    nothing = (0.0, 0.0, 0.0)
    rider = ends((0.0, 20.0, 20.0, 20.0), (10.0, 6.0, 2.0), (4.0, 0.0, 0.0), (3.0, 0.0, 0.0), (3.0, 0.0, 0.0))
    assert rider.gains[0] == pytest.approx(declared.gains[0][0])  # 44 earned, 44 taken, 44 spent (30 + 12 + 2)
    assert ends((0.0, 20.0, 20.0, 20.0), *[nothing] * 4).gains[0] == pytest.approx(declared.gains[0][1])
    war = ends((20.0,) * 4, (10.0, 2.0, 0.0), (0.0, 10.0, 2.0), (2.0, 0.0, 10.0), (10.0, 2.0, 0.0))
    assert war.efficiency == pytest.approx(declared.efficiency[0])
    gap = ends((0.0, 0.0, 20.0, 20.0), nothing, (0.0, 10.0, 4.0), (0.0, 5.0, 0.0), (0.0, 5.0, 0.0))
    assert gap.fairness == pytest.approx(declared.fairness[0])  # 36 to one, -36 to the other, of 32


def test_all_turns_of_programs() -> None:
    for table in ("prisoners-dilemma", "chicken"):
        game = econzoo.game("program_matrix")
        params = game.params(stage_game=table, rounds=1, turns=1)[1]
        start, kinds = game.rules.initial(params), (C, D, FORFEIT)
        turns = [[turn_payoff(params, i, (a, b)[i], (b, a)[i]) for i in (0, 1)] for a in kinds for b in kinds]
        states = [start._replace(score=tuple(points), over=True) for points in turns]
        found, declared = hull("program_matrix", params, [start, *states]), game.ranges(params)
        assert (found.payoffs, found.gains) == (declared.payoffs, declared.gains)
        assert found.efficiency == pytest.approx(declared.efficiency)
    game, params = econzoo.game("program_coin"), econzoo.game("program_coin").params(rounds=3, turns=7)[1]
    assert game.ranges(params)[1:] == econzoo.game("coin_game").ranges(econzoo.game("coin_game").params()[1])[1:]
    assert game.ranges(params).payoffs == ((-42.0, 42.0),) * 2


# -- by play -----------------------------------------------------------------------------------------------


def check_positions(name: str, setting: dict[str, Any], choose: Choose, seed: int, limit: int = 120) -> None:
    """Compare payoffs, metrics and objectives of all positions of a match with their ranges."""
    game = econzoo.game(name)
    env = econzoo.make(name, face="structured", **setting)
    every = {definition: game.ranges(env.params, definition) for definition in game.metrics.DEFINITIONS}
    for _ in itertools.islice(positions_of(env, choose, seed), limit):
        for definition, ranges in every.items():
            outcome, payoffs = env.outcome(definition), env.payoffs
            for spec, seat in itertools.product(SPECS, range(len(payoffs))):
                value, (low, high) = Objective(spec)(payoffs, outcome, seat), Objective(spec).range(ranges, seat)
                slack = 1e-9 * max(1.0, abs(value))
                assert math.isnan(value) or low - slack <= value <= high + slack, (
                    name,
                    setting,
                    definition,
                    spec,
                    seat,
                )


@pytest.mark.parametrize("name", GAMES)
def test_no_match_ends_out_of_range(name: str) -> None:
    game, rng = econzoo.game(name), np.random.default_rng(5)
    drawn = [game.sample(split, rng) for split in game.scenarios.DISTRIBUTIONS for _ in range(3)]
    for k, setting in enumerate([*settings_of(game), *drawn]):
        short = {**setting, **({"rounds": 12} if (setting.get("rounds") or 1) > 12 else {})}
        check_positions(name, short, extreme_policy(k), k)
        check_positions(name, short, random_policy(k), k)
