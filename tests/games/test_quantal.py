"""Quantal response equilibrium: by hand, by brute force, and in its limits."""

from __future__ import annotations

from itertools import product
from math import exp, log
from typing import TypeAlias

import numpy as np
import pytest

from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.families.offers import Logit, Stage, logit_amounts, logit_answers
from econzoo.envs.games.bargaining import quantal as bargaining
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.solution import endless_share, spe_payoffs
from econzoo.envs.games.negotiation import quantal as negotiation
from econzoo.envs.games.negotiation import solution
from econzoo.envs.games.negotiation.quantal import KnownSetting
from econzoo.envs.games.negotiation.rules import Params as Market


def softmax(worth: np.ndarray, precision: float) -> np.ndarray:
    """Probabilities proportional to ``exp(precision * worth)``."""
    weights = np.exp(precision * (worth - worth.max()))
    return np.asarray(weights / weights.sum())


# By hand


def test_amounts_that_are_always_taken_are_as_likely_as_their_worth_says():
    """Of 1% more, with exp(L / 100) = 2, twice as likely: all together are 2^101 - 1 times the least."""
    sure = Stage(0.0, 0.01, 1e6, 0.0)
    found = logit_amounts(Logit(100 * log(2), False, 1, (1, 1)), sure, 0, 0, [0.0, 0.0], [0.0, 0.0])
    assert found == pytest.approx([2.0**k / (2.0**101 - 1) for k in range(101)])


def test_offers_of_nothing_half_and_all_that_is_wanted():
    """With exp(L) = 9 a half is taken with 3/4, where going on brings nothing."""
    accepted = [logit_answers(Logit(log(9), False, 1, (1, 1)), gain, 0.0)[0] for gain in (1.0, 0.5, 0.0)]
    assert accepted == pytest.approx([9 / 10, 3 / 4, 1 / 2])


def test_who_may_leave_does_so_as_often_as_it_goes_on_for_nothing():
    """With exp(L) = 4 a gain of 1/2 is twice as good as nothing, of which there are two ways."""
    logit = Logit(log(4), True, 1, (1, 1))
    assert logit_answers(logit, 0.5, 0.0) == pytest.approx((1 / 2, 1 / 4, 1 / 4))
    assert logit_answers(logit, 0.0, 0.5) == pytest.approx((1 / 4, 1 / 2, 1 / 4))


def test_the_most_precise_answer_overflows_nowhere():
    for gain, waiting, best in ((1e3, -1e3, 0), (-1e3, 1e3, 1), (-1e3, -1e3, 2)):
        assert logit_answers(Logit(1e6, True, 1, (1, 1)), gain, waiting)[best] == pytest.approx(1.0), (gain, waiting)


# Bargaining


SHARES = np.arange(101) / 100


def brute(delta: tuple[float, float], horizon: int, precision: float, round: int = 1) -> tuple[float, float]:
    """What both expect when a round begins, ask by ask."""
    if round > horizon:
        return 0.0, 0.0
    later, me = brute(delta, horizon, precision, round + 1), (round + 1) % 2
    lines = []
    for percent in range(101):
        gains = [0.0, 0.0]
        gains[me] = delta[me] ** (round - 1) * percent / 100
        gains[1 - me] = delta[1 - me] ** (round - 1) * (100 - percent) / 100
        taken = 1 / (1 + exp(-precision * (gains[1 - me] - later[1 - me])))
        lines.append([taken * gain + (1 - taken) * wait for gain, wait in zip(gains, later, strict=True)])
    weights = [exp(precision * line[me]) for line in lines]
    first, second = (sum(w * line[i] for w, line in zip(weights, lines, strict=True)) / sum(weights) for i in (0, 1))
    return first, second


def test_bargaining_is_as_by_going_through_every_ask():
    for delta, horizon, precision in product(((0.9, 0.9), (1.0, 0.6)), (1, 2, 5), (0, 3.0, 40.0)):
        found = bargaining.quantal_payoffs(Params(200.0, delta, horizon, True, True), precision)
        assert found == pytest.approx([200 * value for value in brute(delta, horizon, precision)]), delta


DELTAS = [(0.9, 0.9), (0.8, 0.95), (1.0, 0.7), (1.0, 1.0), (0.5, 0.99)]


def test_who_never_errs_plays_the_equilibrium_to_a_percent_of_the_money():
    for delta, horizon in list(product(DELTAS, [1, 2, 3, 7, 12])):
        params = Params(100.0, delta, horizon, True, True)
        assert bargaining.quantal_payoffs(params, 1e6) == pytest.approx(spe_payoffs(params), abs=1.001), delta


def test_at_precision_0_every_move_is_as_likely():
    for horizon in (1, 4, UNKNOWN):
        assert bargaining.ask_probabilities((0.9, 0.8), horizon, 1, 0.0) == pytest.approx(np.full(101, 1 / 101))
        assert bargaining.accept_probability((0.9, 0.8), horizon, 1, 0.0, 0.9) == 0.5


def test_more_is_accepted_more_often():
    for horizon, round in product((1, 4, 12, UNKNOWN), (1, 2)):
        if round <= horizon or horizon == UNKNOWN:
            taken = [bargaining.accept_probability((0.9, 0.8), horizon, round, 8.0, share) for share in SHARES]
            assert np.all(np.diff(taken) > 0), (horizon, round)


def test_in_the_last_round_nothing_is_a_toss_up():
    assert bargaining.accept_probability((0.9, 0.8), 3, 3, 50.0, 0.0) == 0.5
    assert bargaining.accept_probability((1.0, 1.0), 3, 3, log(9), 0.5) == pytest.approx(3 / 4)


def test_who_has_waited_has_less_to_lose():
    """A half of what is left in round 3 is 0.32 of the money of round 1."""
    assert bargaining.accept_probability((0.8, 0.8), 3, 3, 5.0, 0.5) == pytest.approx(1 / (1 + exp(-5 * 0.64 * 0.5)))


def test_without_a_last_round_it_is_the_limit_of_far_ones():
    for precision, delta in product((2.0, 8.0), ((0.9, 0.9), (0.8, 0.95), (1.0, 1.0))):
        near = [np.array(bargaining.ask_probabilities(delta, horizon, 1, precision)) for horizon in (UNKNOWN, 300, 301)]
        assert near[0] == pytest.approx((near[1] + near[2]) / 2, abs=1e-3), (precision, delta)


def test_without_a_last_round_who_never_errs_plays_rubinsteins_equilibrium():
    for delta in ((0.9, 0.9), (0.8, 0.95), (1.0, 1.0)):
        first, second = bargaining.continuation_values(delta, UNKNOWN, 2, 1e6)
        share = endless_share(*delta)
        worth = [bargaining.discounted_money(delta, 3, seat) for seat in (0, 1)]
        assert (first, second) == pytest.approx((worth[0] * share, worth[1] * (1 - share)), abs=0.02), delta


def test_rounds_in_which_nothing_is_left_are_played_at_random():
    assert bargaining.ask_probabilities((0.5, 0.6), 10_000, 9_999, 1e6) == pytest.approx(np.full(101, 1 / 101))
    far, near = (bargaining.ask_probabilities((0.5, 0.6), horizon, 1, 8.0) for horizon in (10_000, 200))
    assert far == pytest.approx(near)


def test_what_is_expected_settles_far_from_the_end():
    """Stopping there gives the same numbers as going on."""
    nothing, logit = [0.0, 0.0], Logit(8.0, False, 1, (1, 1))
    for first in (1, 2):
        full, stopped = (
            bargaining.expected_values(logit, (1.0, 1.0), first, 400, nothing, nothing, repeats)
            for repeats in (False, True)
        )
        assert np.array(stopped) == pytest.approx(np.array(full), abs=1e-12), first


def test_offers_and_refusals_of_the_usual_precision():
    """What the docstring of the player says of a game of one round."""
    asked = np.array(bargaining.ask_probabilities((0.9, 0.9), 1, 1, 8))
    taken = [bargaining.accept_probability((0.9, 0.9), 1, 1, 8, 1 - share) for share in SHARES]
    assert 1 - asked @ SHARES == pytest.approx(0.27, abs=0.005)
    assert 1 - asked @ taken == pytest.approx(0.15, abs=0.005)


# Negotiation


Kinds: TypeAlias = tuple[float, ...]
"""Values of a seat, in parts of the scale."""


VALUES = [(80.0, 120.0), (100.0, 120.0), (120.0, 100.0), (100.0, 100.0)]


def test_who_never_errs_has_the_equilibrium_payoff_to_a_percent_of_the_scale():
    for value, horizon, leaves in list(product(VALUES, [1, 2, 3, 10], [False, True])):
        params = Market(100.0, value, horizon, True, True, leaves)
        assert negotiation.quantal_payoffs(params, 1e6) == pytest.approx(solution.spe_payoffs(params), abs=1.001), value


def known(value: tuple[float, float], horizon: float, precision: float, leaves: bool = True) -> KnownSetting:
    return KnownSetting(100.0, value, horizon, leaves, precision)


def test_an_ultimatum_at_a_price():
    """At exp(L) = 9 a gain of half of the scale is three times as good as each of the two ways to win nothing."""
    told = known((80.0, 120.0), 1, log(9))
    assert negotiation.answer_probabilities(told, 1, 70.0) == pytest.approx((3 / 5, 1 / 5, 1 / 5))
    assert negotiation.answer_probabilities(told, 1, 120.0) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    staying = told._replace(can_opt_out=False)
    assert negotiation.answer_probabilities(staying, 1, 170.0) == pytest.approx((1 / 4, 3 / 4, 0.0))


def test_who_tosses_coins_posts_130_on_average_and_every_other_price_is_accepted():
    """Prices of 80 to 180, all as likely, against values of 80 and 120."""
    params = Market(100.0, (80.0, 120.0), 1, True, True, False)
    assert negotiation.quantal_payoffs(params, 0.0) == pytest.approx((25.0, -5.0))


def test_prices_are_no_loss_and_as_wide_as_the_span():
    told = known((80.0, 120.0), 2, 0.0)
    assert [negotiation.price_interval(told, seat, negotiation.OWN_TYPE) for seat in (0, 1)] == [
        (80.0, 180.0),
        (0.0, 120.0),
    ]
    assert negotiation.price_probabilities(told, 1) == pytest.approx(np.full(101, 1 / 101))


def test_a_buyer_accepts_a_lower_price_more_often():
    for horizon, value in product((1, 3, UNKNOWN), ((80.0, 120.0), (UNKNOWN, 120.0), (120.0, 80.0))):
        chances = [
            negotiation.answer_probabilities(known(value, horizon, 10.0), 1, price)[0] for price in range(60, 160)
        ]
        assert np.all(np.diff(chances) < 0), (horizon, value)


def test_a_seller_who_never_errs_and_does_not_know_the_buyer_posts_the_best_price():
    """GLEE's buyers have 80, 100, 120 and 150: at 100 three of four buy, and 75 * 3/4 is more than any other."""
    found = negotiation.price_probabilities(known((25.0, UNKNOWN), 1, 1e5), 1)
    assert 25 + np.argmax(found) == 99.0  # a step below, since who is offered nothing tosses a coin
    assert max(found) > 0.99


def test_who_does_not_know_the_other_meets_all_four_values():
    """One buyer of each value, each of whom takes its chances; nothing follows."""
    told = known((90.0, UNKNOWN), 1, 5.0, leaves=False)
    prices = np.linspace(90, 190, 101)
    taken = [np.mean([1 / (1 + exp(-5 * (value - price) / 100)) for value in (80, 100, 120, 150)]) for price in prices]
    assert negotiation.price_probabilities(told, 1) == pytest.approx(
        softmax(np.array(taken) * (prices - 90) / 100, 5.0)
    )


def by_prices(
    own: float, kinds: tuple[Kinds, Kinds], horizon: int, precision: float, leaves: bool, round: int = 1
) -> list[dict[float, float]]:
    """What both expect when a round begins by what the good is worth to them, price by price, in parts of the scale.

    Args:
        own: A value with which nobody reckons, of either seat.
        kinds: The values of each seat with which the other reckons.
        horizon: Last round.
        precision: Per scale.
        leaves: Whether whoever answers may opt out.
        round: The round.
    """
    values = [{*one, own} for one in kinds]
    if round > horizon:
        return [dict.fromkeys(one, 0.0) for one in values]
    later, me = by_prices(own, kinds, horizon, precision, leaves, round + 1), (round + 1) % 2
    sign, found = (1, -1)[me], [dict.fromkeys(one, 0.0) for one in values]
    for mine in values[me]:
        reach = max(1.0, mine)
        low, high = (mine, mine + reach) if me == 0 else (max(mine - reach, 0.0), mine)
        worth, others = [], []
        for price in np.linspace(low, high, 101):
            theirs, wins = {}, []
            for value in values[1 - me]:
                ways = [sign * (value - price), later[1 - me][value], *[0.0] * leaves]
                odds = softmax(np.array(ways), precision)
                theirs[value] = float(odds @ ways)
                if value in kinds[1 - me]:
                    wins.append(odds[0] * sign * (price - mine) + odds[1] * later[me][mine])
            worth.append(float(np.mean(wins)))
            others.append(theirs)
        odds = softmax(np.array(worth), precision)
        found[me][mine] = float(odds @ worth)
        if mine in kinds[me]:
            for value in values[1 - me]:
                found[1 - me][value] += float(odds @ [one[value] for one in others]) / len(kinds[me])
    return found


def test_negotiation_is_as_by_going_through_every_price():
    for horizon, precision, leaves in ((1, 5.0, True), (2, 20.0, False), (3, 20.0, True), (2, 0.0, True)):
        told = Market(100.0, (80.0, 130.0), horizon, True, True, leaves)
        seller, buyer = by_prices(0.8, ((0.8,), (1.3,)), horizon, precision, leaves)
        expected = 100 * seller[0.8], 100 * buyer[1.3]
        assert negotiation.quantal_payoffs(told, precision) == pytest.approx(expected, abs=1e-9), told


def test_private_values_are_as_by_going_through_every_price_of_every_type():
    """The seat itself, of 0.9 or 1.1, is a fifth, which is not reckoned with."""
    glee = (0.8, 1.0, 1.2, 1.5)
    for own, horizon, precision, leaves in ((0.9, 1, 5.0, False), (1.1, 2, 20.0, True)):
        expected = by_prices(own, (glee, glee), horizon, precision, leaves)
        for seat in (0, 1):
            value = (100 * own, UNKNOWN) if seat == 0 else (UNKNOWN, 100 * own)
            found = negotiation.continuation_values(known(value, horizon, precision, leaves), 0)
            seller = [expected[0][kind] for kind in (*glee, own)[: 5 - seat]]
            buyer = [expected[1][kind] for kind in (*glee, own)[: 4 + seat]]
            assert found == pytest.approx([*seller, *buyer], abs=1e-12), own


def test_without_a_last_round_who_never_errs_takes_half():
    assert negotiation.answer_probabilities(known((80.0, 120.0), UNKNOWN, 1e4), 1, 98.0)[0] > 0.99
    assert negotiation.answer_probabilities(known((80.0, 120.0), UNKNOWN, 1e4), 1, 102.0)[1] > 0.99
