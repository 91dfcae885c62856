"""``econzoo analyze``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Json
from econzoo.evaluate.run.progress import progress_bar

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import Study

FOLDER = "analysis"


def analyze(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of records, of one game or of several.")],
    features: Annotated[
        str,
        typer.Option(
            help="Of the parameters: 'market' merges what the paper merges, 'plain' takes each by itself, "
            "'all' merges all."
        ),
    ] = "market",
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Ordered pairs of players as one feature, not one for each seat.")
    ] = False,
    baseline_player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Whom players are compared with: given once for all seats, or once a seat in order; default: GLEE's, "
            "where it plays, else the first in the data.",
        ),
    ] = None,
    splits: Annotated[
        int, typer.Option(min=0, max=1000, help="Random splits for the comparison of predictions; 0: none.")
    ] = 10,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to; default: DIR/analysis.")] = None,
    as_json: Json = False,
) -> None:
    """What markets and players change: the regressions of GLEE on any records, with tables, figures and a page.

    Examples: econzoo analyze runs/first | econzoo analyze runs --features plain --baseline-player fair --splits 100
    """
    need("analyze", "pandas", "scipy", "statsmodels", "matplotlib", "nashpy", "jinja2")
    from econzoo.evaluate.analyses.regression.study import Settings, check, read_observations, study
    from econzoo.evaluate.analyses.regression.terminal import summary
    from econzoo.evaluate.run.folder import wanted_folder
    from econzoo.evaluate.show.console import show

    wanted_folder(out)
    settings = Settings(features, pairs, baseline_player, splits)
    observed, bad = read_observations(folder)
    check(observed, settings)
    total = splits * sum(len(one.metrics) for one in observed)
    with progress_bar("splits", total, shown=splits > 0) as told:
        found = study(observed, settings, bad, told)
    place = out or (folder if folder.is_dir() else folder.parent) / FOLDER
    write(found, place, folder.resolve().name, [folder])
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
        return
    show(*summary(found))
    print(f"\nTables, figures and the page are in {place}\nTo read it: {place / 'index.html'}")


def write(found: Study, place: Path, title: str, folders: Iterable[Path] = ()) -> None:
    """Writes everything about matches of some folders into a folder."""
    from econzoo.evaluate.analyses.regression import figures, tables
    from econzoo.evaluate.analyses.regression.page import page
    from econzoo.evaluate.show.figure_files import write_figures

    place.mkdir(parents=True, exist_ok=True)
    tables.write_all_csv(found, place)
    tables.write_all_latex(found, place)
    write_figures(figures.all_figures(found), place / "figures", figures.DOTS_PER_INCH)
    page(found, f"Analysis: {title}", folders).write(place)
