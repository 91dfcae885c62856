"""Tournaments of the classics: numbers that a person can check, chance in closed form, and one result for all."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import econzoo
from econzoo.baselines import player
from econzoo.baselines.matrix import CLASSICS
from econzoo.baselines.matrix.classic import STANDARD, Classic
from econzoo.baselines.matrix.match_loop import play_match
from econzoo.evaluate.analyses.dilemmas import round_robin
from exhaustive import long_unless
from refusals import refuses

ANYBODY = ("mixed(0.5)", "win-stay-lose-shift", "memory-one(0.9, 0.4, 0.2, 0.6)", "cooperator")
FIELD = ("tit-for-tat", "cooperator", "defector", "alternator")


def same(one, other):
    assert one.names == other.names
    for a, b in zip(one[1:], other[1:], strict=True):
        np.testing.assert_array_equal(a, b)


def test_payoffs_of_four_strategies_over_four_rounds():
    made = round_robin(FIELD, turns=4)
    expected = [[12, 12, 3, 8], [12, 12, 0, 6], [8, 20, 4, 12], [13, 16, 2, 8]]
    np.testing.assert_array_equal(made.payoff * 4, expected)
    np.testing.assert_array_equal(made.cooperation * 4, [[4, 4, 1, 3], [4, 4, 4, 4], [0, 0, 0, 0], [2, 2, 2, 2]])
    assert not made.error.any()
    assert (made.match_counts == 1).all()
    assert made.names == FIELD


def test_points_are_those_of_the_table():
    made = round_robin(FIELD, turns=4, payoffs=(1.0, -3.0, 2.5, 0.0))
    assert made.payoff[1].tolist() == [1.0, 1.0, -3.0, -1.0]
    assert made.payoff[2].tolist() == [0.625, 2.5, 0.0, 1.25]


def test_a_pair_that_draws_no_lots_plays_one_match_and_others_all():
    made = round_robin(["tit-for-tat", "defector", "mixed"], turns=10, repetitions=7)
    assert made.match_counts.tolist() == [[1, 1, 7], [1, 1, 7], [7, 7, 7]]
    assert made.error[0, 1] == 0.0
    assert (made.error[2] > 0.0).all()
    noisy = round_robin(["tit-for-tat", "defector"], turns=10, repetitions=7, noise=0.1)
    assert (noisy.match_counts == 7).all()


def test_one_match_tells_nothing_of_its_error():
    made = round_robin(["tit-for-tat", "mixed"], turns=10)
    assert np.isnan(made.error).tolist() == [[False, True], [True, True]]


def test_the_standard_error_is_that_of_the_mean_of_the_matches():
    seeds = [round_robin(["mixed(0.4)", "mixed(0.7)"], turns=20, seed=seed).payoff[0, 1] for seed in range(400)]
    made = round_robin(["mixed(0.4)", "mixed(0.7)"], turns=20, repetitions=400)
    assert made.error[0, 1] == pytest.approx(np.std(seeds, ddof=1) / 20, rel=0.2)


def test_independent_lots_pay_what_their_product_says():
    for p, q in [(0.3, 0.8), (0.5, 0.5), (1.0, 0.1)]:
        made = round_robin([f"mixed({p})", f"mixed({q})"], turns=50, repetitions=200, seed=3)
        expected = 3 * p * q + 5 * (1 - p) * q + (1 - p) * (1 - q)
        assert abs(made.payoff[0, 1] - expected) < 4 * made.error[0, 1], (p, q)
        assert abs(made.cooperation[0, 1] - p) < 4 * np.sqrt(p * (1 - p) / 10_000) + 1e-12, (p, q)


def test_noise_turns_moves_over_and_strategies_see_what_was_made():
    made = round_robin(["cooperator", "tit-for-tat"], turns=100, repetitions=200, noise=0.1, seed=5)
    assert abs(made.cooperation[0, 0] - 0.9) < 4 * np.sqrt(0.09 / 40_000)
    copied = 0.9 * 0.9 + 0.1 * 0.1  # of what came out as C in nine cases of ten, after the first round
    assert abs(made.cooperation[1, 0] - (0.9 + 99 * copied) / 100) < 4 * np.sqrt(0.15 / 20_000)


@pytest.mark.parametrize("other", long_unless(lambda other: other == "mixed(0.5)", ANYBODY))
@pytest.mark.parametrize(
    ("spec", "line", "slope"), [("zd-extort(2)", 1, 0.5), ("zd-generous(3)", 3, 1 / 3), ("zd-set", 2, 0)]
)
def test_a_zero_determinant_strategy_holds_its_line_against_anybody(spec, line, slope, other):
    made = round_robin([spec, other], turns=2_000, repetitions=40, seed=1)
    own, others = made.payoff[0, 1], made.payoff[1, 0]
    assert abs((others - line) - slope * (own - line)) < 4 * (made.error[1, 0] + slope * made.error[0, 1]) + 0.01


@pytest.mark.parametrize("known", [True, False])
def test_it_is_the_same_as_at_the_table(known):
    names = [spec for spec in CLASSICS if player(spec, "matrix").deterministic][::3]
    made = round_robin(names, turns=17, known_length=known)
    for i, one in enumerate(names):
        j = (2 * i + 1) % len(names)
        record = econzoo.play("matrix", [one, names[j]], rounds=17, known=known, messages=False)
        assert [value * 17 for value in (made.payoff[i, j], made.payoff[j, i])] == pytest.approx(record.payoffs)


@pytest.mark.parametrize("every", long_unless(lambda every: every > 1, [15, 1]))
@pytest.mark.slow
def test_machine_code_gives_the_same_numbers_bit_for_bit(every):
    pytest.importorskip("numba")
    names = [
        *list(CLASSICS)[::every],
        "memory-one(0.9, 0.2, 0.7, 0.1, 0.5)",
        "cycler('CDDCC')",
        "zd-extort(3.7)",
        "go-by-majority(7)",
    ]
    noisy = {"noise": 0.05, "repetitions": 2, "seed": 8, "known_length": False, "payoffs": (3.0, -1.0, 4.5, 0.5)}
    for setting in ({"turns": 90}, {"turns": 30, **noisy}):
        same(round_robin(names, **setting, compiled=True), round_robin(names, **setting, compiled=False))


@pytest.mark.slow
def test_a_strategy_of_somebody_else_is_compiled_too():
    pytest.importorskip("numba")
    made = [Classic("mirror", mirror), "tit-for-tat", Classic("third", third, (2.0,))]
    same(round_robin(made, turns=30, compiled=True), round_robin(made, turns=30, compiled=False))


def test_what_cannot_be_compiled_is_named():
    pytest.importorskip("numba")
    with refuses(ValueError, "wordy"):
        round_robin([Classic("wordy", wordy)], compiled=True)


def mirror(mine, theirs, turn, horizon, u, given):
    return helper(theirs, turn)


def helper(theirs, turn):
    return 1 if turn > 0 and theirs[turn - 1] == 0 else 0


def third(mine, theirs, turn, horizon, u, given):
    return 1 if turn % 3 == given[0] else 0


def wordy(mine, theirs, turn, horizon, u, given):
    return len(f"{u:.3f}") % 2


def test_how_many_matches_run_at_a_time_changes_nothing(monkeypatch):
    module = import_module("econzoo.evaluate.analyses.dilemmas.round_robin")
    whole = round_robin(["mixed", "joss", "grudger"], turns=9, repetitions=11, noise=0.1)
    for at_once in (1, 36, 9 * 4 * 7):
        monkeypatch.setattr(module, "BATCH_SIZE", at_once)
        same(round_robin(["mixed", "joss", "grudger"], turns=9, repetitions=11, noise=0.1), whole)


def test_seeds_matter_only_where_chance_plays_a_part():
    one, other = (round_robin(["mixed", "tit-for-tat", "defector"], turns=30, seed=seed) for seed in (0, 1))
    assert one.payoff[0, 1] != other.payoff[0, 1]
    assert one.payoff[1, 2] == other.payoff[1, 2]


def test_a_match_counts_all_rounds():
    one, other = player("alternator", "matrix"), player("defector", "matrix")
    lots = [[0.0, 0.0]] * 5
    args = one.move, other.move, one.numbers(STANDARD), other.numbers(STANDARD), lots, 5, -1, 0.0
    assert play_match(*args, bytearray(5), bytearray(5)) == (0, 3, 0, 2)


def test_what_is_not_allowed_is_refused_in_one_line():
    for change, named in [
        ({"strategies": []}, ("one",)),
        ({"strategies": ["tit-for-tatt"]}, ("'tit-for-tatt'",)),
        ({"strategies": ["random"]}, ("'random'",)),
        ({"turns": 0}, ("turns=0", 1)),
        ({"turns": 2.0}, ("turns=2.0", 1)),
        ({"turns": True}, ("turns=True", 1)),
        ({"repetitions": -1}, ("repetitions=-1", 1)),
        ({"noise": 0.6}, ("noise=0.6", 0, 0.5)),
        ({"noise": float("nan")}, ("noise=nan", 0, 0.5)),
        ({"noise": "some"}, ("noise='some'", 0, 0.5)),
        ({"payoffs": (1, 2, 3)}, ("payoffs", "four")),
        ({"payoffs": (1, 2, 3, float("inf"))}, ("payoffs", "four")),
        ({"payoffs": 3}, ("payoffs", "four")),
        ({"seed": -1}, ("seed=-1", 0)),
        ({"seed": 1.5}, ("seed=1.5", 0)),
    ]:
        with refuses(ValueError, *named) as caught:
            round_robin(**({"strategies": FIELD} | change))
        assert "\n" not in str(caught.value), change
