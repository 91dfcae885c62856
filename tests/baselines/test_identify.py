"""Who knows the pool finds out whom it has met."""

import econzoo
from econzoo.baselines import bargaining, player
from refusals import refuses

MARKET = {"horizon": 5, "delta": (0.9, 0.9), "messages": False}


def test_it_earns_nearly_what_the_best_response_does():
    for other in ("acceptor(0.45)", "linear(low=0.4)", "greedy(0.9)"):
        record = econzoo.play("bargaining", ["identify(validation)", other], seed=0, **MARKET)
        game = econzoo.game("bargaining")
        params = game.params(**MARKET)[1]
        best = game.solution.best_response(params, 0, bargaining.make_opponent(other), memory="round")
        assert record.payoffs[0] >= 0.8 * best.value, other


def test_it_plays_the_same_again_and_in_a_market_that_it_is_told_little_of():
    told = {"delta": (0.9, 0.8), "complete_information": False, "horizon": None}
    players = ["fair", "identify(validation)"]
    record = econzoo.play("bargaining", players, seed=0, **told)
    assert record.payoffs == econzoo.play("bargaining", players, seed=1, **told).payoffs
    assert record.errors == [0, 0]


def test_it_trades_where_there_is_something_to_win():
    record = econzoo.play("negotiation", ["identify(validation)", "fixed-price(0.45)"], seed=0, horizon=4)
    assert record.metrics["agreed"]


def test_the_pool_needs_no_quotes_and_must_exist():
    assert player("identify('standard')", "bargaining").pool == player("identify(standard)", "bargaining").pool
    with refuses(ValueError, "pool='friends'", "standard", "training"):
        player("identify('friends')", "bargaining")
