"""Matches of scripted players in series: what is the same about them is done once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from econzoo.baselines.player import Player
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import play_matches
from econzoo.evaluate.run.table import EnvPool, Match

CHUNK = 32
"""Matches that a process is given at a time, and records that are handed on together."""

PATIENCE = 1.0
"""Seconds after which what a single process has played is handed on, however little it is."""


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

    def after(self, matches: int) -> Series:
        """What is left of it after so many matches."""
        return self._replace(seeds=self.seeds[matches:])


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


def plays_alone(match: Match, cast: Callable[[str], Player]) -> bool:
    """Whether no player of the match is one that is asked in batches."""
    return all(cast(spec).batch_key is None for spec in match.players)


def in_time(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines, `CHUNK` at a time, or fewer where they take longer than `PATIENCE`."""
    held: list[str] = []
    since = time.monotonic()
    for line in lines:
        held.append(line)
        if len(held) == CHUNK or time.monotonic() - since > PATIENCE:
            yield held
            held, since = [], time.monotonic()
    if held:
        yield held


def play_series(series: Sequence[Series], cast: Callable[[str], Player], pool: EnvPool) -> Iterator[str]:
    """Plays series and yields the records as JSON lines.

    Args:
        series: None with a player that is asked in batches.
        cast: The player of each spec.
        pool: Where environments come from.
    """
    for one in series:
        if seed_changes_nothing(one.match, cast):
            (record,) = play_matches([next(one.matches())], cast, 1, pool, on_error="failed")
            # One that failed stands for itself: the others are still to be played.
            yield from record.with_seeds(one.seeds) if record.status != "failed" else [record.to_json()]
        else:
            played = play_matches(one.matches(), cast, 1, pool, on_error="failed")
            yield from (record.to_json() for record in played)


def play_together(matches: Sequence[Match], cast: Callable[[str], Player], concurrent: int) -> Iterator[str]:
    """Plays matches side by side, each when it is its turn, and yields the records as JSON lines.

    Args:
        matches: What to play. Where the seed changes nothing, one match is played for all seeds.
        cast: The player of each spec.
        concurrent: Matches at once.
    """
    todo: list[Match] = []
    firsts: dict[tuple[int, int, tuple[str, ...]], tuple[str, list[int]]] = {}
    for match in matches:
        key = id(match.params), id(match.options), match.players
        if key in firsts:
            firsts[key][1].append(match.seed)
            continue
        if seed_changes_nothing(match, cast):
            firsts[key] = match.id, [match.seed]
        todo.append(match)
    seeds = dict(firsts.values())
    for record in play_matches(todo, cast, concurrent, on_error="failed"):
        repeated = record.status != "failed" and record.id in seeds
        yield from record.with_seeds(seeds[record.id]) if repeated else [record.to_json()]


def seed_changes_nothing(match: Match, cast: Callable[[str], Player]) -> bool:
    """Whether the match comes out the same with every seed.

    So it is where nature does not move, words are not disturbed by chance, and every player says of itself that it is
    a function of what it observes (`Player.deterministic`).
    """
    by_chance = find_game(match.game).facts.chance or "channel" in match.options
    return not by_chance and all(cast(spec).deterministic for spec in match.players)
