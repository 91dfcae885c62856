"""Games for any assistant that speaks the Model Context Protocol: tools to begin a match, read, move, see the result.

from econzoo.evaluate.adapters.mcp import mcp_server

mcp_server("bargaining", opponents=["fair"]).run("stdio")
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from anyio import CapacityLimiter, to_thread
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BeforeValidator, WithJsonSchema

from econzoo.evaluate.adapters.one_seat import OneSeat, SeatObservation

__all__ = ["mcp_server"]

RESULT_FIELDS = ("payoff", "errors", "defaults", "seat", "match_seed")
"""What the result says of the own seat; what others were paid may be what it was not allowed to know."""

PLAY = (
    "Play a match of {game} with the tools of this server. Call begin_match, read what it says, and answer with "
    "make_move until the match is over; then call see_result and say how it went. Earn as much as you can."
)

Answer = Annotated[
    str,  # alone, or the library would read JSON in a text before we do
    BeforeValidator(lambda move: json.dumps(move) if isinstance(move, dict) else move),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "object"}]}),
]


class ClientSession:
    """The matches of one client, one after the other."""

    def __init__(self, seat: OneSeat) -> None:
        self.seat, self._one_at_a_time = seat, CapacityLimiter(1)
        self._position: SeatObservation | None = None

    async def run_call(self, call: Callable[..., SeatObservation], *given: Any) -> str:
        """What the client reads after a call; in a thread, as the other players may take long."""
        self._position = told = await to_thread.run_sync(call, *given, limiter=self._one_at_a_time)
        return f"{told.text}\n\nThe match is over; see_result says how it ended." if told.is_over else told.text

    @property
    def position(self) -> SeatObservation:
        """What it has heard last."""
        if self._position is None:
            raise ValueError("No match has begun: call begin_match first.")
        return self._position


class Tools:
    """What a client can do, each with matches of its own."""

    def __init__(self, table: OneSeat) -> None:
        self._table = table
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
        told = self._find_session(ctx).position
        if not told.is_over:
            raise ValueError("The match is not over yet: it has no result.")
        own = {name: told.info[name] for name in RESULT_FIELDS if name in told.info}
        return {"reward": told.reward, "forfeited": told.info["forfeited"] == told.info["seat"], **own}


def mcp_server(
    game: str, opponents: Sequence[str] = ("random",), seat: int = 0, port: int = 8000, **params: Any
) -> FastMCP:
    """The server of a game, whose ``run("stdio")`` or ``run("streamable-http")`` serves.

    Args:
        game: Name.
        opponents: See `OneSeat`.
        seat: Of a client, unless it begins a match in another one.
        port: Where it listens if it is run as ``"streamable-http"``: under ``/mcp``, on this machine.
        **params: Parameters of the game and options of the environment.

    Raises:
        ValueError: A name or a value is not allowed, or the opponents cannot take the other seats.
    """
    table, asked = OneSeat(game, opponents, seat, params), PLAY.format(game=game)
    tools = Tools(table)
    # The library tells every client that leaves as an error, at length; what goes wrong in a tool its client reads.
    server = FastMCP(f"econzoo {game}", asked, port=port, log_level="CRITICAL")
    for tool in (tools.begin_match, tools.read_position, tools.make_move):
        server.add_tool(tool, structured_output=False)  # which would say every text twice
    server.add_tool(tools.see_result)
    server.resource("econzoo://rules/{seat}")(table.rules)
    server.prompt("play_a_match", description="How to play a match with these tools")(lambda: asked)
    return server
