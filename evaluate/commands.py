"""Commands of this folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.baselines.factory import player as make_player
from econzoo.envs.core.extras import need
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.markets import DEFAULT, Market, as_markets, label, parse_params, read_markets
from econzoo.evaluate.plan import Plan
from econzoo.evaluate.progress import progress_bar

SPECS = "spe, fair, 'boulware(0.2)', random, ..., hf:smollm2, hf:PATH, openai:MODEL@URL, ppo:FILE"
"""Examples of players for the help; an unknown spec is answered with the list of all."""

Game = Annotated[str, typer.Argument(metavar="GAME", help="Name of the game; see [bold]econzoo games[/bold].")]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        "-p",
        metavar="NAME=VALUE",
        help="Parameter of the game, as often as needed: delta=0.9,0.8, horizon=none, messages=false. See "
        "[bold]econzoo show GAME[/bold]. Also metrics, reasks, on_error, prompts, max_cycles, channel, max_message.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on standard output.")]
Markets = Annotated[
    list[str] | None,
    typer.Option("--market", "-m", help="Named market, as often as needed; 'all' and 'held-out' stand for several."),
]
MarketsFile = Annotated[
    Path | None,
    typer.Option("--markets", metavar="FILE", help="JSON file: an object of name to parameters, or a list of them."),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, max=256, help="Processes for scripted players; default: as many as are worth it.")
]
Concurrent = Annotated[int, typer.Option(min=1, max=4096, help="Matches at once where a model is asked in batches.")]


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
    as_json: Annotated[bool, typer.Option("--json", help="Print the records, one JSON line a match.")] = False,
) -> None:
    """Play matches between any players, people included. Several people take turns at this terminal.

    Examples: econzoo play bargaining spe fair --matches 3 | econzoo play bargaining human fair -p horizon=3 |
    econzoo play bargaining hf:smollm2 'boulware(0.2)' --out matches.jsonl |
    econzoo play --resume bargaining-0123456789abcdef.match.json
    """
    from econzoo.evaluate.playing import play_and_keep, resume_and_keep, shown

    if resume is not None:
        refuse_with_resume(ctx)
        played = resume_and_keep(resume, out)
    elif game is None or not players:
        raise typer.BadParameter("a game and its players are needed, or --resume FILE", ctx)
    else:
        settings = parse_params(param or [])
        played = play_and_keep(game, players, range(seed, seed + matches), settings, concurrent, save, out)
    shown(played, out, as_json)


def refuse_with_resume(ctx: typer.Context) -> None:
    """Raises `ValueError` if something is given that the file of a paused match says already."""
    for name in ctx.params:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in ("resume", "out", "as_json"):
            raise ValueError(f"{name} is not allowed with --resume, whose file says it; allowed: --out, --json")


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
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Annotated[str, typer.Option(metavar="i/n", help="Play only part i of n, counted from 0.")] = "0/1",
    as_json: Json = False,
) -> None:
    """Cross-play of players over markets and seeds: every pair, both seat orders, the same seeds for all.

    It can be stopped at any time; the same command plays what is missing. Players and markets may be added later.

    Example: econzoo tournament bargaining spe fair 'boulware(0.2)' --market all --seeds 20 --out runs/first
    """
    from econzoo.evaluate.tournament import new_plan

    settings, options = chosen_markets(game, market, markets, param)
    plan = new_plan(game, players, settings or (DEFAULT,), seeds, opponent or (), **options)
    play_missing(plan, out, jobs, shard, concurrent)
    _tell_tournament(out, as_json)


def _tell_tournament(out: Path, as_json: bool) -> None:
    from econzoo.evaluate.console import cross_play_table, legend, ranking_table, show
    from econzoo.evaluate.summary import read_summary

    summary = read_summary(out)
    if as_json:
        print(json.dumps(summary.to_dict(), indent=2))
        return
    show(ranking_table(summary), cross_play_table(summary), legend(summary.facts))
    print(f"\n{summary.matches} of {summary.planned or summary.matches} matches are in {out}")
    print(f"To read it: econzoo report {out}")


def evaluate(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="The player, for example ppo:model.zip or hf:PATH.")],
    game: Annotated[
        str | None, typer.Option(help="Name of the game; default: that of a trained policy, else bargaining.")
    ] = None,
    opponent: Annotated[list[str] | None, typer.Option(help="Instead of a pool, as often as needed.")] = None,
    among: Annotated[
        str, typer.Option("--pool", help="Opponents: standard, held-out (nobody whom training meets) or training.")
    ] = "standard",
    seeds: Annotated[int, typer.Option(min=1, help="Held-out seeds in each market.")] = 5,
    market: Markets = None,
    markets: MarketsFile = None,
    param: Params = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the records; started again, it goes on.")
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """One player against the standard pool, in held-out markets with held-out seeds, in both seats.

    Example: econzoo evaluate ppo:runs/ppo/model.zip --out runs/ppo/evaluation
    """
    from econzoo.evaluate.checkpoint import checkpoint_plan, evaluate_plan

    name = game or make_player(spec).plays or "bargaining"
    settings, options = chosen_markets(name, market, markets, param)
    make_player(spec, name)
    plan = checkpoint_plan(spec, name, opponent or (), settings, seeds, among, **options)
    with progress_bar("matches", len(plan)) as told:
        summary = evaluate_plan(plan, out, jobs, told)
    if as_json:
        print(json.dumps(summary.to_dict(), indent=2))
        return
    from econzoo.evaluate.console import checkpoint_tables, legend, show

    show(*checkpoint_tables(summary), legend(summary.facts))


def replay(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of records, or folders with them.")],
    as_json: Json = False,
) -> None:
    """Re-run the rules on recorded matches and check every payoff, metric, text and move.

    What is not as the rules say is told by file, line and turn, and the exit code is 1.

    Example: econzoo replay runs/first
    """
    from econzoo.evaluate.folder import record_files
    from econzoo.evaluate.replaying import replay_files

    found = replay_files([path for given in files for path in record_files(given)])
    if as_json:
        print(json.dumps(found.to_dict(), indent=2))
    else:
        print("\n".join(found.lines()))
    if found.problems:
        raise typer.Exit(1)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of records and training logs.")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The page; default: DIR/report.html.")] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    transcripts: Annotated[int, typer.Option(min=0, max=5000, help="Matches to read in the page, at most.")] = 120,
) -> None:
    """One HTML page of a folder of records: summary, tables, figures and transcripts; it needs no network.

    Example: econzoo report runs/first
    """
    need("report", "pandas", "scipy", "matplotlib", "jinja2")
    from econzoo.evaluate.report import write_report

    path, sentences = write_report(folder, out, title, transcripts)
    print("\n".join(sentences))
    print(f"\nThe report is in {path}")


# Helpers of the commands


def play_missing(plan: Plan, out: Path, jobs: int | None, shard: str, concurrent: int) -> None:
    """Plays what is missing of a plan, or of a shard ``"i/n"`` of it, with a progress bar; an interrupt ends it well.

    Raises:
        ValueError: A spec or the shard is not allowed, or the folder cannot take the plan.
    """
    from econzoo.evaluate.tournament import check, missing, parse_shard, run

    part = parse_shard(shard)
    check(plan, out)
    try:
        todo = missing(plan, out, part)
        with progress_bar("matches", len(todo)) as told:
            run(plan, out, jobs, part, concurrent, told, todo)
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on with what is missing in {out}", file=sys.stderr)
        raise typer.Exit(130) from None


def chosen_markets(
    game: str, names: Sequence[str] | None, file: Path | None, given: Sequence[str] | None
) -> tuple[list[Market], dict[str, Any]]:
    """The markets that a command line names, each with the given parameters, and the options among these."""
    from econzoo.evaluate.table import OPTIONS

    rules = find_game(game)
    params = parse_params(given or [])
    options = {name: params.pop(name) for name in OPTIONS if name in params}
    markets = as_markets(rules, names or [])
    if file is not None:
        markets += read_markets(rules, file)
    if params and not markets:
        return [Market(label(rules, params), params)], options
    suffix = f" {label(rules, params)}" if params else ""
    return [Market(name + suffix, {**own, **params}) for name, own in markets], options
