"""Plays matches: one, or many at once with the questions to a model asked together."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import FAULTS, EnvPool, Match, MatchTable, new_match

__all__ = ["PlayerCache", "play_match", "play_matches"]

CONCURRENT = 32
"""Matches at once when a player can be asked in batches."""


SeatedMatch = tuple[Match, list[Player]]
"""A match and the players in its seats, who sit nowhere else."""


def play_match(game_name: str, players: Sequence[str | Player], /, seed: int = 0, **params: Any) -> Record:
    """Plays one match; see `econzoo.play`."""
    if not isinstance(players, list | tuple):
        raise ValueError(f"invalid players={players!r}: expected a list with one spec or Player for each seat")
    seated = seat_players(game_name, players)
    match = new_match(game_name, [p.spec for p in seated], seed, **params)
    return next(play_seated_matches(iter([(match, seated)])))


def seat_players(game_name: str, players: Sequence[str | Player]) -> list[Player]:
    """A player for each seat from specs and players; one that takes several seats gets a self for each."""
    made = [make_player(p, game_name) for p in players]
    return [p.fork() if any(p is other for other in made[:i]) else p for i, p in enumerate(made)]


class PlayerCache:
    """Players by spec: made once, forked for every seat.

    Args:
        game_name: The game they play.
    """

    def __init__(self, game_name: str) -> None:
        self._game = game_name
        self._players: dict[str, Player] = {}

    def __call__(self, spec: str) -> Player:
        """The player of a spec; not to be seated itself."""
        if spec not in self._players:
            self._players[spec] = make_player(spec, self._game)
        return self._players[spec]


def play_matches(
    matches: Iterable[Match],
    player_of: Callable[[str], Player],
    concurrent: int = CONCURRENT,
    pool: EnvPool | None = None,
    on_error: str = "",
) -> Iterator[Record]:
    """Plays matches and yields each record when its match ends.

    Matches whose players can be asked in batches run side by side; the record of a match does not depend on
    which others ran beside it (up to the arithmetic of the model).

    Args:
        matches: What to play.
        player_of: The player of each spec.
        concurrent: Matches at once, >= 1.
        pool: Where environments come from; None: a new one.
        on_error: The status of a match that an error ends, ``"failed"`` or ``"paused"``; empty: the error is raised.
    """
    seated = ((match, [player_of(spec).fork() for spec in match.players]) for match in matches)
    yield from play_seated_matches(seated, concurrent, pool, on_error)


def play_seated_matches(
    seated: Iterator[SeatedMatch], concurrent: int = CONCURRENT, pool: EnvPool | None = None, on_error: str = ""
) -> Iterator[Record]:
    """Plays matches with players that sit already; see `play_matches`."""
    shared = pool or EnvPool()
    tables = (MatchTable(match, players, shared, on_error=on_error) for match, players in seated)
    yield from play_tables(tables, concurrent)


def play_tables(tables: Iterator[MatchTable], concurrent: int = CONCURRENT) -> Iterator[Record]:
    """Plays matches that have begun or are about to; see `play_matches`."""
    for over in step_tables(tables, concurrent):
        yield from (table.close() for table in over)


def step_tables(tables: Iterator[MatchTable], concurrent: int) -> Iterator[list[MatchTable]]:
    """Plays matches side by side and yields, after one answer in each of them, those that are over; often none."""
    live: list[MatchTable] = []
    while True:
        while len(live) < concurrent and (next_one := next(tables, None)) is not None:
            live.append(next_one)
        if not live:
            return
        _ask_each_once(live)
        yield [table for table in live if table.is_over]
        live = [table for table in live if not table.is_over]


def _ask_each_once(live: Sequence[MatchTable]) -> None:
    for table in live:
        _ask(table)
    together: dict[Any, list[MatchTable]] = defaultdict(list)
    for table in live:
        if not table.is_over:
            together[table.player.batch_key].append(table)
    for tables in together.values():
        _ask_batch(tables)


def _ask(table: MatchTable) -> None:
    """Asks the players that are asked alone, until the match is over or another one is to act."""
    while not table.is_over and table.player.batch_key is None:
        table.ask()


def _ask_batch(tables: Sequence[MatchTable]) -> None:
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
"""Seconds after which what scripted players have played is handed on, however little it is."""


def group_by_setting(matches: Iterable[Match]) -> list[Match]:
    """Matches market by market, and in these by players, so that an environment serves many of them as it is."""
    markets: dict[tuple[int, int], dict[tuple[str, ...], list[Match]]] = {}
    for match in matches:
        # Matches of a design share the dictionaries of their market. Where they do not, it only takes longer.
        markets.setdefault((id(match.params), id(match.options)), {}).setdefault(match.players, []).append(match)
    return [match for players in markets.values() for found in players.values() for match in found]


def chunks(matches: Sequence[Match], size: int) -> Iterator[Sequence[Match]]:
    """Matches in lists of so many, the last one of fewer, in order."""
    return (matches[start : start + size] for start in range(0, len(matches), size))


def has_no_batched_player(match: Match, player_of: Callable[[str], Player]) -> bool:
    """Whether no player of the match is one that is asked in batches."""
    return all(player_of(spec).batch_key is None for spec in match.players)


class EndedMatches(NamedTuple):
    """What has come to its end.

    Attributes:
        matches: In the order in which they came to it.
        lines: Their records as JSON. Of matches that differ in their seeds alone, where the seed changes nothing, one
            is played; if that one fails it stands for itself, and the others are still to be played.
    """

    matches: list[Match]
    lines: list[str]


def play_together(
    matches: Sequence[Match], player_of: Callable[[str], Player], concurrent: int = 1, pool: EnvPool | None = None
) -> Iterator[EndedMatches]:
    """Plays matches side by side and yields, after one answer in each of them, what has come to its end; often nothing.

    Args:
        matches: What to play, each when it is its turn.
        player_of: The player of each spec.
        concurrent: Matches at once.
        pool: Where environments come from; None: a new one.
    """
    todo: list[Match] = []
    alike: dict[tuple[int, int, tuple[str, ...]], list[Match]] = {}
    for match in matches:
        if is_seed_independent(match, player_of):
            alike.setdefault(_match_key(match), []).append(match)
            if len(alike[_match_key(match)]) > 1:
                continue
        todo.append(match)
    shared = pool or EnvPool()
    seated = ((match, [player_of(spec).fork() for spec in match.players]) for match in todo)
    tables = (MatchTable(match, players, shared, on_error="failed") for match, players in seated)
    for over in step_tables(tables, concurrent):
        ended = EndedMatches([], [])
        for table in over:
            record, same = table.close(), alike.get(_match_key(table.match))
            copied = record.lines_with_seeds(one.seed for one in same) if same and record.status != "failed" else None
            ended.lines.extend(copied or [record.to_json()])
            ended.matches.extend(same or [table.match])
        yield ended


def play_for_seconds(played: Iterator[EndedMatches], seconds: float) -> EndedMatches:
    """What comes to its end in so many seconds, with one answer in each match at least."""
    found, until = EndedMatches([], []), time.monotonic() + seconds
    for matches, lines in played:
        found.matches.extend(matches)
        found.lines.extend(lines)
        if time.monotonic() >= until:
            break
    return found


def _match_key(match: Match) -> tuple[int, int, tuple[str, ...]]:
    """What matches that differ in their seeds alone have in common."""
    return id(match.params), id(match.options), match.players


def is_seed_independent(match: Match, player_of: Callable[[str], Player]) -> bool:
    """Whether the match comes out the same with every seed.

    So it is where nature does not move, words are not disturbed by chance, and every player says of itself that it is
    a function of what it observes (`Player.deterministic`).
    """
    by_chance = find_game(match.game).facts.chance or "channel" in match.options
    return not by_chance and all(player_of(spec).deterministic for spec in match.players)
