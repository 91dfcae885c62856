"""Learned best responses: what PPO earns against a player in all other seats."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from econzoo.baselines import COMPILED
from econzoo.envs.core.contract import Game, to_plain
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.exploitability import Values, gain_line
from econzoo.evaluate.run import Setting, new_design, play_all
from econzoo.evaluate.stats import payoff_ends
from econzoo.train.rl.algorithms import SHORT_DEFAULTS
from econzoo.train.rl.opponents import describe_uncompiled
from econzoo.train.rl.ppo import train_ppo
from econzoo.train.rl.recipe import PPORecipe

__all__ = ["learned_values"]

MATCHES = 400
"""Matches of every line-up, with common seeds."""


def learned_values(game: Game, setting: Setting, spec: str, moves: int) -> Values:
    """Return a player's value in self-play, and a lower bound on the value of a learned best response to it.

    The bound is the lower end of a one-sided 97.5% interval over matches with common seeds, and at least the player's
    own value. One network is trained per seat.
    """
    if lacking := describe_uncompiled(game.name, [spec]):
        raise ValueError(f"invalid train={moves}: {lacking}; expected a game and players that compile")
    public, params = game.params(**setting.params)
    count = game.seats(params)
    given: dict[str, Any] = {"opponents": [spec], "settings": json.dumps(to_plain(public)), "timesteps": moves}
    # Nobody sees the learning curve, so evaluations are as few and short as possible.
    given |= {"algorithm": COMPILED, "eval_every": moves, "eval_episodes": 2, "progress": False, **SHORT_DEFAULTS}
    with TemporaryDirectory() as folder:
        recipes = [PPORecipe(game.name, seats=str(i), out=Path(folder) / f"{i}", **given) for i in range(count)]
        learned = [f"ppo:{train_ppo(recipe)}" for recipe in recipes]
        tables = [[spec] * count, *([*[spec] * i, one, *[spec] * (count - i - 1)] for i, one in enumerate(learned))]
        design = new_design(game.name, [spec, *learned], [setting], MATCHES, lineups=tables)
        records = sorted(play_all(design, jobs=1), key=lambda one: one.seed)  # pairs by seed
    itself = [one for one in records if not set(one.players) & {*learned}]
    own = _gains(itself)
    against = [_gains([one for one in records if who in one.players])[:, i] for i, who in enumerate(learned)]
    best = own.mean(axis=0) + np.maximum(lower_end(np.stack(against, axis=1) - own), 0.0)
    payoffs = np.array([one.payoffs for one in itself])
    return Values(tuple(own.mean(axis=0).tolist()), tuple(best.tolist()), gain_line(payoffs, own))


def lower_end(differences: np.ndarray) -> np.ndarray:
    """Return the lower ends of 95% intervals of means, corrected for skewness; differences have shape (matches, k)."""
    matches, mean = len(differences), differences.mean(axis=0)
    apart = differences - mean
    error = apart.std(axis=0, ddof=1) / math.sqrt(matches)
    # The skewness of a mean: that of the observations, divided by the square root of their number.
    skewness = np.divide((apart**3).sum(axis=0), (matches * error) ** 3, out=np.zeros_like(mean), where=error > 0)
    low = payoff_ends(mean, error, skewness, np.full(mean.shape, matches))[0]
    return np.where(np.isnan(low), mean, low)  # no interval if all matches agree


def _gains(records: list[Record]) -> np.ndarray:
    """Shape (matches, seats)."""
    return np.array([one.metrics["gains"] for one in records], float)
