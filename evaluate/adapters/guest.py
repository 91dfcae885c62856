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
from econzoo.baselines.seat_json import info_of, seen_of
from econzoo.envs.core.faces.structured_face import StructuredFace
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game

__all__ = ["Guest"]

MATCHES = 10_000
"""Matches that are remembered, the latest ones."""


@dataclass
class Sitting:
    """A player in a match, and its last answer, for whoever asks once more because it got lost."""

    player: Player
    turn: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def hear(self, messages: list[dict[str, str]], told: dict[str, Any]) -> dict[str, Any]:
        """The player's reply, or its move."""
        game, seen = find_game(told["game"]), seen_of(told)
        if self.turn == 0:
            self.player.match = told["match"]
            self.player.reset(told["seat"], info_of(told), told["seed"])
        face, error = StructuredFace(game, seen.legal), seen.error
        info = {**face.info(seen.legal), "seen": seen, "json_schema": told["json_schema"]}
        info |= {"error": error.text, "error_code": error.code, "attempt": told["attempt"]} if error else {}
        if self.player.face == "chat":
            return {"response": str(self.player.act({"text": messages[-1]["content"]}, info))}
        move = self.player.act(face.observe(seen), info)
        return {"move": plain(game.actions.plain(move) if move.__class__ in game.actions.models else move)}


class Guest:
    """A player in any number of matches at once.

    Args:
        spec: Of the player.

    Raises:
        ValueError: No game knows the player.
    """

    def __init__(self, spec: str) -> None:
        self._any, self._of, self._lock = make_player(spec), cache(partial(make_player, spec)), threading.Lock()
        self._sittings: OrderedDict[Any, Sitting] = OrderedDict()
        self._model = getattr(self._any, "model", None)
        # Models behind servers are asked side by side, all other players one at a time.
        self._turns: Any = nullcontext() if hasattr(self._model, "completions") else threading.Lock()

    def respond(self, messages: list[dict[str, str]], told: dict[str, Any]) -> dict[str, Any]:
        """The answer to a transcript, and what `econzoo.baselines.seat_json` says beside it.

        Raises:
            ValueError: Something is not allowed, or the match began elsewhere.
        """
        if "observation" not in told:  # as GLEE itself asks
            if self._model is None:
                raise ValueError("game_params has no observation; without one only a language model answers")
            with self._turns:
                return {"response": self._model.complete([messages], [None], [len(messages)])[0].text}
        turn = sum(message["role"] == "user" for message in messages)
        sitting = self._sitting((told["match"], told["seat"], told["seed"]), told["game"], turn)
        with sitting.lock:
            if turn == sitting.turn + 1:
                with self._turns:
                    sitting.answer = sitting.hear(messages, told)
                sitting.turn = turn
            elif turn != sitting.turn:
                raise ValueError("this server has not seen the beginning of the match; it must be played anew")
            return sitting.answer

    def _sitting(self, key: Any, game: str, turn: int) -> Sitting:
        with self._lock:
            found = self._sittings.pop(key, None)
            if found is None or (turn == 1 and found.turn > 1):  # the match is played anew
                found = Sitting((self._of(game) if self._model is None else self._any).fork())
            self._sittings[key] = found
            if len(self._sittings) > MATCHES:
                self._sittings.popitem(last=False)
            return found
