"""Answer replay: the players of a recorded match are asked again, and must answer as recorded.

Replay takes every answer as given and checks its consequences. So it cannot detect a consistent forgery: another offer
in both reply and move, or other programs than those that played. Here every player whose answers follow from its seed
and observations (scripted and random players, policies, programs in files) is seated and asked again, chance moves are
redrawn from the seed, and a game with a referee runs the programs again. People and language models cannot be asked
again; their answers are taken as recorded, and no connection is opened.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.baselines.calls import restrict_connections
from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import seat_players
from econzoo.evaluate.run.replay import Problem
from econzoo.evaluate.run.resuming import compare_progress, replay_turn
from econzoo.evaluate.run.table import EnvPool, MatchTable, new_match


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
        """Return the recorded answer."""
        return turn.answer


def ask_again(record_fields: dict[str, Any], pool: EnvPool) -> AnswerCheck:
    """Ask the players of a match again.

    Args:
        record_fields: Dictionary of a record that replays.
        pool: Environment pool.
    """
    record = Record(**{**record_fields, "turns": [Turn(**turn) for turn in record_fields["turns"]]})
    if record.source is not None:
        return AnswerCheck([], skipped_players=("an imported match",))
    if Versions.from_record(record_fields).differences(find_game(record.game).versions):
        return AnswerCheck([], skipped_players=("a match of another version",))
    players = [_make_player(spec, face, record.game) for spec, face in zip(record.players, record.faces, strict=True)]
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
            return problems[:1]
    return list(compare_progress(table, record))


def _make_player(spec: str, face: str, game: str) -> Player:
    """Return the player of a spec, or one that replays its answers if it cannot be asked again."""
    try:
        with restrict_connections():
            player = make_player(spec, game)
    except (ValueError, OSError, ImportError):
        return RecordedPlayer(spec, face)
    return player if player.face == face and player.recomputes_on_recall else RecordedPlayer(spec, face)
