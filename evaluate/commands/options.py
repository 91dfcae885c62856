"""Options that several commands have: one name, one help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.contract.objectives import NAMES, Objective
from econzoo.envs.core.env.options import RECORDED

SPECS = (
    "spe, fair, 'boulware(0.2)', random, ..., hf:smollm2, hf:PATH, openai:MODEL@URL, ppo:FILE; "
    "published agents: econzoo games --agents"
)
"""Examples of players for the help; an unknown spec is answered with the list of all."""

Game = Annotated[str, typer.Argument(metavar="GAME", help="Name of the game; see [bold]econzoo games[/bold].")]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        "-p",
        metavar="NAME=VALUE",
        help="Parameter of the game, as often as needed: delta=0.9,0.8, horizon=none, messages=false. See "
        f"[bold]econzoo show GAME[/bold]. Also {', '.join(RECORDED)}.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on standard output.")]
Ranked = Annotated[
    str,
    typer.Option(
        "--objective",
        metavar="SPEC",
        callback=lambda spec: Objective(spec).spec,
        help=f"By which players are ranked: {', '.join(NAMES)}, or a mix such as '0.7*self_gain + 0.3*fairness'.",
    ),
]
Markets = Annotated[
    list[str] | None,
    typer.Option(
        "--market", "-m", help="Named market, as often as needed; 'all', 'validation' and 'test' stand for several."
    ),
]
MarketsFile = Annotated[
    Path | None,
    typer.Option("--markets", metavar="FILE", help="JSON file: an object of name to parameters, or a list of them."),
]
Lineups = Annotated[
    list[str] | None,
    typer.Option(
        metavar="'PLAYER | PLAYER'",
        help="Who sits where, a player for each seat, as often as needed; default: everybody in every seat.",
    ),
]
Reader = Annotated[
    str | None,
    typer.Option(
        metavar="SPEC",
        help="Language model that reads what sellers say to scripted buyers of persuasion, such as hf:PATH; default: "
        "they go by keywords.",
    ),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, max=256, help="Processes for scripted players; default: as many as are worth it.")
]
Concurrent = Annotated[int, typer.Option(min=1, max=4096, help="Matches at once where a model is asked in batches.")]
Shard = Annotated[str, typer.Option(metavar="i/n", help="Play only part i of n, counted from 0.")]
