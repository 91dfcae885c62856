"""Games over the Model Context Protocol: tools to begin a match, read, move and see the result.

Example: ``mcp_server("bargaining", opponents=["fair"]).run("stdio")``. `mcp_app` is the server over HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from anyio import CapacityLimiter, to_thread
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BeforeValidator, WithJsonSchema
from starlette.applications import Starlette

from econzoo.envs.core.contract import check_arguments
from econzoo.evaluate.adapters.one_seat import IDLE_SECONDS, OneSeat, SeatObservation

__all__ = ["mcp_app", "mcp_server"]

MAX_SESSIONS = 300
"""Maximum number of concurrent clients over HTTP."""

RESULT_FIELDS = ("payoff", "errors", "defaults", "seat", "match_seed")
"""Fields of the client's own result; payoffs of others may be private information."""

PLAY = (
    "Play a match of {game} with the tools of this server. Call begin_match, read what it says, and answer with "
    "make_move until the match is over; then call see_result and say how it went. Earn as much as you can."
)

Answer = Annotated[
    str,  # only text, or the library would parse JSON first
    BeforeValidator(lambda move: json.dumps(move) if isinstance(move, dict) else move),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]}),
]


class ClientSession:
    """Successive matches of one client."""

    def __init__(self, seat: OneSeat) -> None:
        # Calls of one client may arrive together, but a match takes one answer at a time.
        self.seat, self._one_at_a_time = seat, CapacityLimiter(1)
        self._position: SeatObservation | None = None

    async def run_call(self, call: Callable[..., SeatObservation], *given: Any) -> str:
        """Run a call in a thread (other players may be slow) and return the client's text."""
        self._position = seen = await to_thread.run_sync(call, *given, limiter=self._one_at_a_time)
        return f"{seen.text}\n\nThe match is over; see_result says how it ended." if seen.is_over else seen.text

    @property
    def position(self) -> SeatObservation:
        """Last observation."""
        if self._position is None:
            raise ValueError("No match has begun: call begin_match first.")
        return self._position


class Tools:
    """Tools of the server; every client has its own matches."""

    def __init__(self, table: OneSeat) -> None:
        self._table = table
        # Weak, so that the matches of a client end with its session.
        self._sessions: WeakKeyDictionary[Any, ClientSession] = WeakKeyDictionary()

    def _find_session(self, ctx: Context) -> ClientSession:
        if ctx.session not in self._sessions:
            self._sessions[ctx.session] = ClientSession(self._table.fork())
        return self._sessions[ctx.session]

    async def begin_match(self, ctx: Context, seed: int | None = None, seat: int | None = None) -> str:
        """Begin a match; the same seed and seat (0, 1, ...) give the same one. Returns rules and what is asked."""
        own = self._find_session(ctx)
        return await own.run_call(own.seat.begin, seed, seat)

    async def read_position(self, ctx: Context) -> str:
        """Read again all that your seat may know now: the rules, what happened, and what is asked."""
        return self._find_session(ctx).position.text

    async def make_move(self, ctx: Context, move: Answer) -> str:
        """Answer with a JSON object as the position asks for it. Returns the next position, or what was wrong."""
        own = self._find_session(ctx)
        if own.position.is_over:
            raise ValueError("The match is over: see_result says how it ended, begin_match begins another.")
        return await own.run_call(own.seat.answer, move)

    async def see_result(self, ctx: Context) -> dict[str, Any]:
        """See your payoff in the game's unit, your reward, whether you forfeited, and the seed of the match."""
        seen = self._find_session(ctx).position
        if not seen.is_over:
            raise ValueError("The match is not over yet: it has no result.")
        own = {name: seen.info[name] for name in RESULT_FIELDS if name in seen.info}
        return {"reward": seen.reward, "forfeited": seen.info["forfeited"] == seen.info["seat"], **own}


@check_arguments
def mcp_app(server: FastMCP) -> Starlette:
    """Return a server as an ASGI application with path ``/mcp``, behind the front door of `econzoo serve mcp`."""
    app = server.streamable_http_app()
    server.session_manager.session_idle_timeout, server.session_manager.max_sessions = IDLE_SECONDS, MAX_SESSIONS
    return app


@check_arguments
def mcp_server(game: str, opponents: Sequence[str] = ("random",), seat: int = 0, **params: Any) -> FastMCP:
    """Create the MCP server of a game; start it with ``run("stdio")``, or see `mcp_app`.

    Args:
        game: Name of the game.
        opponents: See `OneSeat`.
        seat: Default seat of a client.
        **params: Game parameters and environment options.

    Raises:
        ValueError: An invalid name or value, or opponents that cannot take the other seats.
    """
    table, instructions = OneSeat(game, opponents, seat, params), PLAY.format(game=game)
    tools = Tools(table)
    # The library logs every disconnecting client as an error; errors of tools are returned to the client.
    server = FastMCP(f"econzoo {game}", instructions, log_level="CRITICAL")
    for tool in (tools.begin_match, tools.read_position, tools.make_move):
        server.add_tool(tool, structured_output=False)  # structured output would repeat every text
    server.add_tool(tools.see_result)
    server.resource("econzoo://rules/{seat}")(table.rules)
    server.prompt("play_a_match", description="How to play a match with these tools")(lambda: instructions)
    return server
