"""Opponents of the learner in training: players with specs, and the learner itself."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.baselines.factory import filter_by_seat
from econzoo.baselines.rl_policy import BatchPolicy, Network
from econzoo.envs.core.extras import explain_missing_library
from econzoo.envs.core.faces.numeric_moves import ListedMoves
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.vector.scripted_seats import can_compile
from econzoo.train.rl.files import policy_metadata
from econzoo.wrappers.single_agent import BOTH

if TYPE_CHECKING:
    from econzoo.baselines.policy_network import PolicyNetwork
    from econzoo.train.rl.recipe import PPORecipe

SELF, PAST, LEAGUE = "self", "past", "league"
LEARNERS = (SELF, PAST, LEAGUE)
"""Special opponents: the present network, earlier snapshots of it, and a league of best responses
(`econzoo.train.rl.league`)."""

NASH, PFSP, UNIFORM = "nash", "pfsp", "uniform"
STRATEGIES = (NASH, PFSP, UNIFORM)
"""Meta-strategies: a symmetric Nash equilibrium of the meta-game; more weight on members against whom the last one
earns a small share (prioritised fictitious self-play, Vinyals et al. 2019); uniform."""

SNAPSHOTS = 8
"""Snapshots in memory at a time."""

CANDIDATES = 64
"""Candidate steps of a training at which a snapshot may be taken."""


class LearnerPool:
    """The learner as its own opponent; it samples its moves, as in training.

    Each of the candidate networks so far is equally likely to be among the `SNAPSHOTS` (reservoir sampling, Vitter
    1985, algorithm R).

    Args:
        recipe: Options of the training.
        network: The learner's network.
        moves: Moves by action.
        seed: Seed of the choice of snapshots.
    """

    def __init__(self, recipe: PPORecipe, network: PolicyNetwork, moves: ListedMoves, seed: int) -> None:
        self._recipe, self._moves, self._rng = recipe, moves, np.random.default_rng(seed)
        former, rounds = SNAPSHOTS * (PAST in recipe.opponents), recipe.league_rounds * (LEAGUE in recipe.opponents)
        self.current = self.policy(network)
        self.snapshots = [self.policy(deepcopy(network)) for _ in range(former)]
        self.league = [self.policy(deepcopy(network)) for _ in range(rounds)]
        self._due, self._candidates = 0, SNAPSHOTS

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

    def add_snapshot(self, network: PolicyNetwork, timesteps: int) -> None:
        """Add the present network if the step is a candidate and drawn."""
        if PAST not in self._recipe.opponents or timesteps < self._due:
            return
        self._due = timesteps + self._recipe.timesteps // CANDIDATES
        self._candidates += 1
        place = int(self._rng.integers(self._candidates))
        if place < SNAPSHOTS:
            self.snapshots[place].network.policy.load_state_dict(network.state_dict())


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
        from econzoo.evaluate.analyses.evolution.rest_points import rest_points
    found = [one for one in rest_points(payoffs).points if one.nash]
    best = max(found, key=lambda one: (len(one.support), one.payoff), default=None)
    return alike if best is None else best.shares


def describe_uncompiled(game: str, specs: Sequence[str]) -> str:
    """Describe what does not compile, the game or some players; empty if all compile.

    Raises:
        ValueError: A spec is unknown.
    """
    if find_game(game).referee is not None:
        return f"{game} has no compiled form"
    without = [spec for spec in dict.fromkeys(specs) if not can_compile(spec, game)]
    return f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no compiled form" if without else ""


def open_seats(game: str, specs: Sequence[str], learner: int | str, count: int) -> tuple[int, ...]:
    """Return the learner's seats for which players of a pool can fill all the others.

    Raises:
        ValueError: A spec or the seat is unknown.
    """
    able = [seat in opponent_seats(game, specs, count) for seat in range(count)]
    if learner != BOTH and learner not in range(len(able)):
        raise ValueError(f"invalid seats={learner!r}: expected 0 to {len(able) - 1}, or {BOTH}")
    wanted = range(len(able)) if learner == BOTH else (int(learner),)
    return tuple(seat for seat in wanted if all(ok for other, ok in enumerate(able) if other != seat))


def describe_taken_seats(game: str, specs: Sequence[str], count: int) -> str:
    """Return ``"the opponents take seat 1"``."""
    return f"the opponents take seat {join_with_or(opponent_seats(game, specs, count))}"


def opponent_seats(game: str, specs: Sequence[str], count: int) -> list[int]:
    """Return the seats that some player of a pool can take; the learner itself can take all."""
    named = [spec for spec in specs if spec not in LEARNERS]
    return [seat for seat in range(count) if len(named) < len(specs) or filter_by_seat(game, named, seat)]


def join_with_or(seats: Sequence[int]) -> str:
    """Return ``"0 or 1"``."""
    return " or ".join(map(str, seats))
