"""Compiled games for a learner: those in which it is trained, and those in which its progress is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from econzoo.baselines.policy_network import PolicyNetwork
from econzoo.baselines.single_agent import distribution
from econzoo.envs.core.faces.numeric_moves import MOST, ListedMoves
from econzoo.envs.core.vector.learner_batch import LearnerBatch
from econzoo.train.rl_args import PPOArgs
from econzoo.train.rl_evaluation import FIRST_SEED

__all__ = ["new_games", "validation"]


def new_games(args: PPOArgs, opponents: Sequence[str], params: Any, count: int, draw: bool = True) -> LearnerBatch:
    """Games in which the learner meets opponents.

    Args:
        args: Of the training.
        opponents: Specs.
        params: See `LearnerBatch`.
        count: How many.
        draw: Whether every game draws its parameters when it starts.

    Raises:
        CannotCompileError: The game or an opponent has no compiled form.
        ValueError: A move has so many combinations that it comes in parts, which no policy file can hold.
    """
    given = {"grid": args.grid, "objective": args.objective, "params": params, "draw": draw}
    games = LearnerBatch(args.game, count, seat=args.learner, opponent=list(opponents), **given)
    if not isinstance(games.moves, ListedMoves):
        told = f"train ppo: grid={args.grid} gives {args.game} actions of several parts"
        raise ValueError(f"{told}; allowed: one list of at most {MOST:,} combinations for each kind of move")
    return games


def training(args: PPOArgs) -> LearnerBatch:
    """The games of a training, in markets drawn anew for every game."""
    found = distribution(args.game, args.markets)
    return new_games(args, args.opponent, args.markets if callable(found) else dict(found or {}), args.n_envs)


def validation(args: PPOArgs) -> Callable[[PolicyNetwork], Mapping[str, Sequence[float]]]:
    """Measures a network against every opponent of the evaluation, each time in the same episodes."""
    found = distribution(args.game, args.eval_markets)
    luck = [np.random.default_rng(FIRST_SEED + episode) for episode in range(args.eval_episodes)]
    params = [dict(found(rng) if callable(found) else found or {}) for rng in luck]
    games = {
        spec: new_games(args, [spec], params, args.eval_episodes, draw=False)
        for spec in dict.fromkeys(args.eval_opponent)
    }
    return lambda network: {spec: played(own, network) for spec, own in games.items()}


@torch.no_grad()
def played(games: LearnerBatch, network: PolicyNetwork) -> list[float]:
    """The reward of the likeliest actions in every game; the games begin with the same seed each time."""
    seen, legal = games.reset(FIRST_SEED)
    kept, going = network.blank(games.num_games), np.ones(games.num_games, bool)
    rewards = np.zeros(games.num_games)
    while going.any():
        inputs, kept = network.recall(torch.from_numpy(seen), kept)
        actions = network.act(inputs, torch.from_numpy(legal.astype(bool))).argmax(-1)
        seen, earned, ended, legal, _ = games.step(actions.numpy())
        rewards += np.where(going, earned, 0.0)
        going &= ~ended
        kept = kept * torch.from_numpy(~ended)[:, None]
    return rewards.tolist()
