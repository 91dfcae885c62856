"""What a match that is played now needs of the place where it is kept; `Store` is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from econzoo.envs.core.record.record import Record, Turn
from econzoo.people.table.store import Kept, Seat
from econzoo.people.table.terms import Absence


class Keeping(Protocol):
    """Keeps what happens in matches; see the methods of `Store`."""

    def match(self, id: str) -> Kept:
        """What is kept of a match."""

    def answered(self, seat: Seat, number: int, reply: str) -> bool:
        """Adds the answer that a person has given; the first one counts."""

    def answers(self, match: str) -> dict[tuple[int, int], str]:
        """(seat, number) to every answer that people have given."""

    def played(self, match: str, number: int, turns: Sequence[Turn]) -> None:
        """Adds turns, whoever's."""

    def absent(self, match: str, absence: Absence) -> None:
        """Keeps that no answer came."""

    def happened(self, match: str, seat: int, number: int, at: float) -> None:
        """Keeps a moment; the first one counts."""

    def moments(self, match: str) -> dict[tuple[int, int], float]:
        """(seat, number) to when it was."""

    def ran(self, seconds: float) -> None:
        """Keeps how long servers have run in all."""

    def uptime(self) -> float:
        """How long servers have run in all."""

    def ended(self, id: str, record: Record) -> bool:
        """Keeps the record of a match; returns whether there was none before."""


class Appending(Protocol):
    """Where records go."""

    def append(self, record: Record) -> Any:
        """Adds a record."""
