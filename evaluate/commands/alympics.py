"""``econzoo experiment`` with any players, after ALYMPICS and the K-level paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.core.extras import need
from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.analyze import analyze
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json, Params, Shard
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.folder import wanted_folder
from econzoo.evaluate.run.plan import Plan
from econzoo.evaluate.run.records import Records, read_records
from econzoo.evaluate.run.settings import parse_params
from econzoo.evaluate.run.tournament import play_missing
from econzoo.evaluate.show.page import tell

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
    others = [str(path) for path in beside or ()]
    experiment(plan, out, jobs, shard, concurrent, as_json, "water", beside=others, paper=paper)


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
    experiment(plan, out, jobs, shard, concurrent, as_json, "levels")


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
    experiment(plan, out, jobs, shard, concurrent, as_json, "levels")


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
    name: str,
    **options: Any,
) -> None:
    """Plays what is missing of a plan, and writes and tells the analysis of this name.

    Args:
        plan: None: nothing is played.
        out: Its folder.
        jobs: See `econzoo.evaluate.run.tournament.play_missing`; so `shard` and `concurrent`.
        shard: The part to play.
        concurrent: Matches at once.
        as_json: Print numbers for programs.
        name: Of `econzoo.evaluate.analyses.analyze.ANALYSES`.
        **options: Of the analysis.
    """
    need("experiment", "pandas", "scipy", "matplotlib", "jinja2")
    wanted_folder(out)
    if plan:
        play_missing({".": plan}, out, jobs, shard, concurrent)
    records = read_records(out) if plan else Records([], out)
    tell(analyze(records, name, **options), out, as_json)
    if plan and not as_json:
        print(f"{len(records)} of {many(len(plan), 'match')}. To see them: econzoo report {out}")
