"""Paused matches: kept in a file, and played on exactly where they were.

A paused match is its record so far, with the status ``"paused"``. To go on, the match is set up again from the record
(rules, parameters, options, seed, players), and its turns are gone through once more: every player gets what it saw
then and answers again (`Player.recall`), and nature draws again from the seed. Everything must come out as it is in
the record; then players and position are as they were, and the match goes on. Its final record is the one that it
would have had without a pause, but for the time it took.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from econzoo.baselines.models.connections import Confirm, refuse_address, restrict_connections
from econzoo.baselines.player import Player
from econzoo.envs.core.contract.validation import check_file_name, check_path, check_type
from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.faces.finish import NO_REPLY_REASONS
from econzoo.envs.core.faces.replies import encode_reply
from econzoo.envs.core.files import write_file
from econzoo.envs.core.record.record import Record, Turn, read_record_file
from econzoo.envs.core.record.spec import identity
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import play_tables, seat_players
from econzoo.evaluate.run.replay import Problem, compare_values
from econzoo.evaluate.run.table import EnvPool, Match, MatchTable, new_match

__all__ = ["match_file", "read_match", "resume", "save_match"]

SUFFIX = ".match.json"
"""How the names of files end that hold one match each; folders of records are not searched for them."""


def resume(
    paused: Record,
    players: Sequence[str | Player] | None = None,
    connect: Collection[str] = (),
    ask: Confirm = refuse_address,
) -> Record:
    """Plays a paused match on.

    Args:
        paused: Its record so far.
        players: In place of the recorded specs, for players that no spec can make, or that are reached otherwise now;
            each must be the recorded player.
        connect: Addresses that recorded specs may connect to, and send the key to, besides those of `players`.
        ask: Whether they may connect to another address, asked before anything is sent to it; by default they may not.
            Such an address gets no key, unless it is the one that the environment names for the key.

    Returns:
        The record of the whole match, which may have been paused once more, by an error too, which is its ``reason``.
            Its ``seconds`` are those of all parts.

    Raises:
        ValueError: The match is not paused, or cannot go on as it was: another version of the game, a player that is
            unknown, answers otherwise or would connect to an address that is not allowed, a record that was changed.
            The message says which.
    """
    table = restore_table(paused, players, connect, ask)
    record = next(play_tables(iter([table])))
    record.seconds = round(record.seconds + paused.seconds, 6)
    return record


def restore_table(
    paused: Record,
    players: Sequence[str | Player] | None = None,
    connect: Collection[str] = (),
    ask: Confirm = refuse_address,
) -> MatchTable:
    """The table of a paused match, with everybody and everything as it was; see `resume`."""
    match = _check_match(check_type("paused", paused, Record, "the Record of a paused match"))
    with restrict_connections(connect, ask) if players is None else nullcontext():
        seated = seat_players(paused.game, paused.players if players is None else players)
    if list(map(identity, specs := [player.spec for player in seated])) != list(map(identity, paused.players)):
        raise ValueError(f"the players are {specs}; allowed: those of the paused match, {paused.players}")
    table = MatchTable(match, seated, EnvPool())
    table.is_recalling = True
    for number, turn in enumerate(paused.turns, start=1):
        _raise_problem(replay_turn(table, number, turn))
    table.is_recalling = False
    _raise_problem(_resume_problems(table, paused))
    table.on_error = "paused"
    return table


def _check_match(paused: Record) -> Match:
    if paused.status != "paused":
        raise ValueError(f"the match is {paused.status}; allowed: one that is paused")
    others = Versions.from_record(vars(paused)).differences(find_game(paused.game).versions)
    if others:
        raise ValueError(f"the match of {paused.game} was begun with {' and '.join(others)}")
    match = new_match(paused.game, paused.players, paused.seed, **{**paused.params, **paused.options})
    if match.id != paused.id:
        raise ValueError(f"the match has the id {paused.id}, but what it says gives {match.id}: it was changed")
    return match


def replay_turn(table: MatchTable, number: int, turn: Turn) -> Iterator[Problem]:
    """Plays a recorded turn again, and yields what is not as recorded; the turn that stays is the recorded one.

    Args:
        table: Where the match has come to this turn.
        number: Of the turn, 1-based.
        turn: As recorded, with what it took then.
    """
    if table.is_over or table.seat != turn.seat:
        yield Problem(number, "seat", None if table.is_over else table.seat, turn.seat)
        return
    unheard = turn.finish in NO_REPLY_REASONS and table.player.recomputes_on_recall  # nobody heard it then either
    recall, game = table.player.recall, table.env.game
    reply = turn.reply if unheard else encode_reply(game, recall(table.observation, table.info, turn))
    if reply != turn.reply:
        yield Problem(number, f"answer of {table.player.spec}", reply, turn.reply)
        return
    table.answer(turn.answer)
    yield from compare_values(number, vars(table.record.turns[-1]), vars(turn))
    table.record.turns[-1] = turn


def compare_progress(table: MatchTable, record: Record) -> Iterator[Problem]:
    """What does not come out as recorded, beyond the turns."""
    env, told = table.env, table.record
    now: dict[str, Any] = {"rules": told.rules, "faces": told.faces, "errors": list(env.errors)}
    now |= {"defaults": list(env.defaults), "chance": list(env.chance_draws), "payoffs": list(env.payoffs)}
    now["rulings"] = list(env.rulings) if env.game.referee else None
    yield from compare_values(None, now, vars(record))


def _resume_problems(table: MatchTable, paused: Record) -> Iterator[Problem]:
    yield from compare_progress(table, paused)
    told = table.record
    for name in ("personas", "drawn"):
        if getattr(paused, name) not in (None, getattr(told, name)):
            yield Problem(None, name, getattr(told, name), getattr(paused, name))
    if table.is_over:
        yield Problem(None, "status", "an end of the match", paused.status)


def _raise_problem(problems: Iterator[Problem]) -> None:
    for problem in problems:
        raise ValueError(f"the match cannot go on as it was: {problem}")


# Files


def match_file(record: Record, target: Path | None = None) -> Path:
    """Where to keep a match: as wanted, else a new file in the current folder, or where temporary files are."""
    if target is not None:
        return target
    here = Path.cwd()
    folder = here if os.access(here, os.W_OK) else Path(tempfile.gettempdir())
    name, count = check_file_name("match", f"{record.game}-{record.id}"), 1
    while (path := folder / f"{name}{'' if count == 1 else f'-{count}'}{SUFFIX}").exists():
        count += 1
    return path


def check_free(path: Path) -> None:
    """Raises `ValueError` if a match cannot be kept there because something is there already."""
    if path.exists():
        raise ValueError(f"{path} exists; allowed: a new file, or go on with the match in it: --resume {path}")
    path.parent.mkdir(parents=True, exist_ok=True)


def save_match(record: Record, path: Path) -> None:
    """Writes the file of one match, whole or not at all."""
    write_file(path, record.to_json() + "\n")


def read_match(path: str | Path) -> Record:
    """The match of a file.

    Raises:
        ValueError: The file holds something else than one match.
        FileNotFoundError: There is none.
    """
    path = check_path("path", path)
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}; allowed: the file of a paused match")
    records = list(read_record_file(path))
    if len(records) != 1:
        raise ValueError(f"{path} holds {len(records)} matches; allowed: the file of one paused match")
    return records[0]
