"""A league: best responses to mixtures of those before (policy-space response oracles, Lanctot et al. 2017).

In every round the learner is trained against the members drawn by a meta-strategy; then it becomes a member itself, all
pairs are measured, and the meta-strategy is made anew. The first member is the network as it was drawn, which plays
nearly at random. The folder ``league`` of a training has every member as a policy file and ``league.json``: mean
rewards of the row member against the column member in the settings of the training, and the meta-strategy.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import read_text, write_file
from econzoo.train.rl.files import policy_metadata, restore, store
from econzoo.train.rl.opponents import LEAGUE, LearnerPool, meta_strategy

if TYPE_CHECKING:
    from econzoo.baselines.policy_network import PolicyNetwork
    from econzoo.baselines.rl_policy import BatchPolicy
    from econzoo.train.rl.recipe import PPORecipe

Reward = Callable[["PolicyNetwork", "BatchPolicy"], float]
"""Mean reward of a network against a policy, in all seats."""


class League:
    """The members of a league so far.

    Args:
        recipe: Of the training.
        learner_pool: Its slots in the games of the training.
        network: The first member, if there is none in the folder.
        optimizer: Of its parameters.
        reward: Measures a pair.

    Attributes:
        payoffs: Shape (members, members).
        weights: The meta-strategy, shape (members,).
    """

    def __init__(
        self, recipe: PPORecipe, learner_pool: LearnerPool, network: PolicyNetwork, optimizer: Any, reward: Reward
    ) -> None:
        self._reward = reward
        self._recipe, self._itself, self._folder = recipe, learner_pool, recipe.out / LEAGUE
        known = self._folder / "league.json"
        self.payoffs, self.weights = np.zeros((0, 0)), np.zeros(0)
        if recipe.resume and known.exists():
            told = parse_json(read_text(known))
            self.payoffs, self.weights = np.array(told["payoffs"]), np.array(told["weights"])
            for number in range(len(self.weights)):
                restore(self._folder / f"{number}.zip", self._slot(number), deepcopy(optimizer))
        else:
            self.add(network, optimizer, 0)

    def _pair(self, row: int, column: int) -> tuple[PolicyNetwork, BatchPolicy]:
        return self._slot(row), self._itself.league[column]

    def _slot(self, number: int) -> Any:
        return self._itself.league[number].network.policy

    @property
    def members(self) -> int:
        """How many there are."""
        return len(self.weights)

    def is_due(self, timesteps: int) -> bool:
        """Whether a round ends with this count of moves, and there is room for another member."""
        rounds = self._recipe.league_rounds
        return self.members < min(rounds, 1 + timesteps * rounds // self._recipe.timesteps)

    def add(self, network: PolicyNetwork, optimizer: Any, timesteps: int) -> None:
        """Makes a network a member, measures it against all, and makes the meta-strategy anew."""
        new = self.members
        self._slot(new).load_state_dict(network.state_dict())
        payoffs = np.zeros((new + 1, new + 1))
        payoffs[:new, :new] = self.payoffs
        for other in range(new + 1):
            payoffs[new, other] = self._reward(*self._pair(new, other))
            payoffs[other, new] = self._reward(*self._pair(other, new)) if other != new else payoffs[new, new]
        self.payoffs = payoffs
        self.weights = meta_strategy(payoffs, self._recipe.league_strategy)
        if self._recipe.dry_run:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        store(self._folder / f"{new}.zip", network, optimizer, policy_metadata(self._recipe, timesteps))
        told = {"payoffs": payoffs.tolist(), "weights": self.weights.tolist()}
        write_file(self._folder / "league.json", json.dumps(told) + "\n")

    def meeting_rates(self) -> list[float]:
        """How often each slot of the league is met, as part of all meetings with the league."""
        return [*self.weights.tolist(), *[0.0] * (self._recipe.league_rounds - self.members)]
