"""Tables and records whose effects are known because they were put there."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd

from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.regression.observations import clean_observations

PARAMETERS = ("money", "delta_1", "delta_2", "horizon", "complete_information", "messages")
METRICS = ("fairness", "efficiency", "alice_self_gain", "bob_self_gain")
GRID = {
    "money": ("10000", "100"),
    "delta_1": ("0.8", "0.9"),
    "delta_2": ("0.9", "1"),
    "horizon": ("12", "inf"),
    "complete_information": ("true", "false"),
    "messages": ("true", "false"),
}
"""64 configurations of bargaining."""

PLAYERS = ("ann", "ben", "cat")


def grid(players=PLAYERS, repeats=1, **values):
    """Every pair in every configuration, all metrics 0.5."""
    levels = {**GRID, **values}
    rows = [
        {**dict(zip(levels, setting, strict=True)), "alice_player": a, "bob_player": b}
        for setting in product(*levels.values())
        for a, b in product(players, players)
        for _ in range(repeats)
    ]
    return pd.DataFrame(rows).assign(**dict.fromkeys(METRICS, 0.5))


def observed(table, parameters=PARAMETERS, family="bargaining"):
    return clean_observations(family, table, parameters, ("alice", "bob"))


def add(table, metric, effects):
    """Adds to a metric what each level of each column is worth: {column: {level: value}}."""
    for column, levels in effects.items():
        table[metric] += table[column].map(levels).fillna(0.0)
    return table


def effects_of(fit):
    """(parameter, value) to effect."""
    return {(one.parameter, one.value): one for one in fit.effects}


def record(game, players, seed=0, gains=(0.5, 0.5), efficiency=1.0, fairness=1.0, status="finished", **params):
    """A record that says what the test wants it to say."""
    seats = len(players)
    told = [None if value is None or math.isnan(value) else value for value in (*gains, efficiency, fairness)]
    return Record(
        game=game,
        params=find_game(game).params(**params)[0],
        options={},
        seed=seed,
        players=list(players),
        faces=["structured"] * seats,
        rules=[None] * seats,
        payoffs=[0.0] * seats,
        metrics={"gains": told[:-2], "efficiency": told[-2], "fairness": told[-1], "agreed": True},
        status=status,
        forfeit=0 if status == "forfeited" else None,
        errors=[0] * seats,
        defaults=[0] * seats,
    )


def write(folder, records):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "records.jsonl").write_text("".join(one.to_json() + "\n" for one in records))
    return folder


def noise(seed, rows, scale):
    return np.random.default_rng(seed).normal(0, scale, rows)
