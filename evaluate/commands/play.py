"""Commands of this folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.baselines.reader_option import check_reader, with_reader
from econzoo.evaluate.commands.options import (
    SPECS,
    Concurrent,
    Params,
    Reader,
)
from econzoo.evaluate.run.budget import OPTIONS, budgeted
from econzoo.evaluate.run.progress import stoppable
from econzoo.evaluate.run.settings import parse_params


@budgeted
def play(
    ctx: typer.Context,
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Name of the game; see [bold]econzoo games[/bold].")
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLAYER...", help=f"One for each seat, in order: {SPECS}, human, 'human(\"Ann\")'."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the first match; the next ones count up.")] = 0,
    matches: Annotated[int, typer.Option(min=1, help="How many.")] = 1,
    param: Params = None,
    reader: Reader = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Append the records to this file.")] = None,
    concurrent: Concurrent = 32,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where a match is kept that a person pauses; default: GAME-ID.match.json."),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Play the paused match of this file on; alone or with --out, --json."),
    ] = None,
    connect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL", help="With --resume: an address that the file's players may connect to, with your key."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the records, one JSON line a match.")] = False,
) -> None:
    """Play matches between any players, people included. Several people take turns at this terminal.

    Examples: econzoo play bargaining spe fair --matches 3 | econzoo play bargaining human fair -p horizon=3 |
    econzoo play bargaining hf:smollm2 'boulware(0.2)' --out matches.jsonl |
    econzoo play --resume bargaining-0123456789abcdef.match.json
    """
    from econzoo.evaluate.commands.playing import play_and_keep, resume_and_keep, shown

    if resume is not None:
        refuse_with_resume(ctx)
        played = resume_and_keep(resume, out, connect or ())
    elif connect:
        raise ValueError("--connect is allowed with --resume only: specs that you type may connect anyway")
    elif game is None or not players:
        raise typer.BadParameter("a game and its players are needed, or --resume FILE", ctx)
    else:
        settings = parse_params(param or [])
        check_reader(reader, players, game)
        players = with_reader(players, game, reader)
        with stoppable(out):
            played = play_and_keep(game, players, range(seed, seed + matches), settings, concurrent, save, out)
    shown(played, out, as_json)


def refuse_with_resume(ctx: typer.Context) -> None:
    """Raises `ValueError` if something is given that the file of a paused match says already."""
    allowed = ("resume", "out", "connect", "as_json", *OPTIONS)
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in allowed:
            raise ValueError(
                f"{name} is not allowed with --resume, whose file says it; allowed: --out, --connect, --json"
            )
