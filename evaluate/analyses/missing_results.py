"""Matches without a result: nobody was paid, so that tables leave them out, and say how many they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.record import Record

STATUS_PHRASES = {
    "truncated": ("was cut", "were cut"),
    "paused": ("was paused", "were paused"),
    "failed": ("failed", "failed"),
}
"""Status to what is said of one match, and of several."""


def split_by_result(records: Iterable[Record]) -> tuple[list[Record], list[Record]]:
    """The matches that have a result, and those that have none; see `econzoo.envs.core.record.Record.has_result`."""
    both: tuple[list[Record], list[Record]] = [], []
    for record in records:
        both[not record.has_result].append(record)
    return both


def matches_with_result(records: Iterable[Record]) -> list[Record]:
    """The matches that have a result.

    Raises:
        ValueError: There are matches, but none of them has.
    """
    kept, without = split_by_result(records)
    if without and not kept:
        games = ", ".join(sorted({record.game for record in without}))
        raise ValueError(f"no match of {games} has a result: {describe_no_result(without)[:-1]}")
    return kept


def describe_no_result(records: Iterable[Record]) -> str:
    """``"3 matches were cut and count for nothing."``, of matches without a result; empty where there are none."""
    return describe_statuses(record.status for record in records)


def describe_statuses(statuses: Iterable[str]) -> str:
    """The same, by how the matches ended."""
    return " ".join(
        f"{format_count(count, 'match')} {STATUS_PHRASES[status][count > 1]} and "
        f"{'counts' if count == 1 else 'count'} for nothing."
        for status, count in Counter(statuses).items()
    )


def displayed_payoffs(record: Record) -> list[float]:
    """What a match paid; of one that was cut what its position would pay, to be shown as that and never as a payoff."""
    return record.position_payoffs if record.is_truncated and record.position_payoffs else record.payoffs
