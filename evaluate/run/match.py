"""Playing matches: one, or many whose calls of models are made in parallel or in batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from econzoo.baselines import Need, Pending, Player, Scheduler, Task
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record
from econzoo.evaluate.run.table import FAULTS, EnvPool, Match, MatchTable, new_match

__all__ = ["PlayerCache", "play_match", "play_matches"]

LARGEST_BATCH = 32
"""Largest batch of players of this process, unless their `Player.concurrency` is higher."""


def play_match(game_name: str, players: Sequence[str | Player], /, seed: int = 0, **params: Any) -> Record:
    """Play one match; see `econzoo.play`."""
    if not isinstance(players, list | tuple):
        raise ValueError(f"invalid players={players!r}: expected a list with one spec or Player per seat")
    seated = seat_players(game_name, players)
    match = new_match(game_name, [p.spec for p in seated], seed, **params)
    return MatchTable(match, seated, EnvPool()).play()


def seat_players(game_name: str, players: Sequence[str | Player]) -> list[Player]:
    """Return a player per seat from specs and players; a player with several seats is forked for each."""
    seated = [make_player(p, game_name) for p in players]
    # A player keeps the state of one seat.
    return [p.fork() if any(p is other for other in seated[:i]) else p for i, p in enumerate(seated)]


def calls_at_once(player: Player) -> int:
    """Return how many calls of a player are made, or answered in a batch, at once."""
    return player.concurrency if player.is_served else max(LARGEST_BATCH, player.concurrency)


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
    alone: bool = False,
) -> Iterator[Record]:
    """Play matches and yield each record when its match ends.

    Matches whose players wait for models go on side by side; the record of a match does not depend on the others (up to
    the arithmetic of a model in this process).

    Args:
        matches: The matches.
        player_of: Returns the player of a spec.
        concurrent: Calls of each model at once, >= 1: requests of a served one, the batch of one in this process;
            None: see `calls_at_once`.
        pool: Environment pool; None: a new one.
        on_error: Status of a match after an error, ``"failed"`` or ``"paused"``; empty: the error is raised.
        alone: Whether one match is played after the other.
    """
    for over in step_matches(matches, player_of, concurrent, pool, on_error, alone):
        yield from (table.close() for table in over)


def step_matches(
    matches: Iterable[Match],
    player_of: Callable[[str], Player],
    concurrent: int | None,
    pool: EnvPool | None = None,
    on_error: str = "",
    alone: bool = False,
) -> Iterator[list[MatchTable]]:
    """Play matches and yield, after every step, the tables of those that are over; see `play_matches`."""
    shared = pool or EnvPool()

    def seat(match: Match) -> MatchTable:
        # Players are forked and matches set up only when the match begins.
        return MatchTable(match, [player_of(spec).fork() for spec in match.players], shared, on_error=on_error)

    pending = (Pending(_limits(match, player_of), partial(_play, partial(seat, match))) for match in matches)
    for ended in Scheduler(pending, concurrent, alone).run():
        yield [table for _, table in ended]


def _limits(match: Match, player_of: Callable[[str], Player]) -> Mapping[Any, Callable[[], int]]:
    players = map(player_of, dict.fromkeys(match.players))
    return {one.call_key: partial(calls_at_once, one) for one in players if one.call_key is not None}


def _play(seat: Callable[[], MatchTable]) -> Task[MatchTable]:
    """Play a match, and return its table when it is over."""
    table = seat()
    while not table.is_over:
        player = table.player
        task = player.act_in_steps(table.observation, table.info)
        if task is not None:
            try:
                reply = yield from task
            except FAULTS as error:
                reply = error
            table.answer(reply)
        elif player.batch_key is None:
            table.ask()
        else:
            reply, seconds = yield Need(player.call_key, table, batch=_ask_batch)
            table.answer(reply, seconds)
    return table


def _ask_batch(tables: Sequence[MatchTable]) -> Iterator[tuple[int, tuple[Any, float]]]:
    players = [table.player for table in tables]
    started = time.perf_counter()
    try:
        replies = type(players[0]).act_batch(players, [t.observation for t in tables], [t.info for t in tables])
    except FAULTS as error:  # which match caused it is unknown
        replies = [error] * len(tables)
    each = (time.perf_counter() - started) / len(tables)  # for players without calls of their own (`Usage.seconds`)
    for at, (_, reply) in enumerate(zip(tables, replies, strict=True)):
        yield at, (reply, each)


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
    matches: Sequence[Match],
    player_of: Callable[[str], Player],
    concurrent: int | None = None,
    pool: EnvPool | None = None,
    alone: bool = False,
) -> Iterator[EndedMatches]:
    """Play matches and yield, after every step, the matches that have ended; see `step_matches`.

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
    for over in step_matches(todo, player_of, concurrent, pool, "failed", alone):
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
    """Return the matches that end in this many seconds, with at least one step."""
    found, until = EndedMatches([], []), time.monotonic() + seconds
    for matches, lines in played:
        found.matches.extend(matches)
        found.lines.extend(lines)
        # Time is checked after a step, so that every call makes progress.
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
