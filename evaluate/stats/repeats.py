"""Repeated matches: where nothing is random, other seeds give the same match and no information."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from econzoo.envs.core import format_count, format_times
from econzoo.envs.core.record import Record


def course_hash(record: Record) -> bytes:
    """Return a hash of a match without its seed: setting, players, moves, payoffs."""
    moves = record.left_out or [(turn.seat, turn.action, turn.error) for turn in record.turns]
    return sha256(repr((pairing(record), record.status, record.payoffs, moves)).encode()).digest()


def pairing(record: Record) -> str:
    """Return what matches that differ only in their seeds share."""
    return repr((record.params, record.options, record.players))


def _count_pairings(records: Iterable[Record]) -> int:
    """Return the number of pairings; only hashes are stored, as there may be many."""
    return len({sha256(pairing(record).encode()).digest() for record in records})


def remove_repeats(
    records: Sequence[Record], courses: Sequence[bytes] | None = None
) -> tuple[list[Record], list[Record]]:
    """Split into one match of each pairing in each setting, and its repeats, if all seeds give the same match.

    If only some pairings repeat, all matches are kept: otherwise these pairings would weigh less than the others.
    """
    first: dict[bytes, Record] = {}
    for record, one in zip(records, map(course_hash, records) if courses is None else courses, strict=True):
        first.setdefault(one, record)
    if len(first) > _count_pairings(records):
        return list(records), []
    kept_ids = {id(record) for record in first.values()}
    return list(first.values()), [record for record in records if id(record) not in kept_ids]


def describe_repeats(records: Sequence[Record], repeats: Sequence[Record], distinct_count: int) -> str:
    """Describe repeats in a sentence; empty if there are none."""
    if repeats:
        most = (len(records) + len(repeats)) / len(records)
        often = f", played {format_times(round(most))} with different seeds" if most == round(most) else ""
        return f"Deterministic: one match each{often}; repetitions are not counted."
    if distinct_count == len(records):
        return ""
    return (
        f"{distinct_count:,} of {format_count(len(records), 'match')} are distinct: without random "
        "moves other seeds repeat the "
        "same match."
    )
