"""Actual seats in the matches of the randomisation table, stored beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from econzoo.envs.core.faces import LEFT, NO_REPLY_REASONS, TIMEOUT
from econzoo.envs.core.record import Record
from econzoo.people.study.matching import PlannedMatch

Seats = Mapping[int, Mapping[int, int]]
"""Match number to seat to place."""


def load_seats(db: sqlite3.Connection, study: str) -> Seats:
    """Return the stored seats of a study."""
    found: dict[int, dict[int, int]] = {}
    for number, seat, place in db.execute("SELECT planned_match, seat, place FROM roster WHERE study = ?", (study,)):
        found.setdefault(number, {})[seat] = place
    return found


def load_added_places(db: sqlite3.Connection, study: str) -> tuple[int, ...]:
    """Return the numbers of added places, in order."""
    rows = db.execute("SELECT places FROM added_places WHERE study = ? ORDER BY part", (study,))
    return tuple(count for (count,) in rows)


def load_absent_seats(db: sqlite3.Connection, match: str) -> frozenset[int]:
    """Return the seats of a match whose players left or were replaced."""
    rows = db.execute("SELECT seat FROM absences WHERE match = ? AND (player <> '' OR reason = ?)", (match, LEFT))
    return frozenset(seat for (seat,) in rows)


class Roster:
    """The randomisation table with the actual seats."""

    def __init__(self, table: Sequence[PlannedMatch], own: Mapping[int, Sequence[PlannedMatch]], seats: Seats) -> None:
        self._own = own
        self.begun = {number: _fill_seats(table[number], places) for number, places in seats.items()}
        self._match_by_place = {(place, one.repetition): one for one in self.begun.values() for place in one.places}

    def matches_of(self, place: int | None) -> list[PlannedMatch]:
        """Return the matches of a place in order: actual ones, then planned ones.

        A skipped match that others have played is included without this place.
        """
        own = [] if place is None else self._own.get(place, [])
        return [
            self._match_by_place.get((place or 0, one.repetition)) or self.begun.get(one.number, one) for one in own
        ]


def _fill_seats(match: PlannedMatch, seats: Mapping[int, int]) -> PlannedMatch:
    """Return a match with the actual places; seats without a participant are empty."""
    players = [seats.get(seat, "") if isinstance(who, int) else who for seat, who in enumerate(match.players)]
    return match._replace(players=tuple(players))


# Own decisions and absences


def count_decisions(record: Record, seat: int) -> int:
    """Count the moves by a seat's own player, without missed moves and moves of substitutes."""
    ends = [one["turn"] for one in record.replacements or () if one["seat"] == seat]
    own = [turn for turn in record.turns[: min(ends, default=len(record.turns))] if turn.seat == seat]
    return sum(turn.finish not in NO_REPLY_REASONS for turn in own)


def count_timeouts(record: Record, seat: int) -> int:
    """Count the moves missed by a seat's own player."""
    # A substitute moves instead of the missed move, which is no turn of the record.
    taken = [one for one in record.replacements or () if one["seat"] == seat and one["reason"] == TIMEOUT]
    return sum(turn.seat == seat and turn.finish == TIMEOUT for turn in record.turns) + bool(taken)


def has_no_absence(record: Record, seat: int) -> bool:
    """Whether a seat's own player missed no move, did not leave, and was not replaced."""
    replaced = any(one["seat"] == seat for one in record.replacements or ())
    return not replaced and all(turn.finish not in NO_REPLY_REASONS for turn in record.turns if turn.seat == seat)


def payoff_for_bonus(record: Record, seat: int, absent_seats: Collection[int] = ()) -> float | None:
    """Return the payoff of a seat that counts for the bonus.

    Returns:
        The payoff; None: no result, the player left or was replaced, or made none of the seat's moves.
    """
    replaced = any(one["seat"] == seat for one in record.replacements or ())
    moved = any(turn.seat == seat for turn in record.turns)
    # A seat that was never asked has not been idle.
    idle = moved and not count_decisions(record, seat)
    return None if not record.has_result or replaced or seat in absent_seats or idle else record.payoffs[seat]
