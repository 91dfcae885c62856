"""The access log: what was asked for, when, and how it ended; no secret, no address of a visitor, nothing typed.

Links are secrets here, so a line has the pattern of the path and not the path: ``GET /p/{token}/events``. What no page
answers may be a mistyped link, and is left out too.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute, Match

NOWHERE = "(no page)"

TERMINAL = "-"
"""In place of a file: standard error."""

Line = Callable[[str], None]


def log_of(wanted: str) -> Line | None:
    """What writes the lines; None: nothing was wanted.

    Args:
        wanted: A file, to which lines are added, `TERMINAL`, or nothing.

    Raises:
        OSError: The file cannot be written.
    """
    if not wanted:
        return None
    if wanted == TERMINAL:
        return lambda line: print(line, file=sys.stderr, flush=True)
    Path(wanted).parent.mkdir(parents=True, exist_ok=True)
    file = open(wanted, "a", encoding="utf-8", buffering=1)  # noqa: SIM115 (open as long as the server runs)
    return lambda line: print(line, file=file)


class AccessLog:
    """Writes a line when the answer to a request begins: streams last.

    Args:
        app: What answers.
        write: Takes a line.
    """

    def __init__(self, app: Any, write: Line) -> None:
        self._app, self._write = app, write

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, where = time.monotonic(), pattern(scope)  # now: who answers may change the scope

        async def told(message: Any) -> None:
            if message["type"] == "http.response.start":
                took, at = time.monotonic() - began, datetime.now(UTC).isoformat(timespec="seconds")
                self._write(f"{at} {scope['method']} {where} {message['status']} {1000 * took:.0f} ms")
            await send(message)

        await self._app(scope, receive, told)


def pattern(scope: Any) -> str:
    """The pattern of the path that a request asks for."""
    found: list[BaseRoute] = [one for one in scope["app"].routes if one.matches(scope)[0] != Match.NONE]
    return str(getattr(found[0], "path", NOWHERE)) if found else NOWHERE
