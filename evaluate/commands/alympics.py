"""``econzoo experiment`` with any players, after ALYMPICS and the K-level paper; and ``econzoo import-alympics``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from econzoo.envs.core.extras import need
from econzoo.envs.core.plurals import many
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json, Params, Shard
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.plan import Plan
from econzoo.evaluate.run.settings import parse_params
from econzoo.evaluate.run.tournament import play_missing

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.alympics.published_games import Beside

Games = Annotated[int, typer.Option(min=1, help="Games of each line-up in each setting: seeds SEED, SEED + 1, ...")]
Seed = Annotated[int, typer.Option(min=0, help="Of the first game.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder of matches and results; started again, it goes on.")]
Paper = Annotated[bool, typer.Option("--paper/--no-paper", help="Show the published numbers beside the own ones.")]
Tested = Annotated[list[str], typer.Option(metavar="PLAYER...", help="Those that are tested, one after the other.")]
Days = Annotated[int | None, typer.Option(min=1, help="Days of a game; default: as the paper.")]


@budgeted
def water(
    players: Annotated[
        list[str] | None, typer.Option(metavar="PLAYER...", help="One for all seats, or one for each seat in order.")
    ] = None,
    out: Out = Path("runs/water"),
    games: Games = 10,
    seed: Seed = 0,
    setting: Annotated[
        list[str] | None, typer.Option(metavar="NAME...", help="Markets of the game; default: the paper's six.")
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="Every player fills all seats, in games of its own.")] = False,
    rotate: Annotated[bool, typer.Option("--rotate", help="Seat by seat: everybody takes every seat in turn.")] = False,
    days: Days = None,
    param: Params = None,
    paper: Paper = True,
    beside: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH...", help="Published games (JSON, zip) or records that are shown as well."),
    ] = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    as_json: Json = False,
) -> None:
    """The Water Allocation Challenge: three supplies, with and without personas, as in ALYMPICS.

    Writes matches, tables (survival as in Table 2 of the paper), figures (as 4 and 7 to 9) and a page into a folder. It
    can be stopped at any time; the same command plays what is missing. With --beside, games from elsewhere stand in the
    same tables, figures and page, and --players may be left out.

    Examples: econzoo experiment water --players 'reserve(2)' | econzoo experiment water --players mpc --beside
    Alympics/exp/WAC/records.zip | econzoo experiment water --players mpc need-based
    'reserve(2)' random mpc --rotate --out runs/mixed | econzoo experiment water --players hf:smollm2 --setting scarce
    """
    from econzoo.evaluate.analyses.alympics.water_games import SETTINGS
    from econzoo.evaluate.suites.alympics import water_plan

    given = _params(param, days=days)
    if not players and not beside:
        raise ValueError("neither --players nor --beside is given; allowed: one of them, or both")
    plan = water_plan(players, games, seed, setting or SETTINGS, each, rotate, **given) if players else None
    experiment(plan, out, jobs, shard, concurrent, as_json, paper, beside or ())


@budgeted
def guess(
    players: Tested,
    opponents: Annotated[
        list[str] | None, typer.Option(metavar="PLAYER...", help="Each fills the other seats in turn.")
    ] = None,
    out: Out = Path("runs/guess"),
    games: Games = 10,
    seed: Seed = 0,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds of a game; default: as the paper.")] = None,
    param: Params = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    as_json: Json = False,
) -> None:
    """Guess 0.8 of the average: each tested player against four others of one kind, as in the K-level paper.

    Writes matches, tables (win rate, adaption index, prediction error), a figure and a page into a folder. It can be
    stopped at any time; the same command plays what is missing.

    Example: econzoo experiment guess --players 'k-level(2)' nash --opponents fixed last mono monorand
    """
    from econzoo.evaluate.analyses.alympics.days import GUESS
    from econzoo.evaluate.suites.alympics import level_plan

    plan = level_plan(GUESS, players, opponents or (), games, seed, **_params(param, rounds=rounds))
    experiment(plan, out, jobs, shard, concurrent, as_json)


@budgeted
def auction(
    players: Tested,
    opponents: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER...", help="Each fills the other seats in turn; default: the standard pool."),
    ] = None,
    out: Out = Path("runs/auction"),
    games: Games = 10,
    seed: Seed = 0,
    days: Days = None,
    param: Params = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    as_json: Json = False,
) -> None:
    """The survival auction: each tested player against four others of one kind, as in the K-level paper.

    Writes matches, tables (survival round, win rate, adaption index, prediction error), a figure and a page into a
    folder. It can be stopped at any time; the same command plays what is missing.

    Example: econzoo experiment auction --players need-based mpc --opponents 'mixed(0.5, 1)' 'reserve(3)'
    """
    from econzoo.evaluate.analyses.alympics.days import AUCTION
    from econzoo.evaluate.suites.alympics import level_plan

    plan = level_plan(AUCTION, players, opponents or (), games, seed, **_params(param, days=days))
    experiment(plan, out, jobs, shard, concurrent, as_json)


OF_COMMANDS = ("game", "tested", "opponents", "games", "seed", "settings", "each", "rotate")
"""What plans are made of besides parameters."""


def _params(given: list[str] | None, **own: int | None) -> dict[str, Any]:
    """What follows -p, and parameters that have an option of their own.

    Raises:
        ValueError: A parameter is given both ways, or is none.
    """
    params, set_ = parse_params(given or []), {name: value for name, value in own.items() if value is not None}
    for name in params:
        if name in set_:
            raise ValueError(f"--{name} is given twice: also as -p {name}=...")
        if name in OF_COMMANDS:
            raise ValueError(f"-p {name}=... is not allowed; allowed: parameters of the game, and options")
    return {**params, **set_}


def experiment(
    plan: Plan | None,
    out: Path,
    jobs: int | None,
    shard: str,
    concurrent: int,
    as_json: bool,
    paper: bool = True,
    paths: Sequence[Path] = (),
) -> None:
    """Plays what is missing of a plan, writes its results, games of `paths` beside them, and tells them."""
    need("experiment", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.analyses.alympics.published_games import read_beside

    beside = read_beside(paths, paper)
    if plan:
        play_missing({".": plan}, out, jobs, shard, concurrent)
    _tell(plan, out, as_json, beside)


def _tell(plan: Plan | None, out: Path, as_json: bool, beside: Beside) -> None:
    from econzoo.evaluate.analyses.alympics.experiment_page import page
    from econzoo.evaluate.analyses.alympics.indicator_table import for_terminal, to_dict
    from econzoo.evaluate.analyses.alympics.results import read_results, write_files
    from econzoo.evaluate.show.console import drawn, show

    found = read_results(plan, out, beside)
    where = page(found, f"{found.table.title}: {out.resolve().name}", [out]).write(out)
    files = write_files(found, out)
    if as_json:
        counts = {"matches": found.played, "planned": len(plan) if plan else 0, "beside": len(found.beside.games)}
        print(
            json.dumps(
                {**counts, "problems": found.problems, "notes": found.beside.notes, "rows": to_dict(found.table)},
                indent=2,
            )
        )
        return
    show(*for_terminal(found.table), *map(drawn, found.made.differences))
    print("".join(f"{line}\n" for line in [*found.problems, *found.beside.notes]), end="")
    own = f"{found.played} of {len(plan)} matches" if plan else "no match was played here"
    others = f", {many(len(found.beside.games), 'game')} from elsewhere" if found.beside.games else ""
    print(f"\n{own}{others}; {len(files)} tables and figures are in {out}")
    print(f"To read it: {where}" + (f"\nTo see the matches: econzoo report {out}" if plan else ""))


def import_alympics(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A published game, or a folder or zip searched for *.json.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File of records; games that it has are not added again.")],
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Of the model; default: the paper's.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Also games with days that are not as the rules have them.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Turn ALYMPICS' published games of the Water Allocation Challenge into records.

    Every balance, health, no-water counter and list of winners is compared with our rules, day by day; days that differ
    are listed, and games with such a day are left out unless --keep is given. The exit code is 1 if a file is no game.

    Example: econzoo import-alympics Alympics/exp/WAC/records.zip --out alympics.jsonl
    """
    need("import-alympics", "scipy")
    from econzoo.evaluate.analyses.alympics.indicator_table import for_terminal, to_dict
    from econzoo.evaluate.analyses.alympics.water_table import published_table
    from econzoo.evaluate.formats.alympics.importing import MODEL, import_games
    from econzoo.evaluate.show.console import show

    done = import_games(path, out, player or MODEL, keep)
    table = published_table(done.games) if done.games else None
    if as_json:
        print(json.dumps({**done.to_dict(), "settings": to_dict(table) if table else []}, indent=2))
    else:
        if table:
            show(*for_terminal(table))
        print("\n".join(done.lines()))
    if done.failed:
        raise typer.Exit(1)
