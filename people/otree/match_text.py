"""A match as one text, which a database of others keeps."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.record.record import Record, Turn
from econzoo.evaluate.run.table import Match
from econzoo.people.table.store import SECRET, Kept, Seat
from econzoo.people.table.terms import Absence, Terms


class Held:
    """Keeps one match, as `econzoo.people.table.clocks.Keeping` asks for it.

    Moments are in seconds of the clock on the wall: they pass while no server runs.

    Args:
        text: As `text` gave it.
    """

    def __init__(self, text: str) -> None:
        self._given: dict[str, Any] = from_json(text)

    @classmethod
    def new(cls, match: Match, terms: Terms) -> Held:
        """A match that begins."""
        told = {**match._asdict(), "players": list(match.players), "terms": terms._asdict()}
        empty: dict[str, Any] = {"turns": [], "moves": [], "absences": [], "moments": [], "record": None}
        return cls(json.dumps({"id": secrets.token_urlsafe(SECRET), **told, **empty}))

    @property
    def text(self) -> str:
        """All of it."""
        return json.dumps(self._given)

    @property
    def id(self) -> str:
        """Names the match here."""
        return str(self._given["id"])

    @property
    def kept(self) -> Kept:
        """What is kept."""
        told = self._given
        match = Match(told["game"], told["params"], told["options"], tuple(told["players"]), told["seed"])
        turns = [Turn(**turn) for turn in told["turns"]]
        absences = [Absence(*one) for one in told["absences"]]
        ended = Record.from_json(told["record"]) if told["record"] else None
        return Kept(self.id, match, turns, Terms(**told["terms"]), absences, ended)

    def match(self, id: str) -> Kept:
        """What is kept: there is one match."""
        return self.kept

    def answered(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds an answer; of several to the same question the first one counts."""
        if (seat.seat, number) in self.answers(seat.match):
            return False
        self._given["moves"].append([seat.seat, number, reply])
        return True

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer."""
        return {(seat, number): reply for seat, number, reply in self._given["moves"]}

    def played(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Adds turns after so many others."""
        kept = self._given["turns"]
        kept += [turn.fields() for turn in turns[max(0, len(kept) - number) :]]

    def absent(self, match: str, absence: Absence) -> None:
        """Adds that no answer came."""
        if [*absence[:2]] not in [one[:2] for one in self._given["absences"]]:
            self._given["absences"].append(list(absence))

    def happened(self, match: str, seat: int, number: int, at: float) -> None:
        """Adds a moment; of several for the same the first one counts."""
        if (seat, number) not in self.moments(match):
            self._given["moments"].append([seat, number, at])

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""
        return {(seat, number): at for seat, number, at in self._given["moments"]}

    def ran(self, seconds: float) -> None:
        """Nothing: the clock on the wall counts."""

    def uptime(self) -> float:
        """The clock on the wall."""
        return time.time()

    def ended(self, id: str, record: Record) -> bool:
        """Keeps the record, if there was none."""
        if self._given["record"] is not None:
            return False
        self._given["record"] = record.to_json()
        return True

    def append(self, record: Record) -> None:
        """Nothing: the record is a part of the text."""


class HeldMatches:
    """The matches of a participant, as what tells of them asks for them.

    Args:
        texts: Number of the plan to the text of every match that has begun.
    """

    def __init__(self, texts: Mapping[int, str]) -> None:
        self._held = {number: Held(text) for number, text in texts.items()}

    def matches(self) -> dict[int, str]:
        """Number of the plan to the id of every match."""
        return {number: held.id for number, held in self._held.items()}

    def match(self, id: str) -> Kept:
        """What is kept of a match."""
        return next(held.kept for held in self._held.values() if held.id == id)

    def line(self, id: str) -> str | None:
        """The record of a match that has ended; None: it goes on."""
        ended = self.match(id).record
        return None if ended is None else ended.to_json()
