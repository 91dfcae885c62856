"""``econzoo replicate open-source``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json
from econzoo.evaluate.run.budget import budgeted

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
        Path, typer.Option(metavar="DIR", help="Folder of matches and tables; started again, it goes on.")
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
    need("replicate", "pandas", "scipy")
    from econzoo.evaluate.analyses.comparison import tell
    from econzoo.evaluate.analyses.programs.replication import DYADIC, SIMILARITY, compared, plans
    from econzoo.evaluate.run.folder import read_folder
    from econzoo.evaluate.run.replay import misplayed
    from econzoo.evaluate.run.tournament import play_missing

    todo = plans(players or OBJECTIVES, alike, games)
    play_missing(todo, out, jobs, "0/1", concurrent)
    played = {study: read_folder(out / study, misplayed) for study in todo}
    comparison = compared(played[DYADIC][0], played[SIMILARITY][0], scripted=not players)
    bad = [str(one) for _, unreadable in played.values() for one in unreadable]
    tell(comparison._replace(notes=[*comparison.notes, *bad]), out, as_json)
