"""Learning curves that training writes beside its checkpoints (``learning_curve.csv``), and what was trained."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.policy_files import read_metadata
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_csv_rows, read_text
from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.analyses.description import PlayedGame, PlayedSetting, describe_players, merge_played_games
from econzoo.evaluate.analyses.training_exposure import TRAINING
from econzoo.evaluate.run.folder import CURVE
from econzoo.evaluate.run.settings import DEFAULT, format_value
from econzoo.evaluate.show.csv_files import plain_text

STEPS = ("timesteps", "steps", "step", "iteration", "epoch")
SERIES = ("opponent", "series", "name")
MEANS = ("reward", "gain", "mean", "value")


class Point(NamedTuple):
    """One evaluation during training.

    Attributes:
        step: Where.
        mean: Of the evaluation.
        low: Lower end of its interval, the mean if there is none.
        high: Upper end.
    """

    step: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """A learning curve.

    Attributes:
        name: Of the folder it was found in.
        x: Name of the steps.
        y: Name of the values.
        series: Name (of an opponent, say) to points, in order of the steps.
    """

    name: str
    x: str
    y: str
    series: dict[str, list[Point]]


def read_curve(path: Path, name: str = "") -> Curve:
    """The learning curve of a file.

    Raises:
        ValueError: The file lacks a column or a number; the message names it and the line.
    """
    (_, heads), *rows = [*read_csv_rows(path, strict=False)] or [(1, [])]
    x, y = _find_column(path, heads, STEPS), _find_column(path, heads, MEANS)
    group = next((head for head in SERIES if head in heads), "")
    series: dict[str, list[Point]] = {}
    for line, cells in rows:
        row = dict(zip(heads, cells, strict=False))
        series.setdefault(plain_text(row.get(group, "")), []).append(_point(path, line, row, x, y))
    if not series:
        raise ValueError(f"{path}: no rows")
    return Curve(name or path.parent.name, x, y, {key: sorted(points) for key, points in series.items()})


def _find_column(path: Path, heads: Sequence[str], allowed: tuple[str, ...]) -> str:
    for head in allowed:
        if head in heads:
            return head
    raise ValueError(f"{path}: no column {' or '.join(allowed)}")


def _point(path: Path, line: int, row: dict[str, str], x: str, y: str) -> Point:
    try:
        mean = float(row[y])
        low, high = (float(row.get(key) or math.nan) for key in ("low", "high"))
        return Point(float(row[x]), mean, *(mean if math.isnan(end) else end for end in (low, high)))
    except (KeyError, ValueError):
        raise ValueError(f"{path}, line {line}: not a number") from None


def read_curves(folder: Path) -> tuple[list[Curve], list[str]]:
    """All learning curves in a folder and below it, and what could not be read."""
    curves, problems = [], []
    for path in sorted(folder.rglob(CURVE)):
        place = path.parent.relative_to(folder).as_posix()
        try:
            curves.append(read_curve(path, folder.resolve().name if place == "." else place))
        except (ValueError, UnicodeDecodeError, csv.Error) as error:
            problems.append(str(error))
    return curves, problems


# What was trained, for a reader of learning curves who was not there: the game, whom the learner met, and how


ARGUMENT_MEANINGS = {
    "model": "The language model that learned.",
    "opponent": "Whom it met.",
    "markets": "Where it learned: a distribution of markets, or their names.",
    "param": "What was set in all markets.",
    "seat": "Which seat learned.",
    "objective": "What the reward is.",
    "algorithm": "How it learned.",
    "timesteps": "Moves of the learner.",
    "steps": "Steps of the optimiser.",
    "eval_opponent": "Whom it met in evaluations.",
    "eval_markets": "Where evaluations were played.",
    "eval_episodes": "Matches against each opponent in an evaluation.",
    "seed": "Of everything that is drawn.",
}
"""Arguments of a training that a reader of its curve needs, and what they are."""


def read_training_games(folder: str | Path) -> list[PlayedGame]:
    """What was played in the trainings whose learning curves lie in a folder and below it, as far as that is known.

    Args:
        folder: Each training has its policy or its ``training.json`` beside its curve.
    """
    found = []
    for path in sorted(Path(folder).rglob(CURVE)):
        with suppress(OSError, ValueError, TypeError, KeyError):  # of other programs, or older: nothing is known
            found.append(_training_game(path.parent))
    return found


def _training_game(folder: Path) -> PlayedGame:
    kept = _read_training(folder)
    game, args, opponents = kept["met"]["game"], kept["args"], kept["met"]["opponents"]
    told = {name: spec for spec, name in labels([*opponents, *args.get("eval_opponent", [])]).items()}
    (played,) = merge_played_games(None, game, [PlayedSetting(DEFAULT, {}, {})])
    rows = [
        (name, _format_argument(args[name], told), meaning)
        for name, meaning in ARGUMENT_MEANINGS.items()
        if args.get(name)
    ]
    return played._replace(
        game=f"{game}, training in {folder.resolve().name}",
        fixed_parameters=rows,
        players=dict(sorted(describe_players(told, game).items())),
    )


def _read_training(folder: Path) -> Mapping[str, Any]:
    """What a training has written down: its arguments, and what the learner has met."""
    if (folder / TRAINING).is_file():
        given: Mapping[str, Any] = parse_json(read_text(folder / TRAINING, LARGE_FILE_BYTES))
        return given
    return read_metadata(folder)


def _format_argument(given: Any, told: Mapping[str, str]) -> str:
    """An argument in words; players by what tables call them."""
    called = {spec: name for name, spec in told.items()}
    if isinstance(given, list):
        return ", ".join(called.get(one, format_value(one)) for one in given)
    return format_value(given) if isinstance(given, str | int | float) else json.dumps(given)
