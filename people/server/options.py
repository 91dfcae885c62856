"""Options that the commands with a server share."""

from __future__ import annotations

from typing import Annotated

import typer

RootPath = Annotated[
    str, typer.Option(metavar="PATH", help="Path before all pages, where a proxy has them under one: /econzoo.")
]

TrustProxy = Annotated[
    bool,
    typer.Option(
        "--trust-proxy", help="Believe a proxy, the only way to this server, which host and https visitors use."
    ),
]

AskPassword = Annotated[
    bool,
    typer.Option(
        "--password",
        help="Ask for a password with which the operator signs in from elsewhere; or give it as ECONZOO_PASSWORD. "
        "Without one the pages of the operator open on this machine only.",
    ),
]

LogFile = Annotated[
    str,
    typer.Option(
        "--access-log",
        metavar="FILE",
        help="Add a line for every request: time, pattern of the path, status; no secret, no address. -: on standard "
        "error.",
    ),
]
