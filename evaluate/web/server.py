"""The server: one process, one folder, one address that is printed."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from econzoo.baselines.factory import player as make_player
from econzoo.envs.core.record.record import RecordFile
from econzoo.evaluate.web.pages import app_of
from econzoo.evaluate.web.security import LOCAL
from econzoo.evaluate.web.store import Store
from econzoo.evaluate.web.table import Tables

STORE, RECORDS = "table.sqlite", "matches.jsonl"

GOODBYE = 2
"""Seconds that streams have to end when the server is stopped."""


def app_in(folder: str | Path, hosts: Sequence[str] = ("*",), offered: Sequence[str] = ()) -> Starlette:
    """The application that keeps its matches in a folder, which is made if it does not exist; see `app_of`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return app_of(Tables(Store(folder / STORE), RecordFile(folder / RECORDS)), hosts, offered)


def serve(host: str, port: int, folder: Path, offered: Sequence[str], opened: bool) -> None:
    """Serves until it is stopped.

    Args:
        host: Address to listen on.
        port: 0: any that is free.
        folder: Of matches and records.
        offered: See `app_of`.
        opened: Whether to open the page in the browser.

    Raises:
        ValueError: A player that is offered is unknown.
        OSError: The port is taken.
    """
    for spec in offered:
        make_player(spec)
    app = app_in(folder, LOCAL if host in LOCAL else ("*",), offered)
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listening.getsockname()[1]}/"
        print(url, flush=True)
        if opened:
            webbrowser.open(url)
        quiet = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=GOODBYE)
        uvicorn.Server(quiet).run(sockets=[listening])
