"""Paused matches: stored in a file, and resumed exactly where they stopped.

A paused match is its record so far, with the status ``"paused"``. To resume, the match is set up again from the record
(rules, parameters, options, seed, players), and its turns are replayed: every player gets its recorded observations and
answers again (`Player.recall`), and chance moves are redrawn from the seed. Everything must equal the record; then
players and position are restored. Except for its duration, the final record is the one of an uninterrupted match.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines import Confirm, Player, refuse_address, restrict_connections
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core import write_file
from econzoo.envs.core.contract import Versions, check_arguments, check_file_name, check_path, check_type
from econzoo.envs.core.faces import NO_REPLY_REASONS
from econzoo.envs.core.record import Record, Turn, encode_reply, identity, read_record_file
from econzoo.evaluate.run.disk_records import play_again
from econzoo.evaluate.run.match import seat_players
from econzoo.evaluate.run.replay import Problem, compare_values
from econzoo.evaluate.run.table import EnvPool, Match, MatchTable, new_match

__all__ = ["resume"]

MATCH_SUFFIX = ".match.json"
"""Suffix of files that hold one match each; they are ignored when reading folders of records."""


@check_arguments
def resume(
    paused: Record,
    players: Sequence[str | Player] | None = None,
    connect: Collection[str] = (),
    ask: Confirm = refuse_address,
) -> Record:
    """Resume a paused match.

    Args:
        paused: Record so far.
        players: Replace the recorded specs, for players without a spec or with another address; each must be the
            recorded player.
        connect: Addresses that recorded specs may connect to, and send the key to, besides those of `players`.
        ask: Asked whether to connect to another address; by default the connection is refused. Such an address gets no
            key, unless it is the one that the environment names for the key.

    Returns:
        The record of the whole match, which may be paused again, also by an error, which is then its ``reason``.
            Its ``seconds`` are the sum over all parts.

    Raises:
        ValueError: The match is not paused, or cannot be resumed: another version of the game; a player is unknown,
            answers differently or would connect to an address that is not allowed; a modified record. The message says
            which.
    """
    table = restore_table(paused, players, connect, ask)
    record = table.play()
    # The table has counted only the time since it was restored.
    record.seconds = round(record.seconds + paused.seconds, 6)
    return record


def restore_table(
    paused: Record,
    players: Sequence[str | Player] | None = None,
    connect: Collection[str] = (),
    ask: Confirm = refuse_address,
) -> MatchTable:
    """Return the table of a paused match with its restored state; see `resume`."""
    match = _check_match(check_type("paused", paused, Record, "the Record of a paused match"))
    # Specs in a file may be those of anybody; specs of the caller may connect anywhere.
    with restrict_connections(connect, ask) if players is None else nullcontext():
        seated = seat_players(paused.game, paused.players if players is None else players)
    if list(map(identity, specs := [player.spec for player in seated])) != list(map(identity, paused.players)):
        raise ValueError(f"invalid players {specs}: expected those of the paused match, {paused.players}")
    table = MatchTable(match, seated, EnvPool())
    table.is_recalling = True
    for number, turn in enumerate(paused.turns, start=1):
        _raise_problem(replay_turn(table, number, turn))
    table.is_recalling = False
    _raise_problem(_resume_problems(table, paused))
    # Only now: an error during the replay concerns the file, and is raised.
    table.on_error = "paused"
    return table


def _check_match(paused: Record) -> Match:
    if paused.status != "paused":
        raise ValueError(f"invalid match with status {paused.status}: expected a paused match")
    others = Versions(**paused.versions).differences(find_game(paused.game).versions)
    if others:
        raise ValueError(f"the match of {paused.game} was started with {' and '.join(others)}")
    match = new_match(paused.game, paused.players, paused.seed, **{**paused.params, **paused.options})
    if match.id != paused.id:
        raise ValueError(f"the match has the id {paused.id}, but its contents give {match.id}: it was modified")
    return match


def replay_turn(table: MatchTable, number: int, turn: Turn) -> Iterator[Problem]:
    """Replay a recorded turn, and yield differences; the recorded turn is the one stored.

    Args:
        number: Number of the turn, 1-based.
    """
    if table.is_over or table.seat != turn.seat:
        yield Problem(number, "seat", None if table.is_over else table.seat, turn.seat)
        return
    no_reply = turn.finish in NO_REPLY_REASONS and table.player.recomputes_on_recall  # not received then either
    recall, game = table.player.recall, table.env.game
    reply = turn.reply if no_reply else encode_reply(game, recall(table.observation, table.info, turn))
    if reply != turn.reply:
        yield Problem(number, f"answer of {table.player.spec}", reply, turn.reply)
        return
    table.answer(turn.answer)
    yield from compare_values(number, vars(table.record.turns[-1]), vars(turn))
    # The recorded turn has costs and durations, which a replay does not have.
    table.record.turns[-1] = turn


def compare_progress(table: MatchTable, record: Record) -> Iterator[Problem]:
    """Yield differences from the record, beyond the turns."""
    env, replayed = table.env, table.record
    values: dict[str, Any] = {"rules": replayed.rules, "faces": replayed.faces, "errors": list(env.errors)}
    values |= {"defaults": list(env.defaults), "chance": list(env.chance_draws), "payoffs": list(env.payoffs)}
    values["rulings"] = list(env.rulings) if env.game.referee else None
    yield from compare_values(None, values, vars(record))


def _resume_problems(table: MatchTable, paused: Record) -> Iterator[Problem]:
    yield from compare_progress(table, paused)
    replayed = table.record
    for name in ("personas", "sampled_players"):
        if getattr(paused, name) != getattr(replayed, name):
            yield Problem(None, name, getattr(replayed, name), getattr(paused, name))
    if table.is_over:
        yield Problem(None, "status", "the end of the match", paused.status)


def _raise_problem(problems: Iterator[Problem]) -> None:
    for problem in problems:
        raise ValueError(f"the match cannot be resumed: {problem}")


# Asking the players of a recorded match again
#
# Replay takes every answer as given and checks its consequences. So it cannot detect a consistent forgery: another
# offer in both reply and move, or other programs than those that played. Here every player whose answers follow from
# its seed and observations (scripted and random players, policies, programs in files) is seated and asked again,
# chance moves are redrawn from the seed, and a game with a referee runs the programs again. People and language models
# cannot be asked again; their answers are taken as recorded, and no connection is opened.


class AnswerCheck(NamedTuple):
    """Result of asking the players of a match again.

    Attributes:
        problems: The first answer that differs, or other differences in chance moves or rulings.
        answers: Number of answers that were recomputed.
        skipped_players: Specs of players that were not asked, or the reason.
    """

    problems: list[Problem]
    answers: int = 0
    skipped_players: tuple[str, ...] = ()


class RecordedPlayer(Player):
    """Replays the answers of a player that cannot be asked again."""

    def __init__(self, spec: str, face: str) -> None:
        super().__init__(spec)
        self.face = face  # type: ignore[misc]

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn) -> Any:
        return turn.answer


def ask_again(given: Record | dict[str, Any], pool: EnvPool, recorded: Collection[str] = ()) -> AnswerCheck:
    """Ask the players of a match again, given a record that replays, or its dictionary.

    Args:
        recorded: Specs that are not asked; nothing that they name is opened.
    """
    record = (
        given if isinstance(given, Record) else Record(**{**given, "turns": [Turn(**turn) for turn in given["turns"]]})
    )
    if record.left_out:
        record = play_again(record, turns=True)
    if record.source is not None:
        return AnswerCheck([], skipped_players=("an imported match",))
    players = [
        RecordedPlayer(spec, face) if spec in recorded else _make_player(spec, face, record.game)
        for spec, face in zip(record.players, record.faces, strict=True)
    ]
    left_out = tuple(dict.fromkeys(player.spec for player in players if isinstance(player, RecordedPlayer)))
    asked = {seat for seat, player in enumerate(players) if not isinstance(player, RecordedPlayer)}
    answers = sum(turn.seat in asked for turn in record.turns)
    try:
        return AnswerCheck(_differences(record, seat_players(record.game, players), pool), answers, left_out)
    except Exception as error:  # any error under a modified record is a problem of the record
        found = f"{type(error).__name__}: {error}"
        return AnswerCheck([Problem(None, "players", "that they answer again", found)], answers, left_out)


def _differences(record: Record, players: list[Player], pool: EnvPool) -> list[Problem]:
    match = new_match(record.game, record.players, record.seed, **{**record.params, **record.options})
    table = MatchTable(match, players, pool)
    table.is_recalling = True
    for number, turn in enumerate(record.turns, start=1):
        if problems := list(replay_turn(table, number, turn)):
            # Later answers depend on this one, so that they would differ as a consequence.
            return problems[:1]
    return list(compare_progress(table, record))


def _make_player(spec: str, face: str, game: str) -> Player:
    """Return the player of a spec, or one that replays its answers if it cannot be asked again."""
    try:
        with restrict_connections():  # a record to check may name any address
            player = make_player(spec, game)
    except (ValueError, OSError, ImportError):
        return RecordedPlayer(spec, face)
    return player if player.face == face and player.recomputes_on_recall else RecordedPlayer(spec, face)


def match_file(record: Record, target: Path | None = None) -> Path:
    """Return the target, else a new file in the current folder or, if that is not writable, in the temporary folder."""
    if target is not None:
        return target
    current = Path.cwd()
    folder = current if os.access(current, os.W_OK) else Path(tempfile.gettempdir())
    name, count = check_file_name("match", f"{record.game}-{record.id}"), 1
    while (path := folder / f"{name}{'' if count == 1 else f'-{count}'}{MATCH_SUFFIX}").exists():
        count += 1
    return path


def check_free(path: Path) -> None:
    """Raise `ValueError` if the file exists."""
    if path.exists():
        raise ValueError(f"{path} exists: expected a new file, or resume its match with --resume {path}")
    path.parent.mkdir(parents=True, exist_ok=True)


@check_arguments
def save_match(record: Record, path: Path) -> None:
    """Write the file of one match, atomically."""
    write_file(path, record.to_json() + "\n")


@check_arguments
def read_match(path: str | Path) -> Record:
    """Read the match of a file.

    Raises:
        ValueError: The file holds something other than one match.
        FileNotFoundError: There is no such file.
    """
    path = check_path("path", path)
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}: expected the file of a paused match")
    records = list(read_record_file(path))
    if len(records) != 1:
        raise ValueError(f"{path} holds {len(records)} matches: expected one paused match")
    return records[0]
