"""A player in matches that are played elsewhere: asked by the transcript of its seat, as often as need be."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.player import Player
from econzoo.baselines.seat_json import information_state_of, seat_info_of
from econzoo.envs.core.faces.structured_face import StructuredFace
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game

__all__ = ["ServedPlayer"]

MAX_MATCHES = 10_000
"""Matches that are remembered, the latest ones."""


@dataclass
class MatchSession:
    """A player in a match, and its last answer, for whoever asks once more because it got lost."""

    player: Player
    turn: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply_to(self, messages: list[dict[str, str]], game_params: dict[str, Any]) -> dict[str, Any]:
        """The player's reply, or its move."""
        game, seen = find_game(game_params["game"]), information_state_of(game_params)
        if self.turn == 0:
            self.player.match = game_params["match"]
            self.player.reset(game_params["seat"], seat_info_of(game_params), game_params["seed"])
        face, error = StructuredFace(game, seen.legal), seen.error
        info = {**face.info(seen.legal), "seen": seen, "json_schema": game_params["json_schema"]}
        info |= {"error": error.text, "error_code": error.code, "attempt": game_params["attempt"]} if error else {}
        if self.player.face == "chat":
            return {"response": str(self.player.act({"text": messages[-1]["content"]}, info))}
        move = self.player.act(face.observe(seen), info)
        return {"move": to_plain(game.actions.to_plain(move) if move.__class__ in game.actions.models else move)}


class ServedPlayer:
    """A player in any number of matches at once.

    Args:
        spec: Of the player.

    Raises:
        ValueError: No game knows the player.
    """

    def __init__(self, spec: str) -> None:
        self._default_player, self._player_of_game, self._lock = (
            make_player(spec),
            cache(partial(make_player, spec)),
            threading.Lock(),
        )
        self._sessions: OrderedDict[Any, MatchSession] = OrderedDict()
        self._model = getattr(self._default_player, "model", None)
        # Models behind servers are asked side by side, all other players one at a time.
        self._turns: Any = nullcontext() if hasattr(self._model, "completions") else threading.Lock()

    def respond(self, messages: list[dict[str, str]], game_params: dict[str, Any]) -> dict[str, Any]:
        """The answer to a transcript, and what `econzoo.baselines.seat_json` says beside it.

        Raises:
            ValueError: Something is not allowed, or the match began elsewhere.
        """
        if "observation" not in game_params:  # as GLEE itself asks
            if self._model is None:
                raise ValueError("game_params has no observation; without one only a language model answers")
            with self._turns:
                return {"response": self._model.complete([messages], [None], [len(messages)])[0].text}
        turn = sum(message["role"] == "user" for message in messages)
        sitting = self._find_session(
            (game_params["match"], game_params["seat"], game_params["seed"]), game_params["game"], turn
        )
        with sitting.lock:
            if turn == sitting.turn + 1:
                with self._turns:
                    sitting.answer = sitting.reply_to(messages, game_params)
                sitting.turn = turn
            elif turn != sitting.turn:
                raise ValueError("this server has not seen the beginning of the match; it must be played anew")
            return sitting.answer

    def _find_session(self, key: Any, game: str, turn: int) -> MatchSession:
        with self._lock:
            found = self._sessions.pop(key, None)
            if found is None or (turn == 1 and found.turn > 1):  # the match is played anew
                found = MatchSession(
                    (self._player_of_game(game) if self._model is None else self._default_player).fork()
                )
            self._sessions[key] = found
            if len(self._sessions) > MAX_MATCHES:
                self._sessions.popitem(last=False)
            return found
