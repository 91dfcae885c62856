"""A bad day of a server: every way in which a call can go wrong, at chosen calls; and what it has been paid for."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from local_server import Answer, LocalServer, error, reply
from strict_answers import fitting_answer

PATIENCE = 1.0
"""Seconds that the players of these tests wait for an answer."""

FAULTS: dict[str, Answer] = {
    "cut": replace(reply("I offer"), sent=0.5),
    "400": error(400, "this content is refused by our filter"),
    "401": error(401, "invalid key"),
    "404": error(404, "no such model"),
    "500": error(500, "oops"),
    "slow": replace(reply("late"), delay=1.5 * PATIENCE),
    "garbage": Answer(body=b"\x00\xff{{{"),
    "no choices": Answer(body={"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": []}),
    "wrong content type": Answer(body=b"<html>Sign in</html>", headers={"Content-Type": "text/html"}),
    "dropped": Answer(sent=-1),
}
"""What gives no reply at all, so that the match fails, once the server has replied."""

EMPTY = reply("")
"""A reply, which is paid and no move."""


class BadDay(LocalServer):
    """Answers each request with a move that its schema allows and its seed draws, but for the calls that go wrong.

    Args:
        faults: Number of a call, from 1, to what becomes of it.

    Attributes:
        calls: How many there were.
        paid: Request to how often it was answered with a reply.
    """

    def __init__(self, faults: Mapping[int, Answer] | Callable[[int], Answer | None]) -> None:
        super().__init__(judge=self._answer)
        self._faults = faults if callable(faults) else faults.get
        self._counting = threading.Lock()
        self.calls = 0
        self.paid: Counter[str] = Counter()

    @property
    def spec(self) -> str:
        """A player that asks this server, one call after the other, and never twice."""
        return f"openai:m@{self.url}?max_retries=0&timeout={PATIENCE}&concurrency=1"

    def _answer(self, request: dict[str, Any]) -> Answer:
        with self._counting:
            self.calls += 1
            fault = self._faults(self.calls)
        if fault in FAULTS.values():
            assert fault is not None
            return fault
        self.paid[json.dumps([request["messages"], request["seed"]])] += 1
        return fault or reply(self.said(request))

    @staticmethod
    def said(request: dict[str, Any]) -> str:
        """A legal answer, a function of the request."""
        rng = np.random.default_rng(request["seed"])
        if "response_format" not in request:
            return "```python\ndef strategy_function(a, b, c, d):\n    return 'C'\n```"
        return json.dumps(fitting_answer(request["response_format"]["json_schema"]["schema"], rng))
