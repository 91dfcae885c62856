"""GLEE's configurations as a benchmark: any players, in every family that knows them, against each other.

    plans = benchmark_plans(["scripted"], subset="small", games=5)
    for family, plan in plans.items():
        run(plan, f"runs/glee/{family}")

Every family has a folder of its own, which is that of a tournament (`econzoo.evaluate.run.tournament`): it can be
stopped at any time, goes on with what is missing, and everything that reads records can read it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.factory import allowed, knows, partners
from econzoo.baselines.pools import pool
from econzoo.baselines.reader_option import with_reader
from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.spec import labels
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.summary.keyword_buyers import (
    BY_KEYWORDS,
    Keywords,
    all_scripted,
    counted,
    go_by_keywords,
)
from econzoo.evaluate.formats.glee.scenarios import FAMILIES, configurations
from econzoo.evaluate.run.entries import for_game
from econzoo.evaluate.run.folder import lines_of, record_files
from econzoo.evaluate.run.plan import Plan, new_plan, read_plan
from econzoo.evaluate.run.sampling import Sampling
from econzoo.evaluate.run.settings import label
from econzoo.evaluate.show.numbers import known
from econzoo.evaluate.stats.columns import against_all, called, or_nan, sorted_roles
from econzoo.evaluate.stats.estimates import Difference, behind, estimate
from econzoo.evaluate.stats.intervals import Interval

if TYPE_CHECKING:
    import pandas as pd

SCRIPTED = "scripted"
"""Stands for the standard pool of each family."""

GRID, SAMPLING = "grid", "sampling"
PLANS = (GRID, SAMPLING)
"""Every pair in every configuration, or GLEE's own plan of play (`econzoo.evaluate.run.sampling`)."""


class Asked(NamedTuple):
    """The players of a family.

    Attributes:
        specs: Who plays.
        unknown: Who was asked to play everywhere and is not known here.
    """

    specs: list[str]
    unknown: list[str]


def asked(given: Sequence[str], family: str) -> Asked:
    """Who of those given plays in a family.

    Args:
        given: Specs that play in every family that knows them, ``FAMILY=SPEC`` for those that play in one family only;
            `SCRIPTED` in place of a spec stands for the standard pool.
        family: One of `FAMILIES`.

    Raises:
        ValueError: No family knows a spec, or its own family does not, or there is no such family.
    """
    specs: dict[str, None] = {}
    unknown: list[str] = []
    for text in given:
        only, spec = for_game(text)
        if only not in (None, *FAMILIES):
            raise ValueError(f"unknown family {only!r} in {text[:80]!r}; allowed: {', '.join(FAMILIES)}")
        if only not in (None, family):
            continue
        if spec == SCRIPTED:
            specs.update(dict.fromkeys(pool(family, "standard")))
        elif knows(spec, family):
            specs[spec] = None
        elif only or not any(knows(spec, other) for other in FAMILIES):
            raise ValueError(f"unknown player {spec[:80]!r}; allowed: {SCRIPTED}, {allowed(only)}")
        else:
            unknown.append(spec)
    return Asked(list(specs), unknown)


def benchmark_plans(
    players: Sequence[str],
    subset: str = "small",
    games: int = 1,
    families: Iterable[str] = FAMILIES,
    plan: str = GRID,
    opponents: Sequence[str] = (),
    seed: int = 0,
    reader: str | None = None,
    **options: Any,
) -> dict[str, Plan]:
    """A plan for every family that somebody plays in.

    Args:
        players: See `asked`.
        subset: See `econzoo.evaluate.formats.glee.scenarios.configurations`.
        games: Seeds of each seating in each configuration, or of `SAMPLING`, games of each player in the first seat.
        families: Which to play.
        plan: One of `PLANS`.
        opponents: Whom the players meet, as for `players`; empty: each other. Those that could sit with none of the
            players are left out.
        seed: Of the shuffling of `SAMPLING`.
        reader: See `econzoo.baselines.reader_option.with_reader`.
        **options: See `econzoo.evaluate.run.plan.new_plan`.

    Raises:
        ValueError: Something is unknown or not allowed, or nobody plays.
    """
    if plan not in PLANS:
        raise ValueError(f"plan={plan!r} is not allowed; allowed: {', '.join(PLANS)}")
    plans: dict[str, Plan] = {}
    for family, markets in configurations(subset, families).items():
        specs = with_reader(asked(players, family).specs, family, reader)
        pool = with_reader(asked(opponents, family).specs, family, reader)
        met = [other for other in pool if any(partners(spec, family, [other]) for spec in specs)]
        if not specs or (opponents and not met):
            continue
        sampling = Sampling(games, seed) if plan == SAMPLING else None
        seeds = 1 if sampling else games
        plans[family] = new_plan(family, specs, markets, seeds, opponents=met, sampling=sampling, **options)
    if not plans:
        raise ValueError(f"nobody plays in {', '.join(configurations(subset, families)) or 'any family'}")
    return plans


# What came out of it


def quick_table(folder: str | Path) -> tuple[pd.DataFrame, Keywords | None, int]:
    """One row for every seat of every record, what scripted buyers took by keywords, and how many matches were cut.

    Columns: ``player`` (its label), ``spec``, ``role``, ``seat``, ``opponent``, ``market``, ``self_gain``,
    ``efficiency``, ``fairness``, ``agreed``, ``forfeit``, ``errors``, ``answers``, ``heard`` (`BY_KEYWORDS` or empty).
    `econzoo.evaluate.analyses.frame.frame` has the rest. Matches that were cut are left out, as they are there.
    """
    import pandas as pd

    plan = read_plan(folder)
    seen: set[str] = set()
    rows: list[tuple[Any, ...]] = []
    names: dict[str, str] = {}
    heard: list[dict[str, Any]] = []
    cut: set[str] = set()
    for path in record_files(folder):
        for _, line in lines_of(path):
            try:
                given, answers = _outline(line)
                if given.get("position_payoffs") is not None:  # the line of a match that was cut, and of no other
                    cut.add(given["id"])
                elif given["id"] not in seen:
                    apart = go_by_keywords(given)
                    heard += [given if all_scripted(given) else from_json(line)] if apart else []
                    rows += _rows(given, answers, _name(given, plan, names), BY_KEYWORDS if apart else "")
                    seen.add(given["id"])
            except (ValueError, KeyError, TypeError, IndexError):  # not a record; econzoo analyze says which
                continue
    table, keywords = pd.DataFrame(rows, columns=[*_COLUMNS]), counted(heard)
    told = labels([*table["player"], *(plan.names() if plan else ())])
    both = {name: table[name].map(told) for name in ("player", "opponent")}
    table = table.rename(columns={"agreed": agreement_column(set(table["game"]))})
    table = table.assign(spec=table["player"]).assign(**both)
    return table if keywords else table.assign(heard=""), keywords, len(cut)


def agreement_column(games: Collection[str]) -> str:
    """The column of how often there was an agreement in matches of a game."""
    return find_game(*games).facts.agreement_column if games else "agreed"


_COLUMNS = (
    "game",
    "player",
    "role",
    "seat",
    "opponent",
    "market",
    "self_gain",
    "efficiency",
    "fairness",
    "agreed",
    "forfeit",
    "errors",
    "answers",
    "heard",
)


def _outline(line: bytes) -> tuple[dict[str, Any], list[int]]:
    """A record without its turns, which are most of it, and the number of answers of each seat.

    Records are written with the turns between two known keys, and inside of texts quotes are escaped; so they are cut
    out where everything in them is a legal move. Any other line is read as it is.
    """
    start, end = line.find(b',"turns":[{"seat":'), line.rfind(b'}],"payoffs":[')
    if 0 < start < end:
        given = from_json(line[:start] + line[end + 2 :])
        if not any(given["errors"]):
            turns = [line.count(b'{"seat":%d,"round":' % seat, start, end) for seat in range(len(given["players"]))]
            return given, turns
    given = from_json(line)
    seats = [turn["seat"] for turn in given["turns"]]
    return given, [seats.count(seat) for seat in range(len(given["players"]))]


def _name(given: Mapping[str, Any], plan: Plan | None, names: dict[str, str]) -> str:
    key = str(given["params"])
    if key not in names:
        own = None if plan is None else plan.market_of(given["params"])
        names[key] = own or label(find_game(given["game"]), given["params"])
    return names[key]


def _rows(given: Mapping[str, Any], answers: list[int], market: str, heard: str) -> list[tuple[Any, ...]]:
    metrics, roles = given["metrics"], find_game(given["game"]).facts.roles
    gains = tuple(map(or_nan, metrics["gains"]))
    outcome = Outcome(gains, or_nan(metrics["efficiency"]), or_nan(metrics["fairness"]), metrics["agreed"])
    common = *outcome[1:3], find_game(given["game"]).agreement_rate(outcome)
    return [
        (
            given["game"],
            player,
            roles[seat],
            seat,
            " + ".join(dict.fromkeys(other for i, other in enumerate(given["players"]) if i != seat)),
            market,
            gains[seat],
            *common,
            float(given["status"] == "forfeited" and given["forfeit"] == seat),
            given["errors"][seat],
            answers[seat],
            heard,
        )
        for seat, player in enumerate(given["players"])
    ]


MEASURES = ("self_gain", "efficiency", "fairness", "forfeit", "error_rate")

Place = tuple[str, str]
"""Role, and how words were heard where that sets matches apart (`econzoo.evaluate.analyses.summary.keyword_buyers`)."""


class Results(NamedTuple):
    """What came out of a family.

    Attributes:
        groups: Place to player to measure, the players with the highest gain first.
        behind: Place to player to how far its gain is below that of the first one, configuration by configuration.
        keywords: What scripted buyers took by keywords; None: nothing.
        cut: Matches that were cut and count for nothing.
    """

    groups: dict[Place, dict[str, dict[str, Interval]]]
    behind: dict[Place, dict[str, Difference]]
    keywords: Keywords | None
    cut: int = 0


def results(folder: str | Path) -> Results:
    """The measures of every player in every seat, over the opponents that all players in that seat met.

    Intervals are over configurations: players that always do the same differ in nothing else.

    Args:
        folder: Of one family.
    """
    (table, keywords, cut), plan = quick_table(folder), read_plan(folder)
    if cut and not len(table):
        raise ValueError(f"no match in {folder} has a result: {many(cut, 'match')} were cut")
    if plan is not None:
        table = table[table["player"].isin(called(table, plan.players))]
    columns = (*MEASURES, agreement_column(set(table["game"])))
    groups: dict[Place, dict[str, dict[str, Interval]]] = {}
    gaps: dict[Place, dict[str, Difference]] = {}
    for heard in sorted(set(table["heard"])):
        part = table[table["heard"] == heard]
        alike = against_all(part, by_role=True)
        found = estimate(alike, ["role", "player"], columns, over="settings")
        ranked = sorted(found.items(), key=lambda item: -known(item[1]["self_gain"].mean, -math.inf))
        for role in sorted_roles(part):
            groups[role, heard] = {player: one for (took, player), one in ranked if took == role}
            own = alike[alike["role"] == role]
            gaps[role, heard] = behind(own, list(groups[role, heard]), "self_gain", over="settings")
    return Results(groups, gaps, keywords, cut)
