"""Quantal response equilibrium: by hand, by brute force, and in its limits."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.families.offers.quantal import NOTHING, Logit, Stage, induced, softmax
from econzoo.envs.games.bargaining import quantal as bargaining
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.solution import endless_share, spe_payoffs
from econzoo.envs.games.negotiation import quantal as negotiation
from econzoo.envs.games.negotiation import solution
from econzoo.envs.games.negotiation.quantal import Known
from econzoo.envs.games.negotiation.rules import Params as Market

# By hand


def test_alternatives_are_as_likely_as_their_worth_says():
    assert softmax(np.array([0.0, 1.0, 2.0]), log(2)) == pytest.approx([1 / 7, 2 / 7, 4 / 7])
    assert softmax(np.array([0.0, 1e300]), 1e6) == pytest.approx([0, 1])


def test_an_ultimatum_over_nothing_half_and_all():
    """With exp(L) = 9 a half is taken with 3/4, so that asks of 0, 1/2 and 1 are worth 0, 3/8 and 1/2."""
    asks = np.array([0.0, 0.5, 1.0])
    stage, logit = Stage(0, asks[None], (1 - asks)[None, :, None]), Logit(log(9))
    assert logit.answers(1 - asks, np.zeros(1))[:, 0] == pytest.approx([9 / 10, 3 / 4, 1 / 2])
    weights = np.array([1.0, 9 ** (3 / 8), 3.0])
    chances = weights / weights.sum()
    assert logit.offers(stage, NOTHING)[0] == pytest.approx(chances)
    first, second = logit.before(stage, NOTHING)
    assert first[0] == pytest.approx(chances @ [0, 3 / 8, 1 / 2])
    assert second[0] == pytest.approx(chances @ [9 / 10, 3 / 8, 0])


def test_who_may_leave_does_so_as_often_as_it_goes_on_for_nothing():
    """With exp(L) = 4 a gain of 1/2 is twice as good as nothing, of which there are two ways."""
    assert Logit(log(4), leaves=True).answers(np.array([0.5]), np.zeros(1))[0] == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    assert Logit(log(4), leaves=True).answers(np.zeros(1), np.array([0.5]))[0] == pytest.approx([1 / 4, 1 / 2, 1 / 4])


def test_two_types_of_the_other_are_met_as_often_as_they_are_likely():
    """Who wins 1 by a deal takes it with 9/10 at exp(L) = 9, who wins nothing with 1/2."""
    stage, logit = (
        Stage(0, np.array([[1.0]]), np.array([[[1.0, 0.0]]])),
        Logit(log(9), (np.ones(1), np.array([0.2, 0.8]))),
    )
    first, second = logit.before(stage, (np.zeros(1), np.zeros(2)))
    assert first[0] == pytest.approx(0.2 * 0.9 + 0.8 * 0.5)
    assert second == pytest.approx([0.9, 0.0])


# Bargaining


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
        assert bargaining.ask_chances((0.9, 0.8), horizon, 1, 0.0) == pytest.approx(np.full(101, 1 / 101))
        assert bargaining.answer_chances((0.9, 0.8), horizon, 1, 0.0, 0.9) == pytest.approx([0.5, 0.5])


def test_more_is_accepted_more_often():
    for horizon, round in product((1, 4, 12, UNKNOWN), (1, 2)):
        if round <= horizon or horizon == UNKNOWN:
            chances = [
                bargaining.answer_chances((0.9, 0.8), horizon, round, 8.0, share)[0] for share in bargaining.SHARES
            ]
            assert np.all(np.diff(chances) > 0), (horizon, round)


def test_in_the_last_round_nothing_is_a_toss_up():
    assert bargaining.answer_chances((0.9, 0.8), 3, 3, 50.0, 0.0)[0] == 0.5
    assert bargaining.answer_chances((1.0, 1.0), 3, 3, log(9), 0.5)[0] == pytest.approx(3 / 4)


def test_who_has_waited_has_less_to_lose():
    """A half of what is left in round 3 is 0.32 of the money of round 1."""
    assert bargaining.answer_chances((0.8, 0.8), 3, 3, 5.0, 0.5)[0] == pytest.approx(1 / (1 + exp(-5 * 0.64 * 0.5)))


def test_without_a_last_round_it_is_the_limit_of_far_ones():
    for precision, delta in product((2.0, 8.0), ((0.9, 0.9), (0.8, 0.95), (1.0, 1.0))):
        near = [bargaining.ask_chances(delta, horizon, 1, precision) for horizon in (UNKNOWN, 300, 301)]
        assert near[0] == pytest.approx((near[1] + near[2]) / 2, abs=1e-3), (precision, delta)


def test_without_a_last_round_who_never_errs_plays_rubinsteins_equilibrium():
    for delta in ((0.9, 0.9), (0.8, 0.95), (1.0, 1.0)):
        first, second = bargaining.going_on(delta, UNKNOWN, 2, 1e6)
        share = endless_share(*delta)
        worth = bargaining.worths(delta, 3)
        assert [first[0], second[0]] == pytest.approx([worth[0] * share, worth[1] * (1 - share)], abs=0.02), delta


def test_rounds_in_which_nothing_is_left_are_played_at_random():
    assert bargaining.ask_chances((0.5, 0.6), 10_000, 9_999, 1e6) == pytest.approx(np.full(101, 1 / 101))
    far, near = (bargaining.ask_chances((0.5, 0.6), horizon, 1, 8.0) for horizon in (10_000, 200))
    assert far == pytest.approx(near)


def test_what_is_expected_settles_far_from_the_end():
    """Stopping there gives the same numbers as going on."""
    logit, stage = Logit(8.0), lambda round: bargaining.stage((1.0, 1.0), round)
    for stopped, full in zip(*(induced(logit, stage, 1, 400, NOTHING, known) for known in (True, False)), strict=True):
        assert stopped == pytest.approx(full, abs=1e-12)


def test_offers_and_refusals_of_the_usual_precision():
    """What the docstring of the player says of a game of one round."""
    chances = bargaining.ask_chances((0.9, 0.9), 1, 1, 8)
    taken = [bargaining.answer_chances((0.9, 0.9), 1, 1, 8, 1 - share)[0] for share in bargaining.SHARES]
    assert 1 - chances @ bargaining.SHARES == pytest.approx(0.27, abs=0.005)
    assert 1 - chances @ taken == pytest.approx(0.15, abs=0.005)


# Negotiation


VALUES = [(80.0, 120.0), (100.0, 120.0), (120.0, 100.0), (100.0, 100.0)]


def test_who_never_errs_has_the_equilibrium_payoff_to_a_percent_of_the_scale():
    for value, horizon, leaves in list(product(VALUES, [1, 2, 3, 10], [False, True])):
        params = Market(100.0, value, horizon, True, True, leaves)
        assert negotiation.quantal_payoffs(params, 1e6) == pytest.approx(solution.spe_payoffs(params), abs=1.001), value


def known(value: tuple[float, float], horizon: float, precision: float, leaves: bool = True) -> Known:
    return Known(100.0, value, horizon, leaves, precision)


def test_an_ultimatum_at_a_price():
    """At exp(L) = 9 a gain of half of the scale is three times as good as each of the two ways to win nothing."""
    told = known((80.0, 120.0), 1, log(9))
    assert negotiation.answer_chances(told, 1, 70.0) == pytest.approx([3 / 5, 1 / 5, 1 / 5])
    assert negotiation.answer_chances(told, 1, 120.0) == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert negotiation.answer_chances(told._replace(leaves=False), 1, 170.0) == pytest.approx([1 / 4, 3 / 4])


def test_who_tosses_coins_posts_130_on_average_and_every_other_price_is_accepted():
    """Prices of 80 to 180, all as likely, against values of 80 and 120."""
    params = Market(100.0, (80.0, 120.0), 1, True, True, False)
    assert negotiation.quantal_payoffs(params, 0.0) == pytest.approx((25.0, -5.0))


def test_prices_are_no_loss_and_as_wide_as_the_span():
    prices, chances = negotiation.price_chances(known((80.0, 120.0), 2, 0.0), 1)
    assert (prices[0], prices[-1], len(prices)) == (80.0, 180.0, 101)
    assert chances == pytest.approx(np.full(101, 1 / 101))
    prices, _ = negotiation.price_chances(known((80.0, 120.0), 2, 0.0), 2)
    assert (prices[0], prices[-1]) == (0.0, 120.0)


def test_a_buyer_accepts_a_lower_price_more_often():
    for horizon, value in product((1, 3, UNKNOWN), ((80.0, 120.0), (UNKNOWN, 120.0), (120.0, 80.0))):
        chances = [negotiation.answer_chances(known(value, horizon, 10.0), 1, price)[0] for price in range(60, 160)]
        assert np.all(np.diff(chances) < 0), (horizon, value)


def test_a_seller_who_never_errs_and_does_not_know_the_buyer_posts_the_best_price():
    """GLEE's buyers have 80, 100, 120 and 150: at 100 three of four buy, and 75 * 3/4 is more than any other."""
    prices, chances = negotiation.price_chances(known((25.0, UNKNOWN), 1, 1e5), 1)
    assert prices[chances.argmax()] == 99.0  # a step below, since who is offered nothing tosses a coin
    assert chances.max() > 0.99


def test_who_does_not_know_the_other_meets_all_four_values():
    """One buyer of each value, each of whom takes its chances; nothing follows."""
    told = known((90.0, UNKNOWN), 1, 5.0, leaves=False)
    prices, chances = negotiation.price_chances(told, 1)
    taken = [np.mean([1 / (1 + exp(-5 * (value - price) / 100)) for value in (80, 100, 120, 150)]) for price in prices]
    assert chances == pytest.approx(softmax(np.array(taken) * (prices - 90) / 100, 5.0))


def test_without_a_last_round_who_never_errs_takes_half():
    assert negotiation.answer_chances(known((80.0, 120.0), UNKNOWN, 1e4), 1, 98.0)[0] > 0.99
    assert negotiation.answer_chances(known((80.0, 120.0), UNKNOWN, 1e4), 1, 102.0)[1] > 0.99
