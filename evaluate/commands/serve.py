"""``econzoo serve openenv``, ``mcp`` and ``player``: games and players for programs elsewhere."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from typing import Annotated, Any

from econzoo.envs.command_line import command, key_values
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Each, Flag, Text, Whole
from econzoo.envs.core.extras import need
from econzoo.evaluate.run.budget import budgeted, counting
from econzoo.evaluate.suites.suite import PARAM

PORT = Whole(0, 65_535)


@dataclass
class SeatOptions:
    """A game of which clients take one seat.

    Raises:
        ValueError: A value is not allowed.
    """

    game: Annotated[str, Option(Text(), "Name of the game.", positional=True)]
    opponents: Annotated[
        list[str],
        Option(Each(Text(), 1), "Player in the other seats; of several, one is drawn for each seat and match."),
    ] = field(default_factory=lambda: ["random"])
    seat: Annotated[int, Option(Whole(0, 99), "Seat of a client, unless it asks for another.")] = 0
    param: Annotated[list[str], Option(Each(Text()), PARAM, letter="-p")] = field(default_factory=list)
    port: Annotated[int, Option(PORT, "Where it listens on this machine; 0: any that is free.")] = 8000

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def table(self) -> dict[str, Any]:
        """The arguments of a server."""
        return {"game": self.game, "opponents": self.opponents, "seat": self.seat, **key_values(self.param)}


@dataclass
class OpenEnvOptions(SeatOptions):
    """Serve a game as an environment of OpenEnv, to 16 clients at once.

    Examples: econzoo serve openenv bargaining | econzoo serve openenv negotiation --opponents anchor --seat 1
    """


def serve_openenv(options: OpenEnvOptions) -> None:
    """Serves until it is stopped.

    Raises:
        ValueError: Something is unknown or not allowed.
        MissingLibraryError: OpenEnv is not installed.
        OSError: The port is taken.
    """
    need("serve openenv", "openenv", "uvicorn", extra="openenv")
    import uvicorn

    from econzoo.evaluate.adapters.openenv import openenv_app

    counting(None, options.opponents)
    app = openenv_app(**options.table)
    with socket.create_server(("127.0.0.1", options.port)) as listening:
        print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)).run(sockets=[listening])


@dataclass
class McpOptions(SeatOptions):
    """Serve a game to an assistant that speaks the Model Context Protocol, over standard input and output.

    Examples: econzoo serve mcp bargaining --opponents fair | econzoo serve mcp matrix --http --port 8000
    """

    http: Annotated[bool, Option(Flag(), "Listen at http://127.0.0.1:PORT/mcp instead.")] = False


def serve_mcp(options: McpOptions) -> None:
    """Serves until it is stopped, or its client leaves.

    Raises:
        ValueError: Something is unknown or not allowed.
        MissingLibraryError: The library ``mcp`` is not installed.
    """
    need("serve mcp", "mcp", extra="mcp")
    from econzoo.evaluate.adapters.mcp import mcp_server

    counting(None, options.opponents)
    mcp_server(**options.table, port=options.port).run("streamable-http" if options.http else "stdio")


openenv = budgeted(command(OpenEnvOptions, serve_openenv))
mcp = budgeted(command(McpOptions, serve_mcp))
