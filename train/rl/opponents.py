"""Who sits opposite the learner in a training: players with specs, and the learner itself."""

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
"""In the place of an opponent: the network as it is, as it was earlier in the training, and a league of best responses
(`econzoo.train.rl.league`)."""

NASH, PFSP, UNIFORM = "nash", "pfsp", "uniform"
STRATEGIES = (NASH, PFSP, UNIFORM)
"""Meta-strategies: a symmetric Nash equilibrium of the meta-game; those more often against whom the last member gets a
small share of what both get (prioritised fictitious self-play, Vinyals et al. 2019); all alike."""

SNAPSHOTS = 8
"""Former networks that are met at a time."""

CANDIDATES = 64
"""Times in a training at which the network may become one of them."""


class LearnerPool:
    """The learner opposite itself: it draws its moves, as it does where it learns.

    Of all earlier networks, `SNAPSHOTS` are met: a sample in which each of the `CANDIDATES` so far is as likely
    (reservoir sampling, Vitter 1985, algorithm R).

    Args:
        recipe: Of the training.
        network: That learns.
        moves: Which moves its actions stand for.
        seed: Draws which of the earlier networks stay.
    """

    def __init__(self, recipe: PPORecipe, network: PolicyNetwork, moves: ListedMoves, seed: int) -> None:
        self._recipe, self._moves, self._rng = recipe, moves, np.random.default_rng(seed)
        former, rounds = SNAPSHOTS * (PAST in recipe.opponents), recipe.league_rounds * (LEAGUE in recipe.opponents)
        self.current = self.policy(network)
        self.snapshots = [self.policy(deepcopy(network)) for _ in range(former)]
        self.league = [self.policy(deepcopy(network)) for _ in range(rounds)]
        self._due, self._candidates = 0, SNAPSHOTS

    def policy(self, network: PolicyNetwork) -> BatchPolicy:
        """A network that plays as it learns."""
        held = Network(self._recipe.out, policy_metadata(self._recipe, 0), network)
        return BatchPolicy(held, self._moves, deterministic=False)

    def members(self) -> dict[Any, float]:
        """The pool of the training: all specs together are met as often as the network, its past, and the league."""
        if set(self._recipe.opponents).isdisjoint(LEARNERS):
            return dict.fromkeys(self._recipe.opponents, 1.0)
        groups: list[Sequence[Any]] = [self._recipe.named_opponents]
        groups += [[self.current]] if SELF in self._recipe.opponents else []
        groups += [self.snapshots] if PAST in self._recipe.opponents else []
        groups += [self.league] if LEAGUE in self._recipe.opponents else []
        return {one: 1 / len(group) for group in groups for one in group}

    def add_snapshot(self, network: PolicyNetwork, timesteps: int) -> None:
        """Lets the network be met later as it is now, if it is time and its lot is drawn."""
        if PAST not in self._recipe.opponents or timesteps < self._due:
            return
        self._due = timesteps + self._recipe.timesteps // CANDIDATES
        self._candidates += 1
        place = int(self._rng.integers(self._candidates))
        if place < SNAPSHOTS:
            self.snapshots[place].network.policy.load_state_dict(network.state_dict())


def meta_strategy(payoffs: np.ndarray, name: str) -> np.ndarray:
    """How often each member is met.

    Args:
        payoffs: Of the row member against the column member, shape (n, n).
        name: One of `STRATEGIES`. Of several Nash equilibria that with the most members, then the highest payoff; where
            none is isolated, uniform.

    Returns:
        Shape (n,), with sum 1.
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
    """What has no compiled form, the game or some of the players; empty if all have.

    Raises:
        ValueError: A spec is unknown.
    """
    if find_game(game).referee is not None:
        return f"{game} has no compiled form"
    without = [spec for spec in dict.fromkeys(specs) if not can_compile(spec, game)]
    return f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no compiled form" if without else ""


def open_seats(game: str, specs: Sequence[str], learner: int | str, count: int) -> tuple[int, ...]:
    """The seats of a learner, among so many, for which players of a pool can fill all the others.

    Raises:
        ValueError: A spec is unknown, or there is no such seat.
    """
    able = [seat in opponent_seats(game, specs, count) for seat in range(count)]
    if learner != BOTH and learner not in range(len(able)):
        raise ValueError(f"invalid seats={learner!r}: expected 0 to {len(able) - 1}, or {BOTH}")
    wanted = range(len(able)) if learner == BOTH else (int(learner),)
    return tuple(seat for seat in wanted if all(ok for other, ok in enumerate(able) if other != seat))


def describe_taken_seats(game: str, specs: Sequence[str], count: int) -> str:
    """``"the opponents take seat 1"``."""
    return f"the opponents take seat {join_with_or(opponent_seats(game, specs, count))}"


def opponent_seats(game: str, specs: Sequence[str], count: int) -> list[int]:
    """The seats that somebody of a pool can take; the learner itself can take all."""
    named = [spec for spec in specs if spec not in LEARNERS]
    return [seat for seat in range(count) if len(named) < len(specs) or filter_by_seat(game, named, seat)]


def join_with_or(seats: Sequence[int]) -> str:
    """``"0 or 1"``."""
    return " or ".join(map(str, seats))
