"""The learning curve: a policy against fixed opponents in fixed settings, again and again while it learns.

Every episode draws its setting from those of the evaluation, and its luck. Intervals are over such episodes: they hold
the mean over the settings that are drawn from, and do not speak of others. All opponents meet in the same episodes, so
that for all together an episode is one draw.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from econzoo.envs.core.files import read_csv_rows
from econzoo.evaluate.show.csv_files import append_rows, plain_text, write_csv
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import estimate

FIRST_SEED = 2**40
"""Of evaluations; every evaluation plays the same episodes."""

SIDE_BY_SIDE = 32
"""Episodes at once."""

ALL_OPPONENTS = "all"
HEADER = ("timesteps", "reward", "low", "high", "opponent")
CURVE = "learning_curve.csv"

EXTRA_COLUMNS = ("exploitability", "worst", "nash_conv", "distance")
"""Columns of a training that measures them (`econzoo.evaluate.analyses.exploitability.measure`)."""


class Point(NamedTuple):
    """One line of the learning curve: the mean reward with its 95% interval over episodes, NaN where there is none."""

    timesteps: int
    reward: float
    low: float
    high: float
    opponent: str


def point(timesteps: int, rewards: Sequence[Sequence[float]], opponent: str) -> Point:
    """Mean and interval of the rewards against one opponent or several, episode by episode the same."""
    values = np.array(rewards, float)
    table = Columns({"cluster": np.indices(values.shape)[1].ravel(), "reward": values.ravel()})
    table["opponent"] = [opponent] * len(table)
    found = estimate(table, ["opponent"], ["reward"], signed=["reward"])[opponent]["reward"]
    return Point(timesteps, *found[:3], opponent)


def episode_rewards(model: Any, envs: Sequence[Any], episodes: int, is_masked: bool) -> list[float]:
    """Plays episodes in several environments side by side, with the likeliest actions.

    Args:
        model: With `predict`, as Stable-Baselines3 has it.
        envs: Flat single-agent environments of one kind.
        episodes: How many; episode i has the seed ``FIRST_SEED + i``, in whatever environment.
        is_masked: Whether the model takes masks.

    Returns:
        The reward of every episode.
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
                place[1] = next(waiting, None)
                place[2] = None if place[1] is None else place[0].reset(seed=FIRST_SEED + place[1])[0]
        live = [place for place in live if place[1] is not None]
    return rewards


class Curve:
    """Evaluates against every opponent and appends the results to ``learning_curve.csv``.

    Args:
        out: The folder of the training.
        rewards: Plays a model; gives the reward of every episode by the opponent that was met.
        distances: Gives what a model has in the columns of `EXTRA_COLUMNS`; None: they are empty, or not there.

    Attributes:
        MEASURE: Name of the mean in the file.
        last: Moves of the learner when it was last measured; -1: never.
        reward: What it came to then, against all opponents together.
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
        """Starts the file, or keeps the lines up to where the training goes on."""
        kept = [p for p in read_curve(self.path) if p.timesteps <= timesteps] if timesteps else []
        beside = _read_extra_columns(self.path) if timesteps else {}
        self._wide = self._distances is not None or bool(beside)
        heads = ["timesteps", self.MEASURE, *HEADER[2:], *EXTRA_COLUMNS[: len(EXTRA_COLUMNS) * self._wide]]
        blank = [""] * len(EXTRA_COLUMNS) * self._wide
        write_csv(self.path, heads, [[*one, *beside.get(one.timesteps, blank)] for one in kept])
        self.last, self.reward = (kept[-1].timesteps, kept[-1].reward) if kept else (-1, float("nan"))

    def measure(self, model: Any, timesteps: int) -> list[Point]:
        """One point for each opponent, and one for all together if there are several."""
        points = self.points(model, timesteps)
        beside = self._distances(model) if self._distances else [""] * len(EXTRA_COLUMNS) * self._wide
        append_rows(self.path, [[*one, *beside] for one in points])
        self.last, self.reward = timesteps, points[-1].reward
        return points

    def points(self, model: Any, timesteps: int) -> list[Point]:
        """What `measure` keeps; the last one is what the model comes to."""
        rewards = self._rewards(model)
        points = [point(timesteps, [values], spec) for spec, values in rewards.items()]
        return [*points, point(timesteps, [*rewards.values()], ALL_OPPONENTS)] if len(points) > 1 else points

    def report_progress(self, moves: int, total: int, start: tuple[float, int]) -> None:
        """Says on standard error how far a training is, and what it came to when it was last measured.

        Args:
            moves: Of the learner so far.
            total: Of the whole training.
            start: When this run began, by `time.perf_counter`, and with how many moves.
        """
        seconds, made = time.perf_counter() - start[0], moves - start[1]
        speed = f"  ({made / seconds:,.0f} moves/s)" if made else ""
        reward = f"  reward {self.reward:.3f} at {self.last:,}" if self.last >= 0 else ""
        print(f"{moves:,} of {total:,} moves{reward}{speed}", file=sys.stderr, flush=True)


def read_curve(path: Path) -> list[Point]:
    """The points of a file; none if there is no file.

    Raises:
        ValueError: A line is no point.
    """
    if not path.exists():
        return []
    heads, *found = [row for _, row in read_csv_rows(path, strict=False)] or [[]]
    rows = [dict(zip(heads, row, strict=False)) for row in found]
    steps, mean, low, high, name = HEADER
    try:
        return [
            Point(int(r[steps]), float(r[mean]), _parse_bound(r[low]), _parse_bound(r[high]), plain_text(r[name]))
            for r in rows
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no learning curve: {error!r}") from None


def _read_extra_columns(path: Path) -> dict[int, list[str]]:
    """What a file has in the columns of `EXTRA_COLUMNS`, by moves of the learner; empty if it has none."""
    heads, *found = [row for _, row in read_csv_rows(path, strict=False)] if path.exists() else [[]]
    rows = [dict(zip(heads, row, strict=False)) for row in found] if EXTRA_COLUMNS[0] in heads else []
    return {int(row[HEADER[0]]): [row.get(name, "") for name in EXTRA_COLUMNS] for row in rows}


def _parse_bound(cell: str) -> float:
    return float(cell) if cell else math.nan
