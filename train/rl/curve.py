"""The learning curve: evaluations of a policy against fixed opponents in fixed settings during training.

Every episode draws a setting and random numbers. Intervals are over episodes: they cover the mean over the evaluation
settings, and do not generalise to other settings. All opponents play the same episodes, so that their mean counts an
episode as one observation.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from econzoo.envs.core import read_csv_rows
from econzoo.evaluate.show import append_rows, plain_text, write_csv
from econzoo.evaluate.stats import Columns, estimate

FIRST_SEED = 2**40
"""First seed of evaluations; every evaluation plays the same episodes."""

SIDE_BY_SIDE = 32

ALL_OPPONENTS = "all"
HEADER = ("timesteps", "reward", "low", "high", "opponent")
CURVE = "learning_curve.csv"

EXTRA_COLUMNS = ("exploitability", "worst", "nash_conv", "distance")
"""Columns of trainings that measure exploitability (`econzoo.evaluate.analyses.exploitability.measure`)."""


class Point(NamedTuple):
    """One row of the learning curve: the mean reward with its 95% interval over episodes, NaN without one."""

    timesteps: int
    reward: float
    low: float
    high: float
    opponent: str


def point(timesteps: int, rewards: Sequence[Sequence[float]], opponent: str) -> Point:
    """Return the mean and interval of rewards against one opponent, or several in the same episodes."""
    values = np.array(rewards, float)
    # An episode is a cluster, whatever the number of opponents in it.
    table = Columns({"cluster": np.indices(values.shape)[1].ravel(), "reward": values.ravel()})
    table["opponent"] = [opponent] * len(table)
    found = estimate(table, ["opponent"], ["reward"], signed=["reward"])[opponent]["reward"]
    return Point(timesteps, *found[:3], opponent)


def episode_rewards(model: Any, envs: Sequence[Any], episodes: int, is_masked: bool) -> list[float]:
    """Play episodes in parallel environments, with the most likely actions.

    Args:
        model: Model with `predict`, as in Stable-Baselines3.
        episodes: Number of episodes; episode i has the seed ``FIRST_SEED + i``.
    """
    rewards, waiting = [0.0] * episodes, iter(range(episodes))
    live = [
        [env, episode, env.reset(seed=FIRST_SEED + episode)[0]] for env, episode in zip(envs, waiting, strict=False)
    ]
    while live:
        options = {"action_masks": np.stack([env.action_masks() for env, _, _ in live])} if is_masked else {}
        actions, _ = model.predict(np.stack([seen for _, _, seen in live]), deterministic=True, **options)
        for place, action in zip(live, actions, strict=True):
            place[2], reward, terminated, truncated, _ = place[0].step(int(action))
            rewards[place[1]] += float(reward)
            if terminated or truncated:
                # Rewards are stored by episode, as episodes end in any order.
                place[1] = next(waiting, None)
                place[2] = None if place[1] is None else place[0].reset(seed=FIRST_SEED + place[1])[0]
        live = [place for place in live if place[1] is not None]
    return rewards


class Curve:
    """Evaluates against every opponent and appends the results to ``learning_curve.csv``.

    Args:
        rewards: Returns a model's reward per episode by opponent.
        distances: Returns a model's `EXTRA_COLUMNS`; None: these are empty or absent.

    Attributes:
        last: Moves of the learner at the last evaluation; -1: none.
    """

    MEASURE: ClassVar[str] = "reward"

    def __init__(
        self,
        out: Path,
        rewards: Callable[[Any], Mapping[str, Sequence[float]]],
        distances: Callable[[Any], Sequence[float]] | None = None,
    ) -> None:
        self.path, self._rewards, self._distances = out / CURVE, rewards, distances

    def open(self, timesteps: int) -> None:
        """Create the file, or truncate it to the rows up to the resumed checkpoint."""
        # Later rows are of moves that are played again.
        rows = [p for p in read_curve(self.path) if p.timesteps <= timesteps] if timesteps else []
        beside = _read_extra_columns(self.path) if timesteps else {}
        self._wide = self._distances is not None or bool(beside)
        heads = ["timesteps", self.MEASURE, *HEADER[2:], *EXTRA_COLUMNS[: len(EXTRA_COLUMNS) * self._wide]]
        blank = [""] * len(EXTRA_COLUMNS) * self._wide
        write_csv(self.path, heads, [[*one, *beside.get(one.timesteps, blank)] for one in rows])
        self.last, self.reward = (rows[-1].timesteps, rows[-1].reward) if rows else (-1, float("nan"))

    def measure(self, model: Any, timesteps: int) -> list[Point]:
        """Add one point per opponent, and one for all together if there are several."""
        points = self.points(model, timesteps)
        beside = self._distances(model) if self._distances else [""] * len(EXTRA_COLUMNS) * self._wide
        append_rows(self.path, [[*one, *beside] for one in points])
        self.last, self.reward = timesteps, points[-1].reward
        return points

    def points(self, model: Any, timesteps: int) -> list[Point]:
        """Return the points of an evaluation; the last one is the summary."""
        rewards = self._rewards(model)
        points = [point(timesteps, [values], spec) for spec, values in rewards.items()]
        return [*points, point(timesteps, [*rewards.values()], ALL_OPPONENTS)] if len(points) > 1 else points

    def report_progress(self, moves: int, total: int, start: tuple[float, int]) -> None:
        """Print progress and the last evaluation to standard error.

        Args:
            start: `time.perf_counter` and moves at the start of this run.
        """
        seconds, done = time.perf_counter() - start[0], moves - start[1]
        speed = f"  ({done / seconds:,.0f} moves/s)" if done else ""
        reward = f"  reward {self.reward:.3f} at {self.last:,}" if self.last >= 0 else ""
        print(f"{moves:,} of {total:,} moves{reward}{speed}", file=sys.stderr, flush=True)


def read_curve(path: Path) -> list[Point]:
    """Read the points of a file; empty without a file."""
    if not path.exists():
        return []
    heads, *found = [row for _, row in read_csv_rows(path, strict=False)] or [[]]
    rows = [dict(zip(heads, row, strict=False)) for row in found]
    steps, _, low, high, name = HEADER
    try:
        mean = heads[1] if heads else ""  # `Curve.MEASURE`
        return [
            Point(int(r[steps]), float(r[mean]), _parse_bound(r[low]), _parse_bound(r[high]), plain_text(r[name]))
            for r in rows
        ]
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(f"invalid learning curve {path}: {error!r}") from None


def _read_extra_columns(path: Path) -> dict[int, list[str]]:
    """Read the `EXTRA_COLUMNS` of a file by moves of the learner; empty if it has none."""
    heads, *found = [row for _, row in read_csv_rows(path, strict=False)] if path.exists() else [[]]
    rows = [dict(zip(heads, row, strict=False)) for row in found] if EXTRA_COLUMNS[0] in heads else []
    return {int(row[HEADER[0]]): [row.get(name, "") for name in EXTRA_COLUMNS] for row in rows}


def _parse_bound(cell: str) -> float:
    return float(cell) if cell else math.nan
