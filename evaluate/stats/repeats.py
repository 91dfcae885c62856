"""Matches that are others again: where nobody draws anything, other seeds bring the same match and tell nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from econzoo.envs.core.plurals import format_count, format_times
from econzoo.envs.core.record.record import Record


def course_hash(record: Record) -> bytes:
    """A hash of all that makes a match but its seed: setting, players, moves, payoffs."""
    moves = [(turn.seat, turn.action, turn.error) for turn in record.turns]
    return sha256(repr((_pairing(record), record.status, record.payoffs, moves)).encode()).digest()


def _pairing(record: Record) -> str:
    return repr((record.params, record.options, record.players))


def _count_pairings(records: Iterable[Record]) -> int:
    """How many there are; in memory are their hashes, as there may be many."""
    return len({sha256(_pairing(record).encode()).digest() for record in records})


def remove_repeats(
    records: Sequence[Record], courses: Sequence[bytes] | None = None
) -> tuple[list[Record], list[Record]]:
    """One match of each pairing in each setting where all seeds bring the same, and the others; else all, and none.

    Where only some pairings repeat themselves all matches stay: else these would count less than the others.

    Args:
        records: The matches.
        courses: The `course` of each, if that is known.
    """
    first: dict[bytes, Record] = {}
    for record, one in zip(records, map(course_hash, records) if courses is None else courses, strict=True):
        first.setdefault(one, record)
    if len(first) > _count_pairings(records):
        return list(records), []
    kept = {id(record) for record in first.values()}
    return list(first.values()), [record for record in records if id(record) not in kept]


def describe_repeats(records: Sequence[Record], repeats: Sequence[Record], distinct_count: int) -> str:
    """What is to be known of repeats, in a sentence; nothing where there are none.

    Args:
        records: That count.
        repeats: That do not.
        distinct_count: How many courses the records have.
    """
    if repeats:
        most = (len(records) + len(repeats)) / len(records)
        often = f", played {format_times(round(most))} with different seeds" if most == round(most) else ""
        return f"Deterministic: one match each{often}; repetitions are not counted."
    if distinct_count == len(records):
        return ""
    return (
        f"Of {format_count(len(records), 'match')} {distinct_count:,} differ: where nobody draws "
        "anything, other seeds repeat the "
        "same match and tell nothing."
    )
