"""``econzoo benchmark glee``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.core.extras import need
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.summary.keyword_buyers import BY_KEYWORDS
from econzoo.evaluate.analyses.summary.tables import behind_table, estimates_table, measure_column, seat_and_words
from econzoo.evaluate.analyses.without_result import told_of
from econzoo.evaluate.commands.options import Concurrent, Jobs, Json, Params, Reader, Shard
from econzoo.evaluate.formats.glee.scenarios import FAMILIES, SUBSETS, TRADE, configurations
from econzoo.evaluate.run.budget import budgeted
from econzoo.evaluate.run.failures import NoneEndedError
from econzoo.evaluate.run.gains_from_trade import nothing_to_gain, told_without_gains
from econzoo.evaluate.run.plan import Plan
from econzoo.evaluate.run.progress import stoppable
from econzoo.evaluate.run.settings import parse_params
from econzoo.evaluate.run.tournament import check, missing, parse_shard, play_missing
from econzoo.evaluate.show.numbers import capitalized, plain_difference, plain_estimates
from econzoo.evaluate.show.parts import Divider, Table, Text
from econzoo.evaluate.show.terminal import show
from econzoo.evaluate.suites.glee import GRID, PLANS, SCRIPTED, Results, asked, benchmark_plans, results

Specs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PLAYER...",
        help="Who is compared: a spec for every family that knows it, FAMILY=SPEC for one family only; "
        f"[bold]{SCRIPTED}[/bold] (the default) stands for the standard pool of each family.",
    ),
]


@budgeted
def glee(
    players: Specs = None,
    first: Annotated[
        list[str] | None, typer.Option("--players", metavar="PLAYER...", help="May stand before the players.")
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A folder for each family is in it; started again, it goes on.")
    ] = Path("runs/glee"),
    subset: Annotated[
        str, typer.Option(help=f"Configurations: {', '.join(SUBSETS)}, or a family for all of its own.")
    ] = "small",
    games: Annotated[
        int,
        typer.Option(
            min=1, help="Seeds for every pair in every configuration; sampling: games of each player as Alice."
        ),
    ] = 1,
    family: Annotated[
        list[str] | None, typer.Option(help=f"Only this one, as often as needed: {', '.join(FAMILIES)}.")
    ] = None,
    opponent: Annotated[
        list[str] | None, typer.Option(help="Whom the players meet, written like them; default: each other.")
    ] = None,
    plan: Annotated[
        str,
        typer.Option(help=f"{PLANS[0]}: every pair in every configuration; {PLANS[1]}: GLEE's own plan of play."),
    ] = GRID,
    seed: Annotated[int, typer.Option(min=0, help="Of the shuffling of --plan sampling.")] = 0,
    param: Params = None,
    reader: Reader = None,
    jobs: Jobs = None,
    concurrent: Concurrent = 32,
    shard: Shard = "0/1",
    list_ids: Annotated[bool, typer.Option("--list", help="Print the ids of the configurations and end.")] = False,
    as_json: Json = False,
) -> None:
    """GLEE's configurations: every ordered pair of players in each, family by family.

    It can be stopped at any time; the same command plays what is missing. What follows -p are options such as
    metrics=glee-code.

    Examples: econzoo benchmark glee --players scripted --subset small --games 5 | econzoo benchmark glee hf:smollm2
    --opponent scripted --out runs/smollm2 | econzoo benchmark glee bargaining=spe bargaining=fair --out runs/b
    """
    families = list(dict.fromkeys(family or FAMILIES))
    if list_ids:
        print("\n".join(one.name for found in configurations(subset, families).values() for one in found))
        return
    need("benchmark glee", "pandas", "scipy")
    given, met, options = [*(first or []), *(players or [])] or [SCRIPTED], opponent or [], parse_params(param or [])
    plans = benchmark_plans(given, subset, games, families, plan, met, seed, reader, **options)
    told = sys.stderr if as_json else sys.stdout
    for one in plans:
        check(plans[one], out / one)
    for line in skipped([*given, *met], families, plans):
        print(line, file=told)
    found: dict[str, Any] = {}
    none_ended: list[NoneEndedError] = []
    with stoppable(out):
        for one in plans:
            try:
                found[one] = _played(one, plans[one], out, jobs, shard, concurrent, as_json)
            except NoneEndedError as error:  # the other families can be played
                none_ended.append(error)
    if as_json:
        print(json.dumps(found, indent=2))
    elif found:
        reports = " | ".join(f"econzoo analyze {out / one}" for one in found)
        print(f"To read it: {reports}\nTo explain it: econzoo analyze {out} regression")
        print(f"To check it: econzoo replay {out}")
    if none_ended:
        raise none_ended[-1]


def skipped(given: list[str], families: list[str], plans: dict[str, Plan]) -> list[str]:
    """A line for every player that a family does not know, and for every family that nobody plays."""
    lines = []
    for family in families:
        lines += [f"{family}: {spec} is not known there and does not play" for spec in asked(given, family).unknown]
        if family not in plans:
            lines.append(f"{family}: nobody plays")
    return lines


def _played(
    family: str, plan: Plan, out: Path, jobs: int | None, shard: str, concurrent: int, quiet: bool
) -> dict[str, Any]:
    """Plays a family, tells its tables, and gives its numbers for JSON."""
    play_missing({family: plan}, out, jobs, shard, concurrent, plan.game)
    folder = out / family
    left = len(missing(plan, folder)) if parse_shard(shard)[1] > 1 else 0
    found = results(folder)
    if not quiet:
        show(tables(plan, found, len(plan) - left))
    return plain_results(plan, found, len(plan) - left)


INTERVALS = (
    "Intervals are over configurations: each one that was played is a draw from others like it; with fewer than six "
    "there is none."
)
TROUBLE = ("forfeit", "error_rate")
"""Measures that are shown if anybody has some."""


def tables(plan: Plan, found: Results, played: int) -> list[Table | Text]:
    """A table of all seats, how far the others are behind the first one of each, and what the numbers mean."""
    facts = find_game(plan.game).facts
    estimates = [one for own in found.groups.values() for one in own.values()]
    trouble = [name for name in TROUBLE if any(one[name].mean > 0 for one in estimates)]
    columns = [measure_column(facts, name, ranged=True) for name in ("self_gain", "efficiency")]
    columns += [measure_column(facts, name) for name in ("fairness", facts.agreement_column, *trouble)]
    title = f"{plan.game}: {played:,} of {len(plan):,} matches, {len(plan.markets)} configurations"
    places: list[Divider | tuple[str, Any]] = []
    behind: list[Table] = []
    for place, own in found.groups.items():
        where = seat_and_words(facts, *place)
        places += [Divider(capitalized(where)), *own.items()]
        about = f", {where}" if where else ""
        behind.append(behind_table(next(iter(own)), found.behind[place], "gain", "configurations", about))
    idle = told_without_gains(plan.game, (market.params for market in plan.markets))
    apart = [
        str(found.keywords) if found.keywords else "",
        f"{idle} All of --subset {TRADE} have some." if idle else "",
        told_of(["truncated"] * found.cut) if found.cut else "",
    ]
    made = estimates_table("glee", title, columns, places, f"Gain: {facts.gain}. {INTERVALS}")
    return [made, *behind, *(Text(one) for one in apart if one)]


def plain_results(plan: Plan, found: Results, played: int) -> dict[str, Any]:
    """The same for JSON."""
    rows = [
        {
            **{"role": role, **({"heard": heard} if heard else {}), "player": player},
            **plain_estimates(one),
            "behind": plain_difference(gap) if (gap := found.behind[role, heard].get(player)) else None,
        }
        for (role, heard), players in found.groups.items()
        for player, one in players.items()
    ]
    apart = {BY_KEYWORDS.replace(" ", "_"): found.keywords._asdict()} if found.keywords else {}
    idle = sum(nothing_to_gain(plan.game, market.params) for market in plan.markets)
    counts = {"matches": played, "planned": len(plan), "configurations": len(plan.markets), "without_gains": idle}
    counts |= {"without_result": found.cut} if found.cut else {}
    return {**counts, "players": rows, **apart}
