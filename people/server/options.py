"""Network and security options of a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, Integer, Text

SERVER = "Server"
"""Help panel of the options."""


@dataclass
class ServerOptions:
    """Network and security options of a server.

    Raises:
        ValueError: A value is invalid.
    """

    port: Annotated[int, Option(Integer(0, 65_535), "Port to listen on; 0: any free port.", panel=SERVER)] = 8765
    host: Annotated[
        str,
        Option(Text(), "Address to listen on; 0.0.0.0 for participants on other machines.", panel=SERVER),
    ] = "127.0.0.1"
    root_path: Annotated[
        str, Option(Text(), "Path prefix of all pages behind a proxy, such as /econzoo.", panel=SERVER)
    ] = ""
    trust_proxy: Annotated[
        bool,
        Option(
            Flag(),
            "Trust the X-Forwarded-* headers of a proxy; safe only if all traffic passes through it.",
            panel=SERVER,
        ),
    ] = False
    password: Annotated[
        bool,
        Option(
            Flag(),
            "Prompt for an operator password for remote sign-in, or set ECONZOO_PASSWORD. "
            "Without a password, operator pages open on this machine only.",
            panel=SERVER,
        ),
    ] = False
    access_log: Annotated[
        str,
        Option(
            Text(),
            "File to append one line per request to: time, route, status, no secrets or addresses; -: standard error.",
            panel=SERVER,
        ),
    ] = ""

    def __post_init__(self) -> None:
        check_options(self)
