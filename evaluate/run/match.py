"""Plays matches: one, many at once with the questions to a model asked together, or scripted players in series."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import FAULTS, EnvPool, Match, Table, new_match

__all__ = ["Cast", "play_match", "play_matches"]

CONCURRENT = 32
"""Matches at once when a player can be asked in batches."""


Seated = tuple[Match, list[Player]]
"""A match and the players in its seats, who sit nowhere else."""


def play_match(game_name: str, players: Sequence[str | Player], /, seed: int = 0, **params: Any) -> Record:
    """Plays one match; see `econzoo.play`."""
    if not isinstance(players, list | tuple):
        raise ValueError(f"players={players!r} is not allowed; allowed: a list with one spec or Player for each seat")
    seated = seat_players(game_name, players)
    match = new_match(game_name, [p.spec for p in seated], seed, **params)
    return next(play_seated(iter([(match, seated)])))


def seat_players(game_name: str, players: Sequence[str | Player]) -> list[Player]:
    """A player for each seat from specs and players; one that takes several seats gets a self for each."""
    made = [make_player(p, game_name) for p in players]
    return [p.fork() if any(p is other for other in made[:i]) else p for i, p in enumerate(made)]


class Cast:
    """Players by spec: made once, forked for every seat.

    Args:
        game_name: The game they play.
    """

    def __init__(self, game_name: str) -> None:
        self._game = game_name
        self._made: dict[str, Player] = {}

    def __call__(self, spec: str) -> Player:
        """The player of a spec; not to be seated itself."""
        if spec not in self._made:
            self._made[spec] = make_player(spec, self._game)
        return self._made[spec]


def play_matches(
    matches: Iterable[Match],
    cast: Callable[[str], Player],
    concurrent: int = CONCURRENT,
    pool: EnvPool | None = None,
    on_error: str = "",
) -> Iterator[Record]:
    """Plays matches and yields each record when its match ends.

    Matches whose players can be asked in batches run side by side; the record of a match does not depend on
    which others ran beside it (up to the arithmetic of the model).

    Args:
        matches: What to play.
        cast: The player of each spec.
        concurrent: Matches at once, >= 1.
        pool: Where environments come from; None: a new one.
        on_error: The status of a match that an error ends, ``"failed"`` or ``"paused"``; empty: the error is raised.
    """
    seated = ((match, [cast(spec).fork() for spec in match.players]) for match in matches)
    yield from play_seated(seated, concurrent, pool, on_error)


def play_seated(
    seated: Iterator[Seated], concurrent: int = CONCURRENT, pool: EnvPool | None = None, on_error: str = ""
) -> Iterator[Record]:
    """Plays matches with players that sit already; see `play_matches`."""
    shared = pool or EnvPool()
    tables = (Table(match, players, shared, on_error=on_error) for match, players in seated)
    yield from play_tables(tables, concurrent)


def play_tables(tables: Iterator[Table], concurrent: int = CONCURRENT) -> Iterator[Record]:
    """Plays matches that have begun or are about to; see `play_matches`."""
    live: list[Table] = []
    while True:
        while len(live) < concurrent and (next_one := next(tables, None)) is not None:
            live.append(next_one)
        if not live:
            return
        _one_answer_each(live)
        yield from (table.close() for table in live if table.over)
        live = [table for table in live if not table.over]


def _one_answer_each(live: Sequence[Table]) -> None:
    for table in live:
        _ask(table)
    together: dict[Any, list[Table]] = defaultdict(list)
    for table in live:
        if not table.over:
            together[table.player.batch_key].append(table)
    for tables in together.values():
        _ask_batch(tables)


def _ask(table: Table) -> None:
    """Asks the players that are asked alone, until the match is over or another one is to act."""
    while not table.over and table.player.batch_key is None:
        table.ask()


def _ask_batch(tables: Sequence[Table]) -> None:
    players = [table.player for table in tables]
    started = time.perf_counter()
    try:
        replies = type(players[0]).act_batch(players, [t.observation for t in tables], [t.info for t in tables])
    except FAULTS as error:  # nobody knows whose it is
        replies = [error] * len(tables)
    each = (time.perf_counter() - started) / len(tables)
    for table, reply in zip(tables, replies, strict=True):
        table.answer(reply, each)


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
        # Matches of a design share the dictionaries of their market. Where they do not, there are only more series.
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
