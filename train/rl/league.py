"""A league: best responses to mixtures of earlier members (policy-space response oracles, Lanctot et al. 2017).

In every round the learner is trained against members sampled from a meta-strategy; then it becomes a member, all pairs
are evaluated, and the meta-strategy is recomputed. The first member is the initial network, which plays nearly at
random. The folder ``league`` of a training has every member as a policy file and ``league.json``: mean rewards of the
row member against the column member in training settings, and the meta-strategy.
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
"""Mean reward of a network against a policy, over all seats."""


class League:
    """The present members of a league.

    Args:
        recipe: Options of the training.
        learner_pool: The learner's slots in the training games.
        network: The first member, if the folder has none.
        optimizer: Optimiser of the network.
        reward: Evaluates a pair.

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
            league = parse_json(read_text(known))
            self.payoffs, self.weights = np.array(league["payoffs"]), np.array(league["weights"])
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
        """Number of members."""
        return len(self.weights)

    def is_due(self, timesteps: int) -> bool:
        """Whether a round ends at this number of moves, and another member fits."""
        rounds = self._recipe.league_rounds
        return self.members < min(rounds, 1 + timesteps * rounds // self._recipe.timesteps)

    def add(self, network: PolicyNetwork, optimizer: Any, timesteps: int) -> None:
        """Add a network, evaluate it against all members, and recompute the meta-strategy."""
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
        league = {"payoffs": payoffs.tolist(), "weights": self.weights.tolist()}
        write_file(self._folder / "league.json", json.dumps(league) + "\n")

    def meeting_rates(self) -> list[float]:
        """Return the share of each slot of the league in all matches against the league."""
        return [*self.weights.tolist(), *[0.0] * (self._recipe.league_rounds - self.members)]
