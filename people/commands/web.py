"""``econzoo web``: people play in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.run.budget import budgeted, counting
from econzoo.people.server.options import AskPassword, LogFile, RootPath, TrustProxy


@budgeted
def web(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens; 0: any that is free.")] = 8765,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in, and whoever reaches them.")
    ] = "127.0.0.1",
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where matches are kept, and records: matches.jsonl.")
    ] = Path("econzoo_web"),
    studies: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where the folders of studies lie that /manage lists; default: here, as econzoo study run has it.",
        ),
    ] = Path(),
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="A player to offer besides each game's scripts, such as hf:smollm2."),
    ] = None,
    texts: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Language of the pages: en, de, or a TOML file of texts.")
    ] = "en",
    person_seconds: Annotated[
        int | None,
        typer.Option(min=1, max=86_400, help="Seconds for a person's move, unless the start page says otherwise."),
    ] = None,
    player_seconds: Annotated[
        int, typer.Option(min=1, max=86_400, help="Likewise for models, policies and scripts.")
    ] = 300,
    if_absent: Annotated[
        str | None,
        typer.Option(
            metavar="default|forfeit|SPEC",
            help="What follows if no answer comes, unless the start page says otherwise: the game's default action, a "
            "forfeit, or a script that takes the seat. Default: as in the game's other matches.",
        ),
    ] = None,
    root_path: RootPath = "",
    trust_proxy: TrustProxy = False,
    password: AskPassword = False,
    access_log: LogFile = "",
) -> None:
    """Play in the browser against any players, or against other people by invitation links.

    Examples: econzoo web | econzoo web --port 0 --no-open | econzoo web --player hf:smollm2
    """
    need("the web table", "starlette", "uvicorn", "jinja2", extra="web")
    from econzoo.people.server.serving import site_in
    from econzoo.people.table.terms import terms_of
    from econzoo.people.table_server import serve

    counting(None, player or [])
    site = site_in(folder, root_path, trust_proxy, texts, password, access_log)
    terms = terms_of(person_seconds, player_seconds, if_absent)
    serve(host, port, folder, player or [], opened, site, terms, studies)
