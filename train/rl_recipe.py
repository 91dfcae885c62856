"""What a training says of itself: its recipe and what it meets, as policy files keep them, and its seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.baselines.policy_files import metadata_of
from econzoo.baselines.single_agent import fixed_setting, params_of
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.training_exposure import Met, met_of
from econzoo.train.rl_defaults import ALGORITHM
from econzoo.train.rl_files import latest

if TYPE_CHECKING:
    from econzoo.train.rl_args import PPOArgs

__all__ = ["about", "met_by", "seed_at"]


def about(args: PPOArgs, timesteps: int) -> dict[str, Any]:
    """What the policy file says about itself."""
    game, params = find_game(args.game), params_of(args.game, args.markets)
    trained = ALGORITHM[args.algorithm], args.net, timesteps, args.plain()
    return metadata_of(game, args.grid, *trained, params, met_by(args).plain(), args.network())


def met_by(args: PPOArgs) -> Met:
    """What a training meets, and what those before it in the same folder have met."""
    fixed = fixed_setting(args.game, args.markets)
    drawn = [] if fixed is not None else [args.markets]
    met = Met(args.game, args.opponent, list(args.seats), [] if fixed is None else [fixed], drawn, [args.seed])
    start = latest(args.out) if args.resume else None
    return met.joined(met_of(f"ppo:{start}") if start else None)


def seed_at(args: PPOArgs, timesteps: int) -> int:
    """A seed for a training that starts at this count of moves."""
    return int(np.random.SeedSequence([args.seed, timesteps]).generate_state(1)[0] >> 1)
