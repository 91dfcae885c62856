"""Matches that differ in nothing but their seed: played one after the other, or once where the seed changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from econzoo.evaluate.table import Match


class Series(NamedTuple):
    """The same players in the same market.

    Attributes:
        match: All but the seed.
        seeds: In the order in which they are played.
    """

    match: Match
    seeds: tuple[int, ...]

    def matches(self) -> Iterator[Match]:
        """Its matches, one by one."""
        return (self.match._replace(seed=seed) for seed in self.seeds)


def gathered(matches: Iterable[Match]) -> list[Series]:
    """Matches as series, market by market, so that an environment serves many of them as it is."""
    markets: dict[tuple[int, int], dict[tuple[str, ...], tuple[Match, list[int]]]] = {}
    for match in matches:
        # Matches of a plan share the dictionaries of their market. Where they do not, there are only more series.
        found = markets.setdefault((id(match.params), id(match.options)), {})
        found.setdefault(match.players, (match, []))[1].append(match.seed)
    return [Series(match, tuple(seeds)) for found in markets.values() for match, seeds in found.values()]


def chunks(series: Iterable[Series], size: int) -> Iterator[list[Series]]:
    """Series in lists of so many matches (the last one of fewer), in order; long series are cut."""
    chunk: list[Series] = []
    room = size
    for match, seeds in series:
        rest = seeds
        while rest:
            chunk.append(Series(match, rest[:room]))
            room, rest = room - len(chunk[-1].seeds), rest[room:]
            if not room:
                yield chunk
                chunk, room = [], size
    if chunk:
        yield chunk
