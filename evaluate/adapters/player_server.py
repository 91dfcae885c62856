"""Any player behind an address, by GLEE's HTTP player protocol: answers what `econzoo.baselines.http_player` asks."""

from __future__ import annotations

import hmac
import json
import os
import threading
from collections import OrderedDict
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.http_player import KEY
from econzoo.baselines.models.chat import ModelError
from econzoo.baselines.models.purse import SpentError
from econzoo.baselines.player import Player
from econzoo.baselines.seat_json import info_of, seen_of
from econzoo.envs.core.contract.validation import clean, from_json
from econzoo.envs.core.faces.structured_face import StructuredFace
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game

__all__ = ["player_server"]

MATCHES, LARGEST = 10_000, 10_000_000
"""Matches that are remembered, the latest ones, and bytes of a request."""


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


class Host:
    """A player in any number of matches at once."""

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


STATUS = {PermissionError: 401, ModelError: 503, SpentError: 503, ValueError: 400, LookupError: 400, TypeError: 400}


class Handler(BaseHTTPRequestHandler):
    """One request: ``POST /chat``."""

    host: Host
    protocol_version, timeout = "HTTP/1.1", 60

    def do_POST(self) -> None:
        """Answers it."""
        try:
            asked, status = self._asked(), 200
            told = self.host.respond(asked["messages"], asked.get("game_params") or {})
        except Exception as error:
            status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
            told = {"error": clean(f"{type(error).__name__}: {error}")}
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # who asked may have given up
            self.end_headers()
            self.wfile.write(body)

    def _asked(self) -> Any:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), LARGEST))
        key, given = os.environ.get(KEY, ""), self.headers.get("X-API-Key") or ""
        if key and not hmac.compare_digest(key.encode(), given.encode()):
            raise PermissionError("X-API-Key is not the key of this server")
        # A page in a browser cannot send this type to a server that does not invite it.
        if self.path != "/chat" or self.headers.get_content_type() != "application/json":
            raise ValueError("allowed: POST /chat with Content-Type: application/json")
        return from_json(body.decode())

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: a match has many requests."""


class Server(ThreadingHTTPServer):
    """Takes as many at once as a run asks for."""

    request_queue_size = 128


def player_server(spec: str, port: int = 8000, host: str = "127.0.0.1") -> ThreadingHTTPServer:
    """A server of a player; ``serve_forever()`` serves. Port 0 is any that is free.

    Raises:
        ValueError: No game knows the player.
        OSError: The port is taken.
    """
    return Server((host, port), type("PlayerHandler", (Handler,), {"host": Host(spec)}))
