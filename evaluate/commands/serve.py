"""``econzoo serve openenv``, ``mcp`` and ``player``: games and players as network services."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any

from econzoo.baselines import refuse_people
from econzoo.envs.command_line import command, key_values
from econzoo.envs.core import require_libraries
from econzoo.envs.core.contract import Flag, Integer, ListOf, Option, Text, check_options
from econzoo.evaluate.adapters import player_server
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
    import uvicorn

    from econzoo.evaluate.adapters import openenv_app

    count_previous_costs(None, options.opponents)
    app = openenv_app(**options.server_arguments)
    # Bound here, so that the address is known and printed before the server starts, also with port 0.
    with socket.create_server(("127.0.0.1", options.port)) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)).run(sockets=[listening])


@dataclass
class McpOptions(SeatOptions):
    """Serve a game over the Model Context Protocol (MCP), on standard input and output.

    Examples: econzoo serve mcp bargaining --opponents fair | econzoo serve mcp matrix --http --port 8000
    """

    http: Annotated[bool, Option(Flag(), "Serve over HTTP at http://127.0.0.1:PORT/mcp instead.")] = False


def serve_mcp(options: McpOptions) -> None:
    """Serve until interrupted, or until the client disconnects."""
    require_libraries("serve mcp", "mcp", extra="mcp")
    from econzoo.evaluate.adapters import mcp_server

    count_previous_costs(None, options.opponents)
    mcp_server(**options.server_arguments, port=options.port).run("streamable-http" if options.http else "stdio")


@dataclass
class PlayerOptions:
    """Serve a player over GLEE's HTTP player protocol; remote matches use it as http://HOST:PORT.

    Examples: econzoo serve player 'boulware(0.2)' | econzoo serve player openai:gpt-5-mini --port 8001
    """

    player: Annotated[str, Option(Text(), f"Player: {SPECS}.", positional=True)]
    port: Annotated[int, Option(PORT, "Port (0 = any free port).")] = 8000
    host: Annotated[str, Option(Text(), "Bind address (0.0.0.0 = all interfaces).")] = "127.0.0.1"

    def __post_init__(self) -> None:
        check_options(self)


def serve_player(options: PlayerOptions) -> None:
    """Serve until interrupted."""
    refuse_people([options.player], "serve player")
    count_previous_costs(None, [options.player])
    with player_server(options.player, options.port, options.host) as server, suppress(KeyboardInterrupt):
        print(f"http://{options.host}:{server.server_address[1]}", flush=True)
        server.serve_forever()


openenv = add_budget_options(command(OpenEnvOptions, serve_openenv))
mcp = add_budget_options(command(McpOptions, serve_mcp))
player = add_budget_options(command(PlayerOptions, serve_player))
