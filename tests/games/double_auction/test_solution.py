"""The solution of the double auction: the linear equilibrium, by a search for better offers, and the first best."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import econzoo
from econzoo.baselines import player
from econzoo.baselines.double_auction import POOLS
from econzoo.envs.games.double_auction import GAME, rules
from econzoo.envs.games.double_auction.solution import equilibrium_payoffs, first_best, linear_offer, reference
from games.double_auction.auctions import offered

KS = (0.0, 0.25, 0.5, 0.8, 1.0)
GRID = (np.arange(1000) + 0.5) / 1000
"""Values of the other seat, for the midpoint rule."""


def gain(k: float, buys: bool, value: float, offers: list[float]) -> np.ndarray:
    """What each of these offers wins on average against the linear one, with values from 0 to 1."""
    own = np.array(offers)[:, None]
    theirs = np.array([linear_offer(not buys, one, 1.0, k) for one in GRID])
    bid, ask = (own, theirs) if buys else (theirs, own)
    price = k * bid + (1 - k) * ask
    return np.where(bid >= ask, value - price if buys else price - value, 0.0).mean(axis=1)


LINEAR = [
    # k, value: the buyer's offer, the seller's
    (0.5, 1.0, 3 / 4, 1.0),  # 2/3 v + 1/12 and 2/3 c + 1/4; a seller at 1 would lose by 11/12
    (0.5, 0.25, 1 / 4, 5 / 12),
    (0.5, 0.1, 0.1, 19 / 60),  # a buyer at 0.1 would lose by 3/20
    (0.0, 0.6, 0.6, 0.8),  # the seller names the price, as a monopolist would: (1 + c) / 2
    (1.0, 0.6, 0.3, 0.6),  # the buyer does: v / 2
]


def test_offers_of_the_linear_equilibrium() -> None:
    for k, value, bid, ask in LINEAR:
        assert linear_offer(True, value, 1.0, k) == pytest.approx(bid)
        assert linear_offer(False, value, 1.0, k) == pytest.approx(ask)
        assert linear_offer(True, value * 50, 50.0, k) == pytest.approx(bid * 50)


def test_no_offer_is_better_against_the_linear_one() -> None:
    """Chatterjee and Samuelson's equilibrium: none on a grid of 101, at any of 11 values."""
    for k, buys in product(KS, (True, False)):
        for value in np.linspace(0, 1, 11):
            own, *others = gain(k, buys, value, [linear_offer(buys, value, 1.0, k), *np.linspace(0, 1, 101)])
            assert own >= max(others) - 2e-3, value


def test_what_the_linear_equilibrium_pays() -> None:
    """The closed form against the midpoint rule over both values."""
    for k in KS:
        for seat, buys in enumerate((True, False)):
            won = [gain(k, buys, one, [linear_offer(buys, one, 1.0, k)]) for one in GRID[10::25]]
            assert np.mean(won) == pytest.approx(equilibrium_payoffs(GAME.params(k=k, money=1.0)[1])[seat], abs=1e-3)


def test_a_pair_that_splits_the_difference_wins_nine_sixty_fourths_where_one_sixth_could_be_won() -> None:
    p = GAME.params(money=1.0)[1]
    assert sum(equilibrium_payoffs(p)) == pytest.approx(9 / 64), "what no mechanism without a subsidy can better"
    assert first_best(p) == pytest.approx(1 / 6)
    assert reference(p) == {"equilibrium": (9 / 128, 9 / 128), "first_best": (1 / 12, 1 / 12)}
    one_price = [sum(equilibrium_payoffs(GAME.params(money=1.0, k=k)[1])) for k in (0.0, 1.0)]
    assert one_price == pytest.approx([1 / 8, 1 / 8]), "one names the price, the other takes it or leaves it"


def test_they_trade_where_the_values_are_a_quarter_apart() -> None:
    for v in np.linspace(0, 1, 21):
        for c in np.linspace(0.01, 0.99, 21):
            assert (linear_offer(True, v, 1.0, 0.5) >= linear_offer(False, c, 1.0, 0.5)) == (v >= c + 0.25)


def test_the_first_best_of_a_market() -> None:
    """The formula, and the mean of what 4,000 draws of values can bring at most."""
    for buyers, sellers, most in ((1, 1, 1 / 6), (2, 2, 2 / 5), (4, 2, 4 / 7), (10, 10, 50 / 21)):
        p = GAME.params(buyers=buyers, sellers=sellers, money=1.0)[1]
        assert first_best(p) == pytest.approx(most), (buyers, sellers)
        values = np.random.default_rng(1).uniform(size=(4000, buyers + sellers))
        drawn = [sum([max(spread, 0.0) for spread in rules.spreads(p, tuple(row))]) for row in values]
        assert np.mean(drawn) == pytest.approx(most, abs=4 * np.std(drawn) / math.sqrt(4000)), (buyers, sellers)


def test_larger_markets_have_no_equilibrium_in_closed_form() -> None:
    p = GAME.params(buyers=2)[1]
    assert all(map(math.isnan, equilibrium_payoffs(p)))
    assert list(reference(p)) == ["first_best"]


def test_the_larger_the_market_the_less_there_is_to_gain_by_shading() -> None:
    """What a buyer at 80 wins by an offer of 60 in place of its value, where all others are truthful."""

    def more(n: int) -> float:
        rng, won = np.random.default_rng(3), []
        for _ in range(600):
            draws = [80.0, *rng.uniform(0, 100, 2 * n)]
            both = [offered(draws, (own, *draws[1 : 2 * n]), buyers=n, sellers=n) for own in (60.0, 80.0)]
            won.append(rules.payoffs(*both[0])[0] - rules.payoffs(*both[1])[0])
        return float(np.mean(won))

    assert more(1) > 1 > 0 > more(6)


def test_how_much_of_the_gains_scripted_pairs_make() -> None:
    for players, low, high in [
        (("truthful", "truthful"), 1.0, 1.0),
        (("linear", "linear"), 0.75, 0.93),  # 27/32 of all gains
        (("midpoint", "midpoint"), 1.0, 1.0),  # talk makes up for what the sealed offers lose
        (("midpoint(0.5)", "midpoint(0.5)"), 0.0, 0.97),
        (("zi", "zi"), 0.0, 0.8),
    ]:
        made = most = 0.0
        for seed in range(100):
            record = econzoo.play("double_auction", players, seed=seed)
            made, most = made + sum(record.payoffs), most + max(record.chance[0] - record.chance[1], 0.0)
            assert min(record.payoffs) >= -1e-9, "nobody offers at a loss"
        assert low - 1e-9 <= made / most <= high + 1e-9, players


OFFERS = [
    # player: offers of a buyer to whom the unit is worth 80, and of a seller to whom it is worth 20
    ("truthful", 80, 20),
    ("linear", 160 / 3 + 100 / 12, 40 / 3 + 25),
    ("shading(0.25)", 60, 40),
    ("midpoint", 50, 50),
    ("midpoint(0.25)", 50, 50),  # 60 and 40 are told
]


def test_what_scripted_traders_offer() -> None:
    for spec, bid, ask in OFFERS:
        env = econzoo.make("double_auction", face="structured")
        env.reset(options={"chance": [80.0, 20.0]})
        players = [player(spec, "double_auction") for _ in range(2)]
        for seat in (0, 1, 0, 1):
            env.step(players[seat].act(env.last()[0], env.last()[4]))
        assert env.game_state.offers == pytest.approx((bid, ask)), spec


def test_shaded_offers_stay_within_the_range() -> None:
    for share in (0.0, 0.1, 0.7, 1.0):
        for seed in range(30):
            record = econzoo.play("double_auction", [f"shading({share})"] * 2, seed=seed, money=9.7)
            assert (record.errors, min(record.payoffs) >= 0) == ([0, 0], True), share


def test_a_talker_that_hears_nothing_offers_as_in_the_linear_equilibrium() -> None:
    heard = econzoo.play("double_auction", ["midpoint", "linear"], seed=4).turns
    alone = econzoo.play("double_auction", ["linear", "linear"], seed=4).turns
    assert heard[2].action == alone[2].action


def test_pools_keep_what_is_validation() -> None:
    assert not set(POOLS["training"]) & set(POOLS["validation"])
    for spec in {*POOLS["standard"], *POOLS["training"], *POOLS["validation"]}:
        assert econzoo.play("double_auction", [spec, spec], seed=1, buyers=1, sellers=1).errors == [0, 0]
    assert econzoo.play("double_auction", ["midpoint"] * 5, buyers=3, sellers=2).status == "finished"


def test_training_draws_no_weight_that_is_validation() -> None:
    held = {market["k"] for market in GAME.scenarios.VALIDATION}
    rng = np.random.default_rng(0)
    drawn = [GAME.sample("train", rng)["k"] for _ in range(500)]
    assert min([abs(k - one) for k in drawn for one in held]) >= 0.05 - 1e-9
