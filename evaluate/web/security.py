"""What keeps a page to itself: headers, the origin of what is posted, how much may be posted, who may be a player."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

from econzoo.baselines.factory import PREFIXES, in_game

HEADERS = {
    "content-security-policy": "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Of every answer: nothing from elsewhere, no script in a page, no address of a seat given away."""

LARGEST = 200_000
"""Bytes that a form may have."""

MOST_FIELDS = 300

LOCAL = ("127.0.0.1", "localhost", "::1")
"""Names of this machine for itself."""


class SecureHeaders:
    """Puts `HEADERS` on every answer.

    Args:
        app: What answers.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request."""

        async def told(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *own]}
            await send(message)

        await self._app(scope, receive, told)


async def posted(request: Request) -> dict[str, str]:
    """What a form of these pages has sent.

    Raises:
        HTTPException: It comes from another site, or is too large.
    """
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
        origin not in (None, "null") and urlsplit(origin).netloc != request.headers.get("host")
    ):
        raise HTTPException(403, "This form was sent from another site.")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST:
            raise HTTPException(413, f"That is too long; at most {LARGEST:,} bytes can be sent.")
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise HTTPException(400, f"These are too many fields; at most {MOST_FIELDS} can be sent.") from None


def check_player(spec: str, game: str, offered: Sequence[str]) -> str:
    """A player that a stranger may choose: scripts without files, models and addresses, or one that is offered.

    Raises:
        ValueError: It is another one.
    """
    spec = spec.strip()
    if spec in offered or not _REACHING.search(spec):
        return spec
    names = ", ".join(offered) or "none"
    raise ValueError(f"player {spec[:80]!r} is not offered here; {in_game(game)}; offered by --player: {names}")


_REACHING = re.compile(rf"\b({'|'.join(map(re.escape, PREFIXES))})\s*:")
"""A model, a file or an address, in whatever place of a spec."""
