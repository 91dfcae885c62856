"""The best plan against a pool, beside every plan there is."""

from functools import cache
from importlib import import_module
from itertools import product

import numpy as np
import pytest

from econzoo.baselines import bargaining, negotiation
from econzoo.baselines.offers.generated import FAMILIES
from econzoo.envs.core import game
from econzoo.envs.core.contract import Move
from econzoo.envs.families.offers.pool_response import expected_maximum
from econzoo.envs.games.bargaining.best_response import build_offer_game as money_game
from econzoo.envs.games.negotiation.best_response import build_offer_game as price_game
from refusals import refuses

PLAYERS = {"bargaining": bargaining, "negotiation": negotiation}
HAGGLING = {"bargaining": money_game, "negotiation": price_game}


def best_of_all_plans(name, params, seat, opponents, amounts):
    """The mean over a pool of the best deterministic plan, a function of the other's amounts so far: one by one."""
    rules, found = HAGGLING[name](params, seat, 2).rules, 0.0

    @cache
    def after(one, moves):
        """The position after our moves against an opponent, whose own are asked from it."""
        state, mine = rules.initial(params), list(moves)
        while not state.over:
            if rules.to_act(params, state) != seat:
                state = rules.apply(params, state, (one(params, state, 1 - seat, ()),))
            elif mine:
                state = rules.apply(params, state, (mine.pop(0),))
            else:
                return state
        return state

    def choices(state):
        if not state.pending:
            return [Move(rules.OFFER, (amount,)) for amount in amounts]
        return [Move(rules.ACCEPT, (0.0,)), Move(rules.REJECT, (0.0,))]

    def seen(state, past):
        return (*past, rules.observe(params, state, seat).offered) if state.pending else past

    # What can be known at each decision: the other's amounts so far. A plan has a move for each of these.
    known = {}
    for one in opponents:
        lines = [((), ())]
        while lines:
            moves, past = lines.pop()
            state = after(one, moves)
            if state.over:
                continue
            told = seen(state, past)
            known.setdefault((len(moves), told), choices(state))
            lines += [((*moves, move), told) for move in choices(state)]
    for plan in product(*known.values()):
        moves_at, total = dict(zip(known, plan, strict=True)), 0.0
        for one in opponents:
            moves, past = (), ()
            while not (state := after(one, moves)).over:
                past = seen(state, past)
                moves = (*moves, moves_at[len(moves), past])
            total += rules.payoffs(params, state)[seat]
        found = max(found, total / len(opponents))
    return found / params.money


def test_no_plan_of_three_rounds_earns_more_and_one_earns_as_much():
    for seat, (name, market, pool, tried) in product(
        (0, 1),
        [
            (
                "bargaining",
                {"delta": (0.9, 0.8)},
                ("fair", "acceptor(0.4)", "linear(high=0.8,low=0.4)"),
                (40, 50, 60, 100),
            ),
            ("bargaining", {"delta": (1.0, 0.6)}, ("fair", "greedy(0.8)", "acceptor(0.2)"), (20, 50, 80, 99.9999, 100)),
            ("bargaining", {"delta": (0.5, 0.5)}, ("acceptor(0.1)", "acceptor(0.7)"), (10, 30, 70, 90, 100)),
            (
                "negotiation",
                {"seller_value": 0.5, "buyer_value": 1.0},
                ("fixed-price(0.2)", "truthful"),
                (50, 60, 90, 100),
            ),
            (
                "negotiation",
                {"seller_value": 0.5, "buyer_value": 1.0},
                ("concede(1)", "truthful"),
                (50, 55, 70, 75, 95, 100),
            ),
        ],
    ):
        params = game(name).params(money=100.0, horizon=3, **market)[1]
        opponents = [PLAYERS[name].make_opponent(spec) for spec in pool]
        amounts = tried
        if (name, seat) == ("negotiation", 1):
            amounts = tuple(150 - price for price in tried)  # the same gains
        best = game(name).solution.pool_response(params, seat, opponents)
        assert best.gain == pytest.approx(best_of_all_plans(name, params, seat, opponents, amounts), abs=1e-8), market
        alone = [best_of_all_plans(name, params, seat, [one], amounts) for one in opponents]
        assert [one.gain for one in best.responses] == pytest.approx(alone, abs=1e-8), (seat, name, market)


@pytest.mark.slow
def test_the_best_plan_follows_from_no_last_round_that_nobody_is_told():
    """In a match of 2 rounds somebody who knew would take what it can get; at the table nobody knows."""
    for name, market, pool, seats in [
        ("bargaining", {"delta": (1.0, 1.0)}, ("linear", "acceptor(0.4)", "tit-for-tat"), (1,)),
        ("bargaining", {"delta": (0.8, 0.95), "complete_information": False}, ("boulware(0.2)", "spe"), (0,)),
        ("negotiation", {"seller_value": 0.5, "buyer_value": 1.0}, ("concede(1)", "tough"), (0, 1)),
    ]:
        opponents = [PLAYERS[name].make_opponent(spec) for spec in pool]
        markets = [game(name).params(horizon=None, max_rounds=ends, **market)[1] for ends in (2, 99)]
        for seat in seats:
            found = [game(name).solution.pool_response(one, seat, opponents, grid=6, width=3) for one in markets]
            assert found[0] == found[1], (name, market, pool)
            forgetting = next(one for one in opponents if one.memory == "round")
            waiting = [(1 if seat else 2, markets[0].money / 2)]
            stakes = [game(name).solution.acceptance_stakes(one, seat, forgetting, waiting) for one in markets]
            assert stakes[0] == stakes[1], (name, market, pool)
            known = game(name).params(horizon=2, **market)[1]
            assert found[0] != game(name).solution.pool_response(known, seat, opponents, grid=6, width=3), market


def test_an_offer_beyond_the_rounds_that_are_reckoned_with_is_the_last_chance_to_agree():
    params = game("bargaining").params(money=100.0, delta=(1.0, 1.0), horizon=None, max_rounds=200)[1]
    patient = bargaining.make_opponent("acceptor(0.4)")
    assert game("bargaining").solution.acceptance_stakes(params, 0, patient, [(2, 40.0), (150, 40.0)])[1] == 0.6


def test_who_does_not_know_whom_it_meets_loses_what_finding_out_costs():
    """One takes 10% at once, the other wants 70%: asking for 90% costs a round if it is the other.

    Told, one earns (0.9 + 0.3) / 2. Not told, asking for 90 earns (0.9 + 0.7 * 0.3) / 2 where a round costs 30% (the
    other asks for 70 in its own round), and asking for 30 earns 0.3.
    """
    params = game("bargaining").params(money=100.0, horizon=2, delta=(0.7, 0.7))[1]
    pool = [bargaining.make_opponent(spec) for spec in ("acceptor(0.1)", "acceptor(0.7)")]
    best = game("bargaining").solution.pool_response(params, 0, pool)
    assert [one.gain for one in best.responses] == pytest.approx([0.9, 0.3])
    assert best.gain == pytest.approx((0.9 + 0.7 * 0.3) / 2)


def test_of_one_who_draws_one_asks_for_everything_and_takes_what_beats_waiting():
    """It takes anything half of the time; of its own offers, uniform, one worth less than 1/2 is refused if there is
    a round to come, which pays 1/2: on average max(U, 1/2) is 5/8."""
    for horizon, gain in ((1, 1 / 2), (2, 1 / 2 + 1 / 2 * 1 / 2), (3, 1 / 2 + 1 / 2 * 5 / 8)):
        params = game("bargaining").params(money=100.0, horizon=horizon, delta=(1.0, 1.0))[1]
        assert game("bargaining").solution.pool_response(params, 0, [], 1).gain == pytest.approx(gain), horizon


def test_the_mean_of_the_better_of_two_is_that_of_many_draws():
    for otherwise, low, high in ((0.3, 0.0, 1.0), (0.3, 0.5, 0.9), (1.2, 0.0, 1.0), (0.0, 0.0, 0.0)):
        draws = np.maximum(otherwise, np.linspace(low, high, 100_001))
        assert expected_maximum(otherwise, low, high) == pytest.approx(draws.mean(), abs=1e-5)


def test_there_is_no_best_reply_to_one_who_takes_any_price():
    with pytest.raises(ValueError):
        game("negotiation").solution.pool_response(game("negotiation").params()[1], 0, [], 1)


def test_nobody_is_no_pool():
    with refuses(ValueError, "pool"):
        game("bargaining").solution.pool_response(game("bargaining").params()[1], 0, [])


def test_drawn_strategies_that_look_at_the_round_alone_have_an_exact_reply_and_no_search_finds_more():
    for name, family, seat in product(PLAYERS, FAMILIES, (0, 1)):
        ones = [PLAYERS[name].make_opponent(f"generated({family!r}, {number})") for number in range(40)]
        by_round = [one for one in ones if one.memory == "round"]
        assert bool(by_round) == (family in ("clock", "firm", "irregular")), (name, family)
        solution, params = import_module(f"econzoo.envs.games.{name}.solution"), game(name).params(horizon=4)[1]
        for one in by_round[:4]:
            best = solution.pool_response(params, seat, [one]).responses[0]
            search = solution.best_response(params, seat, one, memory="history", grid=11, width=10)
            assert best.exact, (name, family)
            assert best.gain >= search.value / params.money - 1e-6, (name, family)


def test_those_who_look_at_the_round_alone_do_not_look_at_what_they_are_offered():
    rules = money_game(game("bargaining").params()[1], 0, 2).rules
    params = game("bargaining").params(horizon=None)[1]
    for family, number in product(("clock", "firm", "irregular"), range(40)):
        one = bargaining.make_opponent(f"generated({family!r}, {number})")
        asks = set()
        for share in (0.1, 0.9) if one.memory == "round" else ():
            offer, refusal = Move(rules.OFFER, (share * params.money,)), Move(rules.REJECT, (0.0,))
            state = rules.apply(params, rules.apply(params, rules.initial(params), (offer,)), (refusal,))
            one.strategy.memory = "history"  # so that it is shown all of it
            asks.add(one(params, state, 1, ((0, 1, offer), (1, 1, refusal))))
        assert len(asks) < 2, (family, number)
