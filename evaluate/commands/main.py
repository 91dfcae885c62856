"""Commands of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from econzoo.baselines.reader_option import check_reader, with_reader
from econzoo.envs.core.plurals import many
from econzoo.evaluate.commands.options import (
    SPECS,
    Concurrent,
    Json,
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


def replay(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of records, or folders with them.")],
    again: Annotated[
        bool, typer.Option("--again", help="Also ask scripted players and policies anew, and run programs anew.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Re-run the rules on recorded matches and check every payoff, metric, text and move.

    What is not as the rules say is told by file, line and turn, and the exit code is 1. With --again every player whose
    answers follow from its seed and what it sees must answer as recorded; people and language models are not asked.

    Examples: econzoo replay runs/first | econzoo replay runs/first --again
    """
    from econzoo.evaluate.commands.replaying import replay_files
    from econzoo.evaluate.run.folder import record_files

    found = replay_files([path for given in files for path in record_files(given)], again)
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
    else:
        print("\n".join(found.lines()))
    if found.problems:
        raise typer.Exit(1)


def seal(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of records, or folders with them.")],
    expect: Annotated[
        str | None, typer.Option(metavar="HASH", help="Only check: the seal must hold and end in this hash.")
    ] = None,
) -> None:
    """Chain the records of a file by hashes, in FILE.seal beside it, and print the last hash.

    The hash of a line covers all lines before it. A seal is added to, never changed; where a sealed line is not as it
    was, this and econzoo replay say which, and the exit code is 1. Whoever can change the file can make its seal anew:
    keep the printed hash elsewhere, and check it with --expect.

    Example: econzoo seal runs/first
    """
    from econzoo.evaluate.commands.seal import check_seal, sealed
    from econzoo.evaluate.run.folder import record_files

    for path in [path for given in files for path in record_files(given)]:
        found = sealed(path) if expect is None else check_seal(path, expect)
        print(f"{found.hash}  {path}: {many(found.lines, 'record')}")
