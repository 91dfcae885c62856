"""``econzoo serve openenv``, ``mcp`` and ``player``: games and players as network services."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass, field
from typing import Annotated, Any

from econzoo.baselines import KEY, refuse_people
from econzoo.envs.command_line import command, key_values
from econzoo.envs.core import require_libraries
from econzoo.envs.core.contract import Flag, Integer, ListOf, Option, Text, check_options
from econzoo.evaluate.run import PARAM, SPECS, add_budget_options, count_previous_costs

PORT = Integer(0, 65_535)


@dataclass
class SeatOptions:
    """Options of a game in which clients take one seat.

    Raises:
        ValueError: An invalid value.
    """

    game: Annotated[str, Option(Text(), "Name of the game.", positional=True)]
    opponents: Annotated[
        list[str],
        Option(ListOf(Text(), 1), "Opponent in the other seats (repeatable; sampled per seat and match)."),
    ] = field(default_factory=lambda: ["random"])
    seat: Annotated[int, Option(Integer(0, 99), "Default seat of a client.")] = 0
    param: Annotated[list[str], Option(ListOf(Text()), PARAM, letter="-p")] = field(default_factory=list)
    port: Annotated[int, Option(PORT, "Local port (0 = any free port).")] = 8000

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def server_arguments(self) -> dict[str, Any]:
        """Keyword arguments of a server."""
        return {"game": self.game, "opponents": self.opponents, "seat": self.seat, **key_values(self.param)}


@dataclass
class OpenEnvOptions(SeatOptions):
    """Serve a game as an OpenEnv environment, for up to 16 concurrent clients.

    Examples: econzoo serve openenv bargaining | econzoo serve openenv negotiation --opponents anchor --seat 1
    """


def serve_openenv(options: OpenEnvOptions) -> None:
    """Serve until interrupted."""
    require_libraries("serve openenv", "openenv", "uvicorn", extra="openenv")
    from econzoo.evaluate.adapters import openenv_app

    count_previous_costs(None, options.opponents)
    _listen(openenv_app(**options.server_arguments), options.port)


def _listen(app: Any, port: int, host: str = "127.0.0.1", key: str = "", path: str = "") -> None:
    """Serve an application behind the front door, and print its address."""
    from econzoo.evaluate.serving import FrontDoor, listen, local_rules

    guarded = FrontDoor(app, local_rules(host, key))
    listen(guarded, host, port, lambda url: print(f"{url}{path}", flush=True))


@dataclass
class McpOptions(SeatOptions):
    """Serve a game over the Model Context Protocol (MCP), on standard input and output.

    Examples: econzoo serve mcp bargaining --opponents fair | econzoo serve mcp matrix --http --port 8000
    """

    http: Annotated[bool, Option(Flag(), "Serve over HTTP at http://127.0.0.1:PORT/mcp instead.")] = False


def serve_mcp(options: McpOptions) -> None:
    """Serve until interrupted, or until the client disconnects."""
    require_libraries("serve mcp", "mcp", extra="mcp")
    from econzoo.evaluate.adapters import mcp_app, mcp_server

    count_previous_costs(None, options.opponents)
    server = mcp_server(**options.server_arguments)
    if options.http:
        _listen(mcp_app(server), options.port, path="/mcp")
    else:
        server.run("stdio")


@dataclass
class PlayerOptions:
    """Serve a player over GLEE's HTTP player protocol; remote matches use it as http://HOST:PORT.

    Examples: econzoo serve player 'boulware(0.2)' | econzoo serve player openai:gpt-5-mini --port 8001
    """

    player: Annotated[str, Option(Text(), f"Player: {SPECS}.", positional=True)]
    port: Annotated[int, Option(PORT, "Port (0 = any free port).")] = 8000
    host: Annotated[str, Option(Text(), "Bind address (0.0.0.0 = all interfaces, which needs a key).")] = "127.0.0.1"
    raw: Annotated[
        bool, Option(Flag(), "A language model also answers GLEE's own requests, which may ask it anything.")
    ] = False

    def __post_init__(self) -> None:
        check_options(self)


def serve_player(options: PlayerOptions) -> None:
    """Serve until interrupted."""
    require_libraries("serve player", "starlette", "uvicorn", extra="web")
    from econzoo.evaluate.adapters import player_app
    from econzoo.evaluate.serving import LOCAL_NAMES

    refuse_people([options.player], "serve player")
    count_previous_costs(None, [options.player])
    key = os.environ.get(KEY, "")
    if not key and options.host not in LOCAL_NAMES:
        key = secrets.token_urlsafe(18)
        print(f"Where the matches run: export {KEY}={key}", file=sys.stderr, flush=True)
    _listen(player_app(options.player, options.raw), options.port, options.host, key)


openenv = add_budget_options(command(OpenEnvOptions, serve_openenv))
mcp = add_budget_options(command(McpOptions, serve_mcp))
player = add_budget_options(command(PlayerOptions, serve_player))
