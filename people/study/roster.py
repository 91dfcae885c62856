"""Who sits in which match of the randomisation table, as it is kept beside the table."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from econzoo.envs.core.faces.finish import LEFT, NO_REPLY_REASONS, TIMEOUT
from econzoo.envs.core.record.record import Record
from econzoo.people.study.matching import PlannedMatch

SEATED_TABLES = """
CREATE TABLE IF NOT EXISTS seated (
    study TEXT NOT NULL, planned INTEGER NOT NULL, seat INTEGER NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (study, planned, seat));
CREATE TABLE IF NOT EXISTS added (
    study TEXT NOT NULL, part INTEGER NOT NULL, participants INTEGER NOT NULL,
    at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (study, part));
"""
"""Who has which seat of matches that have begun, and how many places were added; older folders have neither."""

Seats = Mapping[int, Mapping[int, int]]
"""Number of a match to the place of who has each of its seats."""


def load_seats(db: sqlite3.Connection, study: str) -> Seats:
    """Who has which seat, as far as it is kept."""
    found: dict[int, dict[int, int]] = {}
    if _has_seat_table(db):
        for number, seat, place in db.execute("SELECT planned, seat, place FROM seated WHERE study = ?", (study,)):
            found.setdefault(number, {})[seat] = place
    return found


def load_added_places(db: sqlite3.Connection, study: str) -> tuple[int, ...]:
    """How many places were added to those of the file, each time."""
    if not _has_seat_table(db):
        return ()
    rows = db.execute("SELECT participants FROM added WHERE study = ? ORDER BY part", (study,))
    return tuple(count for (count,) in rows)


def _has_seat_table(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'seated'").fetchone() is not None


def load_absent_seats(db: sqlite3.Connection, match: str) -> frozenset[int]:
    """The seats of a match whose players have left it, or were replaced."""
    rows = db.execute("SELECT seat FROM absences WHERE match = ? AND (by <> '' OR why = ?)", (match, LEFT))
    return frozenset(seat for (seat,) in rows)


class Roster:
    """The randomisation table with who sits in it.

    Args:
        table: The table.
        own: The matches of every place, in order.
        begun: Numbers of the matches that have begun.
        seats: Of these; what is not kept is as in the table.

    Attributes:
        begun: These matches by number, with the places of who plays.
    """

    def __init__(
        self,
        table: Sequence[PlannedMatch],
        own: Mapping[int, Sequence[PlannedMatch]],
        begun: Collection[int],
        seats: Seats,
    ) -> None:
        self._own = own
        self.begun = {number: _fill_seats(table[number], seats.get(number, {})) for number in begun}
        self._match_by_place = {(place, one.repetition): one for one in self.begun.values() for place in one.places}

    def matches_of(self, place: int | None) -> list[PlannedMatch]:
        """The matches of who has a place, in order: that they sit in, and as planned where they have not sat yet.

        A match that was left out for them is there without their place if others have played it.
        """
        own = [] if place is None else self._own.get(place, [])
        return [
            self._match_by_place.get((place or 0, one.repetition)) or self.begun.get(one.number, one) for one in own
        ]


def _fill_seats(match: PlannedMatch, seats: Mapping[int, int]) -> PlannedMatch:
    """A match with the places of who plays; a seat that nobody of them has is empty."""
    if not seats:
        return match
    players = [seats.get(seat, "") if isinstance(who, int) else who for seat, who in enumerate(match.players)]
    return match._replace(players=tuple(players))


# What somebody did themselves


def count_decisions(record: Record, seat: int) -> int:
    """Moves of a seat that its own player made: none that was missed, and none of who took the seat."""
    ends = [one["turn"] for one in record.replaced or () if one["seat"] == seat]
    own = [turn for turn in record.turns[: min(ends, default=len(record.turns))] if turn.seat == seat]
    return sum(turn.finish not in NO_REPLY_REASONS for turn in own)


def count_timeouts(record: Record, seat: int) -> int:
    """Moves that the own player of a seat has missed."""
    taken = [one for one in record.replaced or () if one["seat"] == seat and one["why"] == TIMEOUT]
    return sum(turn.seat == seat and turn.finish == TIMEOUT for turn in record.turns) + bool(taken)


def has_no_absence(record: Record, seat: int) -> bool:
    """Whether the own player of a seat neither left nor was replaced, and missed no move."""
    replaced = any(one["seat"] == seat for one in record.replaced or ())
    return not replaced and all(turn.finish not in NO_REPLY_REASONS for turn in record.turns if turn.seat == seat)


def payoff_for_bonus(record: Record, seat: int, absent_seats: Collection[int] = ()) -> float | None:
    """The payoff of a seat that counts for a bonus.

    Args:
        record: Of the match.
        seat: The seat.
        absent_seats: See `load_absent_seats`.

    Returns:
        The payoff. None: there is no result, its player has left the match or was replaced, or others made all of its
        moves.
    """
    replaced = any(one["seat"] == seat for one in record.replaced or ())
    moved = any(turn.seat == seat for turn in record.turns)
    idle = moved and not count_decisions(record, seat)
    return None if not record.has_result or replaced or seat in absent_seats or idle else record.payoffs[seat]
