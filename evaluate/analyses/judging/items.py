"""What is judged: one player in one match. Which of many, and in which order for each judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from econzoo.baselines.judges import seeds
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.seat_columns import roles_of

__all__ = ["Item", "items_of"]


class Item(NamedTuple):
    """One player in one match.

    Attributes:
        record: The match.
        seat: Of the player.
    """

    record: Record
    seat: int

    @property
    def id(self) -> str:
        """``MATCH:SEAT``; judges do not see it."""
        return f"{self.record.id}:{self.seat}"

    @property
    def role(self) -> str:
        """Name of the seat."""
        return roles_of(self.record)[self.seat]

    @property
    def player(self) -> str:
        """The player's spec; judges do not see it."""
        return self.record.players[self.seat]


def without_reasoning(record: Record) -> Record:
    """The match as it looks from outside: what its players' models thought of themselves stands in no answer."""
    turns = [replace(turn, reasoning="", calls=[_bare(call) for call in turn.calls]) for turn in record.turns]
    return replace(record, turns=turns)


def _bare(call: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in call.items() if name != "reasoning"}


def items_of(records: Iterable[Record], seats: str | None = None, reasoning: bool = False) -> list[Item]:
    """All players of all matches, in an order that does not depend on the order of the files.

    Args:
        records: The matches.
        seats: Roles or numbers of seats (from 0) with commas between them; None: all.
        reasoning: Whether judges read what reasoning models thought before they replied, where it is recorded.

    Raises:
        ValueError: No match has such a seat.
    """
    shown = records if reasoning else map(without_reasoning, records)
    matches = sorted(shown, key=lambda record: record.id)
    every = [Item(record, seat) for record in matches for seat in range(len(record.players))]
    if seats is None:
        return every
    named = {role for item in every for role in (item.role.casefold(), str(item.seat))}
    wanted = {word.strip().casefold() for word in seats.split(",")}
    unknown = sorted(wanted - named)
    if unknown:
        known = ", ".join(dict.fromkeys(item.role for item in every))
        raise ValueError(f"--seats: {unknown[0]!r} is no seat here; allowed: {known}, or their numbers from 0")
    return [item for item in every if {item.role.casefold(), str(item.seat)} & wanted]


def sample(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """So many of the items at random, in their order; all if `limit` is None or larger.

    Args:
        items: To choose from.
        limit: How many.
        seed: The same for all judges, so that they judge the same items.
    """
    if limit is None or limit >= len(items):
        return list(items)
    picked = np.random.default_rng([seed, 0]).choice(len(items), limit, replace=False)
    return [items[i] for i in sorted(picked.tolist())]


def shuffled(items: Sequence[Item], judge: str, seed: int) -> list[Item]:
    """The items in an order of the judge's own.

    Args:
        items: To put in order.
        judge: Its spec; every judge has another order.
        seed: The same order comes again with the same seed.
    """
    order = np.random.default_rng(seeds(seed, judge)).permutation(len(items))
    return [items[i] for i in order.tolist()]
