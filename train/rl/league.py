"""The learner as its own opponent: its present network, snapshots of it, and a league of best responses.

A league has best responses to mixtures of its members (policy-space response oracles, Lanctot et al. 2017).

In every round the learner is trained against members sampled from a meta-strategy; then it becomes a member, all pairs
are evaluated, and the meta-strategy is recomputed. The first member is the initial network, which plays nearly at
random. The folder ``league`` of a training has every member as a policy file and ``league.json``: mean rewards of the
row member against the column member in training settings, and the meta-strategy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.baselines import BatchPolicy, Network, read_metadata
from econzoo.envs.core import explain_missing_library, read_text, write_file
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.faces import ListedMoves
from econzoo.train.rl.files import policy_metadata, restore, store
from econzoo.train.rl.opponents import LEAGUE, LEARNERS, PAST, PFSP, SELF, UNIFORM
from econzoo.train.rl.recipe import PPORecipe

if TYPE_CHECKING:
    from econzoo.baselines import PolicyNetwork

SNAPSHOTS = 8
"""Snapshots in memory at a time."""

CANDIDATES = 64
"""Candidate steps of a training at which a snapshot may be taken."""

Reward = Callable[["PolicyNetwork", BatchPolicy], float]
"""Mean reward of a network against a policy, over all seats."""


class LearnerPool:
    """The learner as its own opponent; it samples its moves, as in training.

    Each of the candidate networks so far is equally likely to be among the `SNAPSHOTS` (reservoir sampling, Vitter
    1985, algorithm R).
    """

    def __init__(self, recipe: PPORecipe, network: PolicyNetwork, moves: ListedMoves, seed: int) -> None:
        self._recipe, self._moves, self._rng = recipe, moves, np.random.default_rng(seed)
        former, rounds = SNAPSHOTS * (PAST in recipe.opponents), recipe.league_rounds * (LEAGUE in recipe.opponents)
        self.current = self.policy(network)
        self.snapshots = [self.policy(deepcopy(network)) for _ in range(former)]
        self.league = [self.policy(deepcopy(network)) for _ in range(rounds)]
        self._due, self._candidates = 0, SNAPSHOTS  # the first snapshots, copies of the network, count as candidates

    def policy(self, network: PolicyNetwork) -> BatchPolicy:
        """Return a network as a stochastic policy."""
        held = Network(self._recipe.out, policy_metadata(self._recipe, 0), network)
        return BatchPolicy(held, self._moves, deterministic=False)

    def members(self) -> dict[Any, float]:
        """Opponents and their weights: all specs together weigh as much as the network, its past, and the league."""
        if set(self._recipe.opponents).isdisjoint(LEARNERS):
            return dict.fromkeys(self._recipe.opponents, 1.0)
        groups: list[Sequence[Any]] = [self._recipe.named_opponents]
        groups += [[self.current]] if SELF in self._recipe.opponents else []
        groups += [self.snapshots] if PAST in self._recipe.opponents else []
        groups += [self.league] if LEAGUE in self._recipe.opponents else []
        return {one: 1 / len(group) for group in groups for one in group}

    def copy_state(self) -> dict[str, Any]:
        """Return the snapshots and how they are drawn; the league has files of its own."""
        networks = {str(i): deepcopy(one.network.policy.state_dict()) for i, one in enumerate(self.snapshots)}
        drawn = {"due": self._due, "candidates": self._candidates, "rng": self._rng.bit_generator.state}
        return {**drawn, "networks": networks}

    def restore_state(self, state: dict[str, Any]) -> None:
        """Continue from a state."""
        self._due, self._candidates = state["due"], state["candidates"]
        self._rng.bit_generator.state = state["rng"]
        for i, one in enumerate(self.snapshots):
            one.network.policy.load_state_dict(state["networks"][str(i)])

    def add_snapshot(self, network: PolicyNetwork, timesteps: int) -> None:
        """Add the present network if the step is a candidate and drawn."""
        if PAST not in self._recipe.opponents or timesteps < self._due:
            return
        self._due = timesteps + self._recipe.timesteps // CANDIDATES
        self._candidates += 1
        place = int(self._rng.integers(self._candidates))
        if place < SNAPSHOTS:
            self.snapshots[place].network.policy.load_state_dict(network.state_dict())


class League:
    """The present members of a league.

    Args:
        network: The first member, if the folder has none.
        timesteps: Moves of the learner so far; later members in the folder are dropped.

    Attributes:
        payoffs: Shape (members, members).
        weights: The meta-strategy, shape (members,).
    """

    def __init__(
        self,
        recipe: PPORecipe,
        learner_pool: LearnerPool,
        network: PolicyNetwork,
        optimizer: Any,
        reward: Reward,
        timesteps: int = 0,
    ) -> None:
        self._reward = reward
        self._recipe, self._itself, self._folder = recipe, learner_pool, recipe.out / LEAGUE
        known = self._folder / "league.json"
        self.payoffs, self.weights = np.zeros((0, 0)), np.zeros(0)
        if recipe.resume and known.exists():
            league = parse_json(read_text(known))
            files = [self._folder / f"{number}.zip" for number in range(len(league["weights"]))]
            files = [file for file in files if read_metadata(file)["timesteps"] <= timesteps]
            self.payoffs = np.array(league["payoffs"])[: len(files), : len(files)]
            self.weights = meta_strategy(self.payoffs, recipe.league_strategy)
            # Matches of the first round can have been begun by any slot, and all had the first network.
            for number in range(recipe.league_rounds):
                # A member's optimiser is read with it, and dropped.
                restore(files[number if number < len(files) else 0], self._slot(number), deepcopy(optimizer))
        else:
            self.add(network, optimizer, 0)

    def _pair(self, row: int, column: int) -> tuple[PolicyNetwork, BatchPolicy]:
        return self._slot(row), self._itself.league[column]

    def _slot(self, number: int) -> Any:
        return self._itself.league[number].network.policy

    @property
    def members(self) -> int:
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
        # Payoffs of a game need not be symmetric or of constant sum, so both directions are played.
        for other in range(new + 1):
            payoffs[new, other] = self._reward(*self._pair(new, other))
            payoffs[other, new] = self._reward(*self._pair(other, new)) if other != new else payoffs[new, new]
        self.payoffs = payoffs
        self.weights = meta_strategy(payoffs, self._recipe.league_strategy)
        if self._recipe.dry_run:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        member = network.state_dict(), optimizer.state_dict(), policy_metadata(self._recipe, timesteps)
        store(self._folder / f"{new}.zip", *member)
        league = {"payoffs": payoffs.tolist(), "weights": self.weights.tolist()}
        write_file(self._folder / "league.json", json.dumps(league) + "\n")

    def meeting_rates(self) -> list[float]:
        """Return the share of each slot of the league in all matches against the league."""
        return [*self.weights.tolist(), *[0.0] * (self._recipe.league_rounds - self.members)]


def meta_strategy(payoffs: np.ndarray, name: str) -> np.ndarray:
    """Return the probability of meeting each member.

    Args:
        payoffs: Payoffs of the row member against the column member, shape (n, n).
        name: One of `STRATEGIES`. Among several Nash equilibria the one with the largest support, then the highest
            payoff; uniform if none is isolated.

    Returns:
        Shape (n,), summing to 1.
    """
    members = len(payoffs)
    alike = np.full(members, 1 / members)
    if name == UNIFORM:
        return alike
    if name == PFSP:
        own, theirs = payoffs[-1], payoffs[:, -1]
        share = np.divide(own, own + theirs, out=np.full(members, 0.5), where=own + theirs > 0)
        hard = (1 - np.clip(share, 0, 1)) ** 2
        return hard / hard.sum() if hard.sum() else alike
    with explain_missing_library("--league-strategy nash", "evaluate"):
        from econzoo.evaluate.analyses.evolution import rest_points
    found = [one for one in rest_points(payoffs).points if one.nash]
    best = max(found, key=lambda one: (len(one.support), one.payoff), default=None)
    return alike if best is None else best.shares
