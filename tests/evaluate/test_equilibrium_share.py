"""Shares of the equilibrium payoff: only where the equilibrium pays something, beside the gain of the same matches."""

import io
import math

import pytest

import econzoo
from econzoo.evaluate.analyses.summary import ranking, sentences, summarize
from econzoo.evaluate.analyses.summary.tables import equilibrium, ranked_places
from econzoo.evaluate.show import show
from refusals import says

SPLIT_HAIR = {"prior": 0.8, "high_value": 1.25}
"""A product is worth just its price before a word is said: a buyer's equilibrium payoff is 0, if 1e-11 by rounding."""
SELLS, DOES_NOT = {"prior": 0.5, "high_value": 3.0}, {"prior": 0.25, "high_value": 2.0}
"""Markets in which the prior alone sells, and does not: there the equilibrium pays nobody anything."""


def played(*markets, seeds=3):
    """A buyer who always buys, and one who trusts, with two sellers."""
    shared = {"message_type": "binary", "rounds": 4}
    return summarize(
        [
            econzoo.play("persuasion", [seller, buyer], seed=seed, **market, **shared)
            for seller in ("honest", "always")
            for buyer in ("always", "trust(0.7)")
            for market in markets
            for seed in range(seeds)
        ]
    )


def shown(summary):
    out = io.StringIO()
    show([*ranking(summary), equilibrium(summary.facts, ranked_places(summary))], out)
    return " ".join(out.getvalue().split())


def test_what_is_due_by_rounding_alone_has_no_share():
    summary = played(SPLIT_HAIR)
    sellers, buyers = summary.groups
    assert all(one["share"].rows == 0 for one in buyers.overall.values())
    assert all(one["share"].rows == one["self_gain"].rows for one in sellers.overall.values())
    assert not any("Bob (buyer)" in one and "%" in one for one in sentences(summary))
    assert any("Alice (seller)" in one and "%" in one for one in sentences(summary))


def test_a_share_stands_beside_the_gain_of_just_its_matches():
    summary, alone = played(SELLS, DOES_NOT), played(SELLS)
    for group, same in zip(summary.groups, alone.groups, strict=True):
        for player, found in group.overall.items():
            assert found["share"].mean == pytest.approx(same.overall[player]["share"].mean)
            assert found["share_gain"].mean == pytest.approx(same.overall[player]["self_gain"].mean)
            assert found["share"].rows == found["share_gain"].rows == found["self_gain"].rows // 2
    for one, together in ((summary, False), (alone, True)):
        assert ("share" in [column.key for column in ranking(one)[0].columns]) is together
    there = f"{alone.groups[1].overall['always']['self_gain'].mean:.3f}"
    assert f"always 6 12 {there}" in shown(summary)
    assert any("Bob (buyer)" in one and "6 of 12" in one and there in one for one in sentences(summary))


def test_in_an_ultimatum_the_second_seat_has_no_share():
    summary = summarize([econzoo.play("bargaining", ["fair", "fair"], seed=seed, horizon=1) for seed in range(2)])
    found = summary.groups[0].overall["fair"]
    assert found["share"].mean == pytest.approx(0.5)
    assert (found["share"].rows, found["self_gain"].rows) == (1, 2)
    assert "1 2 0.500" in shown(summary)


def test_games_without_a_function_of_their_own_have_shares_above_rounding_only():
    table = summarize([econzoo.play("public_goods", ["free-rider"] * 4, seed=0)]).columns
    assert table["share_each"].tolist() == pytest.approx([1.0] * 4)
    table = summarize([econzoo.play("guess_average", ["nash"] * 5, seed=0)]).columns
    assert all(map(math.isnan, table["share_each"]))  # nobody is due anything


def test_the_sale_rate_is_of_all_rounds():
    records = [econzoo.play("persuasion", ["honest", "trust(0.7)"], seed=s, message_type="binary") for s in range(3)]
    bought = [sum(turn.action["kind"] == "buy" for turn in one.turns if turn.seat == 1) for one in records]
    assert all(0 < count < 20 for count in bought)  # a sale in every match, in none of them in every round
    summary = summarize(records)
    assert summary.overall["honest"]["sale_rate"].mean == pytest.approx(sum(bought) / 60)
    assert "agreed" not in summary.overall["honest"]
    assert summary.to_dict()["players"][0]["sale_rate"]["rows"] == 3
    says(" ".join(sentences(summary)), "sale rate", f"{100 * sum(bought) / 60:.0f}%")
