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

from econzoo.baselines.factory import knows, partners, unknown_player
from econzoo.baselines.pools import pool
from econzoo.baselines.reader_option import with_reader
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Each, Flag, OneOf, Whole
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.evaluate.formats.glee.folders import FAMILIES
from econzoo.evaluate.formats.glee.scenarios import grid
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.entries import for_game
from econzoo.evaluate.run.sampling import Sampling
from econzoo.evaluate.run.settings import Market, read_suite
from econzoo.evaluate.suites.suite import Asked, Suite

PUBLISHED = read_suite("glee")

FULL = "full"
"""Name of the whole grid."""

SUBSETS = (FULL, *PUBLISHED["subsets"])

SCRIPTED = "scripted"
"""Stands for the standard pool of each family."""

GRID, SAMPLING = "grid", "sampling"
PLANS = (GRID, SAMPLING)
"""Every pair in every configuration, or GLEE's own plan of play (`econzoo.evaluate.run.sampling`)."""


def configurations(settings: Sequence[str] = (), families: Iterable[str] = FAMILIES) -> dict[str, list[Market]]:
    """The configurations of subsets by family.

    Args:
        settings: Of `SUBSETS`, or families, which stand for all of their grid; empty: the suite's.
        families: Which to give.

    Raises:
        ValueError: Unknown subset or family, or a subset of other families; the message lists those that exist.
    """
    families, found = list(families), dict[str, dict[str, Market]]()
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


class Entered(NamedTuple):
    """The players of a family.

    Attributes:
        specs: Who plays.
        unknown: Who was asked to play everywhere and is not known here.
    """

    specs: list[str]
    unknown: list[str]


def entered(given: Sequence[str], family: str) -> Entered:
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
            raise ValueError(f"{text[:80]!r}: {unknown_name('family', only, FAMILIES)}")
        if only not in (None, family):
            continue
        if spec == SCRIPTED:
            specs.update(dict.fromkeys(pool(family, PUBLISHED["pool"])))
        elif knows(spec, family):
            specs[spec] = None
        elif only or not any(knows(spec, other) for other in FAMILIES):
            raise ValueError(unknown_player(spec, only, SCRIPTED))
        else:
            unknown.append(spec)
    return Entered(list(specs), unknown)


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
        players: See `entered`.
        settings: See `configurations`.
        seeds: Of each seating in each configuration, or of `SAMPLING`, games of each player in the first seat.
        families: Which to play.
        plan: One of `PLANS`.
        opponents: Whom the players meet, as for `players`; empty: each other. Those that could sit with none of the
            players are left out.
        seed: Of the shuffling of `SAMPLING`.
        reader: See `econzoo.baselines.reader_option.with_reader`.
        **options: See `econzoo.evaluate.run.design.new_design`.

    Raises:
        ValueError: Something is unknown or not allowed, or nobody plays.
    """
    if plan not in PLANS:
        raise ValueError(f"plan={plan!r} is not allowed; allowed: {', '.join(PLANS)}")
    designs: dict[str, Design] = {}
    for family, markets in configurations(settings, families).items():
        specs = with_reader(entered(players, family).specs, family, reader)
        pool = with_reader(entered(opponents, family).specs, family, reader)
        met = [other for other in pool if any(partners(spec, family, [other]) for spec in specs)]
        if not specs or (opponents and not met):
            continue
        sampling = Sampling(seeds, seed) if plan == SAMPLING else None
        designs[family] = new_design(family, specs, markets, 1 if sampling else seeds, met, sampling, **options)
    if not designs:
        raise ValueError(f"nobody plays in {', '.join(configurations(settings, families)) or 'any family'}")
    return designs


def skipped(given: list[str], families: list[str], designs: dict[str, Design]) -> list[str]:
    """A line for every player that a family does not know, and for every family that nobody plays."""
    lines = []
    for family in families:
        lines += [f"{family}: {spec} is not known there and does not play" for spec in entered(given, family).unknown]
        if family not in designs:
            lines.append(f"{family}: nobody plays")
    return lines


def glee(
    asked: Asked,
    *,
    family: Annotated[list[str], Option(Each(OneOf(*FAMILIES)), "Families.", default="all")] = [],  # noqa: B006
    plan: Annotated[
        str, Option(OneOf(*PLANS), "Every pair in every configuration, or GLEE's own plan of play.")
    ] = PUBLISHED["plan"],
    seed: Annotated[int, Option(Whole(0), "Random seed of --plan sampling.")] = 0,
    list: Annotated[bool, Option(Flag(), "Print the ids of the configurations and end.")] = False,
) -> Suite:
    """Every ordered pair of players in each configuration, family by family; see `benchmark_designs`.

    Args:
        asked: Players and opponents, each in every family that knows it or as FAMILY=SPEC; none: the standard pools.
            Settings: see `configurations`.
            `seeds` are those of every pair in every configuration, or games of each player in the first seat.
        family: Which to play.
        plan: One of `PLANS`.
        seed: Of the shuffling of `SAMPLING`.
        list: Whether the configurations are only listed.

    Raises:
        ValueError: Something is unknown or not allowed, or nobody plays.
    """
    asked.refuse("glee", "pool", "lineups")
    families = [*(family or FAMILIES)]
    if list:
        found = configurations(asked.settings, families)
        return Suite({}, "", lines=[one.name for markets in found.values() for one in markets])
    players, seeds = asked.players or [SCRIPTED], asked.seeds or PUBLISHED["seeds"]
    how = (asked.settings, seeds, families, plan, asked.opponents, seed, asked.reader)
    designs = benchmark_designs(players, *how, **asked.keywords(benchmark_designs))
    return Suite(designs, "glee", lines=skipped([*players, *asked.opponents], families, designs), takes_records=False)
