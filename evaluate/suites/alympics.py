"""Designs of the experiments of ALYMPICS and of the K-level paper: folders of matches like those of any tournament.

    design = water_design(["reserve(2)"], seeds=10)
    run(design, "runs/water")

All line-ups meet the same luck in a setting (common random numbers); settings share none. What the papers set stands in
``water.toml``, ``guess.toml`` and ``auction.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Integer
from econzoo.envs.core.env.options import split_settings
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.design import Design, new_design, seat_count
from econzoo.evaluate.run.settings import DEFAULT, Setting, label_setting, read_suite, resolve_settings
from econzoo.evaluate.suites.suite import Suite, SuiteRequest


def water_design(
    players: Sequence[str],
    seeds: int | None = None,
    seed: int = 0,
    settings: Sequence[str] = (),
    each: bool = False,
    rotate: bool = False,
    **params: Any,
) -> Design:
    """The Water Allocation Challenge in the settings of the paper.

    Args:
        players: One spec for all seats, or one for each seat in order.
        seeds: Games of each line-up in each setting; None: the suite's.
        seed: Of the first game; the next ones count up.
        settings: Names of markets of the game; empty: the suite's.
        each: Take every player for all seats, in a line-up of its own.
        rotate: Play every line-up in all its rotations, so that everybody sits everywhere.
        **params: Parameters of the game and options, on top of those of the settings.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    known, (options, own) = read_suite("water"), split_settings(params)
    rules, names = find_game(known["game"]), dict.fromkeys(settings or known["settings"])
    markets = [Setting(name, {**given, **own}) for name, given in resolve_settings(rules, list(names))]
    seats = seat_count(rules, markets)
    lineups = lineups_of(players, seats, each)
    if rotate:
        lineups = [lineup[at:] + lineup[:at] for lineup in lineups for at in range(seats)]
    specs = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
    numbers = range(seed, seed + (seeds or known["seeds"]))
    return new_design(rules.name, specs, markets, numbers, lineups=lineups, **options)


def lineups_of(players: Sequence[str], seats: int, each: bool) -> list[tuple[str, ...]]:
    """Who sits where.

    Raises:
        ValueError: There are neither one nor as many players as seats.
    """
    if each or len(players) == 1:
        return [(spec,) * seats for spec in players]
    if len(players) != seats:
        allowed = f"one for all seats, {seats} seat by seat, or --each with any number"
        raise ValueError(f"{len(players)} players are not allowed; allowed: {allowed}")
    return [tuple(players)]


def level_design(
    name: str,
    tested: Sequence[str],
    opponents: Sequence[str] = (),
    seeds: int | None = None,
    seed: int = 0,
    **params: Any,
) -> Design:
    """Each tested player in the first seat, against each opponent in all others.

    Args:
        name: ``"guess"`` or ``"auction"``.
        tested: Specs.
        opponents: Specs; empty: the suite's.
        seeds: Games of each pair; None: the suite's.
        seed: Of the first game; the next ones count up.
        **params: Parameters of the game and options.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    known, (options, own) = read_suite(name), split_settings(params)
    rules = find_game(known["game"])
    market = Setting(label_setting(rules, own), own) if own else Setting(DEFAULT, {})
    others = opponents or known.get("opponents") or pool(rules.name, known["pool"])
    seats, compared = seat_count(rules, [market]), list(dict.fromkeys(tested))
    lineups = [(one, *[other] * (seats - 1)) for one in compared for other in dict.fromkeys(others)]
    numbers = range(seed, seed + (seeds or known["seeds"]))
    return new_design(rules.name, compared, [market], numbers, others, lineups=lineups, **options)


# Suites


Seed = Annotated[int, Option(Integer(0), "Seed of the first match; later matches use seed+1, seed+2, ...")]


def water(
    request: SuiteRequest,
    *,
    each: Annotated[bool, Option(Flag(), "Let each player fill all seats in matches of its own.")] = False,
    rotate: Annotated[bool, Option(Flag(), "Let everybody take every seat in turn.")] = False,
    seed: Seed = 0,
    beside: Annotated[list[str], Option(meaning="Published games (JSON, zip) or records shown as well.")] = [],  # noqa: B006
    paper: Annotated[bool, Option(Flag(), "Show the published numbers beside the own ones.")] = True,
    possible: Annotated[bool, Option(Flag(), "Search for how many could have lived: up to 30 seconds a game.")] = False,
) -> Suite:
    """The Water Allocation Challenge in the settings of the paper; see `water_design`.

    Args:
        request: Players, settings, parameters and `seeds`: matches of each line-up in each setting.
        each: Every player in all seats, in matches of its own.
        rotate: All rotations of every line-up.
        seed: Of the first match.
        beside: See `econzoo.evaluate.analyses.alympics.water.water`.
        paper: Likewise.
        possible: Likewise.

    Raises:
        ValueError: Something is unknown or not allowed, or there is nothing to show.
    """
    request.refuse_options("water", "opponents", "pool", "lineups", "reader")
    if not request.players and not beside:
        raise ValueError("no player is given; allowed: one for all seats, one for each seat, or --beside")
    how, params = (request.seeds, seed, request.settings, each, rotate), request.keywords(water_design)
    designs = {".": water_design(request.players, *how, **params)} if request.players else {}
    return Suite(designs, "water", {"beside": beside, "paper": paper, "possible": possible})


def guess(request: SuiteRequest, *, seed: Seed = 0) -> Suite:
    """Guess 0.8 of the average: each player against four others of one kind; see `level_design`."""
    return _level_suite("guess", request, seed)


def auction(request: SuiteRequest, *, seed: Seed = 0) -> Suite:
    """The survival auction: each player against four others of one kind; see `level_design`."""
    return _level_suite("auction", request, seed)


def _level_suite(name: str, request: SuiteRequest, seed: int) -> Suite:
    request.refuse_options(name, "pool", "settings", "lineups", "reader")
    params = request.keywords(level_design)
    return Suite({".": level_design(name, request.players, request.opponents, request.seeds, seed, **params)}, "levels")
