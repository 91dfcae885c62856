"""Designs of the experiments of ALYMPICS and of the K-level paper.

    from econzoo.evaluate.run import run
    from econzoo.evaluate.suites.alympics import water_design

    design = water_design(["reserve(2)"], seeds=10)
    run(design, "runs/water")

Line-ups share common random numbers within a setting but not across settings. The papers' parameters are in
``water.toml``, ``guess.toml`` and ``auction.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from econzoo.baselines import pool
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Integer, Option
from econzoo.envs.core.env import split_settings
from econzoo.evaluate.run import DEFAULT, Design, Setting, label_setting, new_design, read_suite, resolve_settings
from econzoo.evaluate.run import seat_count
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
        seeds: Matches per line-up and setting; None: the suite's default.
        seed: Seed of the first match; it grows by 1 per match.
        settings: Named settings of the game; empty: the suite's default.
        rotate: Play all rotations of every line-up, so that every player takes every seat.
    """
    known, (options, own) = read_suite("water"), split_settings(params)
    rules, names = find_game(known["game"]), dict.fromkeys(settings or known["settings"])
    chosen = [Setting(name, {**given, **own}) for name, given in resolve_settings(rules, list(names))]
    seats = seat_count(rules, chosen)
    lineups = lineups_of(players, seats, each)
    if rotate:
        lineups = [lineup[at:] + lineup[:at] for lineup in lineups for at in range(seats)]
    specs = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
    numbers = range(seed, seed + (seeds or known["seeds"]))
    return new_design(rules.name, specs, chosen, numbers, lineups=lineups, **options)


def lineups_of(players: Sequence[str], seats: int, each: bool) -> list[tuple[str, ...]]:
    """Line-ups, one spec per seat: each player in all seats, or the players given."""
    if each or len(players) == 1:
        return [(spec,) * seats for spec in players]
    if len(players) != seats:
        expected = f"expected 1 (for all seats), {seats} (one per seat), or --each with any number"
        raise ValueError(f"invalid number of players {len(players)}: {expected}")
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
        opponents: Specs of the opponents; empty: the suite's default.
        seeds: Matches per pair; None: the suite's default.
        seed: Seed of the first match; it grows by 1 per match.
    """
    known, (options, own) = read_suite(name), split_settings(params)
    rules = find_game(known["game"])
    setting = Setting(label_setting(rules, own), own) if own else Setting(DEFAULT, {})
    others = opponents or known.get("opponents") or pool(rules.name, known["pool"])
    seats, compared = seat_count(rules, [setting]), list(dict.fromkeys(tested))
    lineups = [(one, *[other] * (seats - 1)) for one in compared for other in dict.fromkeys(others)]
    numbers = range(seed, seed + (seeds or known["seeds"]))
    return new_design(rules.name, compared, [setting], numbers, others, lineups=lineups, **options)


# Suites


Seed = Annotated[int, Option(Integer(0), "Seed of the first match; it grows by 1 per match.")]


def water(
    request: SuiteRequest,
    *,
    each: Annotated[bool, Option(Flag(), "Run each player in self-play.")] = False,
    rotate: Annotated[bool, Option(Flag(), "Play all rotations of every line-up.")] = False,
    seed: Seed = 0,
    beside: Annotated[
        list[str], Option(meaning="Published games (JSON, zip) or records to compare with (repeatable).")
    ] = [],  # noqa: B006
    paper: Annotated[bool, Option(Flag(), "Show the published numbers for comparison.")] = True,
    possible: Annotated[
        bool, Option(Flag(), "Compute the maximum number of survivors (up to 30 seconds per game).")
    ] = False,
) -> Suite:
    """The Water Allocation Challenge in the settings of the paper; see `water_design`."""
    request.refuse_options("water", "opponents", "pool", "lineups", "reader")
    if not request.players and not beside:
        raise ValueError("missing players: expected one for all seats, one per seat, or --beside")
    how, params = (request.seeds, seed, request.settings, each, rotate), request.keywords(water_design)
    designs = {".": water_design(request.players, *how, **params)} if request.players else {}
    return Suite(designs, "water", {"beside": beside, "paper": paper, "possible": possible})


def guess(request: SuiteRequest, *, seed: Seed = 0) -> Suite:
    """Guess 0.8 of the average: each player against four copies of an opponent; see `level_design`."""
    return _level_suite("guess", request, seed)


def auction(request: SuiteRequest, *, seed: Seed = 0) -> Suite:
    """The survival auction: each player against four copies of an opponent; see `level_design`."""
    return _level_suite("auction", request, seed)


def _level_suite(name: str, request: SuiteRequest, seed: int) -> Suite:
    request.refuse_options(name, "pool", "settings", "lineups", "reader")
    params = request.keywords(level_design)
    return Suite({".": level_design(name, request.players, request.opponents, request.seeds, seed, **params)}, "levels")
