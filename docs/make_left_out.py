"""Trains PPO without one family of opponents after another, and measures it against the family that it has not met.

    python docs/make_left_out.py bargaining runs/left-out --ways predict-self specialist --ceiling
    python docs/make_left_out.py matrix runs/left-out --families count trigger --seeds 0

A policy is trained for each family and seed against all others: where a rule is left out, so are the families whose
members have it among theirs (`irregular` and `switch`). It then meets members of the family whose numbers no training
draws, in the settings of the validation and all seats, as do all scripts of the game; in games of more than two seats
all the others are copies of one member. What is trained already is not trained again. A `specialist` is trained on the
left-out family alone, and so says what somebody comes to who has met it, where no best response is known.

Prints a row for each family: gains of each way, of `fair` or its like where a game has one, of the script that is best
over all families, and of the one that is best against this family, in the same matches; below, differences with
intervals over families and settings. In persuasion families of sellers and of buyers are asked for one after the other.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from econzoo.baselines import HELD_OUT_FAMILIES, POLICY, candidates
from econzoo.baselines.matrix import generated as moves
from econzoo.baselines.offers import generated as offers
from econzoo.baselines.pools import FAMILIES, families
from econzoo.envs.core import game as find_game
from econzoo.evaluate.run import play_all, validation_settings
from econzoo.evaluate.stats import mean_of_draws, nan_if_none
from econzoo.evaluate.suites import evaluation_design
from econzoo.evaluate.suites.ceiling import ceiling
from econzoo.train.rl.ppo import train_ppo
from econzoo.train.rl.recipe import PPORecipe

MIXED = ("irregular", "switch")
"""Families whose members have a rule of another family."""

FAIR = {"bargaining": "fair", "negotiation": "fixed-price(0.5)", "multi_issue": "fair"}
"""Who shares evenly; these are the games of offers, in which it matters when a match ends."""

RULES = {"matrix": [*moves.RULES]} | {name: [*offers.RULES] for name in FAIR}
"""The rules that members of the mixed families have."""

SLOW = "logit"
"""A family that solves the game for every match, which halves the speed of a training: none meets it but its own."""

SHORT = {"entropy_end": 0.001}
RECIPES: dict[str, dict[str, Any]] = {
    "bargaining": {"settings": "wide", "fourier": 6, "epochs": 3, "entropy": 0.04, **SHORT},
    "negotiation": {"entropy": 0.15, **SHORT},
    "persuasion": {"entropy": 0.04, **SHORT},
    "matrix": {"entropy": 0.06, **SHORT},
    "coin_game": {"entropy": 0.06, **SHORT},
    "guess_average": {"entropy": 0.06, **SHORT},
    "survival_auction": {"entropy": 0.02, **SHORT},
    "water_allocation": {"entropy": 0.02, **SHORT},
    "public_goods": {"grid": 6},
    "multi_issue": {},
    "double_auction": {},
}
"""Those of docs/results.md and docs/results_by_game.md."""

SPECIALIST = "specialist"
WAYS: dict[str, dict[str, Any]] = {
    "families": {},
    "scripts": {},
    "none": {"memory": "none"},
    "gru": {"memory": "gru"},
    "predict": {"predict": 0.5},
    "self": {},
    "league": {},
    "predict-self": {"predict": 0.5},
    "all": {"predict": 0.5, "memory": "gru"},
    SPECIALIST: {},
}
"""What a training does otherwise than the first. `scripts` has no generated opponents; `self`, `league`, `predict-self`
and `all` meet a learner besides the families."""

BESIDE = {"self": "self", "league": "league", "predict-self": "self", "all": "self"}

CEILINGS: dict[str, Sequence[str]] = {
    "bargaining": ("clock", "firm", "late", "equilibrium"),
    "negotiation": ("clock", "firm", "late", "equilibrium"),
    "persuasion": tuple(families("persuasion", HELD_OUT_FAMILIES)),
}
"""Families of which few members remember, so that best responses are found within a minute or so."""

MATCHES = {"persuasion": 5}
"""Of each player with each member in each setting and seat, where nature draws most of a gain; else one."""

Ends = dict[int, list[float]]
"""Gains of matches by the round in which they ended, the first of `ROUNDS` that it falls to."""

ROUNDS = (1, 2, 3, 5)


class Row(NamedTuple):
    """What players earn against a family.

    Attributes:
        family: Its name.
        specs: Policies, ways after ways and seeds after seeds, then scripts.
        gains: Mean gains, shape (specs, settings).
        ends: Of each spec.
        most: What a best response earns and how that is known; empty if it is not asked for.
    """

    family: str
    specs: list[str]
    gains: np.ndarray
    ends: dict[str, Ends]
    most: str


def opponents(name: str, way: str, left_out: str) -> list[str]:
    """The specs of a training: a specialist's are the family's, or whom evaluations meet where no training meets it."""
    kinds = families(name, FAMILIES)
    if way == SPECIALIST:
        return [*kinds.get(left_out, families(name, HELD_OUT_FAMILIES)[left_out])]
    away = {left_out, SLOW, *(MIXED if left_out in RULES.get(name, []) else ())}
    met = [spec for family, specs in kinds.items() if family not in away for spec in specs]
    if way == "scripts":
        met = [spec for spec in met if not spec.startswith("generated")]
    return [*met, BESIDE[way]] if way in BESIDE else met


def policy(name: str, folder: Path, way: str, left_out: str, seed: int, timesteps: int) -> str:
    """The spec of a policy; trains it if it is not there."""
    out = folder / name / way / left_out / f"seed-{seed}"
    if not (out / POLICY).exists():
        quiet = {"eval_every": 0, "checkpoint_every": 0, "progress": False, "timesteps": timesteps, "seed": seed}
        how = RECIPES[name] | WAYS[way]
        train_ppo(PPORecipe(name, opponents=opponents(name, way, left_out), out=out, **how, **quiet))
    return f"ppo:{out}"


def measured(name: str, players: Sequence[str], family: str, most: bool) -> Row:
    """Players and all scripts against a family."""
    met = [*families(name, HELD_OUT_FAMILIES)[family]]
    design = evaluation_design(name, players, met, seeds=MATCHES.get(name, 1), scripts=True)
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    ends: dict[str, Ends] = defaultdict(lambda: defaultdict(list))
    for record in play_all(design, jobs=1):
        setting, last = design.setting_name(record.params), bisect_right(ROUNDS, record.turns[-1].round) - 1
        for seat, (spec, gain) in enumerate(zip(record.players, record.metrics["gains"], strict=True)):
            others = {*record.players[:seat], *record.players[seat + 1 :]}
            if spec in design.players and len(others) == 1 and others <= {*met}:
                found[spec, str(setting)].append(nan_if_none(gain))
                ends[spec][ROUNDS[last]].append(nan_if_none(gain))
    specs, settings = [*design.players], [setting.name for setting in design.settings]
    gains = np.array([[np.mean(found[spec, setting]) for setting in settings] for spec in specs])
    told = ""
    if most and family in CEILINGS.get(name, ()):
        best = ceiling(name, "", validation_settings(find_game(name)), met, scripts=False)
        told = f"ceiling {best.full_information:.3f} ({best.certainty(met)})"
    return Row(family, specs, gains, ends, told)


def by_round(ends: Sequence[Ends]) -> str:
    """Of one player or of several seeds: how many matches end in which rounds, and what they pay."""
    total = sum(len(own) for one in ends for own in one.values())
    told = []
    for first in ROUNDS:
        own = [gain for one in ends for gain in one[first]]
        told += [f"from round {first} {len(own) / total:.0%} {np.mean(own):.3f}"] if own else []
    return ", ".join(told)


def interval(values: np.ndarray) -> str:
    """Mean and 95% interval over draws (Student's t); the mean alone if all are the same."""
    if np.ptp(values) == 0.0:
        return f"{values.mean():+.3f}"
    found = mean_of_draws(values.tolist())
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def show(name: str, rows: Sequence[Row], ways: Sequence[str], seeds: int) -> None:
    """Prints the rows, and the differences of each way to scripts.

    Raises:
        SystemExit: The families are met in different seats, by different scripts.
    """
    scripts = [spec for spec in candidates(name) if spec in rows[0].specs]
    if any({*row.specs[seeds * len(ways) :]} != {*scripts} for row in rows):
        raise SystemExit(f"these families are not all met by the same scripts: {', '.join(row.family for row in rows)}")
    learned = np.array([row.gains[: seeds * len(ways)] for row in rows])
    learned = learned.reshape(len(rows), len(ways), seeds, -1)  # families, ways, seeds, settings
    by_way = learned.mean(axis=2)
    by_script = np.array([[row.gains[row.specs.index(spec)] for spec in scripts] for row in rows])
    best = scripts[int(by_script.mean(axis=(0, 2)).argmax())]
    beside = {spec: by_script[:, scripts.index(spec)] for spec in ([FAIR[name]] if name in FAIR else []) + [best]}
    for at, row in enumerate(rows):
        own = int(by_script[at].mean(axis=-1).argmax())
        told = [f"{way} {by_way[at, i].mean():.3f}" for i, way in enumerate(ways)] + ([row.most] if row.most else [])
        told += [f"{spec} {table[at].mean():.3f}" for spec, table in beside.items()]
        print(f"  {row.family:<13}", ", ".join([*told, f"best here {scripts[own]} {by_script[at, own].mean():.3f}"]))
        for i, way in enumerate(ways if name in FAIR else ()):
            print(f"    {way}: {by_round([row.ends[spec] for spec in row.specs[i * seeds : (i + 1) * seeds]])}")
        if name in FAIR:
            print(f"    {FAIR[name]}: {by_round([row.ends[FAIR[name]]])}")
    told = [f"{way} {by_way[:, i].mean():.3f}" for i, way in enumerate(ways)]
    told += [f"{spec} {table.mean():.3f}" for spec, table in beside.items()]
    print(f"  {'mean':<13}", ", ".join([*told, f"best here {by_script.mean(axis=-1).max(axis=1).mean():.3f}"]))
    against = beside | ({SPECIALIST: by_way[:, ways.index(SPECIALIST)]} if SPECIALIST in ways else {})
    for i, way in enumerate(ways):
        for spec, table in against.items():
            if spec != way:
                apart, each = by_way[:, i] - table, learned[:, i].mean(axis=(0, 2)) - table.mean()
                print(f"{way} less {spec}: over families {interval(apart.mean(axis=1))},")
                print(f"  over settings {interval(apart.mean(axis=0))}, seeds {np.round(each, 3).tolist()}")


def main() -> None:
    """Trains, measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("game", choices=RECIPES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ways", nargs="+", default=["families"], choices=WAYS)
    parser.add_argument("--families", nargs="+", dest="left_out")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--timesteps", type=int, default=1_500_000)
    parser.add_argument("--ceiling", action="store_true", help="what best responses earn, where they are found quickly")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for family in asked.left_out or list(families(asked.game, HELD_OUT_FAMILIES)):
        trained = [
            policy(asked.game, asked.folder, way, family, seed, asked.timesteps)
            for way in asked.ways
            for seed in asked.seeds
        ]
        rows.append(measured(asked.game, trained, family, asked.ceiling))
    seeds = len(asked.seeds)
    print(f"{asked.game}: gain against a family that training has not met, {seeds} seeds, {asked.timesteps:,} moves")
    show(asked.game, rows, asked.ways, seeds)


if __name__ == "__main__":
    main()
