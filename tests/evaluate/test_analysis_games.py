"""Nash equilibria of known games, and the meta-game of choosing players."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from planted import METRICS, grid, observed

from econzoo.evaluate.analyses.regression import equilibria
from econzoo.evaluate.analyses.regression.equilibria import regret, undominated_strategies
from econzoo.evaluate.analyses.regression.metagame import meta_game
from econzoo.evaluate.analyses.regression.observations import clean_observations
from econzoo.evaluate.analyses.regression.sentences import meta_sentences
from exhaustive import examples
from refusals import refuses, says

MODULE = import_module("econzoo.evaluate.analyses.regression.equilibria")  # as the room gives the function of this name


def solved(first, second):
    """Equilibria as rounded lists."""
    found = equilibria(np.array(first, float), np.array(second, float))
    return [[[round(float(p), 6) + 0.0 for p in side] for side in profile] for profile in found.profiles], found


def test_matching_pennies():
    profiles, found = solved([[1, -1], [-1, 1]], [[-1, 1], [1, -1]])
    assert profiles == [[[0.5, 0.5], [0.5, 0.5]]]
    assert found.searched_size is None
    assert not found.is_degenerate


def test_battle_of_the_sexes_has_two_pure_and_one_mixed():
    profiles, found = solved([[2, 0], [0, 1]], [[1, 0], [0, 2]])
    assert profiles == [[[1, 0], [1, 0]], [[0, 1], [0, 1]], [[0.666667, 0.333333], [0.333333, 0.666667]]]
    assert [one.is_pure for one in found.profiles] == [True, True, False]


def test_the_prisoners_dilemma_is_solved_by_dominance():
    first = np.array([[3.0, 0], [5, 1]])
    assert undominated_strategies(first, first.T) == ([1], [1])
    assert solved(first, first.T)[0] == [[[0, 1], [0, 1]]]


def test_rock_paper_scissors():
    wins = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    third = round(1 / 3, 6)
    assert solved(wins, -wins)[0] == [[[third] * 3, [third] * 3]]


def test_three_by_three_coordination_has_seven():
    """Every set of strategies that both sides mix over is one equilibrium."""
    profiles, found = solved(np.diag([1, 2, 3]), np.diag([1, 2, 3]))
    assert len(profiles) == 7
    assert sum(one.is_pure for one in found.profiles) == 3
    weights = np.array([1, 1 / 2, 1 / 3]) / (1 + 1 / 2 + 1 / 3)
    full = next(one for one in found.profiles if all(one.first > 0))
    assert full.first == pytest.approx(weights)


def test_indifference_everywhere_gives_all_corners():
    profiles, found = solved(np.ones((2, 2)), np.ones((2, 2)))
    assert len(profiles) == 4
    assert found.is_degenerate


def test_a_degenerate_game_with_a_continuum():
    """Von Stengel's example: against the first row every mixture with y_1 >= 2/3 is an equilibrium."""
    profiles, found = solved([[3, 3], [2, 5], [0, 6]], [[3, 3], [2, 6], [3, 1]])
    third = round(1 / 3, 6)
    corners = [[[1, 0, 0], [1, 0]], [[1, 0, 0], [1 - third, third]], [[0, third, 1 - third], [third, 1 - third]]]
    assert sorted(map(str, profiles)) == sorted(str([[float(p) for p in side] for side in one]) for one in corners)
    assert found.is_degenerate


def test_a_side_without_a_choice():
    profiles, _ = solved([[0.2, 0.5, 0.1]], [[0.4, 0.7, 0.7]])
    assert profiles == [[[1], [0, 1, 0]], [[1], [0, 0, 1]]]


@examples(12)
@given(st.data())
def test_what_is_found_is_an_equilibrium_and_all_pure_ones_are_found(data):
    shape = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    gains = arrays(float, shape, elements=st.integers(-3, 3).map(float))  # small numbers: ties are common
    first, second = data.draw(gains), data.draw(gains)
    found = equilibria(first, second).profiles
    assert found, "every game has one"
    assert all(regret(first, second, one) < 1e-6 for one in found)
    by_hand = {
        (i, j)
        for i in range(shape[0])
        for j in range(shape[1])
        if all(first[i, j] >= first[k, j] for k in range(shape[0]))
        and all(second[i, j] >= second[i, k] for k in range(shape[1]))
    }
    assert {(int(one.first.argmax()), int(one.second.argmax())) for one in found if one.is_pure} == by_hand


def test_a_game_too_large_for_a_full_search_is_searched_up_to_a_size(monkeypatch):
    """All 7 equilibria of 3 x 3 coordination, then only those of up to two strategies."""
    monkeypatch.setattr(MODULE, "MAX_FULL_SEARCH", 3)
    profiles, found = solved(np.diag([1, 2, 3]), np.diag([1, 2, 3]))
    assert (len(profiles), found.searched_size) == (7, 3)
    monkeypatch.setattr(MODULE, "MAX_SUPPORT_PAIRS", 9)
    large = np.diag([1.0, 2, 3, 4])
    profiles, found = solved(large[:3, :3], large[:3, :3])
    assert (len(profiles), found.searched_size) == (7, 3)
    profiles, found = solved(large, large)  # 36 pairs of supports of size 2 are too many
    assert (len(profiles), found.searched_size) == (4, 1)
    monkeypatch.setattr(MODULE, "MAX_SUPPORT_PAIRS", 36)
    assert len(solved(np.ones((4, 4)) - large, np.ones((4, 4)) - large)[0]) >= 1
    profiles, found = solved(large, large)
    assert (len(profiles), found.searched_size) == (15, 4)


@examples(15)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_both_searches_find_the_same_in_games_without_ties(seed, size):
    rng = np.random.default_rng(seed)
    first, second = rng.random((size, size)), rng.random((size, size))
    corners = [one.support for one in equilibria(first, second).profiles]
    supports = [
        one.support
        for one in [*MODULE.pure_equilibria(first, second), *MODULE._small_supports(first, second, size)]
        if regret(first, second, one) < 1e-7
    ]
    assert sorted(corners) == sorted(supports)


def test_matrices_that_make_no_game():
    for wrong in [(np.ones((2, 2)), np.ones((2, 3))), (np.empty((0, 2)), np.empty((0, 2)))]:
        with refuses(ValueError, wrong[0].shape, wrong[1].shape):
            equilibria(*wrong)
        with refuses(ValueError, "finite"):
            equilibria(np.array([[math.nan]]), np.array([[1.0]]))


# The meta-game


def played(first, second, names=("ann", "ben"), spread=0.0):
    """Records of players whose mean gains are these matrices, in 8 markets."""
    table = grid(names, money=("100",), horizon=("12",), messages=("true",))
    at = [(names.index(a), names.index(b)) for a, b in zip(table["alice_player"], table["bob_player"], strict=True)]
    shift = table["delta_1"].map({"0.8": spread, "0.9": -spread})
    table["alice_self_gain"] = [first[i][j] for i, j in at] + shift
    table["bob_self_gain"] = [second[i][j] for i, j in at]
    return table


def test_the_meta_game_of_battle_of_the_sexes():
    game = meta_game(observed(played([[0.6, 0.1], [0.1, 0.3]], [[0.3, 0.1], [0.1, 0.6]], spread=0.1)))
    assert game.first == pytest.approx(np.array([[0.6, 0.1], [0.1, 0.3]]))
    pure = [one for one in game.equilibria if one.is_pure]
    (mixed,) = [one for one in game.equilibria if not one.is_pure]
    assert [(one.first, one.second) for one in pure] == [({"ann": 1.0}, {"ann": 1.0}), ({"ben": 1.0}, {"ben": 1.0})]
    assert [one.gains for one in pure] == [pytest.approx((0.6, 0.3)), pytest.approx((0.3, 0.6))]
    # Bob's gains 0.2 a = 0.5 (1 - a) make him indifferent, and the other way round.
    assert mixed.first == pytest.approx({"ann": 5 / 7, "ben": 2 / 7})
    assert mixed.second == pytest.approx({"ann": 2 / 7, "ben": 5 / 7})
    says(game.population_note, "over settings", 8)
    assert not game.has_unequal_settings


def test_an_equilibrium_is_clear_if_whoever_else_is_sent_gains_less_beyond_chance():
    """Both sides lose 0.2 by sending ben; in eight markets of the noise, that is much more or much less than it."""
    for noise, clear in [(0.02, True), (0.2, False)]:
        table = played([[0.5, 0.5], [0.3, 0.3]], [[0.5, 0.3], [0.5, 0.3]])
        rng = np.random.default_rng(3)
        for gain in ("alice_self_gain", "bob_self_gain"):
            table[gain] += rng.normal(0, noise, len(table))
        (one,) = [one for one in meta_game(observed(table)).equilibria if one.first == one.second == {"ann": 1.0}]
        assert one.is_clear is clear, noise


def test_an_equilibrium_that_hangs_on_one_market_is_not_clear():
    """ben beats ann by 1 in one of eight markets and loses by 0.13 in the others."""
    table = played([[0.5, 0.5], [0.37, 0.37]], [[0.5, 0.4], [0.5, 0.4]])
    lucky = (table["delta_1"] == "0.8") & (table["delta_2"] == "1") & (table["complete_information"] == "true")
    table.loc[lucky & (table["alice_player"] == "ben"), "alice_self_gain"] = 1.5
    table["bob_self_gain"] += np.random.default_rng(1).normal(0, 0.001, len(table))
    (one,) = meta_game(observed(table)).equilibria
    assert (one.first, one.second, one.is_clear) == ({"ben": 1.0}, {"ann": 1.0}, False)


def test_matching_pennies_of_players():
    game = meta_game(observed(played([[0.8, 0.2], [0.2, 0.8]], [[0.2, 0.8], [0.8, 0.2]])))
    (one,) = game.equilibria
    assert one.first == pytest.approx({"ann": 0.5, "ben": 0.5})
    assert one.gains == pytest.approx((0.5, 0.5))
    says(meta_sentences(game)[0], "no pure", "1 mixed")


def test_pairs_that_never_met_leave_no_game():
    table = played(np.eye(2), np.eye(2))
    table = table[~((table["alice_player"] == "ben") & (table["bob_player"] == "ann"))]
    game = meta_game(observed(table))
    assert game.missing_pairs == [("ben", "ann")]
    assert game.equilibria == []
    (said,) = meta_sentences(game)
    says(said, "2 by 2", "ben with ann")


def test_pairs_that_met_in_other_markets_are_told():
    table = played(np.eye(2), np.eye(2))
    table = table[~((table["alice_player"] == "ben") & (table["delta_1"] == "0.8"))]
    assert meta_game(observed(table)).has_unequal_settings


def test_nothing_is_clear_by_matches_that_are_all_alike():
    game = meta_game(observed(played(np.eye(2), np.eye(2))))
    assert [one.is_clear for one in game.equilibria] == [None] * 3


def test_matches_without_gains_are_no_game():
    table = played(np.eye(2), np.eye(2))
    table["alice_self_gain"] = math.nan
    assert meta_game(observed(table)) is None
    alone = pd.DataFrame({"alice_player": ["a"], "size": ["1"], **{name: [0.5] for name in METRICS[:3]}})
    assert meta_game(clean_observations("bargaining", alone, ("size",), ("alice",))) is None


def test_equilibria_are_the_same_every_time():
    table = played([[0.6, 0.1], [0.1, 0.3]], [[0.3, 0.1], [0.1, 0.6]])
    table["alice_self_gain"] += np.random.default_rng(5).normal(0, 0.4, len(table))
    assert meta_game(observed(table)).equilibria == meta_game(observed(table)).equilibria
