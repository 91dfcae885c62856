"""Trains PPO on bargaining against ever more opponents, and draws what that is worth against others.

    python docs/make_generalisation.py runs/generalisation

Ten pools, three seeds each, a million moves a seed: some twenty minutes of one processor. A pool that is trained
already is not trained again. The gains are those of the likeliest actions in all settings of the validation, in both
seats, against its pool, in parts of the ceiling; makes docs/generalisation.png and prints the table beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from scipy import stats

from econzoo.baselines import POLICY, WEIGHTS, network_of, pool, read_metadata, tensors_of
from econzoo.envs.core import game
from econzoo.envs.core.faces import ListedMoves
from econzoo.evaluate.run import validation_settings
from econzoo.evaluate.suites.ceiling import ceiling
from econzoo.train.rl.ppo import train_ppo
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.rollouts import new_games, play_games

PICTURE = Path(__file__).with_name("generalisation.png")
SEEDS = (0, 1, 2)
BOULWARE = "boulware(e~loguniform(0.05,0.95),high~uniform(0.6,1),low~uniform(0,0.5))"
CONCEDER = "conceder(e~loguniform(1.1,8),high~uniform(0.6,1),low~uniform(0,0.5))"
LINEAR = "linear(high~uniform(0.6,1),low~uniform(0,0.5))"
ACCEPTOR = "acceptor(threshold~uniform(0.05,0.7))"
IMITATOR, GREEDY = "tit-for-tat(high~uniform(0.5,1),low~uniform(0,0.45))", "greedy(share~uniform(0.6,1))"
FEW = ("acceptor(0.4)", "boulware(0.2)", "linear", "conceder(2)")
POOLS: dict[str, tuple[str, ...]] = {
    "01": FEW[:1],
    "02": FEW[:2],
    "04": FEW,
    "08": (*FEW, "fair", "spe", "acceptor(0.2)", "linear(low=0.3)"),
    "17": ("training",),
    "d1": (ACCEPTOR,),
    "d2": (ACCEPTOR, BOULWARE),
    "d4": (ACCEPTOR, BOULWARE, LINEAR, CONCEDER),
    "d6": (ACCEPTOR, BOULWARE, LINEAR, CONCEDER, IMITATOR, GREEDY),
    "w26": ("wide",),
}
"""Folder to the opponents of a training."""

LINES = {
    "single players": ("01", "02", "04", "08", "17"),
    "drawn arguments": ("d1", "d2", "d4", "d6"),
    "both (the wide pool)": ("w26",),
}
"""What is joined by a line."""


def arguments(out: Path, seed: int, opponents: tuple[str, ...]) -> PPORecipe:
    """How a policy is trained."""
    quiet = {"eval_every": 0, "checkpoint_every": 0, "progress": False}
    recipe = {"settings": "wide", "timesteps": 1_000_000, "entropy": 0.04, "entropy_end": 0.001}
    return PPORecipe("bargaining", opponents=list(opponents), out=out / f"seed-{seed}", seed=seed, **recipe, **quiet)


def gain(file: Path) -> float:
    """Of a policy, against all opponents of the validation in all its settings and both seats."""
    settings = [dict(setting.params) for setting in validation_settings(game("bargaining"))]
    gains = []
    for seat in ("0", "1"):
        args = PPORecipe("bargaining", seats=seat, algorithm="compiled")
        for opponent in pool("bargaining", "validation"):
            games = new_games(args, [opponent], settings, len(settings), draw=False)
            assert isinstance(games.moves, ListedMoves)
            network = network_of(read_metadata(file), games.moves)
            network.load_state_dict(tensors_of(file, WEIGHTS))
            gains += play_games(games, network)
    return float(np.mean(gains))


def measured(out: Path) -> dict[str, np.ndarray]:
    """Folder of a pool to the gains of its seeds; trains what is not there."""
    found = {}
    for name, opponents in POOLS.items():
        trainings = [arguments(out / name, seed, opponents) for seed in SEEDS]
        files = [args.out / POLICY if (args.out / POLICY).exists() else train_ppo(args) for args in trainings]
        found[name] = np.array([gain(file) for file in files])
    return found


def half_width(gains: np.ndarray) -> float:
    """Of the 95% interval over seeds, by Student's t."""
    return float(stats.t.ppf(0.975, len(gains) - 1) * stats.sem(gains))


def draw(shares: dict[str, np.ndarray]) -> None:
    """Shares of the ceiling against the number of opponents, a line for each kind of pool."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(7, 4), dpi=150, layout="constrained")
    axes = figure.subplots()
    for label, names in LINES.items():
        counts = [int(name.lstrip("dw")) for name in names]
        means, ends = [shares[name].mean() for name in names], [half_width(shares[name]) for name in names]
        axes.errorbar(counts, means, ends, label=label, marker="o", capsize=3)
    axes.set(xscale="log", xlabel="opponents in training", ylabel="share of the ceiling, validation pool")
    axes.set_xticks([1, 2, 4, 8, 17, 26], ["1", "2", "4", "8", "17", "26"], minor=False)
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(PICTURE)


def main() -> None:
    """Trains, measures, draws and prints."""
    torch.set_num_threads(1)
    if len(sys.argv) != 2:
        raise SystemExit("usage: python docs/make_generalisation.py FOLDER")
    gains = measured(Path(sys.argv[1]))
    most = ceiling("bargaining", "validation", validation_settings(game("bargaining")), scripts=False).bayes_adaptive
    shares = {name: values / most for name, values in gains.items()}
    draw(shares)
    for name, values in gains.items():
        share = shares[name]
        told = f"{share.mean():.1%} (±{half_width(share):.1%})"
        print(f"{name:>4}  {values.mean():.4f}  {told}  {', '.join(f'{one:.3f}' for one in values)}")


if __name__ == "__main__":
    main()
