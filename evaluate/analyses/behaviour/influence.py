"""What a policy would do if it had heard something else: the causal influence of symbols on its moves.

Lowe, Foerster, Boureau, Pineau and Dauphin (2019), On the pitfalls of measuring emergent communication,
arXiv:1903.05168 (causal influence of communication); Jaques et al. (2019), Social influence as intrinsic motivation,
arXiv:1810.08647. Here every symbol is put in the place of the one that was heard, all as likely, and all else that the
policy sees and remembers stays. The influence is the information that the symbol then gives of the move, in bits: 0 if
the policy does not listen, at most log2 of the number of symbols.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.rl_policy import PolicyPlayer

BITS = "bits"
"""Key of what `Counterfactual` says in the place of a move."""


class Counterfactual(Player):
    """A policy that says how much its move depends on each symbol it has heard, in the place of the move.

    It sits beside a seat of a recorded match (`econzoo.evaluate.analyses.transcript.replay_texts`).

    Args:
        policy: The policy.
    """

    face: ClassVar[str] = "structured"

    def __init__(self, policy: PolicyPlayer) -> None:
        super().__init__(policy.spec)
        self.policy = policy

    def can_take_seat(self, seat: int, /) -> bool:
        """As the policy."""
        return self.policy.can_take_seat(seat)

    def fork(self) -> Counterfactual:
        """With a fork of the policy."""
        return Counterfactual(self.policy.fork())  # type: ignore[arg-type]

    def reset(self, seat: int, info: SeatInfo, seed: int, /) -> None:
        """Starts a match."""
        self.policy.reset(seat, info, seed)
        self._symbols, self._others = info.symbols, info.seats - 1

    def act(self, observation: Any, info: dict[str, Any], /) -> dict[str, Any]:
        """For each other seat in order the bits, or None if nothing of it was heard yet."""
        policy = self.policy
        seen = policy.look(observation, info)
        codec = policy.codec(seen)
        numbers, moves = codec.observe(seen), codec.moves
        features, mask = numbers["observation"], np.asarray(numbers["action_mask"], bool)
        heard = features[len(features) - self._others * self._symbols :].reshape(self._others, self._symbols)
        kept, found = policy.kept, list[float | None]()
        for other in range(self._others):
            if not heard[other].any():
                found.append(None)
                continue
            changed = np.repeat(features[None], self._symbols, axis=0)
            first = len(features) - (self._others - other) * self._symbols
            changed[:, first : first + self._symbols] = np.eye(self._symbols)
            masks = np.repeat(mask[None], self._symbols, axis=0)
            chances, _ = policy.network.decide(changed, masks, [kept] * self._symbols, moves)  # type: ignore[arg-type]
            found.append(influence(_move_probabilities(chances, moves, policy.deterministic)))
        policy.action_probabilities(features[None], mask[None], [policy], moves)  # type: ignore[arg-type]  # it remembers what was so
        return {BITS: found}


def _move_probabilities(chances: np.ndarray, moves: Any, deterministic: bool) -> np.ndarray:
    """The chances of moves whatever symbol goes with them; of a policy that draws nothing, of the likeliest action."""
    if deterministic:
        chances = np.eye(chances.shape[1])[chances.argmax(axis=1)]
    places: dict[Any, int] = {}
    columns = np.array([places.setdefault(move, len(places)) for move in moves.moves])
    out: np.ndarray = chances[:, : len(columns)] @ np.eye(len(places))[columns]
    return out


def influence(chances: np.ndarray) -> float:
    """Mutual information of a symbol, all as likely, and what follows it, in bits.

    Args:
        chances: Of each thing that follows, for each symbol; shape (symbols, things), rows with sum 1.
    """
    mean = np.broadcast_to(chances.mean(axis=0), chances.shape)
    ratio = np.divide(chances, mean, out=np.ones_like(chances), where=chances > 0)
    return float((chances * np.log2(ratio)).sum(axis=1).mean())
