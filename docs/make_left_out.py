"""Trains PPO without one family of opponents after another, and measures it against the family that it has not met.

    python docs/make_left_out.py bargaining runs/left-out
    python docs/make_left_out.py bargaining runs/left-out --ways gru --families mirror grudge --seeds 0

A policy is trained for each family and seed against all others: where a rule of demand is left out, so are `irregular`
and `switch`, which have it among theirs. It then meets members of the family whose numbers no training draws, in the
settings of the validation and both seats, as do all scripts of the game. What is trained already is not trained again.
Prints a row for each family: gains, and those of `fair` (in negotiation its like, `fixed-price(0.5)`) and of the script
that is best over all families, in the same matches; below, differences with intervals over families and settings.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from econzoo.baselines.offers.generated import RULES
from econzoo.baselines.policy_files import POLICY
from econzoo.baselines.pools import FAMILIES, UNMET, candidates, families
from econzoo.evaluate.run.tournament import play_all
from econzoo.evaluate.stats.students_t import mean_of_draws
from econzoo.evaluate.suites.evaluation import evaluation_design
from econzoo.train.rl.ppo import train
from econzoo.train.rl.recipe import PPORecipe

MIXED = ("irregular", "switch")
"""Families whose members have a rule of demand of another family."""

FAIR = {"bargaining": "fair", "negotiation": "fixed-price(0.5)"}

RECIPES: dict[str, dict[str, Any]] = {
    "bargaining": {"settings": "wide", "fourier": 6, "epochs": 3, "entropy": 0.04},
    "negotiation": {"entropy": 0.15},
}
"""Those of docs/results.md."""

WAYS: dict[str, dict[str, Any]] = {
    "families": {},
    "scripts": {},
    "none": {"memory": "none"},
    "gru": {"memory": "gru"},
    "predict": {"predict": 0.5},
    "self": {},
    "league": {},
    "both": {"predict": 0.5},
}
"""What a training does otherwise than the first: `scripts` has no generated opponents, `self`, `league` and `both` meet
a learner besides the families."""

BESIDE = {"self": "self", "league": "league", "both": "self"}


Ends = dict[int, list[float]]
"""Gains of matches by the round in which they ended, the first of `ROUNDS` that it falls to."""

ROUNDS = (1, 2, 3, 5)


def opponents(name: str, way: str, left_out: str) -> list[str]:
    """The specs of a training that does not meet a family."""
    away = {left_out, *(MIXED if left_out in RULES else ())}
    met = [spec for family, specs in families(name, FAMILIES).items() if family not in away for spec in specs]
    if way == "scripts":
        met = [spec for spec in met if not spec.startswith("generated")]
    return [*met, BESIDE[way]] if way in BESIDE else met


def policy(name: str, folder: Path, way: str, left_out: str, seed: int, timesteps: int) -> str:
    """The spec of a policy; trains it if it is not there."""
    out = folder / name / way / left_out / f"seed-{seed}"
    if not (out / POLICY).exists():
        quiet = {"eval_every": 0, "checkpoint_every": 0, "progress": False, "timesteps": timesteps, "seed": seed}
        how = {"entropy_end": 0.001} | RECIPES[name] | WAYS[way]
        train(PPORecipe(name, opponents=opponents(name, way, left_out), out=out, **how, **quiet))
    return f"ppo:{out}"


def gains(name: str, players: Sequence[str], family: str) -> tuple[list[str], np.ndarray, dict[str, Ends]]:
    """Of players and all scripts against a family.

    Returns:
        Their specs, means of shape (players, settings), and of each spec the gains by the round of the end.
    """
    design = evaluation_design(name, players, [*families(name, UNMET)[family]], seeds=1, scripts=True)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    ends: dict[str, Ends] = defaultdict(lambda: defaultdict(list))
    for record in play_all(design, jobs=1):
        market, last = design.market_of(record.params), bisect_right(ROUNDS, record.turns[-1].round) - 1
        for spec, gain in zip(record.players, record.metrics["gains"], strict=True):
            found[spec, str(market)].append(gain)
            ends[spec][ROUNDS[last]].append(gain)
    specs, markets = [*design.players], [market.name for market in design.markets]
    return specs, np.array([[np.mean(found[spec, market]) for market in markets] for spec in specs]), ends


def by_round(ends: Sequence[Ends]) -> str:
    """Of one player or of several seeds: how many matches end in which rounds, and what they pay."""
    total = sum(len(own) for one in ends for own in one.values())
    told = []
    for first in ROUNDS:
        own = [gain for one in ends for gain in one[first]]
        told += [f"from round {first} {len(own) / total:.0%} {np.mean(own):.3f}"] if own else []
    return ", ".join(told)


def interval(values: np.ndarray) -> str:
    """Mean and 95% interval over draws (Student's t)."""
    found = mean_of_draws(values.tolist())
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def main() -> None:
    """Trains, measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", choices=RECIPES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ways", nargs="+", default=["families"], choices=WAYS)
    parser.add_argument("--families", nargs="+", dest="left_out")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--timesteps", type=int, default=1_500_000)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    left_out = asked.left_out or list(families(asked.game, UNMET))
    rows = []
    for family in left_out:
        trained = [
            [policy(asked.game, asked.folder, way, family, seed, asked.timesteps) for seed in asked.seeds]
            for way in asked.ways
        ]
        rows.append((family, *gains(asked.game, [spec for seeds in trained for spec in seeds], family)))
    seeds, scripts = len(asked.seeds), [spec for spec in candidates(asked.game) if spec in rows[0][1]]
    learned = np.array([table[: seeds * len(asked.ways)] for _, _, table, _ in rows])
    learned = learned.reshape(len(rows), len(asked.ways), seeds, -1)  # families, ways, seeds, settings
    ways = learned.mean(axis=2)
    by_script = np.array(
        [[table[specs.index(spec)] for spec in scripts if spec in specs] for _, specs, table, _ in rows]
    )
    best = scripts[int(by_script.mean(axis=(0, 2)).argmax())]
    beside = {spec: by_script[:, scripts.index(spec)] for spec in (FAIR[asked.game], best)}
    print(f"{asked.game}: gain against a family that training has not met, {seeds} seeds, {asked.timesteps:,} moves")
    for at, (family, specs, _, ends) in enumerate(rows):
        told = [f"{way} {ways[at, i].mean():.3f}" for i, way in enumerate(asked.ways)]
        told += [f"{spec} {table[at].mean():.3f}" for spec, table in beside.items()]
        print(f"  {family:<12}", ", ".join(told))
        for i, way in enumerate(asked.ways):
            print(f"    {way}: {by_round([ends[spec] for spec in specs[i * seeds : (i + 1) * seeds]])}")
        print(f"    {FAIR[asked.game]}: {by_round([ends[FAIR[asked.game]]])}")
    for i, way in enumerate(asked.ways):
        for spec, table in beside.items():
            apart = ways[:, i] - table
            each = learned[:, i].mean(axis=(0, 2)) - table.mean()
            print(f"{way} less {spec}: over families {interval(apart.mean(axis=1))},")
            print(f"  over settings {interval(apart.mean(axis=0))}, seeds {np.round(each, 3).tolist()}")


if __name__ == "__main__":
    main()
