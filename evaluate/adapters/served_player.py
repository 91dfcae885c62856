"""A player in remote matches, queried with the transcript of its seat; repeated queries are idempotent."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from econzoo.baselines import Player, information_state_of, seat_info_of
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.faces import StructuredFace

__all__ = ["ServedPlayer"]

MAX_MATCHES = 10_000
"""Maximum number of remembered matches."""


@dataclass
class MatchSession:
    """A player in a match, with its last answer for repeated requests."""

    player: Player
    turn: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply_to(self, messages: list[dict[str, str]], game_params: dict[str, Any]) -> dict[str, Any]:
        """Return the player's reply or move."""
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
    """A player in any number of concurrent matches; a `raw` language model also answers GLEE's own requests."""

    def __init__(self, spec: str, raw: bool = False) -> None:
        self._default_player, self._player_of_game, self._lock = (
            make_player(spec),
            cache(partial(make_player, spec)),
            threading.Lock(),
        )
        self._sessions: OrderedDict[Any, MatchSession] = OrderedDict()
        self._model, self._raw = getattr(self._default_player, "model", None), raw
        # Hosted models are queried concurrently, all other players one at a time.
        self._turns: Any = nullcontext() if hasattr(self._model, "answer") else threading.Lock()

    def respond(self, messages: list[dict[str, str]], game_params: dict[str, Any]) -> dict[str, Any]:
        """Answer a transcript with the game parameters of `econzoo.baselines.seat_json`."""
        if "observation" not in game_params:  # GLEE's own requests
            if self._model is None or not self._raw:
                raise ValueError("missing observation in game_params: only a language model with --raw needs none")
            with self._turns:
                return {"response": self._model.complete([messages], [None], [len(messages)])[0].text}
        turn = sum(message["role"] == "user" for message in messages)
        session = self._find_session(
            (game_params["match"], game_params["seat"], game_params["seed"]), game_params["game"], turn
        )
        with session.lock:
            # A client repeats a request whose response was lost: it gets the same answer, and the player acts once.
            if turn == session.turn + 1:
                with self._turns:
                    session.answer = session.reply_to(messages, game_params)
                session.turn = turn
            elif turn != session.turn:
                raise ValueError(f"unexpected turn {turn} after {session.turn}: the match must be restarted")
            return session.answer

    def _find_session(self, key: Any, game: str, turn: int) -> MatchSession:
        with self._lock:
            # Removed and added again, so that the session that was used longest ago comes first and is forgotten first.
            found = self._sessions.pop(key, None)
            if found is None or (turn == 1 and found.turn > 1):  # the match was restarted
                found = MatchSession(
                    (self._player_of_game(game) if self._model is None else self._default_player).fork()
                )
            self._sessions[key] = found
            if len(self._sessions) > MAX_MATCHES:
                self._sessions.popitem(last=False)
            return found
