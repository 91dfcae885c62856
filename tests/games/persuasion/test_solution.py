"""The theory of persuasion against hand tables, brute force over policies and equilibria, and simulation."""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.games.persuasion import solution
from econzoo.envs.games.persuasion.rules import Params
from econzoo.envs.games.persuasion.solution import Policy, Round
from refusals import refuses


def market(prior: float = 0.5, high: float = 1.25, low: float = 0.0, rounds: int = 1, **public: Any) -> Params:
    named = {"price": 1.0, **public, "prior": prior, "high_value": high, "low_value": low, "rounds": rounds}
    params: Params = econzoo.game("persuasion").params(**named)[1]
    return params


PRIOR, HIGH, LOW = st.floats(0, 1), st.floats(1, 10), st.floats(0, 1)
SETTINGS = st.builds(market, PRIOR, HIGH, LOW)
SHARE = st.floats(0, 1)


def worth(p: Params) -> float:
    return p.prior * p.high_value + (1 - p.prior) * p.low_value


def pays(p: Params, signals: Any) -> tuple[float, float]:
    """Payoffs of any signal: rows (probability if high, probability if low), read by a Bayesian buyer."""
    sales = surplus = 0.0
    for if_high, if_low in signals:
        high, low = p.prior * if_high, (1 - p.prior) * if_low
        net = high * (p.high_value - 1) + low * (p.low_value - 1)
        if net >= -1e-9 * (high + low):
            sales, surplus = sales + high + low, surplus + net
    return sales, surplus


# commitment


def test_how_often_a_committed_seller_recommends_low_quality() -> None:
    for prior, high, low, rate in [
        (0.5, 1.25, 0.0, 0.25),  # 0.5 * 0.25 / 0.5
        (1 / 3, 2.0, 0.0, 0.5),  # (1/3) / (2/3)
        (1 / 3, 4.0, 0.0, 1.0),  # (1/3) * 3 / (2/3) is more than 1
        (0.8, 1.25, 0.0, 1.0),  # 0.8 * 0.25 / 0.2 is 1: the prior alone just sells
        (0.3, 2.0, 0.0, 3 / 7),  # the prosecutor of Kamenica and Gentzkow: 0.3 guilty, convicted from 1/2 on
        (0.5, 1.25, 0.5, 0.5),  # half the loss, twice as often
        (0.5, 1.25, 1.0, 1.0),  # low quality is no loss
        (0.5, 1.0, 0.0, 0.0),  # high quality is no gain that could pay for a loss
        (0.5, 1.0, 1.0, 1.0),
        (0.0, 4.0, 0.0, 0.0),  # there is no high quality to hide behind
        (0.0, 4.0, 1.0, 1.0),
        (1.0, 1.25, 0.0, 1.0),  # there is no low quality
        (1.0, 1.0, 0.0, 1.0),
    ]:
        assert solution.persuasion_rate(prior, high, low) == pytest.approx(rate)
        sold = prior + (1 - prior) * rate
        assert solution.commitment_payoffs(market(prior, high, low))[0] == pytest.approx(sold)


def test_reference_payoffs_by_hand() -> None:
    for public, expected in [
        # dollars of the whole game: equilibrium, commitment, full revelation, pure Stackelberg
        ({"prior": 0.5, "high": 1.25}, [(0, 0), (125e3, 0), (100e3, 25e3), (100e3, 25e3)]),
        ({"prior": 0.5, "high": 3.0}, [(200e3, 100e3), (200e3, 100e3), (100e3, 200e3), (200e3, 100e3)]),
        ({"prior": 0.8, "high": 1.25}, [(200e3, 0), (200e3, 0), (160e3, 40e3), (200e3, 0)]),
        ({"prior": 0.5, "high": 1.25, "low": 0.5}, [(0, 0), (150e3, 0), (100e3, 25e3), (100e3, 25e3)]),
        ({"prior": 0.0, "high": 4.0}, [(0, 0), (0, 0), (0, 0), (0, 0)]),
        ({"prior": 1.0, "high": 1.25}, [(200e3, 50e3)] * 4),
        ({"prior": 0.5, "high": 1.0}, [(0, 0), (100e3, 0), (100e3, 0), (100e3, 0)]),
    ]:
        points = solution.reference(market(**public, rounds=20, price=10_000.0))
        assert list(points) == ["equilibrium", "commitment", "full_revelation", "pure_stackelberg"], (public, expected)
        for found, wanted in zip(points.values(), expected, strict=True):
            assert found == pytest.approx(wanted, abs=1e-6), (public, expected)


@given(p=SETTINGS)
def test_no_signal_with_two_values_sells_more_than_the_commitment(p: Params) -> None:
    best = solution.commitment_payoffs(p)[0]
    for high, low in product(np.linspace(0, 1, 21), repeat=2):
        assert pays(p, [(high, low), (1 - high, 1 - low)])[0] <= best + 1e-6


@given(p=SETTINGS, rows=st.lists(st.tuples(SHARE, SHARE), min_size=2, max_size=5))
def test_nor_does_a_signal_with_more_values(p: Params, rows: list[tuple[float, float]]) -> None:
    sums = [sum(row[i] for row in rows) for i in (0, 1)]
    assume(min(sums) > 1e-3)
    signals = [(a / sums[0], b / sums[1]) for a, b in rows]
    sales, surplus = pays(p, signals)
    assert sales <= solution.commitment_payoffs(p)[0] + 1e-6
    assert max(worth(p) - 1, 0) - 1e-6 <= surplus <= solution.full_revelation_payoffs(p)[1] + 1e-6


@given(p=SETTINGS, high=SHARE, low=SHARE)
def test_payoffs_of_a_policy_are_those_of_its_signals(p: Params, high: float, low: float) -> None:
    assert solution.policy_payoffs(p, Policy(high, low)) == pytest.approx(
        pays(p, [(high, low), (1 - high, 1 - low)]), abs=1e-8
    )


@given(p=SETTINGS)
def test_the_more_a_seller_can_commit_to_the_more_it_sells(p: Params) -> None:
    points = solution.reference(p)
    sold = [points[name][0] for name in ("equilibrium", "pure_stackelberg", "commitment")]
    assert all(less <= more + 1e-9 for less, more in pairwise(sold))
    assert points["full_revelation"][1] >= max(buyer for _, buyer in points.values()) - 1e-9


def test_the_committed_seller_earns_its_value_from_who_follows_it() -> None:
    """10 matches of 300 rounds against a buyer who buys what is recommended."""
    public = {"prior": 1 / 3, "high_value": 2.0, "price": 1.0, "rounds": 300, "message_type": "binary"}
    records = [econzoo.play("persuasion", ["bayes-persuader", "trust(0)"], seed=seed, **public) for seed in range(10)]
    seller, buyer = np.mean([record.payoffs for record in records], axis=0) / 300
    expected = np.array(solution.commitment_payoffs(market(1 / 3, 2.0)))  # 2/3 sold, no surplus
    assert expected == pytest.approx([2 / 3, 0.0])
    noise = 1 / math.sqrt(10 * 300)  # at most 1 a round
    assert [seller, buyer] == pytest.approx(expected, abs=4 * noise)


def test_posteriors_by_bayes_rule() -> None:
    for policy, posteriors in [
        (Policy(1.0, 0.0), (1.0, 0.0)),
        (Policy(1.0, 1.0), (0.25, None)),
        (Policy(0.0, 0.0), (None, 0.25)),
        (Policy(1.0, 0.5), (0.4, 0.0)),  # 0.25 / (0.25 + 0.375)
        (Policy(0.0, 1.0), (0.0, 1.0)),  # who always lies tells the truth
        (Policy(0.5, 0.5), (0.25, 0.25)),
    ]:
        for found, expected in zip(solution.posteriors(market(0.25), policy), posteriors, strict=True):
            assert found == (None if expected is None else pytest.approx(expected)), (policy, posteriors)


# equilibrium without commitment


def is_equilibrium(p: Params, speaks: tuple[float, float], buys: tuple[float, float]) -> bool:
    """Of one round: probability of message 1 after (low, high) quality, of buying after message (0, 1)."""
    better = 1 if buys[1] > buys[0] else 0
    if buys[0] != buys[1] and any(share != better for share in speaks):
        return False  # a seller of either quality sends what sells best
    for message in (0, 1):
        low, high = ((1 - p.prior) * abs(1 - message - speaks[0]), p.prior * abs(1 - message - speaks[1]))
        net = high * (p.high_value - 1) + low * (p.low_value - 1)
        if low + high > 0 and buys[message] != (net > 0) and abs(net) > 1e-12:
            return False  # after a message that is sent, the buyer replies best
    return True


def test_every_equilibrium_of_one_round_pays_the_babbling_payoff() -> None:
    """All strategies in steps of a quarter; beliefs after messages that are not sent are free."""
    for prior, high, low in ((0.5, 1.25, 0.0), (0.5, 3.0, 0.0), (0.3, 2.0, 0.5), (0.7, 1.6, 0.1), (0.6, 1.0, 0.2)):
        p = market(prior, high, low)
        steps = (0.0, 0.25, 0.5, 0.75, 1.0)
        found = set()
        for speaks, buys in product(product(steps, repeat=2), repeat=2):
            if is_equilibrium(p, speaks, buys):
                shares = [(1 - s) * buys[0] + s * buys[1] for s in speaks]
                sales = (1 - prior) * shares[0] + prior * shares[1]
                surplus = prior * shares[1] * (high - 1) + (1 - prior) * shares[0] * (low - 1)
                found.add((round(sales, 9), round(surplus, 9)))
        assert found == {tuple(round(x, 9) for x in solution.equilibrium_payoffs(p))}, (prior, high, low)


@given(p=SETTINGS)
def test_babbling_sells_all_or_nothing_by_the_prior(p: Params) -> None:
    assume(abs(worth(p) - 1) > 1e-6)
    expected = (1.0, worth(p) - 1) if worth(p) > 1 else (0.0, 0.0)
    assert solution.equilibrium_payoffs(p) == pytest.approx(expected, abs=1e-9)


def test_share_of_equilibrium() -> None:
    for high, payoffs, shares in [
        (1.25, (10.0, 5.0), (None, None)),  # equilibrium (0, 0)
        (3.0, (10.0, 5.0), (0.5, 0.5)),  # equilibrium (20, 10)
        (3.0, (0.0, -10.0), (0.0, -1.0)),
        (2.0, (10.0, 5.0), (0.5, None)),  # equilibrium (20, 0)
    ]:
        found = solution.share_of_equilibrium(market(0.5, high, rounds=20), payoffs)
        assert [x if x is None else pytest.approx(x) for x in shares] == list(found), (high, payoffs, shares)


# conduct


def moves(story: str) -> list[tuple[int, int, int, float]]:
    """Moves such as ``+b -d``: the seller's and the buyer's in every round."""
    kinds = {"+": (0, 0), "-": (0, 1), "?": (0, 2), "b": (1, 3), "d": (1, 4)}
    rounds = enumerate(story.split(), start=1)
    return [(kinds[sign][0], number, kinds[sign][1], 0.0) for number, one in rounds for sign in one]


def test_moves_against_the_own_interest() -> None:
    for story, public, counted in [
        ("+b +d -b -d", {}, {"bought_below_price": 2, "bought_discouraged": 1, "declined_recommended": 1}),
        ("+b +d", {"high": 3.0}, {"declined_above_price": 1, "declined_recommended": 1}),
        ("+b +d", {"high": 2.0}, {"declined_recommended": 1}),  # the prior is just worth the price
        ("+b -d", {"prior": 0.0, "high": 9.0}, {"bought_at_sure_loss": 1, "bought_below_price": 1}),
        ("+b -d", {"prior": 0.0, "high": 9.0, "buyer_knows_prior": False}, {}),
        ("+b -d", {"prior": 1.0}, {"declined_sure_gain": 1, "declined_above_price": 1}),
        ("+b", {"low": 1.0}, {}),
        ("?b ?d", {"message_type": "text"}, {"bought_below_price": 1}),
    ]:
        p = market(**{"message_type": "binary", **public}, rounds=9)
        seller, buyer = solution.individual_rationality_violations(p, moves(story))
        rounds = len(story.split())
        assert seller == solution.Violations(signals=rounds), (story, public, counted)
        assert buyer == solution.Violations(decisions=rounds, **counted), (story, public)


def test_records_have_conduct_and_shares_in_reports() -> None:
    from econzoo.evaluate.analyses import frame

    record = econzoo.play("persuasion", ["always", "always"], high_value=3.0, rounds=4)
    table = frame([record]).set_index("seat")
    assert table.loc[0, "share_each"] == 1.0
    assert table.loc[1, "violation.decisions"] == 4
    assert table.loc[0, "unit"] == sum(
        solution.equilibrium_payoffs(econzoo.game("persuasion").params(**record.params)[1])
    )


# the buyer in hindsight


def test_regret_of_a_buyer() -> None:
    for played, best, regret in [
        ([], 0.0, 0.0),
        # 25 cents to gain, a dollar to lose; signal, high, bought
        ([("+", 1, 1), ("+", 1, 1), ("-", 0, 0)], 0.5, 0.0),
        ([("+", 1, 0), ("+", 1, 0), ("-", 0, 1)], 0.5, 0.5),  # the wrong way round: -1 instead of 0.5, over 3 rounds
        ([("+", 1, 1), ("+", 0, 1)], 0.0, 0.375),  # that signal was not worth hearing: -0.75 over 2 rounds
        ([("+", 1, 1), ("+", 0, 0)], 0.0, -0.125),  # luckier than any fixed reply
        ([("a", 1, 0), ("b", 1, 0), ("c", 0, 0)], 0.5, 1 / 6),  # any signals that can be told apart
    ]:
        rounds = [Round(signal, bool(high), bool(bought)) for signal, high, bought in played]
        assert solution.hindsight_payoff(market(), rounds) == pytest.approx(best), played
        assert solution.buyer_regret(market(), rounds) == pytest.approx(regret), played


@given(
    p=SETTINGS,
    played=st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), min_size=1, max_size=12),
)
def test_hindsight_is_the_best_of_all_fixed_replies(p: Params, played: list[tuple[str, bool, bool]]) -> None:
    """Brute force over the eight ways to reply to three signals."""

    def earned(replies: dict[str, bool]) -> float:
        worth = {True: p.high_value - 1, False: p.low_value - 1}
        return sum(worth[high] for signal, high, _ in played if replies[signal])

    best = max(earned(dict(zip("abc", replies, strict=True))) for replies in product((False, True), repeat=3))
    assert solution.hindsight_payoff(p, [Round(*one) for one in played]) == pytest.approx(best, abs=1e-9)


@given(
    p=SETTINGS,
    played=st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans()), min_size=1, max_size=12),
)
def test_hindsight_is_bayes_rule_with_the_frequencies_of_the_record(
    p: Params, played: list[tuple[str, bool, bool]]
) -> None:
    rounds = [Round(*one) for one in played]
    told = solution.empirical_posteriors(rounds)
    assert set(told) == {signal for signal, _, _ in played}
    assert sum(map(sum, solution.signal_counts(rounds).values())) == len(played)
    kept = [high for signal, high, _ in played if solution.is_worth_price(p, told[signal])]
    earned = kept.count(True) * (p.high_value - 1) + kept.count(False) * (p.low_value - 1)
    assert solution.hindsight_payoff(p, rounds) == pytest.approx(earned, abs=1e-6)


# bad input


def test_what_is_refused() -> None:
    for call, *told in [
        (lambda: solution.equilibrium_payoffs((0.5, 1.25)), "params", (0.5, 1.25)),
        (lambda: solution.equilibrium_payoffs(market()._replace(prior=1.5)), "prior", 1.5),
        (lambda: solution.reference(market()._replace(high_value=math.nan)), "high_value", math.nan),
        (lambda: solution.policy_payoffs(market(), Policy(1.0, 1.5)), "policy", 1.5),
        (lambda: solution.policy_payoffs(market(), None), "policy", None),
        (lambda: solution.share_of_equilibrium(market(), (1.0,)), "payoffs", (1.0,)),
        (lambda: solution.individual_rationality_violations(market(), 7), "events", 7),
        (lambda: solution.individual_rationality_violations(market(), [(0, 1, 0)]), "event", (0, 1, 0)),
        (lambda: solution.individual_rationality_violations(market(), [(1, 1, 3, 0.0)]), "event", (1, 1, 3, 0.0)),
        (lambda: solution.individual_rationality_violations(market(), [(0, 2, 2, 0.0)]), "event", (0, 2, 2, 0.0)),
    ]:
        with refuses(ValueError, *told):
            call()
