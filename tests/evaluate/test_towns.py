"""The best response in a small town of water allocation, where hand and script say what it must be."""

import pytest

from econzoo.envs.core.registry import game
from econzoo.evaluate.analyses.ceilings.towns import (
    COMPARED_SCRIPTS,
    GAME,
    OPPONENT_SCRIPTS,
    TOWN,
    Seating,
    gain,
    seatings,
)


def town(**given):
    return game(GAME).params(**{**TOWN, **given})[1]


def test_who_is_told_beats_a_shader_by_a_cent():
    """Two dry days kill (1 + 2 of 3 points); whoever outbids the others lives to the end of a town of two days."""
    params = town(days=2, start_health=3, supply=(10, 10))
    assert gain(params, Seating(2, ("shade(0.35)", "shade(0.35)")), None) == pytest.approx(1.0)


def test_no_script_earns_more():
    for seat in [0, 1, 2]:
        for others in [("all-in", "shade(0.35)"), ("reserve(5)", "need-based")]:
            params, table = town(days=3, start_health=3), Seating(seat, others)
            assert max(gain(params, table, own) for own in COMPARED_SCRIPTS) <= gain(params, table, None) + 1e-12, (
                others,
                seat,
            )


def test_every_seat_meets_every_pair_in_both_orders():
    pairs = len(OPPONENT_SCRIPTS) * (len(OPPONENT_SCRIPTS) - 1) // 2
    assert (len(seatings(mixed=True)), len(seatings(mixed=False))) == (3 * 2 * pairs, 3 * len(OPPONENT_SCRIPTS))
