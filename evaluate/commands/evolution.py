"""``econzoo evolve``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.settings import parse_params
from econzoo.evaluate.run.tournament import play_missing

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.evolution.payoff_matrix import PayoffMatrix
    from econzoo.evaluate.analyses.evolution.study import Study

MATCHES = "matches"
"""Folder of the matches inside of the folder of results."""


@budgeted
def evolve(
    game: Annotated[
        str | None, typer.Option(help="Play this game of two seats; or the game of the records to take.")
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,...", help="The types: players that meet each other and themselves in both seats."),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param", "-p", "--set", metavar="NAME=VALUE", help="Parameter of the game: rounds=50, noise=0.01."
        ),
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Matches of each pair in each seat order.")] = 10,
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Take the payoffs from matches that were played before.")
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the payoffs from a CSV: type,opponent,payoff[,error] or a square."),
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="SHARES", help="Shares at the start: 0.5,0.3,0.2; default: equal ones.")
    ] = None,
    time: Annotated[float | None, typer.Option(help="Of the replicator curves; default: until they settle.")] = None,
    generations: Annotated[int, typer.Option(help="Of the discrete map of Axelrod's ecosystem.")] = 200,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Draw payoffs anew in every generation, as the Axelrod library does.")
    ] = False,
    population: Annotated[int, typer.Option(help="Individuals of the Moran process.")] = 100,
    runs: Annotated[int, typer.Option(help="Populations of the Moran process that are simulated.")] = 200,
    fitness: Annotated[
        str | None,
        typer.Option(metavar="MAP", help="linear or exponential; default: linear where no payoff is negative."),
    ] = None,
    intensity: Annotated[float, typer.Option(help="Of selection, from 0 (neutral); up to 1 where linear.")] = 1.0,
    starts: Annotated[int, typer.Option(help="Random starts from which basins are counted.")] = 500,
    resamples: Annotated[int, typer.Option(help="Matrices drawn within the errors; 0: none.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Of the first match and of everything that is drawn.")] = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the results.")] = Path("runs/evolution"),
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep records also of classic strategies, which play faster without.")
    ] = False,
    failed_rounds: Annotated[
        bool,
        typer.Option(
            "--failed-rounds", help="Count meta-rounds in which a program failed; default: in tables of their own."
        ),
    ] = False,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    as_json: Json = False,
) -> None:
    """Which types take over: payoff matrix, replicator and Moran dynamics, rest points, ESS; tables, figures, a page.

    The payoffs come from matches that are played now (kept in DIR/matches: started again, it goes on), from records, or
    from a CSV.

    Examples: econzoo evolve --game matrix --players tit-for-tat,defector,cooperator --set rounds=50 |
    econzoo evolve --records runs/first | econzoo evolve --matrix payoffs.csv --start 0.1,0.1,0.8
    """
    need("evolve", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.evolution import playing
    from econzoo.evaluate.analyses.evolution.replicator import start_shares
    from econzoo.evaluate.analyses.evolution.study import Settings, check, study
    from econzoo.evaluate.run.folder import check_folder

    _one_source(game, players, param, records, matrix)
    rest = (time, generations, redraw, population, runs, fitness, intensity, starts, resamples, seed)
    asked = Settings(parse_start(start), *rest)
    check(asked)
    check_folder(out)
    quick: PayoffMatrix | None = None
    if matrix is not None:
        from econzoo.evaluate.analyses.evolution.matrix_files import read

        made: Callable[..., PayoffMatrix] = partial(read, matrix)
    elif records is not None:
        from econzoo.evaluate.analyses.evolution.matches import read_matrix

        types = playing.parse_players(players) if players else []
        made = partial(read_matrix, records, game, types, failed_rounds=failed_rounds)
    else:
        settings = parse_params(param or [])
        playing.check_two_seats(str(game), settings)
        specs = playing.parse_players(players or [])
        start_shares(asked.start, len(specs))
        plan = playing.matrix_plan(str(game), specs, repetitions, seed, settings)
        quick = None if keep else playing.quick_matrix(plan)
        if quick is None:
            play_missing({MATCHES: plan}, out, jobs, "0/1", concurrent)
        made = partial(playing.played_matrix, plan, out / MATCHES, failed_rounds=failed_rounds)
    payoffs = quick or made()
    apart = payoffs.failed_rounds.any() and not failed_rounds and matrix is None
    _tell(study(payoffs, asked, made(failed_rounds=True) if apart else None), out, [records or out / MATCHES], as_json)


def parse_start(text: str | None) -> tuple[float, ...] | None:
    """Shares of a text with commas between them.

    Raises:
        ValueError: A part is no number.
    """
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"--start {text[:60]!r} is not allowed; allowed: numbers with commas, as in 0.5,0.3,0.2"
        ) from None


def _one_source(
    game: str | None, players: list[str] | None, param: list[str] | None, records: Path | None, matrix: Path | None
) -> None:
    """Raises `ValueError` unless the options name one place where payoffs come from."""
    allowed = "allowed: --game with --players, or --records, or --matrix"
    if matrix is not None and (records is not None or game is not None or players):
        raise ValueError(f"--matrix stands for itself; {allowed}")
    if matrix is None and records is None and (game is None or not players):
        raise ValueError(f"the payoffs of which types? {allowed}")
    if param and (matrix is not None or records is not None):
        raise ValueError(
            "--set changes matches that are played now; allowed: with --game and --players, without --records"
        )


def _tell(found: Study, out: Path, folders: Sequence[Path], as_json: bool) -> None:
    """Writes everything into the folder and tells it."""
    from econzoo.evaluate.analyses.evolution import figures, files
    from econzoo.evaluate.analyses.evolution.page import page
    from econzoo.evaluate.analyses.evolution.tables import shown
    from econzoo.evaluate.show.console import show
    from econzoo.evaluate.show.figure_files import write_figures

    made = figures.drawn(found)
    out.mkdir(parents=True, exist_ok=True)
    written = files.write_tables(found, out)
    where = page(found, made, f"Evolution: {out.resolve().name}", folders).write(out)
    written += write_figures({one.name: one.figure for one in made}, out / "figures")
    if as_json:
        print(json.dumps(files.to_dict(found), indent=2))
        return
    show(*shown(found))
    print(f"\n{len(written)} tables and figures are in {out}\nTo read it: {where}")
