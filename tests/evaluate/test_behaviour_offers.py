"""Anchoring, concessions and the round of agreement, on matches that can be checked by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from handmade import match, offers, value
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import SurvfuncRight

from econzoo.envs.core.record.record import Turn
from econzoo.evaluate.analyses.behaviour import ending_table
from econzoo.evaluate.analyses.behaviour.deals import ACCEPTED_AT_ONCE, CONCESSION_STEP, MEAN_DEMAND, MEDIAN_ROUND
from econzoo.evaluate.analyses.behaviour.deals import NO_DEAL_SHARE, PEARSON, SPEARMAN, STILL_RUNNING, WITHIN_SETTINGS
from econzoo.evaluate.analyses.behaviour.deals import agreement, anchoring, concession
from econzoo.evaluate.analyses.behaviour.offers import CUT_OFF, DEAL, NO_DEAL, offer_table
from econzoo.evaluate.run import new_design, play_all


def anchors(records):
    return anchoring(ending_table(records))


# Anchoring


def test_the_final_share_is_the_own_one_whoever_proposed_it():
    """Alice asks 0.9, Bob 0.7 for himself, Alice 0.6 and gets it: ends are 0.6 and 0.4."""
    table = ending_table([offers([0.9, 0.7, 0.6])])
    assert table["first"].tolist() == [0.9, 0.7]
    assert table["final"].tolist() == pytest.approx([0.6, 0.4])
    assert table["opens"].tolist() == [True, False]


def test_a_price_is_the_same_for_both():
    table = ending_table([offers([1.5, 0.9, 1.1], game="negotiation")])
    assert table["first"].tolist() == [1.5, 0.9]
    assert table["final"].tolist() == [1.1, 1.1]


def test_correlation_of_first_and_final_price():
    for firsts, finals, r, rho in [
        ([0.5, 0.6, 0.7, 0.8], [0.40, 0.45, 0.50, 0.55], 1.0, 1.0),
        ([0.5, 0.6, 0.7, 0.8], [0.55, 0.50, 0.45, 0.40], -1.0, -1.0),
        ([0.5, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.9], np.corrcoef([5, 6, 7, 8], [1, 2, 3, 9])[0, 1], 1.0),
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8, 0.8),  # 1 - 6 * 4 / (5 * 24)
        ([0.5, 0.5, 0.5], [0.1, 0.2, 0.3], math.nan, math.nan),
    ]:
        pairs = zip(firsts, finals, strict=True)
        records = [offers([f, 0.0, g], game="negotiation", seed=i) for i, (f, g) in enumerate(pairs)]
        rows = anchors(records)
        found = [value(rows, player="a", role="Alice", key=key) for key in (PEARSON, SPEARMAN)]
        assert [row.value for row in found] == pytest.approx([r, rho], nan_ok=True), (firsts, finals)
        assert [row.n for row in found] == [len(firsts)] * 2, (firsts, finals)


def test_offers_that_are_accepted_at_once_are_told_apart():
    """Two of six first offers are taken; the others go against their anchors."""
    later = [offers([f, 0.5, 1 - f], seed=i) for i, f in enumerate((0.6, 0.7, 0.8, 0.9))]
    at_once = [offers([f], seed=10 + i) for i, f in enumerate((0.5, 0.99))]
    rows = anchors(later + at_once)
    assert value(rows, player="a", role="Alice", key=PEARSON).value == pytest.approx(-1.0)
    taken = value(rows, player="a", role="Alice", key=ACCEPTED_AT_ONCE)
    assert (taken.value, taken.n) == (pytest.approx(2 / 6), 6)
    assert (
        value(rows, player="b", role="Bob", key=ACCEPTED_AT_ONCE).n == 4
    )  # where Bob never came to offer, he has no anchor


def test_a_market_with_higher_prices_makes_no_anchor():
    """In each market the end falls with the first price; the second market lies higher in both."""
    low = [offers([f, 0.0, 2.0 - f], game="negotiation", seed=i) for i, f in enumerate((1.0, 1.1, 1.2))]
    high = [
        offers([5 + f, 0.0, 7.0 - f], game="negotiation", seed=i, buyer_value=9.0)
        for i, f in enumerate((1.0, 1.1, 1.2))
    ]
    rows = anchors(low + high)
    assert value(rows, player="a", key=PEARSON).value > 0.9
    assert value(rows, player="a", key=WITHIN_SETTINGS).value == pytest.approx(-1.0)


def test_without_a_deal_there_is_no_end():
    records = [offers([f, 0.5], last="reject", seed=i, horizon=2) for i, f in enumerate((0.6, 0.7, 0.8))]
    assert [row.key for row in anchors(records) if row.player == "a"] == [ACCEPTED_AT_ONCE]


def test_an_anchor_that_moves_half_of_the_end_is_found_in_noise():
    """final = (first + noise) / 2 with equal variances: the correlation is the root of a half."""
    rng = np.random.default_rng(0)
    records = []
    for seed in range(400):
        first, noise = rng.uniform(0.5, 1.0, 2)
        records.append(offers([first, 0.5, (first + noise) / 2], seed=seed))
    row = value(anchors(records), player="a", role="Alice", key=PEARSON)
    assert row.low < math.sqrt(0.5) < row.high
    assert row.high - row.low < 0.15


def test_a_default_move_is_nobodys_offer():
    record = offers([0.9, 0.7, 0.6])
    record.turns[0].default = True
    assert offer_table([record])["asked"].tolist() == [0.7, 0.6]
    assert math.isnan(ending_table([record])["first"][0])


# Concessions


def test_concession_curves_by_hand():
    """Alice asks 0.9 and 0.7 in one match, 0.8 in another that ends in round 1."""
    records = [offers([0.9, 0.6, 0.7], seed=0), offers([0.8], seed=1)]
    rows = concession(offer_table(records), ending_table(records))
    found = {(r.measure, r.player, r.key): (round(r.value, 9), r.n) for r in rows}
    assert found == {
        (MEAN_DEMAND, "a", "1"): (0.85, 2),
        (MEAN_DEMAND, "a", "3"): (0.7, 1),
        (MEAN_DEMAND, "b", "2"): (0.6, 1),
        (CONCESSION_STEP, "a", "3"): (-0.2, 1),
        **{(STILL_RUNNING, player, "1"): (1.0, 2) for player in "ab"},
        **{(STILL_RUNNING, player, t): (0.5, 2) for player in "ab" for t in "23"},
    }


def test_a_curve_of_survivors_can_rise_though_nobody_asks_for_more():
    soft, hard = offers([0.6], seed=0), offers([0.9, 0.9, 0.85], seed=1)
    rows = concession(offer_table([soft, hard]), ending_table([soft, hard]))
    curve = [value(rows, measure=MEAN_DEMAND, player="a", key=key).value for key in "13"]
    assert curve == pytest.approx([0.75, 0.85])
    assert value(rows, measure=CONCESSION_STEP, player="a", key="3").value == pytest.approx(-0.05)


def test_a_scripted_curve_comes_out_as_it_is_defined():
    """`greedy_policy` asks for 0.99 in every round; `fair` for half."""
    records = play_all(new_design("bargaining", ["fair", "greedy"], seeds=2), jobs=1)
    rows = concession(offer_table(records), ending_table(records))
    for player, share in (("fair", 0.5), ("greedy", 0.99)):
        asked = [row for row in rows if row.measure == MEAN_DEMAND and row.player == player]
        assert {round(row.value, 9) for row in asked} == {share}


# Agreement


def test_survival_by_hand():
    """A deal in round 1 of four, then one of two (the fourth was cut off in round 2), then none."""
    records = [
        offers([0.5], seed=0),
        offers([0.9, 0.5], seed=1),
        offers([0.9, 0.9, 0.9], last="reject", seed=2, horizon=3),
        match("bargaining", offers([0.9, 0.9], last="reject").turns, seed=3, status="forfeited"),
    ]
    assert ending_table(records)["ended"].tolist()[::2] == [DEAL, DEAL, NO_DEAL, CUT_OFF]
    rows = agreement(ending_table(records))
    curve = [value(rows, measure=NO_DEAL_SHARE, player="a", key=key).value for key in "123"]
    assert curve == pytest.approx([3 / 4, 3 / 8, 3 / 8])
    assert value(rows, measure=MEDIAN_ROUND, player="a", key="median").value == 2


def test_who_opts_out_never_agrees_later():
    """One seat leaves in round 1 of ten rounds: the match stays without a deal, it does not drop out."""
    left = offers([1.1], last="opt_out", game="negotiation", seed=0)
    deals = [offers([1.1, 1.0, 1.05], game="negotiation", seed=1 + i) for i in range(3)]
    rows = agreement(ending_table([left, *deals]))
    assert value(rows, measure=NO_DEAL_SHARE, player="a", key="3").value == pytest.approx(1 / 4)


def test_a_median_that_is_not_reached_is_empty():
    records = [offers([0.9, 0.9], last="reject", seed=i, horizon=2) for i in range(3)]
    row = value(agreement(ending_table(records)), measure=MEDIAN_ROUND, player="a")
    assert math.isnan(row.value)
    assert row.n == 3


ENDINGS = st.lists(st.tuples(st.integers(1, 8), st.booleans(), st.integers(8, 12)), min_size=2, max_size=30)


@settings(max_examples=30)
@given(ENDINGS)
def test_survival_is_that_of_statsmodels(endings):
    """Deals in a round, or no deal and a horizon."""
    rows = [
        {"ended": DEAL if deal else NO_DEAL, "rounds": t if deal else horizon, "horizon": horizon}
        for t, deal, horizon in endings
    ]
    places = {"game": "bargaining", "player": "a"}
    table = pd.DataFrame([{**row, **places, "match": i, "cluster": i} for i, row in enumerate(rows)])
    found = {int(r.key): r.value for r in agreement(table) if r.measure == NO_DEAL_SHARE}
    times = [t if deal else horizon for t, deal, horizon in endings]
    wanted = SurvfuncRight(times, [int(deal) for _, deal, _ in endings])
    for t, expected in zip(wanted.surv_times, wanted.surv_prob, strict=True):
        assert found[int(t)] == pytest.approx(expected, abs=1e-12)
    assert all(found[t] >= found[t + 1] for t in found if t + 1 in found)


def test_a_match_against_oneself_counts_once():
    records = [offers([0.5], players=("a", "a"), seed=i) for i in range(3)]
    assert value(agreement(ending_table(records)), measure=MEDIAN_ROUND).n == 3


def test_records_without_turns_are_endured():
    record = match("bargaining", [Turn(0, 1, "hello", None, error=["no_json", "no"])], status="forfeited")
    assert ending_table([record])["ended"].tolist() == [CUT_OFF, CUT_OFF]
    assert math.isnan(value(agreement(ending_table([record])), player="a", key="1").value)
