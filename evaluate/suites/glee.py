"""GLEE's configurations as a benchmark: any players, in every family that knows them, against each other.

    designs = benchmark_designs(["scripted"], ["small"], seeds=5)
    for family, design in designs.items():
        run(design, f"runs/glee/{family}")

Every family has a folder of its own, which is that of a tournament (`econzoo.evaluate.run.tournament`): it can be
stopped at any time, goes on with what is missing, and everything that reads records can read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

from econzoo.baselines.factory import describe_unknown, find_partners, is_known_spec
from econzoo.baselines.pools import pool
from econzoo.baselines.reader_option import add_reader
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Integer, ListOf, OneOf
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.evaluate.formats.glee.folders import FAMILIES
from econzoo.evaluate.formats.glee.scenarios import grid
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.entries import parse_entry
from econzoo.evaluate.run.sampling import Sampling
from econzoo.evaluate.run.settings import Setting, read_suite
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

PUBLISHED = read_suite("glee")

FULL = "full"
"""Name of the whole grid."""

SUBSETS = (FULL, *PUBLISHED["subsets"])

SCRIPTED = "scripted"
"""Stands for the standard pool of each family."""

GRID, SAMPLING = "grid", "sampling"
PLANS = (GRID, SAMPLING)
"""Every pair in every configuration, or GLEE's own plan of play (`econzoo.evaluate.run.sampling`)."""


def configurations(settings: Sequence[str] = (), families: Iterable[str] = FAMILIES) -> dict[str, list[Setting]]:
    """The configurations of subsets by family.

    Args:
        settings: Of `SUBSETS`, or families, which stand for all of their grid; empty: the suite's.
        families: Which to give.

    Raises:
        ValueError: Unknown subset or family, or a subset of other families; the message lists those that exist.
    """
    families, found = list(families), dict[str, dict[str, Setting]]()
    for family in families:
        if family not in FAMILIES:
            raise ValueError(unknown_name("family", family, FAMILIES))
    for name in settings or PUBLISHED["settings"]:
        if name in FAMILIES and name not in families:
            allowed = f"allowed: family {name}"
            raise ValueError(f"setting {name!r} has no configuration of {', '.join(families)}; {allowed}")
        if name not in (*SUBSETS, *FAMILIES):
            raise ValueError(unknown_name("setting", name, [*SUBSETS, *FAMILIES]))
        for family in [name] if name in FAMILIES else families:
            chosen = PUBLISHED["subsets"].get(name, {}).get(family)
            whole = {market.name: market for market in grid(family)}
            ids = whole if chosen is None else [f"{family}/{id}" for id in chosen]
            found.setdefault(family, {}).update({id: whole[id] for id in ids})
    return {family: list(markets.values()) for family, markets in found.items()}


class FamilyPlayers(NamedTuple):
    """The players of a family.

    Attributes:
        specs: Who plays.
        unknown: Who was asked to play everywhere and is not known here.
    """

    specs: list[str]
    unknown: list[str]


def players_of_family(entries: Sequence[str], family: str) -> FamilyPlayers:
    """Who of those given plays in a family.

    Args:
        entries: Specs that play in every family that knows them, ``FAMILY=SPEC`` for those that play in one family
            only;
            `SCRIPTED` in place of a spec stands for the standard pool.
        family: One of `FAMILIES`.

    Raises:
        ValueError: No family knows a spec, or its own family does not, or there is no such family.
    """
    specs: dict[str, None] = {}
    unknown: list[str] = []
    for text in entries:
        only, spec = parse_entry(text)
        if only not in (None, *FAMILIES):
            raise ValueError(f"{text[:80]!r}: {unknown_name('family', only, FAMILIES)}")
        if only not in (None, family):
            continue
        if spec == SCRIPTED:
            specs.update(dict.fromkeys(pool(family, PUBLISHED["pool"])))
        elif is_known_spec(spec, family):
            specs[spec] = None
        elif only or not any(is_known_spec(spec, other) for other in FAMILIES):
            raise ValueError(describe_unknown(spec, only, SCRIPTED))
        else:
            unknown.append(spec)
    return FamilyPlayers(list(specs), unknown)


def benchmark_designs(
    players: Sequence[str],
    settings: Sequence[str] = (),
    seeds: int = PUBLISHED["seeds"],
    families: Iterable[str] = FAMILIES,
    plan: str = PUBLISHED["plan"],
    opponents: Sequence[str] = (),
    seed: int = 0,
    reader: str | None = None,
    **options: Any,
) -> dict[str, Design]:
    """A design for every family that somebody plays in.

    Args:
        players: See `players_of_family`.
        settings: See `configurations`.
        seeds: Of each seating in each configuration, or of `SAMPLING`, games of each player in the first seat.
        families: Which to play.
        plan: One of `PLANS`.
        opponents: Whom the players meet, as for `players`; empty: each other. Those that could sit with none of the
            players are left out.
        seed: Of the shuffling of `SAMPLING`.
        reader: See `econzoo.baselines.reader_option.add_reader`.
        **options: See `econzoo.evaluate.run.design.new_design`.

    Raises:
        ValueError: Something is unknown or not allowed, or nobody plays.
    """
    if plan not in PLANS:
        raise ValueError(f"plan={plan!r} is not allowed; allowed: {', '.join(PLANS)}")
    designs: dict[str, Design] = {}
    for family, markets in configurations(settings, families).items():
        specs = add_reader(players_of_family(players, family).specs, family, reader)
        pool = add_reader(players_of_family(opponents, family).specs, family, reader)
        met = [other for other in pool if any(find_partners(spec, family, [other]) for spec in specs)]
        if not specs or (opponents and not met):
            continue
        sampling = Sampling(seeds, seed) if plan == SAMPLING else None
        designs[family] = new_design(family, specs, markets, 1 if sampling else seeds, met, sampling, **options)
    if not designs:
        raise ValueError(f"nobody plays in {', '.join(configurations(settings, families)) or 'any family'}")
    return designs


def describe_skipped(entries: list[str], families: list[str], designs: dict[str, Design]) -> list[str]:
    """A line for every player that a family does not know, and for every family that nobody plays."""
    lines = []
    for family in families:
        lines += [
            f"{family}: {spec} is not known there and does not play"
            for spec in players_of_family(entries, family).unknown
        ]
        if family not in designs:
            lines.append(f"{family}: nobody plays")
    return lines


def glee(
    request: SuiteRequest,
    *,
    family: Annotated[list[str], Option(ListOf(OneOf(*FAMILIES)), "Families.", default="all")] = [],  # noqa: B006
    plan: Annotated[
        str, Option(OneOf(*PLANS), "Every pair in every configuration, or GLEE's own plan of play.")
    ] = PUBLISHED["plan"],
    seed: Annotated[int, Option(Integer(0), "Random seed of --plan sampling.")] = 0,
    list: Annotated[bool, Option(Flag(), "Print the ids of the configurations and end.")] = False,
) -> Suite:
    """Every ordered pair of players in each configuration, family by family; see `benchmark_designs`.

    Args:
        request: Players and opponents, each in every family that knows it or as FAMILY=SPEC; none: the standard pools.
            Settings: see `configurations`.
            `seeds` are those of every pair in every configuration, or games of each player in the first seat.
        family: Which to play.
        plan: One of `PLANS`.
        seed: Of the shuffling of `SAMPLING`.
        list: Whether the configurations are only listed.

    Raises:
        ValueError: Something is unknown or not allowed, or nobody plays.
    """
    request.refuse_options("glee", "pool", "lineups")
    families = [*(family or FAMILIES)]
    if list:
        found = configurations(request.settings, families)
        return Suite({}, "", lines=[one.name for markets in found.values() for one in markets])
    players, seeds = request.players or [SCRIPTED], request.seeds or PUBLISHED["seeds"]
    how = (request.settings, seeds, families, plan, request.opponents, seed, request.reader)
    designs = benchmark_designs(players, *how, **request.keywords(benchmark_designs))
    return Suite(
        designs, "glee", lines=describe_skipped([*players, *request.opponents], families, designs), takes_records=False
    )
