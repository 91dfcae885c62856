"""Causal influence of received symbols on a policy's moves, by counterfactual symbols.

Lowe, Foerster, Boureau, Pineau and Dauphin (2019), On the pitfalls of measuring emergent communication,
arXiv:1903.05168 (causal influence of communication); Jaques et al. (2019), Social influence as intrinsic motivation,
arXiv:1810.08647. The received symbol is replaced by each symbol with equal probability; the rest of the policy's
observation and memory is unchanged. The influence is the mutual information of symbol and move in bits: 0 if the policy
ignores symbols, at most log2 of the number of symbols.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from econzoo.baselines import Player, PolicyPlayer
from econzoo.wrappers import SeatInfo

BITS = "bits"
"""Key of `Counterfactual`'s result, which it returns instead of a move."""


class Counterfactual(Player):
    """An adviser that returns the influence of each received symbol on a policy's move.

    See `econzoo.evaluate.analyses.transcript.replay_texts`.
    """

    face: ClassVar[str] = "structured"

    def __init__(self, policy: PolicyPlayer) -> None:
        super().__init__(policy.spec)
        self.policy = policy

    def can_take_seat(self, seat: int, /) -> bool:
        return self.policy.can_take_seat(seat)

    def fork(self) -> Counterfactual:
        return Counterfactual(self.policy.fork())  # type: ignore[arg-type]

    def reset(self, seat: int, info: SeatInfo, seed: int, /) -> None:
        self.policy.reset(seat, info, seed)
        self._symbols, self._others = info.symbols, info.seats - 1

    def act(self, observation: Any, info: dict[str, Any], /) -> dict[str, Any]:
        """Return the influence of each other seat in bits; None if no symbol of it was received yet."""
        policy = self.policy
        seen = policy.look(observation, info)
        codec = policy.codec(seen)
        numbers, moves = codec.observe(seen), codec.moves
        features, mask = numbers["observation"], np.asarray(numbers["action_mask"], bool)
        # The last features are the symbols, one-hot by other seat (`last_symbol_features`).
        received = features[len(features) - self._others * self._symbols :].reshape(self._others, self._symbols)
        # All counterfactuals start from the memory before the turn; only the true observation changes it, at the end.
        memory, bits = policy.kept, list[float | None]()
        for other in range(self._others):
            if not received[other].any():
                bits.append(None)
                continue
            changed = np.repeat(features[None], self._symbols, axis=0)
            first = len(features) - (self._others - other) * self._symbols
            changed[:, first : first + self._symbols] = np.eye(self._symbols)
            masks = np.repeat(mask[None], self._symbols, axis=0)
            chances, _ = policy.network.decide(changed, masks, [memory] * self._symbols, moves)  # type: ignore[arg-type]
            bits.append(influence(_move_probabilities(chances, moves, policy.deterministic)))
        policy.action_probabilities(features[None], mask[None], [policy], moves)  # type: ignore[arg-type]  # updates memory
        return {BITS: bits}


def _move_probabilities(chances: np.ndarray, moves: Any, deterministic: bool) -> np.ndarray:
    """Probabilities of moves, summed over sent symbols; of the likeliest action for a deterministic policy."""
    if deterministic:
        chances = np.eye(chances.shape[1])[chances.argmax(axis=1)]
    places: dict[Any, int] = {}
    columns = np.array([places.setdefault(move, len(places)) for move in moves.moves])
    out: np.ndarray = chances[:, : len(columns)] @ np.eye(len(places))[columns]
    return out


def influence(chances: np.ndarray) -> float:
    """Compute the mutual information of a uniformly distributed symbol and an outcome, in bits.

    Args:
        chances: Probability of each outcome given each symbol, shape (symbols, outcomes); rows sum to 1.
    """
    mean = np.broadcast_to(chances.mean(axis=0), chances.shape)
    ratio = np.divide(chances, mean, out=np.ones_like(chances), where=chances > 0)
    return float((chances * np.log2(ratio)).sum(axis=1).mean())
