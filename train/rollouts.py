"""What a learner did in many compiled games at once, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from econzoo.baselines.policy_network import PolicyNetwork
    from econzoo.envs.core.vector.learner_batch import LearnerBatch

__all__ = ["Actor", "Rollout"]


class Rollout(NamedTuple):
    """Moves of a learner; T moves in each of n games.

    Attributes:
        seen: What was seen, shape (T + 1, n, features): the last one is what comes after the last move.
        inputs: What the moves were decided on, shape (T, n, features + remembered).
        kept: What was remembered before the first move, shape (n, remembered).
        legal: Shape (T, n, actions).
        actions: Shape (T, n).
        chances: Log-probabilities of the actions, shape (T, n).
        values: What was expected before each move and after the last, shape (T + 1, n).
        rewards: Shape (T, n).
        ended: Whether the match ended with the move, 1 or 0, shape (T, n).
    """

    seen: Tensor
    inputs: Tensor
    kept: Tensor
    legal: Tensor
    actions: Tensor
    chances: Tensor
    values: Tensor
    rewards: Tensor
    ended: Tensor

    def advantages(self, discount: float, trace: float) -> Tensor:
        """Generalised advantage estimates (Schulman et al. 2016, equation 16), shape (T, n).

        Args:
            discount: Of what comes one move later.
            trace: Lambda; with 1 what came is compared with what was expected, whatever is expected in between.
        """
        out, later = torch.zeros_like(self.rewards), torch.zeros_like(self.rewards[0])
        for t in reversed(range(len(out))):
            goes_on = discount * (1 - self.ended[t])
            later = self.rewards[t] + goes_on * self.values[t + 1] - self.values[t] + goes_on * trace * later
            out[t] = later
        return out


class Actor:
    """Plays a network in a batch of games that start again when they end.

    Args:
        games: The games.
        network: Decides.
        seed: Of the games.
        luck: Draws the actions.
    """

    def __init__(self, games: LearnerBatch, network: PolicyNetwork, seed: int, luck: torch.Generator) -> None:
        self.games, self.network, self.luck = games, network, luck
        self.seen, self.legal = games.reset(seed)
        self.kept = network.blank(games.num_games)

    @torch.no_grad()
    def play(self, moves: int) -> Rollout:
        """Plays so many moves in each game."""
        kept, steps = self.kept, [self._move() for _ in range(moves)]
        seen, inputs, legal, actions, chances, values, rewards, ended = map(torch.stack, zip(*steps, strict=True))
        after = torch.from_numpy(self.seen)
        last = self.network.expect(self.network.recall(after, self.kept)[0])
        seen, values = torch.cat([seen, after[None]]), torch.cat([values, last[None]])
        return Rollout(seen, inputs, kept, legal, actions, chances, values, rewards, ended)

    def _move(self) -> tuple[Tensor, ...]:
        seen, legal = torch.from_numpy(self.seen), torch.from_numpy(self.legal.astype(bool))
        inputs, kept = self.network.recall(seen, self.kept)
        every = self.network.act(inputs, legal)
        actions = drawn(every, self.luck)
        self.seen, rewards, ended, self.legal, _ = self.games.step(actions.numpy())
        goes_on = torch.from_numpy(~ended)
        self.kept = kept * goes_on[:, None]
        chosen, values = every.gather(1, actions[:, None])[:, 0], self.network.expect(inputs)
        return seen, inputs, legal, actions, chosen, values, _floats(rewards), _floats(ended)


def drawn(chances: Tensor, luck: torch.Generator) -> Tensor:
    """An action for each row of log-probabilities, where their sum passes a uniform draw; shape (rows,)."""
    sums = chances.clamp(min=-80).exp().cumsum(-1)  # what is illegal adds less than any draw can be
    draws = 1 - torch.rand(len(sums), 1, generator=luck)
    return torch.searchsorted(sums, draws * sums[:, -1:])[:, 0]


def _floats(values: np.ndarray) -> Tensor:
    return torch.from_numpy(values.astype(np.float32))
