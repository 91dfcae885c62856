"""Bayesian players that know the opponent pool and best respond to their posterior."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines import ObservationDict, RandomPlayer, player, pools
from econzoo.baselines.offers.demands import ASSUMED_HORIZON
from econzoo.baselines.offers.haggler import Haggler, Opponent
from econzoo.envs.core import game as find_game
from econzoo.envs.families.offers import BayesAdaptivePlan, Memory, OfferGame, agreement_payoff, build_schedule
from econzoo.envs.families.offers import random_schedule, round_starts

NOISE = 0.01
"""Standard deviation of an opponent's demands in the likelihood, as a share of the money."""

SLIP = 0.02
"""Probability that an opponent rejects an acceptable offer, in the likelihood."""


FINE = 1e-12
"""Precision of acceptance thresholds, as a share of the money."""


class PoolGame(NamedTuple):
    """A game with assumed parameters against the opponents of a pool.

    Attributes:
        states: State at the start of each round.
        plan: Plan against opponents that depend only on the round, and against a random one, if any.
        draws: Whether the pool has a random opponent.
    """

    game: OfferGame
    states: list[Any]
    plan: BayesAdaptivePlan
    draws: bool


@lru_cache(maxsize=256)
def make_pool_game(
    haggling: Callable[[Any, int, int], OfferGame], name: str, pool: str, params: Any, seat: int
) -> PoolGame:
    """Build the game against a pool; opponents that depend on the history are excluded."""
    # A grid of the two extremes: all other candidates are acceptance thresholds of the opponents.
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
    """Updates its belief over the opponents of a pool by Bayes' rule and plays the best response to it.

    It plans as if the opponent were revealed in the next round, so it does not explore. It replaces unknown parameters
    by assumptions, as `spe` does, and ignores opponents of the pool that depend on the history.

    Source: best responses to the posterior over types, Kalai and Lehrer (1993), Rational learning leads to Nash
    equilibrium, Econometrica 61(5), 1019-1045; the planning is QMDP of Littman, Cassandra and Kaelbling (1995),
    Learning policies for partially observable environments: scaling up, ICML, 362-370.

    Attributes:
        field: Field of an offer with its amount.
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
        """Return the game of offers for best responses."""
        raise NotImplementedError

    def believed_params(self, seen: ObservationDict, horizon: int) -> Any:
        """Return the assumed parameters of the rules."""
        raise NotImplementedError

    @property
    def script(self) -> None:
        """None: it does not compile."""

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Return an offer, or a response to the open one."""
        if "offer" in seen["legal_actions"]:
            return {"kind": "offer", self.field: self.chosen_amount(seen)}
        return {"kind": "accept" if self.accepts(seen) else "reject"}

    def chosen_amount(self, seen: ObservationDict) -> float:
        """Return the offer with the highest expected payoff among the opponents' acceptance thresholds."""
        contest, index = self._pool_game(seen), seen["round"] - 1
        chances, luck = self._posterior(seen, contest)
        edges = [known[index] for known in contest.plan.schedules]
        named = {edge.payoff: edge.amount for edge in edges if edge.amount is not None}
        named[contest.plan.boldest_payoffs[index]] = contest.game.amounts[-1]

        def mean(payoff: float) -> float:
            each = (contest.plan.naming_value(index, (one,), payoff) for one in range(len(edges)))
            drawn = contest.plan.naming_value(index, (), payoff, 1.0) if luck else 0.0
            return sum(chance * worth for chance, worth in zip(chances, each, strict=True)) + luck * drawn

        return float(named[max(named, key=mean)])

    def accepts(self, seen: ObservationDict) -> bool:
        """Whether the open offer is worth the expected continuation value."""
        contest, index = self._pool_game(seen), seen["round"] - 1
        chances, luck = self._posterior(seen, contest)
        offered = agreement_payoff(
            contest.game, contest.states[index], self._offers(seen, 1 - seen["seat"])[seen["round"]]
        )
        later = sum(chance * contest.plan.value(index + 1, (one,)) for one, chance in enumerate(chances) if chance)
        return (
            offered >= later + luck * contest.plan.value(index + 1, (), 1.0 if luck else 0.0) - contest.game.precision
        )

    def _pool_game(self, seen: ObservationDict) -> PoolGame:
        params = self.believed_params(seen, seen["horizon"] or max(ASSUMED_HORIZON, seen["round"] + 1))
        return make_pool_game(type(self).haggling, self.game, self.pool, params, seen["seat"])

    def _offers(self, seen: ObservationDict, seat: int) -> dict[int, float]:
        """Return a seat's offers by round."""
        offers = (move for move in seen["history"] if move["kind"] == "offer" and move["seat"] == seat)
        return {move["round"]: move[self.field] for move in offers}

    def _posterior(self, seen: ObservationDict, contest: PoolGame) -> tuple[list[float], float]:
        """Return the posterior probability of each opponent in the plan, and of a random one."""
        asked, refused = self._offers(seen, 1 - seen["seat"]), self._offers(seen, seen["seat"])
        fits = [self._log_likelihood(contest, one, asked, refused) for one in range(len(contest.plan.schedules))]
        fits.append(self._random_log_likelihood(contest, refused) if contest.draws else -math.inf)
        # Relative to the largest, since likelihoods of long histories are 0 as floats.
        weights = [math.exp(fit - max(fits)) for fit in fits]
        *chances, luck = (weight / sum(weights) for weight in weights)
        return chances, luck

    def _log_likelihood(self, contest: PoolGame, one: int, asked: dict[int, float], refused: dict[int, float]) -> float:
        """Return the log-likelihood of all observations under an opponent."""
        known, scale = contest.plan.schedules[one], NOISE * contest.game.params.money
        fit = 0.0
        for round, amount in asked.items():
            distance = (amount - (known[round - 1].amount or 0.0)) / scale
            fit -= distance * distance / 2 + math.log(NOISE * math.sqrt(2 * math.pi))
        for round, amount in refused.items():
            edge = known[round - 1]
            taken = (
                edge.amount is not None
                and agreement_payoff(contest.game, contest.states[round - 1], amount) <= edge.payoff
            )
            fit += math.log(SLIP if taken else 1.0 - SLIP)
        return fit

    def _random_log_likelihood(self, contest: PoolGame, refused: Iterable[int]) -> float:
        """Return the same for a random opponent, whose demands are uniform over the money."""
        # The density of its demands as shares of the money is 1, so that only refusals count.
        return sum(math.log(1.0 - contest.plan.random_rounds[round - 1].accept_probability) for round in refused)
