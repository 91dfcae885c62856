"""Learning curves that training writes beside its checkpoints (``learning_curve.csv``), and the trainings' settings."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import read_metadata
from econzoo.envs.core import read_csv_rows
from econzoo.envs.core.record import labels
from econzoo.evaluate.analyses.description import PlayedGame, PlayedSetting, describe_players, merge_played_games
from econzoo.evaluate.analyses.training_exposure import TRAINING, read_training
from econzoo.evaluate.run import CURVE, DEFAULT, format_value
from econzoo.evaluate.show import plain_text

STEPS, MEANS = ("timesteps", "steps"), ("reward", "gain")
SERIES = "opponent"
"""Columns of curves, see `econzoo.train`."""


class Point(NamedTuple):
    """One evaluation during training.

    Attributes:
        low: Lower end of its interval; the mean if there is none.
    """

    step: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """A learning curve.

    Attributes:
        series: Name of a series, such as an opponent, to points in order of steps.
    """

    name: str
    x: str
    y: str
    series: dict[str, list[Point]]


def read_curve(path: Path, name: str = "") -> Curve:
    (_, heads), *rows = [*read_csv_rows(path, strict=False)] or [(1, [])]
    x, y = _find_column(path, heads, STEPS), _find_column(path, heads, MEANS)
    series: dict[str, list[Point]] = {}
    for line, cells in rows:
        row = dict(zip(heads, cells, strict=False))
        series.setdefault(plain_text(row.get(SERIES, "")), []).append(_point(path, line, row, x, y))
    if not series:
        raise ValueError(f"{path}: no rows")
    return Curve(name or path.parent.name, x, y, {key: sorted(points) for key, points in series.items()})


def _find_column(path: Path, heads: Sequence[str], allowed: tuple[str, ...]) -> str:
    for head in allowed:
        if head in heads:
            return head
    raise ValueError(f"{path}: missing column {' or '.join(allowed)}")


def _point(path: Path, line: int, row: dict[str, str], x: str, y: str) -> Point:
    try:
        mean = float(row[y])
        low, high = (float(row.get(key) or math.nan) for key in ("low", "high"))
        return Point(float(row[x]), mean, *(mean if math.isnan(end) else end for end in (low, high)))
    except (KeyError, ValueError):
        raise ValueError(f"{path}, line {line}: not a number") from None


def read_curves(folder: Path) -> tuple[list[Curve], list[str]]:
    """Read all learning curves of a folder and its subfolders; returns curves and error messages."""
    curves, problems = [], []
    for path in sorted(folder.rglob(CURVE)):
        place = path.parent.relative_to(folder).as_posix()
        try:
            curves.append(read_curve(path, folder.resolve().name if place == "." else place))
        except (ValueError, UnicodeDecodeError, csv.Error) as error:
            problems.append(str(error))
    return curves, problems


OPTION_MEANINGS = {
    "model": "Language model.",
    "opponents": "Training opponents.",
    "settings": "Training settings: a distribution or names.",
    "param": "Parameters fixed in all settings.",
    "seats": "Seat of the learner.",
    "objective": "Reward.",
    "algorithm": "Learning algorithm.",
    "timesteps": "Moves of the learner.",
    "steps": "Optimiser steps.",
    "eval_opponents": "Opponents in evaluations.",
    "eval_settings": "Settings of evaluations.",
    "eval_episodes": "Matches per opponent and evaluation.",
    "seed": "Random seed.",
}
"""Options of a training that are shown with its curve, and their meanings."""


def read_training_games(folder: str | Path) -> list[PlayedGame]:
    """Describe the trainings whose learning curves are in a folder or its subfolders."""
    games = []
    for path in sorted(Path(folder).rglob(CURVE)):
        with suppress(FileNotFoundError):  # a training that has not ended
            training = _read_training(path.parent)
            games += [_training_game(path.parent, training)] if training["training_exposure"] else []
    return games


def _training_game(folder: Path, training: Mapping[str, Any]) -> PlayedGame:
    exposure, options = training["training_exposure"], training["options"]
    game, opponents = exposure["game"], exposure["opponents"]
    players = {name: spec for spec, name in labels([*opponents, *options.get("eval_opponents", [])]).items()}
    (played,) = merge_played_games(None, game, [PlayedSetting(DEFAULT, {}, {})])
    rows = [
        (name, _format_option(options[name], players), meaning)
        for name, meaning in OPTION_MEANINGS.items()
        if options.get(name)
    ]
    return played._replace(
        game=f"{game}, training in {folder.resolve().name}",
        fixed_parameters=rows,
        players=dict(sorted(describe_players(players, game).items())),
    )


def _read_training(folder: Path) -> Mapping[str, Any]:
    """Read the options and exposure of a training."""
    return read_training(folder) if (folder / TRAINING).is_file() else read_metadata(folder)


def _format_option(given: Any, players: Mapping[str, str]) -> str:
    """Format an option; players by their labels."""
    label_of = {spec: name for name, spec in players.items()}
    if isinstance(given, list):
        return ", ".join(label_of.get(one, format_value(one)) for one in given)
    return format_value(given) if isinstance(given, str | int | float) else json.dumps(given)
