"""How a server is reached and guarded: the options of the command that starts one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, Integer, Text

SERVER = "Server"
"""Panel of the help."""


@dataclass
class ServerOptions:
    """How a server is reached and guarded.

    Raises:
        ValueError: A value is not allowed.
    """

    port: Annotated[int, Option(Integer(0, 65_535), "Where it listens; 0: any that is free.", panel=SERVER)] = 8765
    host: Annotated[
        str,
        Option(Text(), "Address to listen on; 0.0.0.0 lets other machines in, as participants need it.", panel=SERVER),
    ] = "127.0.0.1"
    root_path: Annotated[
        str, Option(Text(), "Path before all pages, where a proxy has them under one: /econzoo.", panel=SERVER)
    ] = ""
    trust_proxy: Annotated[
        bool,
        Option(
            Flag(),
            "Believe a proxy, the only way to this server, which host and https visitors use.",
            panel=SERVER,
        ),
    ] = False
    password: Annotated[
        bool,
        Option(
            Flag(),
            "Ask for a password with which the operator signs in from elsewhere; or give it as ECONZOO_PASSWORD. "
            "Without one the pages of the operator open on this machine only.",
            panel=SERVER,
        ),
    ] = False
    access_log: Annotated[
        str,
        Option(
            Text(),
            "Add a line for every request to this file: time, pattern of the path, status; no secret, no address. "
            "-: on standard error.",
            panel=SERVER,
        ),
    ] = ""

    def __post_init__(self) -> None:
        check_options(self)
