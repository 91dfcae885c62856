"""What a model in training is measured by: matches of the validation, scripts in the same matches, signs of collapse.

A policy that has collapsed, or never got going, is known by signs. Each is the mean over the last `WINDOW` steps, so
that one unlucky step is none; `ALARMS` says from where on it is an alarm.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.factory import seats_of
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_csv_rows, read_text, write_file
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.match import PlayerCache, play_matches
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.show.csv_files import append_rows, write_csv
from econzoo.train.lm.episode_specs import EpisodeSpec, make_validation_specs
from econzoo.train.lm.model import check
from econzoo.train.lm.processes import processes
from econzoo.train.lm.reward import outcome_of
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.transcripts import RecordedSeat
from econzoo.train.tracking import Trackers

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
"""Mean of the objective with its 95% interval over matches, and share of replies that could be used."""

MODEL, BEFORE_TRAINING = "this model", "before training"

START_FILE = "validation_start.json"
"""What the model came to in each match before it learned anything."""

WINDOW = 5
"""Steps that a sign is measured over."""

OFF = "off"


class ValidationResult(NamedTuple):
    """What a player came to in the matches of a validation.

    Attributes:
        name: Of the player.
        values: By the objective, one for each match in order; a forfeit is 0, NaN where the objective has no value.
        legal: Share of its replies that could be used.
        replies: How many there were.
    """

    name: str
    values: list[float]
    legal: float
    replies: int

    @property
    def legal_share(self) -> str:
        """Share of its replies that could be used, in words."""
        return f"{self.legal:.1%} of {self.replies}"

    @property
    def point(self) -> list[float]:
        """Mean of the objective with its 95% interval over matches, and share of replies that could be used."""
        return [round(value, 6) for value in (*interval(self.values), self.legal)]


def validation_of(recipe: LmRecipe, seated: Sequence[RecordedSeat]) -> Validation | None:
    """What a model is measured by: in the seats that it learns from, in matches that it does not."""
    if not recipe.eval:
        return None
    seats, met = sorted({one.seat for one in seated}), [EpisodeSpec.from_record(one.record, one.seat) for one in seated]
    drawn = make_validation_specs(seated[0].record.game, recipe.eval, seats, recipe.fixed, met)
    return Validation(drawn, recipe.goal)


class Validation:
    """Matches of the validation.

    Args:
        episode_specs: The matches; one or more, all of one game.
        objective: By which it is measured.
    """

    def __init__(self, episode_specs: Sequence[EpisodeSpec], objective: Objective) -> None:
        self.episode_specs = episode_specs
        self._objective, self._cast = objective, PlayerCache(episode_specs[0].game)
        self._start: ValidationResult | None = None

    def measure(self, policy: Policy) -> ValidationResult:
        """How a model does."""
        samples = play_samples(policy, self.episode_specs, self._cast)
        return self._result_of(MODEL, [sample.record for sample in samples])

    @cached_property
    def scripts(self) -> list[ValidationResult]:
        """Every script of the standard pool in the same seats of the same matches."""
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
        """Keeps what the model came to before it learned anything, for cards."""
        self._start = found._replace(name=BEFORE_TRAINING)
        known = [None if math.isnan(value) else value for value in found.values]
        usable = round(found.legal * found.replies) if found.replies else 0
        kept = {"values": known, "replies": found.replies, "usable": usable}
        write_file(folder / START_FILE, json.dumps(kept) + "\n")

    def load_start(self, folder: Path | None) -> None:
        """Takes up what was kept in the folder of a training that goes on; None: nothing was."""
        file = folder / START_FILE if folder else None
        kept = read_text(file, LARGE_FILE_BYTES) if file and file.is_file() else ""
        self._start = _parse_start(parse_json(kept)) if kept else None

    def rows(self, found: ValidationResult) -> list[list[str]]:
        """The table of a card."""
        return card_rows(found, self.scripts, self._start)


def _parse_start(kept: dict[str, Any]) -> ValidationResult:
    values = [math.nan if value is None else value for value in kept["values"]]
    return ValidationResult(BEFORE_TRAINING, values, kept["usable"] / max(kept["replies"], 1), kept["replies"])


def _value(record: Record, seat: int, objective: Objective) -> float:
    if not record.has_result:
        return math.nan
    return 0.0 if record.forfeit == seat else objective(record.payoffs, outcome_of(record), seat)


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean with its 95% interval over matches; NaN where there are too few. Values that are NaN do not count."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan, math.nan
    half = 1.96 * stdev(known) / math.sqrt(len(known)) if len(known) > 1 else math.nan
    return fmean(known), fmean(known) - half, fmean(known) + half


def card_rows(
    model: ValidationResult, others: Sequence[ValidationResult], start: ValidationResult | None = None
) -> list[list[str]]:
    """One row for each player: mean, how much better the model is in the same matches, and legal replies.

    Args:
        model: As it is now.
        others: Scripts.
        start: The model as it was; None: no row.
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
    pairs = [a - b for a, b in zip(ours, others, strict=True) if not math.isnan(a - b)]
    if len(pairs) < 2:
        return "-"
    mean, low, high = interval(pairs)
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def rows_until(path: Path, done: int) -> list[list[str]]:
    """The rows of a curve up to a step."""
    if not done or not path.is_file():
        return []
    return [row for _, row in [*read_csv_rows(path, strict=False)][1:] if row[0].isdigit() and int(row[0]) <= done]


def write_rows(path: Path, mode: str, rows: Sequence[Sequence[Any]]) -> None:
    """Writes rows of a curve, once for all processes."""
    if processes().is_first and mode == "a":
        append_rows(path, rows)
    elif processes().is_first:
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
    """A callback that writes ``validation_curve.csv``, and a card into every checkpoint.

    Args:
        folder: Of the training.
        every: Steps between two points; 0: at checkpoints only.
        validation: None: cards have no table, and there is no curve.
        policy: The model as it is now.
        done: Steps of the checkpoint that it goes on from; later points of the file are dropped.
        card: Writes one, given the folder of a checkpoint, its steps and the rows of the table.
        trackers: Take the numbers too.
    """
    from transformers import TrainerCallback

    class Validating(TrainerCallback):
        def __init__(self) -> None:
            self.path, kept = folder / CURVE, rows_until(folder / CURVE, done)
            self.steps = {int(row[0]) for row in kept}
            self.last: tuple[int, ValidationResult] | None = None
            if validation is not None:
                validation.load_start(folder if done else None)
                write_rows(self.path, "w", [list(HEADER), *kept])

        def measure(self, step: int) -> list[list[str]]:
            """One point of the curve, unless it is there; the rows of the card."""
            if validation is None:
                return []
            now = policy()  # for which all processes may have to give their weights
            if not processes().is_first:
                return []
            self.last = _, found = self.last if self.last and self.last[0] == step else (step, validation.measure(now))
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
    """From where on a sign is an alarm.

    Attributes:
        limit: The last value that is none.
        below: Whether values below it are one; else those above.
        description: What the sign is.
    """

    limit: float
    below: bool
    description: str


ALARMS = {
    "entropy": Alarm(0.02, True, "mean entropy of the model's own tokens, in nats"),
    "spread": Alarm(0.1, True, "share of the groups that something can be learned from, as they were drawn first"),
    "repetition": Alarm(0.95, False, "share of the plays of a group whose first reply is the most frequent one"),
    "invalid": Alarm(0.5, False, "share of the replies that could not be used"),
    "cut": Alarm(0.2, False, "share of the replies that were too long"),
}
"""By sign."""


def alarms_of(given: Mapping[str, Any]) -> dict[str, Alarm]:
    """The alarms of a run.

    Args:
        given: Limits by sign, or ``off``, in place of those of `ALARMS`.

    Raises:
        ValueError: No such sign, or no such limit.
    """
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
    """The signs that are alarms after these steps, with their values.

    Args:
        rows: Of all steps so far, one after the other, each with a value for every sign that it has.
        alarms: By sign.
    """
    out = {}
    for name, alarm in alarms.items():
        last = [float(row[name]) for row in rows[-WINDOW:] if row.get(name) is not None]
        if len(last) < WINDOW:
            continue
        mean = fmean(last)
        if mean < alarm.limit if alarm.below else mean > alarm.limit:
            out[name] = mean
    return out
