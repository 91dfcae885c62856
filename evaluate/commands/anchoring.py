"""``econzoo anchoring``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import SPECS, Concurrent, Game, Jobs, Json, Params, Shard
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.folder import wanted_folder
from econzoo.evaluate.run.records import read_records
from econzoo.evaluate.run.settings import parse_params
from econzoo.evaluate.run.tournament import play_missing
from econzoo.evaluate.show.page import tell


@budgeted
def anchoring(
    game: Game,
    players: Annotated[list[str], typer.Option(metavar="SPEC", help=f"Who is asked, as often as needed: {SPECS}.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the records; started again, it goes on.")],
    answers: Annotated[int, typer.Option(min=1, help="First answers of each player to each question and form.")] = 100,
    opponent: Annotated[str, typer.Option(metavar="SPEC", help="Who sits in all other seats.")] = "random",
    constrained: Annotated[
        str | None,
        typer.Option(metavar="on|off|both", help="Hold models to the schema of the legal moves; default: as they say."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the first match; the next ones count up.")] = 0,
    param: Params = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    as_json: Json = False,
) -> None:
    """How much the form of an answer in a prompt moves the answer: the same first questions in several forms.

    The forms: placeholders (that of every prompt here), a low and a high example, ranges in words, the kinds of move in
    the opposite order. Each match ends with its first answer. The forms stand in the records, which replay.

    Example: econzoo anchoring bargaining --players hf:smollm2 --constrained both --out runs/anchoring
    """
    need("anchoring", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.prompt_anchoring.arms import arms, decoded
    from econzoo.evaluate.analyses.prompt_anchoring.page import anchoring as analysis

    wanted_folder(out)
    asked = arms(game, decoded(players, constrained), answers, opponent, seed, **parse_params(param or []))
    play_missing({arm.folder: arm.plan for arm in asked}, out, jobs, shard, concurrent, "answers")
    tell(analysis(read_records(out)), out, as_json)
