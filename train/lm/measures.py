"""Evaluation during training: validation matches, scripted baselines in the same matches, collapse alarms.

A collapsed policy, or one that never learned, shows in a few statistics. Each is averaged over the last `WINDOW` steps,
so that one unlucky step raises no alarm; `ALARMS` has the thresholds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines import pool, seats_of
from econzoo.envs.core import LARGE_FILE_BYTES, read_csv_rows, read_text, write_file
from econzoo.envs.core.contract import Objective, parse_json
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import Match, PlayerCache, play_matches
from econzoo.evaluate.show import append_rows, write_csv
from econzoo.train import Trackers, current_process, played_value
from econzoo.train.lm.episode_specs import EpisodeSpec, make_validation_specs
from econzoo.train.lm.model import check
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.transcripts import RecordedSeat

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import LmRecipe

__all__ = [
    "ALARMS",
    "CURVE",
    "HEADER",
    "Alarm",
    "ValidationResult",
    "Validation",
    "alarms_of",
    "card_rows",
    "find_signs",
    "interval",
    "rows_until",
    "make_validation_callback",
    "validation_of",
]

CURVE = "validation_curve.csv"
HEADER = ("steps", "value", "low", "high", "legal")
"""Mean of the objective with its 95% interval over matches, and fraction of valid replies."""

MODEL, START_MODEL = "this model", "start model"

START_FILE = "validation_start.json"
"""Results of the start model in each match."""

WINDOW = 5
"""Steps over which statistics are averaged."""

OFF = "off"


class ValidationResult(NamedTuple):
    """Results of a player in the validation matches.

    Attributes:
        values: Value of the objective per match (`played_value`: the least for a forfeit), in order; NaN if undefined.
        legal: Fraction of valid replies.
    """

    name: str
    values: list[float]
    legal: float
    replies: int

    @property
    def legal_share(self) -> str:
        """Return the fraction of valid replies as text."""
        return f"{self.legal:.1%} of {self.replies}"

    @property
    def point(self) -> list[float]:
        """Mean of the objective with its 95% interval over matches, and fraction of valid replies."""
        return [round(value, 6) for value in (*interval(self.values), self.legal)]


def validation_of(recipe: LmRecipe, seated: Sequence[RecordedSeat]) -> Validation | None:
    """Return a validation in the seats of the training data, in matches that are not in it."""
    if not recipe.eval:
        return None
    seats = sorted({one.seat for one in seated})
    specs = [EpisodeSpec.from_record(one.record, one.seat) for one in seated]
    drawn = make_validation_specs(seated[0].record.game, recipe.eval, seats, recipe.fixed, specs)
    return Validation(drawn, recipe.goal)


class Validation:
    """Validation matches."""

    def __init__(self, episode_specs: Sequence[EpisodeSpec], objective: Objective) -> None:
        self.episode_specs = episode_specs
        self._objective, self._cast = objective, PlayerCache(episode_specs[0].game)
        self._start: ValidationResult | None = None

    def measure(self, policy: Policy) -> ValidationResult:
        """Evaluate a model."""
        samples = play_samples(policy, self.episode_specs, self._cast)
        return self._result_of(MODEL, [sample.record for sample in samples])

    @cached_property  # scripts do not learn, so they play once for all cards
    def scripts(self) -> list[ValidationResult]:
        """Return the results of every script of the standard pool in the same seats of the same matches."""
        able = [
            spec
            for spec in pool(self.episode_specs[0].game, "standard")
            if all(one.seat in (seats_of(spec, one.game) or (one.seat,)) for one in self.episode_specs)
        ]
        return [self._result_of(spec, [self._play(one.match(spec)) for one in self.episode_specs]) for spec in able]

    def _play(self, match: Match) -> Record:
        return next(play_matches([match], self._cast))

    def _result_of(self, name: str, records: Sequence[Record]) -> ValidationResult:
        played = [(record, one.seat) for record, one in zip(records, self.episode_specs, strict=True)]
        turns = [turn for record, seat in played for turn in record.turns if turn.seat == seat]
        legal = sum(turn.error is None for turn in turns)
        values = [_value(record, seat, self._objective) for record, seat in played]
        return ValidationResult(name, values, legal / len(turns) if turns else math.nan, len(turns))

    def save_start(self, found: ValidationResult, folder: Path) -> None:
        """Store the start model's results, for cards."""
        self._start = found._replace(name=START_MODEL)
        known = [None if math.isnan(value) else value for value in found.values]
        legal = round(found.legal * found.replies) if found.replies else 0
        results = {"values": known, "replies": found.replies, "legal_replies": legal}
        write_file(folder / START_FILE, json.dumps(results) + "\n")

    def load_start(self, folder: Path | None) -> None:
        """Load the start model's results of a resumed training; None: a new training."""
        file = folder / START_FILE if folder else None
        results = read_text(file, LARGE_FILE_BYTES) if file and file.is_file() else ""
        self._start = _parse_start(parse_json(results)) if results else None

    def rows(self, found: ValidationResult) -> list[list[str]]:
        """Return the table of a card."""
        return card_rows(found, self.scripts, self._start)


def _parse_start(kept: dict[str, Any]) -> ValidationResult:
    values = [math.nan if value is None else value for value in kept["values"]]
    return ValidationResult(START_MODEL, values, kept["legal_replies"] / max(kept["replies"], 1), kept["replies"])


def _value(record: Record, seat: int, objective: Objective) -> float:
    if not record.has_result:
        return math.nan
    return played_value(record, seat, objective)


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean with its normal 95% interval over matches, NaN if there are too few; NaN values are skipped."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan, math.nan
    half = 1.96 * stdev(known) / math.sqrt(len(known)) if len(known) > 1 else math.nan
    return fmean(known), fmean(known) - half, fmean(known) + half


def card_rows(
    model: ValidationResult, others: Sequence[ValidationResult], start: ValidationResult | None = None
) -> list[list[str]]:
    """Return one row per player: mean, paired difference to the model, and valid replies.

    Args:
        start: Results of the start model; None: no row.
    """
    rows = [[model.name, _format_mean(model.values), "", model.legal_share]]
    if start is not None:
        better = _format_difference(model.values, start.values)
        rows.append([start.name, _format_mean(start.values), better, start.legal_share])
    for one in others:
        rows.append([f"`{one.name}`", _format_mean(one.values), _format_difference(model.values, one.values), ""])
    return rows


def _format_mean(values: Sequence[float]) -> str:
    mean, _, _ = interval(values)
    return "-" if math.isnan(mean) else f"{mean:.3f}"


def _format_difference(ours: Sequence[float], others: Sequence[float]) -> str:
    # Paired by match, so that differences between settings and opponents cancel out.
    pairs = [a - b for a, b in zip(ours, others, strict=True) if not math.isnan(a - b)]
    if len(pairs) < 2:
        return "-"
    mean, low, high = interval(pairs)
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def rows_until(path: Path, done: int) -> list[list[str]]:
    """Return the rows of a curve up to a step."""
    if not done or not path.is_file():
        return []
    # Not strict, since a kill may have truncated the last line.
    return [row for _, row in [*read_csv_rows(path, strict=False)][1:] if row[0].isdigit() and int(row[0]) <= done]


def write_rows(path: Path, mode: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows of a curve, in the first process only."""
    if current_process().is_first and mode == "a":
        append_rows(path, rows)
    elif current_process().is_first:
        write_csv(path, rows[0], rows[1:])


def make_validation_callback(
    folder: Path,
    every: int,
    validation: Validation | None,
    policy: Callable[[], Policy],
    done: int,
    card: Callable[[Path, int, list[list[str]]], None],
    trackers: Trackers,
) -> Any:
    """Return a callback that writes ``validation_curve.csv``, and a card into every checkpoint.

    Args:
        every: Steps between evaluations; 0: at checkpoints only.
        validation: None: no curve, and no table on cards.
        done: Steps of the checkpoint to resume from; later points of the file are dropped.
    """
    from transformers import TrainerCallback

    class Validating(TrainerCallback):
        def __init__(self) -> None:
            self.path, rows = folder / CURVE, rows_until(folder / CURVE, done)
            self.steps = {int(row[0]) for row in rows}
            self.last: tuple[int, ValidationResult] | None = None
            if validation is not None:
                validation.load_start(folder if done else None)
                write_rows(self.path, "w", [list(HEADER), *rows])

        def measure(self, step: int) -> list[list[str]]:
            """Add a point to the curve unless it exists, and return the rows of the card."""
            if validation is None:
                return []
            model = policy()  # may gather weights from all processes
            if not current_process().is_first:
                return []
            # An evaluation, a checkpoint and the end can fall on one step, whose matches are played once.
            last = self.last if self.last and self.last[0] == step else (step, validation.measure(model))
            self.last = _, found = last
            if step == 0:
                validation.save_start(found, folder)
            if step not in self.steps:
                self.steps.add(step)
                write_rows(self.path, "a", [[step, *found.point]])
                trackers.write(step, {f"validation/{n}": v for n, v in zip(HEADER[1:], found.point, strict=True)})
            return validation.rows(found)

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if every and state.global_step == 0:
                self.measure(0)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if every and state.global_step % every == 0:
                self.measure(state.global_step)

        def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            step = state.global_step
            card(Path(args.output_dir) / f"checkpoint-{step}", step, self.measure(step))

    return Validating()


class Alarm(NamedTuple):
    """Threshold of a statistic: a mean below (or else above) it raises an alarm, and the limit itself none."""

    limit: float
    below: bool
    description: str


ALARMS = {
    "entropy": Alarm(0.02, True, "mean entropy of the model's own tokens, in nats"),
    "spread": Alarm(0.1, True, "fraction of groups with reward variance when first sampled"),
    "repetition": Alarm(0.95, False, "fraction of a group's plays that begin with its most frequent first reply"),
    "invalid": Alarm(0.5, False, "fraction of invalid replies"),
    "cut": Alarm(0.2, False, "fraction of truncated replies"),
}


def alarms_of(given: Mapping[str, Any]) -> dict[str, Alarm]:
    """Return `ALARMS` with other limits; ``off`` removes an alarm."""
    out = dict(ALARMS)
    for name, limit in given.items():
        check(name in ALARMS, "alarm", name, ", ".join(ALARMS))
        if limit == OFF:
            del out[name]
            continue
        number = isinstance(limit, int | float) and not isinstance(limit, bool) and math.isfinite(limit)
        check(number and limit >= 0, name, limit, f"0 or more, or {OFF}")
        out[name] = ALARMS[name]._replace(limit=float(limit))
    return out


def find_signs(rows: Sequence[Mapping[str, float]], alarms: Mapping[str, Alarm]) -> dict[str, float]:
    """Return the statistics that raise an alarm after these steps, in order, with their values."""
    out = {}
    for name, alarm in alarms.items():
        last = [float(row[name]) for row in rows[-WINDOW:] if row.get(name) is not None]
        if len(last) < WINDOW:
            continue
        mean = fmean(last)
        if mean < alarm.limit if alarm.below else mean > alarm.limit:
            out[name] = mean
    return out
