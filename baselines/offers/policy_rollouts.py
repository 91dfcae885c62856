"""Roll-outs in which a trained policy plays on for a seat, against sampled strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines import ObservationDict, PolicyPlayer
from econzoo.baselines.offers.planning import Array
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.core.faces import ListedMoves

Imagine = Callable[[int, float, float, bool], Any]
"""Returns the view of a later decision by round, gains from the last offers of the seat and of the opponent (`UNKNOWN`:
as now), and whether the seat responds."""


class Opponents(NamedTuple):
    """Sampled opponents, one a roll-out, with what `econzoo.baselines.offers.planning` keeps of each."""

    strategies: Array
    classes: Array
    offsets: Array
    pasts: Array
    owns: Array

    def select(self, chosen: Array) -> Opponents:
        """Return some of them, as copies."""
        return Opponents(*(part[chosen] for part in self))


class PolicyRollouts:
    """Continues matches by the most likely actions of a policy.

    Attributes:
        fractions: Amounts of its offers, as fractions of the range of the numeric face; shape (offers,).
    """

    def __init__(self, policy: PolicyPlayer) -> None:
        self.policy = policy
        self.kept: Array | None = None
        trained = policy.network.metadata
        low, high = trained["grid_range"] or (0.0, 1.0)
        self.fractions = np.linspace(low, high, trained["grid"])

    def observe(self, observation: ObservationDict, info: dict[str, Any]) -> None:
        """Update the policy's memory by a decision of its seat, before which imagined offers begin."""
        before, own = self.policy.kept, "offer" in observation["legal_actions"]
        self.policy.act(observation, info)
        self.kept = before if own else self.policy.kept
        codec: Any = self.policy.codec(self.policy.look(observation, info))
        self.moves: ListedMoves = codec.moves
        self.features = codec.game.rules.features
        names = codec.game.actions.names
        self.kinds = np.array([names[kind] for kind, _ in self.moves.moves])

    def decide(self, views: list[Any], responds: bool, kept: Array) -> tuple[Array, Array]:
        """Return the probabilities of its offers, or of acceptance and refusal, and its memory afterwards."""
        legal = np.isin(self.kinds, ("accept", "reject") if responds else ("offer",))
        rows = np.array([self.features(view) for view in views], np.float32)
        chances, kept = self.policy.network.decide(rows, np.tile(legal, (len(rows), 1)), kept, self.moves)
        return chances[:, legal], kept

    def likeliest(self, imagine: Imagine, round: int, met: float, count: int) -> Array:
        """Return the places of its likeliest offers in a round."""
        return np.argsort(-self.decide([imagine(round, UNKNOWN, met, False)], False, self.blank(1))[0][0])[:count]

    def blank(self, rows: int) -> Array:
        """Return its present memory for a number of roll-outs."""
        kept = np.zeros(self.policy.network.memory_size(self.moves), np.float32) if self.kept is None else self.kept
        return np.tile(kept, (rows, 1))

    def play(
        self,
        imagine: Imagine,
        answer: Callable[[Opponents, int, Array], Array],
        opponents: Opponents,
        offers: Array,
        places: Array,
        gains: Array,
        met: float,
        round: int,
        last: int,
        delta: float,
    ) -> Array:
        """Return what is earned by offers, after which the policy plays on, discounted to their round.

        Args:
            answer: Returns what opponents leave in their next offer, given the round and indices of offers to them.
            offers: Index of the first offer of each roll-out.
            places: Indices of the policy's offers.
            gains: Gain of every offer.
            met: Gain from the opponent's last offer, or `UNKNOWN`.
        """
        earned, alive, discount, kept = np.zeros(len(offers)), np.arange(len(offers)), 1.0, self.blank(len(offers))
        kept = self.decide([imagine(round, UNKNOWN, met, False)] * len(offers), False, kept)[1] if kept.size else kept
        while True:
            left = answer(opponents, round, offers)
            earned[alive[left == UNKNOWN]] = discount * gains[offers[left == UNKNOWN]]
            if round + 1 > last:
                return earned
            on = left != UNKNOWN
            alive, left, offers, kept, opponents = alive[on], left[on], offers[on], kept[on], opponents.select(on)
            if not len(alive):
                return earned
            round, discount = round + 1, discount * delta
            views = [imagine(round, *pair, True) for pair in zip(gains[offers].tolist(), left.tolist(), strict=True)]
            chances, kept = self.decide(views, True, kept)
            takes = (chances[:, 0] >= chances[:, 1]) | (round == last)
            earned[alive[takes]] = discount * left[takes]
            on = ~takes
            alive, left, offers, kept, opponents = alive[on], left[on], offers[on], kept[on], opponents.select(on)
            if not len(alive) or round + 1 > last:
                return earned
            round, discount = round + 1, discount * delta
            views = [imagine(round, *pair, False) for pair in zip(gains[offers].tolist(), left.tolist(), strict=True)]
            chances, kept = self.decide(views, False, kept)
            offers = places[chances.argmax(axis=1)]
