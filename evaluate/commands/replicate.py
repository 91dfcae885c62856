"""``econzoo replicate``: a published table beside our numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.folder import wanted_folder
from econzoo.evaluate.run.records import Records, read_records
from econzoo.evaluate.run.tournament import play_missing
from econzoo.evaluate.show.page import tell


def alympics(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Published games (JSON, a folder, a zip) or records.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the page and its tables.")] = Path("runs/table-2"),
    as_json: Json = False,
) -> None:
    """Table 2 of ALYMPICS beside its published games: survival rates, survivors, RSR, and who lived in which game.

    Example: econzoo replicate alympics Alympics/exp/WAC/records.zip --out runs/table-2
    """
    need("replicate", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.alympics.water import table_2

    wanted_folder(out)
    tell(table_2(Records([], out), beside=[str(path)]), out, as_json)


OBJECTIVES = ("PM=exploiter", "CPM=tit-for-tat", "DPM=late-defector")
"""Scripted authors in the places of the paper's: payoff, cooperative and deceptive."""

ALIKE = "similarity"
"""A scripted author who cooperates with programs that are like its own."""


@budgeted
def open_source(
    players: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=PLAYER...", help=f"Authors of the dyadic study; default: {' '.join(OBJECTIVES)}."),
    ] = None,
    alike: Annotated[
        str, typer.Option(metavar="PLAYER", help="Both authors of the study of programs that look for likeness.")
    ] = ALIKE,
    games: Annotated[int, typer.Option(min=1, help="Matches of each seating: seeds 0, 1, ...")] = 1,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of matches and results; started again, it goes on.")
    ] = Path("runs/open-source"),
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    as_json: Json = False,
) -> None:
    """The dyadic study and the study of similarity of "Evaluating LLMs in Open-Source Games", with any authors.

    Examples: econzoo replicate open-source | econzoo replicate open-source --games 10 --players
    "PM=openai:MODEL@URL?agent=author-payoff" "CPM=openai:MODEL@URL?agent=author-cooperative"
    "DPM=openai:MODEL@URL?agent=author-deceptive" --out runs/dyadic
    """
    need("replicate", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.programs.replication import open_source as analysis
    from econzoo.evaluate.analyses.programs.replication import plans

    play_missing(plans(players or OBJECTIVES, alike, games), out, jobs, "0/1", concurrent)
    tell(analysis(read_records(out)), out, as_json)
