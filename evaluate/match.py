"""Plays matches: one, or many at once with the questions to a model asked together."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import LeftTable, Player
from econzoo.envs.core.record import Record
from econzoo.evaluate.table import EnvPool, Match, Table, new_match

CONCURRENT = 32
"""Matches at once when a player can be asked in batches."""


def play_match(game_name: str, players: Sequence[str | Player], seed: int = 0, **params: Any) -> Record:
    """Plays one match; see `econzoo.play`."""
    made = [make_player(p, game_name) for p in players] if not isinstance(players, str) else players
    specs = players if isinstance(made, str) else [p.spec for p in made]
    match = new_match(game_name, specs, seed, **params)
    by_spec = {p.spec: p for p in made if isinstance(p, Player)}
    return next(play_matches([match], by_spec.__getitem__))


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
    matches: Iterable[Match], cast: Callable[[str], Player], concurrent: int = CONCURRENT
) -> Iterator[Record]:
    """Plays matches and yields each record when its match ends.

    Matches whose players can be asked in batches run side by side; the record of a match does not depend on
    which others ran beside it (up to the arithmetic of the model).

    Args:
        matches: What to play.
        cast: The player of each spec.
        concurrent: Matches at once, >= 1.
    """
    pool = EnvPool()
    waiting = iter(matches)
    live: list[Table] = []
    while True:
        live = _fill(live, waiting, cast, pool, concurrent)
        if not live:
            return
        _one_answer_each(live)
        yield from (table.close() for table in live if table.over)
        live = [table for table in live if not table.over]


def _fill(
    live: list[Table], waiting: Iterator[Match], cast: Callable[[str], Player], pool: EnvPool, concurrent: int
) -> list[Table]:
    while len(live) < concurrent:
        match = next(waiting, None)
        if match is None:
            break
        live.append(Table(match, [cast(spec).fork() for spec in match.players], pool))
    return live


def _one_answer_each(live: Sequence[Table]) -> None:
    together: dict[Any, list[Table]] = defaultdict(list)
    for table in live:
        key = table.player.batch_key
        if key is None:
            _ask(table)
        else:
            together[key].append(table)
    for tables in together.values():
        _ask_batch(tables)


def _ask(table: Table) -> None:
    """Asks one player, and goes on while the next one can be asked alone as well."""
    while not table.over and table.player.batch_key is None:
        started = time.perf_counter()
        try:
            reply = table.player.act(table.observation, table.info)
        except LeftTable:
            table.leave()
            return
        table.answer(reply, time.perf_counter() - started)


def _ask_batch(tables: Sequence[Table]) -> None:
    players = [table.player for table in tables]
    started = time.perf_counter()
    replies = type(players[0]).act_batch(players, [t.observation for t in tables], [t.info for t in tables])
    each = (time.perf_counter() - started) / len(tables)
    for table, reply in zip(tables, replies, strict=True):
        table.answer(reply, each)
