"""HTTP server of a player, by GLEE's player protocol; `econzoo.baselines.http_player` is the client."""

from __future__ import annotations

from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from econzoo.baselines import BudgetSpentError, ModelError
from econzoo.envs.core.contract import check_arguments, clean, parse_json
from econzoo.evaluate.adapters.served_player import ServedPlayer

__all__ = ["player_app"]

CALLS = 64
"""Requests that are answered at once."""

# Clients repeat a request after a status of 500 or more, but not after these others.
STATUS = {ModelError: 503, BudgetSpentError: 503, ValueError: 400, LookupError: 400, TypeError: 400}


@check_arguments
def player_app(spec: str, raw: bool = False) -> Starlette:
    """Create the server of a player, an ASGI application that answers ``POST /chat``.

    It checks nobody: `econzoo serve player` puts it behind its front door.

    Args:
        spec: Player.
        raw: Whether a language model also answers GLEE's own requests, which may ask it anything.

    Raises:
        ValueError: Unknown player.
    """
    guest, calls = ServedPlayer(spec, raw), CapacityLimiter(CALLS)

    async def chat(request: Request) -> Response:
        try:
            # Browsers do not send this type to another origin without its consent.
            if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
                raise ValueError("expected POST /chat with Content-Type: application/json")
            asked = parse_json((await request.body()).decode())
            arguments: Any = asked["messages"], asked.get("game_params") or {}
            return JSONResponse(await to_thread.run_sync(guest.respond, *arguments, limiter=calls))
        except Exception as error:
            status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
            return JSONResponse({"error": clean(f"{type(error).__name__}: {error}")}, status)

    return Starlette(routes=[Route("/chat", chat, methods=["POST"])])
