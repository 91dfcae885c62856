"""Playing matches: one, or many in parallel with batched calls of models."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from econzoo.baselines import Player
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.run.table import FAULTS, EnvPool, Match, MatchTable, new_match

__all__ = ["PlayerCache", "play_match", "play_matches"]

CONCURRENT = 32
"""Parallel matches of players that support batches, unless their `Player.concurrency` needs more."""

OPEN_PER_CALL = 2
"""Open matches per call that a player answers at once, since in half of them the other seat is to act."""


SeatedMatch = tuple[Match, list[Player]]
"""A match and the players in its seats, which are in no other match."""


def play_match(game_name: str, players: Sequence[str | Player], /, seed: int = 0, **params: Any) -> Record:
    """Play one match; see `econzoo.play`."""
    if not isinstance(players, list | tuple):
        raise ValueError(f"invalid players={players!r}: expected a list with one spec or Player per seat")
    seated = seat_players(game_name, players)
    match = new_match(game_name, [p.spec for p in seated], seed, **params)
    return next(play_seated_matches(iter([(match, seated)])))


def seat_players(game_name: str, players: Sequence[str | Player]) -> list[Player]:
    """Return a player per seat from specs and players; a player with several seats is forked for each."""
    seated = [make_player(p, game_name) for p in players]
    # A player keeps the state of one seat.
    return [p.fork() if any(p is other for other in seated[:i]) else p for i, p in enumerate(seated)]


def open_matches(players: Iterable[Player], least: int = CONCURRENT) -> int:
    """Return how many matches to play in parallel so that each player has as many calls as it answers at once."""
    return max([least, *(OPEN_PER_CALL * one.concurrency for one in players)])


class PlayerCache:
    """Players by spec: created once, forked for every seat.

    Args:
        game_name: Name of their game.
    """

    def __init__(self, game_name: str) -> None:
        self._game = game_name
        self._players: dict[str, Player] = {}

    def __call__(self, spec: str) -> Player:
        """Return the player of a spec, to be forked rather than seated."""
        if spec not in self._players:
            # Players may hold a model, which is loaded once; forks share it.
            self._players[spec] = make_player(spec, self._game)
        return self._players[spec]


def play_matches(
    matches: Iterable[Match],
    player_of: Callable[[str], Player],
    concurrent: int | None = None,
    pool: EnvPool | None = None,
    on_error: str = "",
) -> Iterator[Record]:
    """Play matches and yield each record when its match ends.

    Matches of players that support batches run in parallel; the record of a match does not depend on the others (up to
    the model's arithmetic).

    Args:
        matches: The matches.
        player_of: Returns the player of a spec.
        concurrent: Parallel matches, >= 1; None: see `open_matches`.
        pool: Environment pool; None: a new one.
        on_error: Status of a match after an error, ``"failed"`` or ``"paused"``; empty: the error is raised.
    """
    # Generators: players are forked and matches set up only when there is room for the match.
    seated = ((match, [player_of(spec).fork() for spec in match.players]) for match in matches)
    yield from play_seated_matches(seated, concurrent, pool, on_error)


def play_seated_matches(
    seated: Iterator[SeatedMatch], concurrent: int | None = None, pool: EnvPool | None = None, on_error: str = ""
) -> Iterator[Record]:
    """Play matches with seated players; see `play_matches`."""
    shared = pool or EnvPool()
    tables = (MatchTable(match, players, shared, on_error=on_error) for match, players in seated)
    yield from play_tables(tables, concurrent)


def play_tables(tables: Iterator[MatchTable], concurrent: int | None = None) -> Iterator[Record]:
    """Play matches that have started or are about to; see `play_matches`."""
    for over in step_tables(tables, concurrent):
        yield from (table.close() for table in over)


def step_tables(tables: Iterator[MatchTable], concurrent: int | None) -> Iterator[list[MatchTable]]:
    """Play matches in parallel and yield, after one answer in each, those that are over; often none."""
    live: list[MatchTable] = []
    most = concurrent or CONCURRENT
    while True:
        while len(live) < most and (next_one := next(tables, None)) is not None:
            live.append(next_one)
            # The players of later matches are not known ahead, so the number of open matches grows with each of them.
            most = concurrent or open_matches(next_one.players, most)
        if not live:
            return
        _ask_each_once(live)
        yield [table for table in live if table.is_over]
        live = [table for table in live if not table.is_over]


def _ask_each_once(live: Sequence[MatchTable]) -> None:
    # First every match proceeds to the turn of a batched player, so that one batch has as many of them as possible.
    for table in live:
        _ask(table)
    together: dict[Any, list[MatchTable]] = defaultdict(list)
    for table in live:
        if not table.is_over:
            together[table.player.batch_key].append(table)
    for tables in together.values():
        _ask_batch(tables)


def _ask(table: MatchTable) -> None:
    """Ask players without batches until the match is over or a batched player is to act."""
    while not table.is_over and table.player.batch_key is None:
        table.ask()


def _ask_batch(tables: Sequence[MatchTable]) -> None:
    players = [table.player for table in tables]
    started = time.perf_counter()
    try:
        replies = type(players[0]).act_batch(players, [t.observation for t in tables], [t.info for t in tables])
    except FAULTS as error:  # which match caused it is unknown
        replies = [error] * len(tables)
    each = (time.perf_counter() - started) / len(tables)  # for players without calls of their own (`Usage.seconds`)
    for table, reply in zip(tables, replies, strict=True):
        table.answer(reply, each)


CHUNK = 32
"""Matches that a process gets at a time, and records that are written together."""

PATIENCE = 1.0
"""Seconds after which records of scripted matches are written, even if few."""


def group_by_setting(matches: Iterable[Match]) -> list[Match]:
    """Sort matches by setting, then by players, so that environments can be reused."""
    by_setting: dict[tuple[int, int], dict[tuple[str, ...], list[Match]]] = {}
    for match in matches:
        # Matches of a design share their setting's dictionaries. If not, this is only slower.
        by_setting.setdefault((id(match.params), id(match.options)), {}).setdefault(match.players, []).append(match)
    return [match for players in by_setting.values() for found in players.values() for match in found]


def chunks(matches: Sequence[Match], size: int) -> Iterator[Sequence[Match]]:
    """Split matches into lists of this size; the last may be shorter."""
    return (matches[start : start + size] for start in range(0, len(matches), size))


def has_no_batched_player(match: Match, player_of: Callable[[str], Player]) -> bool:
    """Whether no player of the match supports batches."""
    return all(player_of(spec).batch_key is None for spec in match.players)


class EndedMatches(NamedTuple):
    """Matches in the order in which they ended, and their records as JSON; see `play_together`."""

    matches: list[Match]
    lines: list[str]


def play_together(
    matches: Sequence[Match], player_of: Callable[[str], Player], concurrent: int = 1, pool: EnvPool | None = None
) -> Iterator[EndedMatches]:
    """Play matches in parallel and yield, after one answer in each, the matches that have ended; often none.

    Of seed-independent matches that differ only in the seed, one is played and its record copied.
    """
    todo: list[Match] = []
    alike: dict[tuple[int, int, tuple[str, ...]], list[Match]] = {}
    for match in matches:
        # Such matches wait for the first of their kind, which is played for all of them.
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
            # A failure may have a passing cause, so it is not copied: the other seeds have no record and are played by
            # the next run.
            copied = record.lines_with_seeds(one.seed for one in same) if same and record.status != "failed" else None
            ended.lines.extend(copied or [record.to_json()])
            ended.matches.extend(same or [table.match])
        yield ended


def play_for_seconds(played: Iterator[EndedMatches], seconds: float) -> EndedMatches:
    """Return the matches that end in this many seconds, with at least one answer in each match."""
    found, until = EndedMatches([], []), time.monotonic() + seconds
    for matches, lines in played:
        found.matches.extend(matches)
        found.lines.extend(lines)
        # Time is checked after an answer of each match, so that every call makes progress.
        if time.monotonic() >= until:
            break
    return found


def _match_key(match: Match) -> tuple[int, int, tuple[str, ...]]:
    """Return what matches that differ only in the seed share."""
    # Dictionaries are not hashable. Their identities are unique while the matches that hold them are alive.
    return id(match.params), id(match.options), match.players


def is_seed_independent(match: Match, player_of: Callable[[str], Player]) -> bool:
    """Whether the match is the same with every seed.

    True without chance moves and channel noise, if every player is a function of its observations
    (`Player.deterministic`).
    """
    by_chance = find_game(match.game).facts.chance or "channel" in match.options
    return not by_chance and all(player_of(spec).deterministic for spec in match.players)
