"""The regressions find the effects that were planted, and say so where the data cannot tell."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import METRICS, PARAMETERS, add, effects_of, grid, observed, record

import econzoo
from econzoo.envs.core import game as find_game
from econzoo.evaluate.analyses.regression import design, levels, observe, regression_study
from econzoo.evaluate.analyses.regression.design import baseline_of, independent_columns, sort_levels
from econzoo.evaluate.analyses.regression.families import FAMILIES
from econzoo.evaluate.analyses.regression.features import MAX_LEVELS, Feature, features, first_players, pair_level
from econzoo.evaluate.analyses.regression.pairs import heat, heats
from econzoo.evaluate.analyses.regression.regression import fit, fits
from econzoo.evaluate.analyses.regression.sentences import data_notes, warnings_of
from refusals import refuses, says

PLANTED = {
    "complete_information": {"false": -0.04},
    "messages": {"true": 0.07},
    "horizon": {"inf": 0.02},
    "delta_1": {"0.8": -0.1},
    "delta_2": {"1": 0.05},
    "money": {"100": -0.015},
    "alice_player": {"ben": 0.12, "cat": -0.08},
    "bob_player": {"ben": -0.03, "cat": 0.09},
}
"""Against the paper's baselines (and ann) wherever they are in the data; messages false, delta 0.9, M 10000."""


def fitted(observations, metric="alice_self_gain", **chosen):
    return fit(observations, metric, features(observations, **chosen).items)


# What is planted is found


def test_without_noise_every_effect_is_found_exactly():
    found = effects_of(fitted(observed(add(grid(), "alice_self_gain", PLANTED)), mode="plain"))
    planted = {(name, level): value for name, given in PLANTED.items() for level, value in given.items()}
    assert set(found) == set(planted)
    for key, value in planted.items():
        assert found[key].effect == pytest.approx(value, abs=1e-9)
        assert found[key].ci_low == pytest.approx(value, abs=1e-6)
        assert found[key].over == "", "nothing varies, so nothing says how sure that is"


def test_the_market_is_one_feature_of_eight_levels_with_any_effects():
    table = grid()
    market = table["complete_information"] + table["messages"] + table["horizon"]
    names = sorted(set(market))
    worth = dict(zip(names, np.linspace(-0.2, 0.3, 8), strict=True))
    table["efficiency"] += market.map(worth) - 0.3
    found = effects_of(fitted(observed(table), "efficiency"))
    shown = {
        f"CI={c}, MA={m}, T={t}": worth[c + m + t]
        for c in ("true", "false")
        for m in ("true", "false")
        for t in ("12", "inf")
    }
    baseline = shown.pop("CI=true, MA=false, T=inf")
    assert {v for p, v in found if p == "setting"} == set(shown)
    for level, value in shown.items():
        assert found["setting", level].effect == pytest.approx(value - baseline, abs=1e-9)
        assert found["setting", level].baseline == "CI=true, MA=false, T=inf"


def test_all_parameters_as_one_feature():
    found = effects_of(fitted(observed(add(grid(), "alice_self_gain", PLANTED)), mode="all"))
    away = "money=100, delta_1=0.8, delta_2=0.9, horizon=12, complete_information=true, messages=false"
    assert found["configuration", away].effect == pytest.approx(-0.015 - 0.1 - 0.02, abs=1e-9)  # baseline T=inf
    assert len([key for key in found if key[0] == "configuration"]) == 63
    assert math.isnan(found["configuration", away].ci_low_clustered), "one configuration has no variation between"
    assert not math.isnan(found["configuration", away].ci_low)


def test_pairs_find_what_two_seats_cannot():
    """Only ann against ben is special: no sum of a seat's effects says that."""
    table = grid()
    special = (table["alice_player"] == "ann") & (table["bob_player"] == "ben")
    table.loc[special, "bob_self_gain"] += 0.3
    found = effects_of(fitted(observed(table), "bob_self_gain", pairs=True, baseline_player="cat"))
    pairs = {value: one.effect for (name, value), one in found.items() if name == "pair"}
    assert len(pairs) == 8
    assert pairs.pop("ann / ben") == pytest.approx(0.3, abs=1e-9)
    assert list(pairs.values()) == pytest.approx([0.0] * 7, abs=1e-9)


def test_with_noise_the_intervals_hold_what_was_planted():
    table = add(grid(repeats=3), "alice_self_gain", PLANTED)
    table["alice_self_gain"] += np.random.default_rng(1).normal(0, 0.2, len(table))
    found = effects_of(fitted(observed(table), mode="plain"))
    inside = [
        one.ci_low <= PLANTED[name][level] <= one.ci_high and one.ci_low_clustered < one.effect < one.ci_high_clustered
        for (name, level), one in found.items()
    ]
    assert sum(inside) >= 9, "of ten"
    width = found["delta_1", "0.8"].ci_high - found["delta_1", "0.8"].ci_low
    assert width == pytest.approx(2 * 1.96 * 0.2 * 2 / math.sqrt(len(table)), rel=0.05)


def test_where_noise_is_clustered_only_the_robust_intervals_cover():
    table = grid(players=("ann",), repeats=10)
    observations = observed(table)
    chosen = features(observations, "plain").items
    clusters = observations.table["configuration"].factorize()[0]
    rng, inside = np.random.default_rng(2), {"classical": 0, "clustered": 0}
    for _ in range(60):
        shared = rng.normal(0, 0.1, 64)[clusters] + rng.normal(0, 0.1, len(table))
        observations.table["alice_self_gain"] = 0.3 * (table["horizon"] == "inf") + shared
        one = effects_of(fit(observations, "alice_self_gain", chosen))["horizon", "inf"]
        inside["classical"] += one.ci_low < 0.3 < one.ci_high
        inside["clustered"] += one.ci_low_clustered < 0.3 < one.ci_high_clustered
    assert inside["clustered"] >= 53
    assert inside["classical"] <= 45


# Baselines


def test_the_papers_baselines_are_levels_of_its_grid():
    for name, known in FAMILIES.items():
        markets = [levels({**find_game(name).defaults, **market}) for market in find_game(name).scenarios.GLEE]
        for parameter, level in {**known.baseline, **known.merged_baseline}.items():
            assert level in {market[parameter] for market in markets}, f"{name} {parameter}"


def test_the_market_of_each_family_has_the_papers_number_of_levels():
    for name, count in [("bargaining", 8), ("negotiation", 12), ("persuasion", 8)]:
        played = [
            record(name, ["x", "y"], seed, **market) for seed, market in enumerate(find_game(name).scenarios.GLEE)
        ]
        (observations,) = observe(played)
        market = features(observations).items[0]
        assert market.name == "setting", name
        assert market.values.nunique() == count, name
        assert market.baseline in set(market.values), name
        assert observations.table["configuration"].nunique() == len(played), name


def test_a_baseline_that_is_not_there_is_replaced_and_named():
    table = grid(delta_1=("0.7", "0.8"), money=("100",))
    table = table[(table["delta_1"] == "0.8") | (table["delta_2"] == "1")]  # 0.8 is the more frequent one
    one = fitted(observed(table), mode="plain")
    assert one.design.replaced_baselines == {"delta_1": ("0.9", "0.8")}
    assert one.design.constant_features == {"money": "100"}
    said = " ".join(warnings_of(observed(table), [one]))
    says(said, "delta 1 0.9", 0.8, "money: 100")


def test_the_baseline_player_is_the_first_unless_chosen():
    observations = observed(add(grid(), "alice_self_gain", PLANTED))
    assert {one.baseline for one in fitted(observations).effects if one.parameter == "bob_player"} == {"ann"}
    found = effects_of(fitted(observations, baseline_player="cat"))
    assert found["alice_player", "ben"].effect == pytest.approx(0.12 + 0.08, abs=1e-9)


def with_gaps():
    """Sellers ann and bea, buyers cat and dan; ann's matches have no efficiency."""
    rows = [(seller, buyer, delta) for seller in ("ann", "bea", "eve") for buyer in ("cat", "dan") for delta in "12"]
    table = pd.DataFrame(rows, columns=["alice_player", "bob_player", "delta_1"])
    table = table.assign(**dict.fromkeys(METRICS, 0.5))
    table["efficiency"] = 0.1 * (table["alice_player"] == "eve") + 0.2 * (table["bob_player"] == "dan")
    table.loc[table["alice_player"] == "ann", "efficiency"] = math.nan
    return observed(table, ("delta_1",), "unheard-of")


def test_each_seat_has_a_baseline_that_takes_it():
    observations = with_gaps()
    assert first_players(observations) == {"alice_player": "ann", "bob_player": "cat"}
    found = regression_study(observations)
    assert found.baseline_players == {"alice_player": "ann", "bob_player": "cat"}
    assert not any(one.design.replaced_baselines for one in found.fits)
    assert "frequent" not in " ".join(found.cautions)
    (pair,) = features(observations, pairs=True).items[-1:]
    assert pair.baseline == "ann / cat"


def test_each_seat_can_have_a_baseline_of_its_own():
    found = regression_study(with_gaps(), baseline_player=("bea", "dan"))
    assert found.baseline_players == {"alice_player": "bea", "bob_player": "dan"}
    (pair,) = features(with_gaps(), pairs=True, baseline_player=("bea", "dan")).items[-1:]
    assert pair.baseline == "bea / dan"
    with refuses(ValueError, "cat", "one"):
        regression_study(with_gaps(), baseline_player=("bea", "dan", "cat"))


def test_the_papers_baseline_player_comes_before_the_first_in_the_data():
    observations = with_gaps()
    table = observations.table.replace({"bob_player": {"dan": "gemini-1.5-flash"}})
    assert first_players(replace(observations, table=table)) == {
        "alice_player": "ann",
        "bob_player": "gemini-1.5-flash",
    }


def test_markets_that_leave_nothing_to_gain_are_told():
    rows = [("ann", "bob", seller, buyer) for seller in ("0.8", "1") for buyer in ("1", "1.5")]
    table = pd.DataFrame(rows, columns=["alice_player", "bob_player", "seller_value", "buyer_value"])
    table = table.assign(**dict.fromkeys(METRICS, 0.5))
    observations = observed(table, ("seller_value", "buyer_value"), "negotiation")
    says(" ".join(warnings_of(observations, [])), "1 of 4 settings")


def test_a_seat_without_the_chosen_baseline_says_so():
    found = regression_study(with_gaps(), baseline_player="bea")
    assert found.baseline_players == {"alice_player": "bea", "bob_player": "cat"}
    says(" ".join(found.cautions), "Bob's player bea", "cat")


def test_the_baseline_is_the_same_for_every_metric_also_where_it_has_no_value():
    """Without ann nobody's efficiency can be compared with hers; all else, dan's 0.2 among it, can."""
    found = regression_study(with_gaps())
    baselines = {(e.parameter, e.baseline) for one in found.fits for e in one.effects}
    assert baselines == {("alice_player", "ann"), ("bob_player", "cat"), ("delta_1", "1")}
    (fitted,) = [one for one in found.fits if one.metric == "efficiency"]
    effects = effects_of(fitted)
    assert math.isnan(effects["alice_player", "bea"].effect)
    assert math.isnan(effects["alice_player", "eve"].effect)
    assert effects["bob_player", "dan"].effect == pytest.approx(0.2, abs=1e-9)
    assert math.isnan(fitted.constant)
    (said,) = [one for one in found.cautions if "No effects of Alice's player" in one]
    says(said, "ann", "efficiency")
    assert "identified" not in " ".join(found.cautions)
    heat_of = next(one for one in found.heats if one.metric == "efficiency")
    assert heat_of.is_adjusted
    assert heat_of.cells["eve", "dan"].effect - heat_of.cells["bea", "cat"].effect == pytest.approx(0.3, abs=1e-9)


def test_most_frequent_first_in_order_of_ties():
    assert baseline_of(["b", "a", "b", "a"], None) == "a"
    assert baseline_of(["10", "9", "9", "10"], None) == "9"
    assert baseline_of(["10", "9", "9"], "10") == "10"
    assert sort_levels(["inf", "b", "10", "9", "a", "0.95"]) == ["0.95", "9", "10", "inf", "a", "b"]


# What the data cannot tell


def test_players_who_only_meet_themselves_cannot_be_told_apart_by_seat():
    table = grid()
    table = table[table["alice_player"] == table["bob_player"]]
    observations = observed(add(table, "alice_self_gain", PLANTED))
    one = fitted(observations, mode="plain")
    found = effects_of(one)
    for seat in ("alice_player", "bob_player"):
        assert math.isnan(found[seat, "ben"].effect)
        assert math.isnan(found[seat, "ben"].ci_low_clustered)
    assert found["delta_1", "0.8"].effect == pytest.approx(-0.1, abs=1e-9), "the others are not touched"
    groups = {frozenset(map(str, group)) for group in one.design.dependent_groups}
    assert groups == {frozenset({f"{seat}_player {name}" for seat in ("alice", "bob")}) for name in ("ben", "cat")}
    says(" ".join(warnings_of(observations, [one])), "4 effects")


def test_two_parameters_that_say_the_same():
    table = grid()
    table["delta_2"] = table["delta_1"].map({"0.8": "1", "0.9": "0.9"})
    found = effects_of(fitted(observed(add(table, "alice_self_gain", PLANTED)), mode="plain"))
    assert math.isnan(found["delta_1", "0.8"].effect)
    assert math.isnan(found["delta_2", "1"].effect)
    assert found["alice_player", "ben"].effect == pytest.approx(0.12, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_effect_is_left_out_exactly_if_the_data_do_not_determine_it(data):
    """Brute force: the effect is determined if its unit vector is a combination of rows of the whole design."""
    rows = data.draw(st.integers(1, 12))
    names = [f"f{i}" for i in range(data.draw(st.integers(1, 3)))]
    drawn = {name: data.draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows)) for name in names}
    table = pd.DataFrame(drawn)
    clusters = np.arange(rows)
    made = design([Feature(name, table[name]) for name in names], [clusters])
    assert len(made.kept_columns) == np.linalg.matrix_rank(made.matrix)
    for place, column in enumerate([None, *made.columns]):
        unit = np.eye(made.matrix.shape[1])[place]
        combination = np.linalg.lstsq(made.matrix.T, unit, rcond=None)[0]
        determined = np.allclose(made.matrix.T @ combination, unit, atol=1e-8)
        assert determined == (
            made.is_constant_identified if column is None else column not in made.unidentified_columns
        )


def test_columns_that_depend_name_those_they_are_made_of():
    one, a, b = np.ones(4), np.array([1.0, 1, 0, 0]), np.array([0.0, 0, 1, 1])
    assert independent_columns(np.c_[one, a, b, a]) == ([0, 1], [[2, 0, 1], [3, 1]])


def test_few_matches_are_told():
    full = grid(players=("ann", "ben")).head(3)
    one = fitted(observed(full), mode="plain")
    says(" ".join(warnings_of(observed(full), [one])), 3)
    assert all(
        math.isnan(effect.ci_low) and not effect.over and not math.isnan(effect.effect) for effect in one.effects
    )


def test_one_match_and_a_metric_that_never_changes():
    one = fitted(observed(grid().head(1)))
    assert (one.n, one.effects, one.mean) == (1, [], 0.5)
    flat = fitted(observed(grid()))
    assert all(abs(effect.effect) < 1e-12 for effect in flat.effects)
    assert math.isnan(flat.r2)


# Values that are missing or outside


def test_rows_without_a_value_are_left_out_of_that_metric_only():
    table = add(grid(), "alice_self_gain", PLANTED)
    table.loc[table.index % 7 == 0, "alice_self_gain"] = math.nan
    table["fairness"] = math.nan
    observations = observed(table)
    gone = math.ceil(len(table) / 7)
    found = {one.metric: one for one in fits(observations, features(observations, "plain").items)}
    assert set(found) == set(METRICS) - {"fairness"}
    assert found["alice_self_gain"].n == len(table) - gone
    assert found["alice_self_gain"].dropped == gone
    assert found["efficiency"].n == len(table)
    assert effects_of(found["alice_self_gain"])["bob_player", "cat"].effect == pytest.approx(0.09, abs=1e-9)
    said = " ".join(data_notes(observations))
    says(said, f"fairness in {len(table)}", f"Alice's gain in {gone}")


def test_a_level_that_is_lost_with_its_rows_has_no_effect():
    table = grid()
    table.loc[table["alice_player"] == "cat", "efficiency"] = math.nan
    assert ("alice_player", "cat") not in effects_of(fitted(observed(table), "efficiency"))


def test_fairness_and_efficiency_are_clipped_and_gains_are_not():
    table = grid().head(8)
    table["fairness"] = [-3.0, 1.0, 0.5, 0.25, math.nan, 1.5, 0.0, 1.0]
    table["efficiency"] = 1.0
    table["alice_self_gain"] = -2.0
    observations = observed(table)
    assert observations.table["fairness"].dropna().tolist() == [0.0, 1.0, 0.5, 0.25, 1.0, 0.0, 1.0]
    assert observations.clipped_shares == {"fairness": 2 / 7, "efficiency": 0.0}
    assert observations.table["alice_self_gain"].tolist() == [-2.0] * 8
    says(data_notes(observations)[1], "fairness 28.57%")


# Records as observations


def test_records_become_rows():
    played = [
        record(
            "bargaining", ["Jo & <i>", "ünî"], 1, (0.25, 0.7), 0.95, 0.8, delta=(0.8, 1.0), horizon=None, max_rounds=25
        ),
        record("bargaining", ["b", "c"], 2, (0.5, 0.5), 1.25, math.nan, status="forfeited", money=100.0, max_rounds=50),
        record("persuasion", ["b", "c"], 3, (1.0, -0.2), math.nan, 0.0, prior=1 / 3, buyer="myopic"),
    ]
    bargaining, persuasion = observe(played)
    first, second = bargaining.table.to_dict("records")
    assert (first["delta_1"], first["delta_2"], first["horizon"], first["money"]) == ("0.8", "1", "inf", "10000")
    assert (first["alice_player"], first["bob_player"]) == ("Jo & <i>", "ünî")
    assert (first["alice_self_gain"], first["bob_self_gain"], first["fairness"]) == (0.25, 0.7, 0.8)
    assert (second["efficiency"], second["complete_information"]) == (1.0, "true")
    assert "max_rounds" not in bargaining.parameters
    assert bargaining.status_counts == {"finished": 1, "forfeited": 1}
    assert "1 forfeited" in " ".join(data_notes(bargaining))
    assert persuasion.table["prior"].tolist() == ["0.333333"]
    assert persuasion.missing_counts["efficiency"] == 1


def test_a_game_that_the_paper_does_not_know_has_its_parameters_one_by_one():
    from toy_games import LOWEST_BID, register_temporarily

    with register_temporarily(LOWEST_BID):
        played = [record("lowest_bid", ["a", "b", "c"], seed, (0.1 * seed, 0.2, 0.3)) for seed in range(4)]
        (observations,) = observe(played)
        found = features(observations)
        assert {feature.name for feature in found.items if not feature.is_player} == set(observations.parameters)
        assert [feature.baseline for feature in found.items if feature.is_player] == ["a", "b", "c"]
        assert len(observations.gains) == 3
        assert heats(observations, []) == []
        with refuses(ValueError, "pairs", 2):
            features(observations, pairs=True)


def test_a_number_with_very_many_values_is_cut_into_four():
    count = 4 * MAX_LEVELS
    table = pd.concat([grid(players=("ann",)).head(1)] * count, ignore_index=True)
    table["delta_1"] = [f"{0.5 + i / 1000:.6g}" for i in range(count)]
    table["alice_self_gain"] = [0.1 * (4 * i // count) for i in range(count)]
    observations = observed(table)
    made = features(observations, "plain")
    (said,) = made.notes
    says(said, "delta_1", count, 4)
    found = fit(observations, "alice_self_gain", made.items).effects
    assert sorted(round(effect.effect, 9) for effect in found) == [0.1, 0.2, 0.3]


def test_pairs_whose_names_have_strokes_stay_apart():
    assert pair_level("a / b", "c") != pair_level("a", "b / c")
    assert pair_level("hf:x/y", "spe") == "hf:x/y / spe"


# Heat maps


def test_a_heat_map_by_hand():
    """Means 0.2, 0.4, 0.6, 0.4, so the mean of means is 0.4."""
    table = grid(players=("ann", "ben"))
    worth = {("ann", "ann"): 0.2, ("ann", "ben"): 0.4, ("ben", "ann"): 0.6, ("ben", "ben"): 0.4}
    table["bob_self_gain"] = [worth[pair] for pair in zip(table["alice_player"], table["bob_player"], strict=True)]
    observations = observed(table)
    parameters = [one for one in features(observations).items if not one.is_player]
    found = heat(observations, "bob_self_gain", parameters)
    assert found.is_adjusted
    assert (found.rows, found.columns) == (["ann", "ben"], ["ann", "ben"])
    for pair, mean in worth.items():
        cell = found.cells[pair]
        assert (cell.mean, cell.effect, cell.n) == (pytest.approx(mean), pytest.approx(mean - 0.4, abs=1e-9), 64)


def test_a_heat_map_compares_like_with_like():
    """ann and ben are equal, but ben was lucky with his markets."""
    table = grid(players=("ann", "ben"))
    table["alice_self_gain"] = table["delta_1"].map({"0.8": 0.1, "0.9": 0.5})
    unlucky = (table["alice_player"] == "ben") & (table["delta_1"] == "0.8") & (table["delta_2"] == "0.9")
    observations = observed(table[~unlucky])
    parameters = [one for one in features(observations).items if not one.is_player]
    cells = heat(observations, "alice_self_gain", parameters).cells
    assert cells["ben", "ann"].mean > cells["ann", "ann"].mean + 0.05
    assert [cell.effect for cell in cells.values()] == pytest.approx([0.0] * 4, abs=1e-9)


def test_a_heat_map_of_pairs_that_each_had_their_own_market_shows_plain_means():
    table = grid(players=("ann", "ben"))
    own = (table["delta_1"] == "0.8") == (table["alice_player"] == "ann")
    table["alice_self_gain"] = np.where(table["alice_player"] == "ann", 0.2, 0.6)
    observations = observed(table[own])
    parameters = [one for one in features(observations).items if not one.is_player]
    found = heats(observations, parameters)
    shown = next(one for one in found if one.metric == "alice_self_gain")
    assert not shown.is_adjusted
    assert shown.cells["ann", "ben"].effect == pytest.approx(-0.2)
    assert "confounded" in " ".join(warnings_of(observations, [], found))


def test_pairs_that_never_met_have_no_cell():
    table = grid(players=("ann", "ben"))
    table = table[~((table["alice_player"] == "ben") & (table["bob_player"] == "ann"))]
    found = heat(observed(table), "fairness", [])
    assert set(found.cells) == {("ann", "ann"), ("ann", "ben"), ("ben", "ben")}


def test_the_parameters_of_the_tests_are_those_of_the_game():
    (observations,) = observe([record("bargaining", ["x", "y"])])
    assert set(observations.parameters) == set(PARAMETERS)


def test_a_seat_that_somebody_took_over_is_of_both():
    record = econzoo.play("bargaining", ["fair", "linear"])
    record.players, record.replacements = (
        ["human", "linear"],
        [{"seat": 0, "turn": 1, "player": "random", "reason": "left"}],
    )
    (found,) = observe([record])
    assert found.table[["alice_player", "bob_player"]].values.tolist() == [["human, then random", "linear"]]
