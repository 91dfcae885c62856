"""The best response in a small town of water allocation, where hand and script say what it must be."""

import pytest

from benchmark_scripts import load_benchmark
from econzoo.envs.core import game

towns = load_benchmark("towns")
gain, Seating = towns.gain, towns.Seating


def town(**given):
    return game(towns.GAME).params(**{**towns.TOWN, **given})[1]


def test_who_is_told_beats_a_shader_by_a_cent():
    """Two dry days kill (1 + 2 of 3 points); whoever outbids the others lives to the end of a town of two days."""
    params = town(days=2, start_health=3, supply=(10, 10))
    assert gain(params, Seating(2, ("shade(0.35)", "shade(0.35)")), None) == pytest.approx(1.0)


def test_no_script_earns_more():
    for seat in [0, 1, 2]:
        for others in [("all-in", "shade(0.35)"), ("reserve(5)", "need-based")]:
            params, table = town(days=3, start_health=3), Seating(seat, others)
            scripts = [gain(params, table, own) for own in towns.COMPARED_SCRIPTS]
            assert max(scripts) <= gain(params, table, None) + 1e-12, (others, seat)


def test_every_seat_meets_every_pair_in_both_orders():
    count = len(towns.OPPONENT_SCRIPTS)
    assert len(towns.seatings(mixed=True)) == 3 * count * (count - 1)
    assert len(towns.seatings(mixed=False)) == 3 * count
