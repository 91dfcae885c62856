"""Commands of this folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.reader_option import check_reader, with_reader
from econzoo.evaluate.analyses.frame import SELF_GAIN
from econzoo.evaluate.commands.options import (
    SPECS,
    Concurrent,
    Game,
    Jobs,
    Json,
    Lineups,
    Markets,
    MarketsFile,
    Params,
    Ranked,
    Reader,
    Shard,
)
from econzoo.evaluate.run.budget import OPTIONS, budgeted, counting, has_prices
from econzoo.evaluate.run.plan import chosen_markets
from econzoo.evaluate.run.progress import progress_bar, stoppable
from econzoo.evaluate.run.settings import DEFAULT, parse_params

TEST_IS_READ = "The test pool is read: once for each result, and nothing is chosen by it afterwards (docs/splits.md)"


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


@budgeted
def tournament(
    game: Game,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help=f"Who is compared: {SPECS}.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the records; started again, it goes on.")],
    seeds: Annotated[int, typer.Option(min=1, help="Matches of each seating in each market: seeds 0, 1, 2, ...")] = 10,
    market: Markets = None,
    markets: MarketsFile = None,
    param: Params = None,
    opponent: Annotated[
        list[str] | None, typer.Option(help="Whom the players meet, as often as needed; default: each other.")
    ] = None,
    lineup: Lineups = None,
    reader: Reader = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    objective: Ranked = SELF_GAIN,
    as_json: Json = False,
) -> None:
    """Cross-play of players over markets and seeds: every pair, both seat orders, the same seeds for all.

    It can be stopped at any time; the same command plays what is missing. Players and markets may be added later.

    Example: econzoo tournament bargaining spe fair 'boulware(0.2)' --market all --seeds 20 --out runs/first
    """
    from econzoo.evaluate.run.seatings import seated
    from econzoo.evaluate.run.tournament import new_plan, play_missing

    settings, options = chosen_markets(game, market, markets, param)
    check_reader(reader, [*players, *(opponent or ())], game)
    specs, met = with_reader(players, game, reader), with_reader(opponent or (), game, reader)
    lineups = [with_reader(one, game, reader) for one in seated(lineup or ())]
    plan = new_plan(game, specs, settings or (DEFAULT,), seeds, met, lineups=lineups, **options)
    play_missing({".": plan}, out, jobs, shard, concurrent)
    _tell_tournament(out, objective, as_json)


def _tell_tournament(out: Path, objective: str, as_json: bool) -> None:
    from econzoo.evaluate.analyses.summary import grids, tables
    from econzoo.evaluate.analyses.summary.summary import summarize
    from econzoo.evaluate.run.records import read_records
    from econzoo.evaluate.show.terminal import show

    summary = summarize(read_records(out), objective=objective)
    if as_json:
        print(json.dumps(summary.to_dict(), indent=2))
        return
    show([*tables.ranking(summary), *tables.conduct(summary), *grids.cross_play(summary), *tables.notes(summary)])
    played = len(summary.played)
    print(f"\n{played} of {summary.planned or played} matches are in {out}")
    print(f"To read it: econzoo analyze {out}")


@budgeted
def evaluate(
    specs: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC...",
            help="The player, for example ppo:runs/ppo or hf:PATH; or several, or a folder with seed-0, seed-1, ...: "
            "their means over seeds, beside all scripts.",
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="Name of the game; default: that of a trained policy, else bargaining.")
    ] = None,
    opponent: Annotated[list[str] | None, typer.Option(help="Instead of a pool, as often as needed.")] = None,
    among: Annotated[
        str,
        typer.Option("--pool", help="Opponents: standard, training, validation (not met in training) or test (once)."),
    ] = "standard",
    reader: Reader = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds in each market, none of training.")] = 5,
    market: Markets = None,
    markets: MarketsFile = None,
    param: Params = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the records; started again, it goes on.")
    ] = None,
    jobs: Jobs = None,
    objective: Ranked = SELF_GAIN,
    ceiling: Annotated[
        bool, typer.Option("--ceiling", help="Also the share of what can be earned at most, where that is known.")
    ] = False,
    scripts: Annotated[
        bool | None,
        typer.Option(
            help="All scripts of the game in the same matches, and differences to them; default: with several players."
        ),
    ] = None,
    by_seat: Annotated[bool, typer.Option("--by-seat", help="With --scripts: each seat by itself too.")] = False,
    as_json: Json = False,
) -> None:
    """One player against a pool, or the seeds of a training, in markets that training never draws, in both seats.

    Examples: econzoo evaluate ppo:runs/first --out runs/first/evaluation |
    econzoo evaluate ppo:runs/seeds --pool validation --ceiling
    """
    from econzoo.evaluate.analyses.ceilings.share import share_table, shares
    from econzoo.evaluate.analyses.learning.evaluating import evaluate_learning
    from econzoo.evaluate.analyses.learning.trainings import trainings
    from econzoo.evaluate.analyses.training_exposure import cells, met_table, plain_cells
    from econzoo.evaluate.run.match import CONCURRENT
    from econzoo.evaluate.run.tournament import play_missing
    from econzoo.evaluate.suites.checkpoint import checkpoint_plan, evaluate_plan

    if among == "test" and not opponent:
        print(TEST_IS_READ, file=sys.stderr)
    groups = trainings(specs)
    spec = next(iter(groups[0].seeds))
    name = game or make_player(spec).plays or "bargaining"
    settings, options = chosen_markets(name, market, markets, param)
    if scripts or sum(len(one.seeds) for one in groups) > 1:
        how = (opponent or (), among, settings, seeds, out, jobs, objective, ceiling, scripts is not False, as_json)
        return evaluate_learning(groups, name, *how, by_seat, **options)
    if by_seat:
        raise ValueError("--by-seat is not allowed without --scripts: the table of one player has its seats anyway")
    make_player(spec, name)
    plan = checkpoint_plan(spec, name, opponent or (), settings, seeds, among, reader, **options)
    if out is None and has_prices(plan.names()):
        raise ValueError("matches that cost money are kept: --out DIR")
    if out is None:
        counting(out, plan.names())
        with stoppable(out), progress_bar("matches", len(plan)) as told:
            summary = evaluate_plan(plan, out, jobs, told, objective=objective)
    else:
        play_missing({".": plan}, out, jobs, "0/1", CONCURRENT)
        summary = evaluate_plan(plan, out, todo=(), objective=objective)
    met, share = cells(plan.players[0], summary.records), shares(plan, summary) if ceiling else {}
    if as_json:
        beside = {**({"met_in_training": plain_cells(met)} if met else {}), **({"ceiling": share} if ceiling else {})}
        print(json.dumps({**summary.to_dict(), **beside}, indent=2))
        return
    from econzoo.evaluate.analyses.summary.tables import checkpoint_parts
    from econzoo.evaluate.show.terminal import show

    unknown = f"No ceiling is known for {name} and this pool; --scripts shows what its scripts earn."
    show(
        [*checkpoint_parts(summary), met_table(met), share_table(share), *([unknown] if ceiling and not share else [])]
    )
