"""GLEE's configurations as a benchmark: players against each other in every family that supports them.

    from econzoo.evaluate.run import run
    from econzoo.evaluate.suites.glee import benchmark_designs

    designs = benchmark_designs(["scripted"], ["small"], seeds=5)
    for family, design in designs.items():
        run(design, f"runs/glee/{family}")

Each family has its own tournament folder (`econzoo.evaluate.run.tournament`), which can be interrupted and resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

from econzoo.baselines import add_reader, describe_unknown, find_partners, is_known_spec, pool
from econzoo.envs.core.contract import Flag, Integer, ListOf, OneOf, Option, unknown_name
from econzoo.evaluate.formats.glee import FAMILIES, grid
from econzoo.evaluate.run import Design, Sampling, Setting, new_design, parse_entry, read_suite
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

PUBLISHED = read_suite("glee")

FULL = "full"
"""Name of the whole grid."""

SUBSETS = (FULL, *PUBLISHED["subsets"])

SCRIPTED = "scripted"
"""Placeholder for the standard pool of each family."""

GRID, SAMPLING = "grid", "sampling"
PLANS = (GRID, SAMPLING)
"""Every pair in every configuration, or GLEE's own sampling plan (`econzoo.evaluate.run.design`)."""


def configurations(settings: Sequence[str] = (), families: Iterable[str] = FAMILIES) -> dict[str, list[Setting]]:
    """Configurations of subsets, by family.

    Args:
        settings: Names of `SUBSETS`, or families (their full grid); empty: the suite's default.
    """
    families, found = list(families), dict[str, dict[str, Setting]]()
    for family in families:
        if family not in FAMILIES:
            raise ValueError(unknown_name("family", family, FAMILIES))
    for name in settings or PUBLISHED["settings"]:
        if name in FAMILIES and name not in families:
            raise ValueError(f"invalid setting {name!r} with families {', '.join(families)}: add family {name}")
        if name not in (*SUBSETS, *FAMILIES):
            raise ValueError(unknown_name("setting", name, [*SUBSETS, *FAMILIES]))
        for family in [name] if name in FAMILIES else families:
            chosen = PUBLISHED["subsets"].get(name, {}).get(family)
            every = {one.name: one for one in grid(family)}
            ids = every if chosen is None else [f"{family}/{id}" for id in chosen]
            found.setdefault(family, {}).update({id: every[id] for id in ids})
    return {family: list(by_id.values()) for family, by_id in found.items()}


class FamilyPlayers(NamedTuple):
    """Players of a family, and specs given for all families that it does not support."""

    specs: list[str]
    unknown: list[str]


def players_of_family(entries: Sequence[str], family: str) -> FamilyPlayers:
    """Select the players of a family.

    Args:
        entries: ``SPEC`` (plays in every family that supports it) or ``FAMILY=SPEC`` (plays in that family only);
            `SCRIPTED` in place of a spec stands for the standard pool.
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
        # A spec that no family supports is a mistake; one that only others support is skipped and reported.
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
    """Designs by family, for the families with players.

    Args:
        seeds: Seeds per seating and configuration; with `SAMPLING`, matches per player in the first seat.
        opponents: Opponents, as for `players`; empty: round robin. Opponents that can play with none of the players
            are left out.
    """
    if plan not in PLANS:
        raise ValueError(f"invalid plan={plan!r}: expected {' or '.join(PLANS)}")
    designs: dict[str, Design] = {}
    for family, chosen in configurations(settings, families).items():
        specs = add_reader(players_of_family(players, family).specs, family, reader)
        pool = add_reader(players_of_family(opponents, family).specs, family, reader)
        met = [other for other in pool if any(find_partners(spec, family, [other]) for spec in specs)]
        if not specs or (opponents and not met):
            continue
        sampling = Sampling(seeds, seed) if plan == SAMPLING else None
        # A sampled design has no seeds of its own; 1 is a placeholder.
        designs[family] = new_design(family, specs, chosen, 1 if sampling else seeds, met, sampling, **options)
    if not designs:
        raise ValueError(f"no players for {', '.join(configurations(settings, families)) or 'any family'}")
    return designs


def describe_skipped(entries: list[str], families: list[str], designs: dict[str, Design]) -> list[str]:
    """One line per player that a family does not support and per family without players."""
    lines = []
    for family in families:
        lines += [
            f"{family}: skipped {spec}, which does not play this game"
            for spec in players_of_family(entries, family).unknown
        ]
        if family not in designs:
            lines.append(f"{family}: skipped, no players")
    return lines


def glee(
    request: SuiteRequest,
    *,
    family: Annotated[list[str], Option(ListOf(OneOf(*FAMILIES)), "Game family (repeatable).", default="all")] = [],  # noqa: B006
    plan: Annotated[
        str, Option(OneOf(*PLANS), "Every pair in every configuration, or GLEE's sampling plan.")
    ] = PUBLISHED["plan"],
    seed: Annotated[int, Option(Integer(0), "Random seed of --plan sampling.")] = 0,
    list: Annotated[bool, Option(Flag(), "Print the configuration ids, then exit.")] = False,
) -> Suite:
    """Every ordered pair of players in each configuration, family by family; see `benchmark_designs`."""
    request.refuse_options("glee", "pool", "lineups")
    families = [*(family or FAMILIES)]
    if list:
        found = configurations(request.settings, families)
        return Suite({}, "", lines=[one.name for chosen in found.values() for one in chosen])
    players, seeds = request.players or [SCRIPTED], request.seeds or PUBLISHED["seeds"]
    how = (request.settings, seeds, families, plan, request.opponents, seed, request.reader)
    designs = benchmark_designs(players, *how, **request.keywords(benchmark_designs))
    return Suite(
        designs, "glee", lines=describe_skipped([*players, *request.opponents], families, designs), takes_records=False
    )
