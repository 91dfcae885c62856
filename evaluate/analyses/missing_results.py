"""Matches without a result and payoffs, which tables leave out and count in a note."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from econzoo.envs.core import format_count
from econzoo.envs.core.record import Record

STATUS_PHRASES = {
    "truncated": ("was truncated", "were truncated"),
    "paused": ("was paused", "were paused"),
    "failed": ("failed", "failed"),
    "rejected": ("does not replay", "do not replay"),
}
"""Status to its phrase for one match, and for several."""


def split_by_result(records: Iterable[Record]) -> tuple[list[Record], list[Record]]:
    """Split matches into those with and without a result; see `econzoo.envs.core.record.Record.has_result`."""
    both: tuple[list[Record], list[Record]] = [], []
    for record in records:
        both[not record.has_result].append(record)
    return both


def matches_with_result(records: Iterable[Record]) -> list[Record]:
    complete, without = split_by_result(records)
    if without and not complete:
        games = ", ".join(sorted({record.game for record in without}))
        raise ValueError(f"no match of {games} has a result: {describe_no_result(without)[:-1]}")
    return complete


def describe_no_result(records: Iterable[Record]) -> str:
    """Describe matches without a result, as in ``"3 matches were truncated and are left out."``; empty if none."""
    counts = Counter(record.status for record in records)
    return " ".join(
        f"{_count_phrase(status, count)} and {'is' if count == 1 else 'are'} left out."
        for status, count in counts.items()
    )


def _count_phrase(status: str, count: int) -> str:
    return f"{format_count(count, 'match')} {STATUS_PHRASES[status][count > 1]}"


def describe_missing(records: Sequence[Record], matches: int) -> str:
    """Describe the missing matches whose bounds a table shows, out of these and `matches` with a result."""
    if not records:
        return ""
    # A match that has ended is missing only because its record does not replay.
    counts = Counter(one.status if one.status in STATUS_PHRASES else "rejected" for one in records)
    listed = ", ".join(_count_phrase(*one) for one in counts.items())
    return (
        f"{len(records):,} of {format_count(len(records) + matches, 'match')} {'is' if len(records) == 1 else 'are'} "
        f"missing ({listed}): worst and best case count each at the least and at the greatest value of its setting."
    )
