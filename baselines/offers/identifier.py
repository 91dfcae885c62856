"""Who knows the pool: finds out whom it has met, and plays the best response to what it believes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines import pools
from econzoo.baselines.factory import player
from econzoo.baselines.offers.demands import ASSUMED_HORIZON
from econzoo.baselines.offers.haggler import Haggler, Opponent
from econzoo.baselines.random_and_mock import RandomPlayer
from econzoo.baselines.strategy import ObservationDict
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.offers.best_response import Memory, OfferGame
from econzoo.envs.families.offers.pool_response import (
    BayesAdaptivePlan,
    agreement_payoff,
    build_schedule,
    random_schedule,
    round_starts,
)

NOISE = 0.01
"""Standard deviation of the asks that it expects of an opponent, as a share of the money: nobody is quite as known."""

SLIP = 0.02
"""Probability that an opponent refuses what it is known to take."""


FINE = 1e-12
"""Precision of the search for what opponents take, as a share of the money."""


class PoolGame(NamedTuple):
    """A market as it believes it to be, against the opponents of a pool.

    Attributes:
        game: As the search for best responses sees it.
        states: The position at the start of each round.
        plan: Against those that look only at the round, and one who draws, if there is one.
        draws: Whether there is.
    """

    game: OfferGame
    states: list[Any]
    plan: BayesAdaptivePlan
    draws: bool


@lru_cache(maxsize=256)
def make_pool_game(
    haggling: Callable[[Any, int, int], OfferGame], name: str, pool: str, params: Any, seat: int
) -> PoolGame:
    """The contest with a pool of a game in a market; opponents that remember are left out."""
    game, rules = replace(haggling(params, seat, 2), precision=FINE * params.money), find_game(name)
    known = [player(spec, name) for spec in pools.pool(name, pool)]
    certain = [one for one in known if isinstance(one, Haggler) and one.deterministic]
    forgetting = [Opponent(one, rules) for one in certain if one.memory == "round"]
    draws = game.has_amount_limit and any(isinstance(one, RandomPlayer) for one in known)
    plan = BayesAdaptivePlan(
        game, [build_schedule(game, one) for one in forgetting], random_schedule(game) if draws else ()
    )
    return PoolGame(game, list(round_starts(game)), plan, draws)


class Identifier(Haggler):
    """Weighs by Bayes' rule which opponent of a pool it has met, and plays the best response to that belief.

    It reckons as if it were told in the next round who it is, so it asks for nothing only to find out. What its seat is
    not told it replaces by an assumption, as `spe` does; opponents of the pool that remember offers it does not expect.

    Source: best responses to the posterior over types, Kalai and Lehrer (1993), Rational learning leads to Nash
    equilibrium, Econometrica 61(5), 1019-1045; the reckoning is QMDP of Littman, Cassandra and Kaelbling (1995),
    Learning policies for partially observable environments: scaling up, ICML, 362-370.

    Args:
        spec: Its name.
        pool: Name of the pool that it knows, as in ``econzoo evaluate --pool``.

    Attributes:
        game: Name of the game.
        field: Of an offer, that holds its amount.
    """

    memory: Memory = "history"
    memory_length: ClassVar[int] = 10_000
    game: ClassVar[str]
    field: ClassVar[str]

    def __init__(self, spec: str = "identify", pool: Any = "standard") -> None:
        super().__init__(spec)
        pools.pool(self.game, pool)
        self.pool = pool

    @staticmethod
    def haggling(params: Any, seat: int, grid: int) -> OfferGame:
        """The game as the search for best responses sees it."""
        raise NotImplementedError

    def believed_params(self, seen: ObservationDict, horizon: int) -> Any:
        """The rules' parameters as it believes them to be."""
        raise NotImplementedError

    @property
    def script(self) -> None:
        """It is no function of numbers."""

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """What it names, or whether it takes what waits."""
        if "offer" in seen["legal_actions"]:
            return {"kind": "offer", self.field: self.chosen_amount(seen)}
        return {"kind": "accept" if self.accepts(seen) else "reject"}

    def chosen_amount(self, seen: ObservationDict) -> float:
        """What it names: of the boldest amounts that somebody takes, the one that pays most on average."""
        met, index = self._pool_game(seen), seen["round"] - 1
        chances, luck = self._posterior(seen, met)
        edges = [known[index] for known in met.plan.schedules]
        named = {edge.payoff: edge.amount for edge in edges if edge.amount is not None}
        named[met.plan.boldest_payoffs[index]] = met.game.amounts[-1]

        def mean(payoff: float) -> float:
            each = (met.plan.naming_value(index, (one,), payoff) for one in range(len(edges)))
            drawn = met.plan.naming_value(index, (), payoff, 1.0) if luck else 0.0
            return sum(chance * worth for chance, worth in zip(chances, each, strict=True)) + luck * drawn

        return float(named[max(named, key=mean)])

    def accepts(self, seen: ObservationDict) -> bool:
        """Whether what it is offered pays as much as going on does on average, against whoever it is."""
        met, index = self._pool_game(seen), seen["round"] - 1
        chances, luck = self._posterior(seen, met)
        offered = agreement_payoff(met.game, met.states[index], self._offers(seen, 1 - seen["seat"])[seen["round"]])
        later = sum(chance * met.plan.value(index + 1, (one,)) for one, chance in enumerate(chances) if chance)
        return offered >= later + luck * met.plan.value(index + 1, (), 1.0 if luck else 0.0) - met.game.precision

    def _pool_game(self, seen: ObservationDict) -> PoolGame:
        params = self.believed_params(seen, seen["horizon"] or max(ASSUMED_HORIZON, seen["round"] + 1))
        return make_pool_game(type(self).haggling, self.game, self.pool, params, seen["seat"])

    def _offers(self, seen: ObservationDict, seat: int) -> dict[int, float]:
        """The amounts that a seat has named, by round."""
        offers = (move for move in seen["history"] if move["kind"] == "offer" and move["seat"] == seat)
        return {move["round"]: move[self.field] for move in offers}

    def _posterior(self, seen: ObservationDict, met: PoolGame) -> tuple[list[float], float]:
        """The probability of each opponent in the plan, and of one who draws, after all that was seen."""
        asked, refused = self._offers(seen, 1 - seen["seat"]), self._offers(seen, seen["seat"])
        fits = [self._log_likelihood(met, one, asked, refused) for one in range(len(met.plan.schedules))]
        fits.append(self._random_log_likelihood(met, refused) if met.draws else -math.inf)
        weights = [math.exp(fit - max(fits)) for fit in fits]
        *chances, luck = (weight / sum(weights) for weight in weights)
        return chances, luck

    def _log_likelihood(self, met: PoolGame, one: int, asked: dict[int, float], refused: dict[int, float]) -> float:
        """The logarithm of the likelihood of all that was seen, if it is this opponent."""
        known, scale = met.plan.schedules[one], NOISE * met.game.params.money
        fit = 0.0
        for round, amount in asked.items():
            distance = (amount - (known[round - 1].amount or 0.0)) / scale
            fit -= distance * distance / 2 + math.log(NOISE * math.sqrt(2 * math.pi))
        for round, amount in refused.items():
            edge = known[round - 1]
            taken = edge.amount is not None and agreement_payoff(met.game, met.states[round - 1], amount) <= edge.payoff
            fit += math.log(SLIP if taken else 1.0 - SLIP)
        return fit

    def _random_log_likelihood(self, met: PoolGame, refused: Iterable[int]) -> float:
        """The same, if it draws: all asks are as likely, with a density of 1 over the money."""
        return sum(math.log(1.0 - met.plan.random_rounds[round - 1].accept_probability) for round in refused)
