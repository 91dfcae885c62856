"""Backward induction, against all positions and all deviations of small games; bounds for repeated play."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import DONE, Move
from econzoo.envs.games.public_goods import rules
from econzoo.envs.games.public_goods.rules import Params, State
from econzoo.envs.games.public_goods.solution import deterrent_points, equilibrium_payoffs, least_patience, reference
from econzoo.envs.games.public_goods.solution import worthwhile_rounds
from refusals import refuses


def params(**public: Any) -> Params:
    """The rules' parameters from public ones."""
    return find_game("public_goods").params(**public)[1]


def moves_of(p: Params, s: State, seat: int) -> list[Move]:
    """All moves that a seat can play."""
    (_, most), *points = rules.bounds(p, s, seat)
    if not s.assigning:
        return [Move(0, (float(own), *[0.0] * (p.players - 2))) for own in range(int(most) + 1)]
    each = [range(int(high) + 1) for _, high in points]
    moves = [Move(1, tuple(map(float, own))) for own in product(*each)]
    return [move for move in moves if not rules.refuses(p, s, seat, move)]


def solved(p: Params, s: State) -> tuple[float, ...]:
    """Payoffs of the only subgame-perfect equilibrium: all pure equilibria of every position are looked for."""
    if rules.to_act(p, s) == DONE:
        return rules.payoffs(p, s)
    choices = [moves_of(p, s, seat) for seat in range(p.players)]
    values = {profile: solved(p, rules.apply(p, s, profile)) for profile in product(*choices)}
    stable = [profile for profile in values if _no_better(values, profile, choices)]
    assert len(stable) == 1
    return values[stable[0]]


def _no_better(values: dict[Any, tuple[float, ...]], profile: tuple[Move, ...], choices: list[list[Move]]) -> bool:
    for seat, own in enumerate(choices):
        for move in own:
            if values[(*profile[:seat], move, *profile[seat + 1 :])][seat] > values[profile][seat] + 1e-9:
                return False
    return True


def test_backward_induction_against_brute_force() -> None:
    """Both halves of all rounds: one pure equilibrium in every position, and its payoffs are those of the solution."""
    for public in [
        {"players": 2, "mpcr": 0.7, "endowment": 2, "rounds": 1},
        {"players": 2, "mpcr": 0.7, "endowment": 1, "rounds": 2},
        {"players": 2, "mpcr": 1.2, "endowment": 2, "rounds": 1, "cost": "linear"},
        {"players": 3, "mpcr": 0.5, "endowment": 1, "rounds": 1},
        {"players": 3, "mpcr": 0.4, "endowment": 2, "rounds": 1},
        {"players": 3, "mpcr": 0.5, "endowment": 1, "rounds": 1, "cost": "linear"},
        {"players": 3, "mpcr": 0.4, "endowment": 2, "rounds": 2, "punishment": False},
    ]:
        p = params(**public)
        assert solved(p, rules.initial(p)) == pytest.approx(equilibrium_payoffs(p)), public


def test_reference_points() -> None:
    """Ten rounds of 20 tokens: kept, or times 4 * mpcr."""
    for mpcr, equilibrium, efficient in ((0.2, 200, 200), (0.4, 200, 320), (1.0, 200, 800), (1.5, 1200, 1200)):
        assert reference(params(mpcr=mpcr)) == {"equilibrium": (equilibrium,) * 4, "efficient": (efficient,) * 4}


def test_no_profile_earns_the_group_more_than_the_efficient_one() -> None:
    for mpcr in (0.1, 0.3, 0.6):
        p = params(players=3, mpcr=mpcr, endowment=2, rounds=1, punishment=False)
        sums = []
        for gave in product(range(3), repeat=3):
            moves = tuple([Move(0, (float(own), 0.0)) for own in gave])
            sums.append(sum(rules.payoffs(p, rules.apply(p, rules.initial(p), moves))))
        assert max(sums) == pytest.approx(sum(reference(p)["efficient"])), mpcr


def test_least_patience_makes_a_grim_trigger_just_worth_it() -> None:
    """Incomes of one token: n * m for ever, or 1 + (n - 1) m once and 1 for ever after."""
    for players, mpcr, patience in ((4, 0.4, 0.5), (2, 0.75, 1 / 3), (4, 0.25, 1.0), (4, 1.0, 0.0), (4, 0.0, math.inf)):
        p = params(players=players, mpcr=mpcr)
        assert least_patience(p) == pytest.approx(patience), (players, mpcr)
        if 0.0 < patience < 1.0:
            together, alone = players * mpcr, 1.0 + (players - 1) * mpcr
            assert together / (1 - patience) == pytest.approx(alone + patience / (1 - patience)), (players, mpcr)


def test_the_fewest_points_that_deter() -> None:
    for public, points in [
        ({}, 3),  # 44 * 0.7 = 30.8 < 32 < 44 * 0.8
        ({"cost": "linear"}, 4),  # 44 - 12 = 32
        ({"mpcr": 1.0}, 0),
        ({"mpcr": 0.0}, 10),  # all income must go
    ]:
        assert deterrent_points(params(**public)) == points


def best_reply(p: Params, first: int) -> tuple[float, list[tuple[int, ...]]]:
    """The best of all sequences of contributions against one who repeats what it saw, and which sequences earn it."""
    earned: dict[tuple[int, ...], float] = {}
    for own in product(range(p.endowment + 1), repeat=p.rounds):
        theirs = (first, *own[:-1])
        earned[own] = sum(p.endowment - x + p.mpcr * (x + y) for x, y in zip(own, theirs, strict=True))
    most = max(earned.values())
    return most, [own for own, income in earned.items() if income == pytest.approx(most)]


def test_rounds_in_which_contributing_to_conditional_cooperators_pays() -> None:
    """Two players: a token comes back once, in the next round, so that it pays from a return of one half on."""
    for mpcr, rounds, pays in ((0.7, 4, 3), (0.6, 1, 0), (0.4, 4, 0), (1.1, 3, 3)):
        p = params(players=2, mpcr=mpcr, endowment=2, rounds=rounds, punishment=False)
        assert worthwhile_rounds(p) == pays, (mpcr, rounds)
        assert best_reply(p, 1)[1] == [(2,) * pays + (0,) * (rounds - pays)], mpcr


def test_what_comes_back_from_three_others() -> None:
    """A token brings 0.4 * (1 + slope + slope * (2/3 slope) + ...): with a slope of 1 0.4, 0.8, 1.07, so all but 2."""
    for slope, pays in ((1.0, 8), (0.9, 7), (0.8, 6), (0.7, 0)):
        assert worthwhile_rounds(params(), slope) == pays


def test_a_slope_that_is_none_is_refused() -> None:
    with refuses(ValueError, "slope", 2, 0, 1):
        worthwhile_rounds(params(), 2)
