"""Matches of the validation that a model in training is measured by, and scripts in the same matches beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from econzoo.baselines.factory import seats_of
from econzoo.baselines.player import Player
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import Cast, play_matches
from econzoo.train.lm_model import check
from econzoo.train.lm_records import outcome_of
from econzoo.train.lm_rollout import Policy, play_samples
from econzoo.train.lm_tickets import Ticket, tickets

__all__ = ["Measured", "card_rows", "interval", "measured", "scripts_measured", "Validation", "validation_tickets"]

UNSEEN = 2**60
"""Seeds from here on are never trained on."""

TRIES = 2
"""Tickets drawn for each one wanted: some may be trained on."""

VALIDATION = "validation"
"""Distribution of the settings of evaluations."""

MODEL, BEFORE = "this model", "before training"

START = "validation_start.json"
"""What the model came to in each match before it learned anything."""


def validation_tickets(
    game_name: str,
    count: int,
    seats: Sequence[int] | None,
    params: Mapping[str, Any],
    trained: Sequence[Ticket] = (),
    markets: Sequence[str] = ("default",),
) -> list[Ticket]:
    """Tickets of settings and opponents of the validation, in the seats of the learner.

    Args:
        game_name: The game.
        count: How many at most; 0: none.
        seats: Of the learner; None: all.
        params: What holds in every setting.
        trained: What it trains on; no match with the same setting, opponents and seat is among those given.
        markets: Where the game has no settings for the validation.

    Raises:
        ValueError: The game has nothing else to be measured by.
    """
    if not count:
        return []
    known = getattr(find_game(game_name).scenarios, "DISTRIBUTIONS", {})
    named = [VALIDATION] if VALIDATION in known else markets
    opponents = pool(game_name, VALIDATION)
    given = tickets(game_name, range(UNSEEN, UNSEEN + TRIES * count), seats, opponents, named, **params)
    met = {one.cell for one in trained}
    left = [one for one in given if one.cell not in met]
    check(bool(left), "eval", count, "0, as all matches of the validation are trained on")
    return left[:count]


class Measured(NamedTuple):
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
    def usable(self) -> str:
        """Share of its replies that could be used, in words."""
        return f"{self.legal:.1%} of {self.replies}"

    @property
    def point(self) -> list[float]:
        """Mean of the objective with its 95% interval over matches, and share of replies that could be used."""
        return [round(value, 6) for value in (*interval(self.values), self.legal)]


def measured(policy: Policy, drawn: Sequence[Ticket], cast: Callable[[str], Player], objective: Objective) -> Measured:
    """The model.

    Args:
        policy: The model.
        drawn: The matches.
        cast: The player of a spec.
        objective: By which it is measured.
    """
    samples = play_samples(policy, drawn, cast)
    return _measured(MODEL, [sample.record for sample in samples], [one.seat for one in drawn], objective)


def scripts_measured(drawn: Sequence[Ticket], cast: Callable[[str], Player], objective: Objective) -> list[Measured]:
    """Every script of the standard pool in the same seats of the same matches; arguments as `measured`."""
    seats, found = [one.seat for one in drawn], []
    for spec in pool(drawn[0].game, "standard"):
        if all(seat in (seats_of(spec, one.game) or (seat,)) for one, seat in zip(drawn, seats, strict=True)):
            played = {match.id: record for match, record in _played(spec, drawn, cast)}
            records = [played[one.match(spec).id] for one in drawn]
            found.append(_measured(spec, records, seats, objective))
    return found


class Validation:
    """Matches of the validation.

    Args:
        game: Name.
        count: How many at most, 1 or more.
        seats: Of the learner; None: all.
        params: What holds in every setting.
        objective: By which it is measured.
        trained: Matches that it trains on, which are none of these.
        markets: Where the game has no settings for the validation.

    Raises:
        ValueError: The game has nothing to be measured by.
    """

    def __init__(
        self,
        game: str,
        count: int,
        seats: Sequence[int] | None,
        params: Mapping[str, Any],
        objective: str,
        trained: Sequence[Ticket] = (),
        markets: Sequence[str] = ("default",),
    ) -> None:
        self.drawn = validation_tickets(game, count, seats, params, trained, markets)
        self._objective, self._cast = Objective(objective), Cast(game)
        self._start: Measured | None = None

    def of(self, policy: Policy) -> Measured:
        """How a model does."""
        return measured(policy, self.drawn, self._cast, self._objective)

    @cached_property
    def scripts(self) -> list[Measured]:
        """The scripts in the same matches."""
        return scripts_measured(self.drawn, self._cast, self._objective)

    def begin(self, found: Measured, folder: Path) -> None:
        """Keeps what the model came to before it learned anything, for cards."""
        self._start = found._replace(name=BEFORE)
        known = [None if math.isnan(value) else value for value in found.values]
        kept = {
            "values": known,
            "replies": found.replies,
            "usable": round(found.legal * found.replies) if found.replies else 0,
        }
        (folder / START).write_text(json.dumps(kept) + "\n", encoding="utf-8")

    def remember(self, folder: Path | None) -> None:
        """Takes up what was kept in the folder of a training that goes on; None: nothing was."""
        file = folder / START if folder else None
        kept = file.read_text(encoding="utf-8") if file and file.is_file() else ""
        self._start = _begun(from_json(kept)) if kept else None

    def rows(self, found: Measured) -> list[list[str]]:
        """The table of a card."""
        return card_rows(found, self.scripts, self._start)


def _begun(kept: dict[str, Any]) -> Measured:
    values = [math.nan if value is None else value for value in kept["values"]]
    return Measured(BEFORE, values, kept["usable"] / max(kept["replies"], 1), kept["replies"])


def _played(spec: str, drawn: Sequence[Ticket], cast: Callable[[str], Player]) -> list[tuple[Any, Record]]:
    return [(match, next(play_matches([match], cast))) for match in (one.match(spec) for one in drawn)]


def _measured(name: str, records: Sequence[Record], seats: Sequence[int], objective: Objective) -> Measured:
    turns = [turn for record, seat in zip(records, seats, strict=True) for turn in record.turns if turn.seat == seat]
    legal = sum(turn.error is None for turn in turns)
    values = [_value(record, seat, objective) for record, seat in zip(records, seats, strict=True)]
    return Measured(name, values, legal / len(turns) if turns else math.nan, len(turns))


def _value(record: Record, seat: int, objective: Objective) -> float:
    return 0.0 if record.forfeit == seat else objective(record.payoffs, outcome_of(record), seat)


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean with its 95% interval over matches; NaN where there are too few. Values that are NaN do not count."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return math.nan, math.nan, math.nan
    half = 1.96 * stdev(known) / math.sqrt(len(known)) if len(known) > 1 else math.nan
    return fmean(known), fmean(known) - half, fmean(known) + half


def card_rows(model: Measured, others: Sequence[Measured], start: Measured | None = None) -> list[list[str]]:
    """One row for each player: mean, how much better the model is in the same matches, and legal replies.

    Args:
        model: As it is now.
        others: Scripts.
        start: The model as it was; None: no row.
    """
    rows = [[model.name, _mean(model.values), "", model.usable]]
    if start is not None:
        rows.append([start.name, _mean(start.values), _difference(model.values, start.values), start.usable])
    for one in others:
        rows.append([f"`{one.name}`", _mean(one.values), _difference(model.values, one.values), ""])
    return rows


def _mean(values: Sequence[float]) -> str:
    mean, _, _ = interval(values)
    return "-" if math.isnan(mean) else f"{mean:.3f}"


def _difference(ours: Sequence[float], others: Sequence[float]) -> str:
    pairs = [a - b for a, b in zip(ours, others, strict=True) if not math.isnan(a - b)]
    if len(pairs) < 2:
        return "-"
    mean, low, high = interval(pairs)
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"
