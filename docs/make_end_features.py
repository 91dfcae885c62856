"""Trains PPO with and without the features "rounds left" and "I move last", and measures what they are worth.

    python docs/make_end_features.py bargaining runs/end
    python docs/make_end_features.py bargaining runs/end --without

A million and a half moves a seed against the wide pool, three seeds; then the likeliest actions play the validation
pool in both seats and all settings of the validation, where the number of rounds is disclosed and where not. Without
them both features are what they are where the end is not disclosed (-1); settings, players and seeds are the same.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from econzoo.baselines import POLICY, WEIGHTS, network_of, pool, read_metadata, tensors_of
from econzoo.envs.core import game
from econzoo.envs.core.contract import NO_FEATURE
from econzoo.envs.core.faces import ListedMoves
from econzoo.envs.families.offers import protocol
from econzoo.evaluate.run import validation_settings
from econzoo.evaluate.stats import mean_of_draws
from econzoo.train.rl.ppo import train_ppo
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.rollouts import new_games, play_games

SEEDS = (0, 1, 2)
RECIPES = {
    "bargaining": {"settings": "wide", "fourier": 6, "epochs": 3, "entropy": 0.04},
    "negotiation": {"entropy": 0.15},
}
"""Those of docs/results.md."""


def unknown(v: Any) -> tuple[float, float]:
    """Takes the place of `econzoo.envs.families.offers.protocol.end_features`."""
    return NO_FEATURE, NO_FEATURE


def trained(name: str, out: Path, seed: int) -> Path:
    """The policy file of a seed; trains it if it is not there."""
    quiet = {"eval_every": 0, "checkpoint_every": 0, "progress": False, "entropy_end": 0.001}
    recipe = PPORecipe(
        name, opponents=["wide"], timesteps=1_500_000, seed=seed, out=out / f"seed-{seed}", **RECIPES[name], **quiet
    )
    return recipe.out / POLICY if (recipe.out / POLICY).exists() else train_ppo(recipe)


def gains(name: str, file: Path, disclosed: bool) -> list[float]:
    """Of a policy in the settings of the validation whose number of rounds is disclosed, or in the others."""
    settings = [
        dict(setting.params)
        for setting in validation_settings(game(name))
        if (setting.params.get("horizon", 12) is not None) == disclosed
    ]
    found: list[float] = []
    for seat in ("0", "1"):
        recipe = PPORecipe(name, seats=seat, algorithm="compiled")
        for opponent in pool(name, "validation"):
            games = new_games(recipe, [opponent], settings, len(settings), draw=False)
            assert isinstance(games.moves, ListedMoves)
            network = network_of(read_metadata(file), games.moves)
            network.load_state_dict(tensors_of(file, WEIGHTS))
            found += play_games(games, network)
    return found


def main() -> None:
    """Trains, measures and prints."""
    torch.set_num_threads(1)
    name, folder, *without = sys.argv[1:]
    if without:
        protocol.end_features.__code__ = unknown.__code__
    out = Path(folder) / name / ("without" if without else "with")
    files = [trained(name, out, seed) for seed in SEEDS]
    for end in ("disclosed", "not disclosed"):
        means = [float(np.mean(gains(name, file, end == "disclosed"))) for file in files]
        print(f"{name}, {out.name}, end {end}: {mean_of_draws(means)}  {means}")


if __name__ == "__main__":
    main()
