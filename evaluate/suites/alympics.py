"""Plans of the experiments of ALYMPICS and of the K-level paper: folders of matches like those of any tournament.

    design = water_design(["reserve(2)"], games=10)
    run(design, "runs/water")

All line-ups meet the same luck in a setting (common random numbers); settings share none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Whole
from econzoo.envs.core.env.options import parted
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.games.water_allocation.scenarios import MARKETS
from econzoo.evaluate.analyses.alympics.days import AUCTION, GUESS, WATER
from econzoo.evaluate.analyses.alympics.water_games import SETTINGS
from econzoo.evaluate.run.design import Design, new_design, seat_count
from econzoo.evaluate.run.settings import DEFAULT, Market, label
from econzoo.evaluate.suites.suite import Asked, Suite

GUESS_OPPONENTS = ("fixed", "last", "mono", "monorand")
"""The scripted opponents of the K-level paper."""


def water_design(
    players: Sequence[str],
    games: int = 10,
    seed: int = 0,
    settings: Sequence[str] = SETTINGS,
    each: bool = False,
    rotate: bool = False,
    **params: Any,
) -> Design:
    """The Water Allocation Challenge in the settings of the paper.

    Args:
        players: One spec for all seats, or one for each seat in order.
        games: Of each line-up in each setting.
        seed: Of the first game; the next ones count up.
        settings: Names of markets of the game.
        each: Take every player for all seats, in a line-up of its own.
        rotate: Play every line-up in all its rotations, so that everybody sits everywhere.
        **params: Parameters of the game and options, on top of those of the settings.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    options, own = parted(params)
    markets = [Market(name, {**params_of(name), **own}) for name in dict.fromkeys(settings)]
    seats = seat_count(find_game(WATER), markets)
    lineups = lineups_of(players, seats, each)
    if rotate:
        lineups = [lineup[at:] + lineup[:at] for lineup in lineups for at in range(seats)]
    names = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
    return new_design(WATER, names, markets, range(seed, seed + games), lineups=lineups, **options)


def params_of(setting: str) -> Mapping[str, Any]:
    """The parameters of a named setting.

    Raises:
        ValueError: Unknown name.
    """
    if setting not in MARKETS:
        raise ValueError(f"unknown setting {setting!r}; allowed: {', '.join(MARKETS)}")
    return MARKETS[setting]


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
    game: str, tested: Sequence[str], opponents: Sequence[str] = (), games: int = 10, seed: int = 0, **params: Any
) -> Design:
    """Each tested player in the first seat, against each opponent in all others.

    Args:
        game: ``"guess_average"`` or ``"survival_auction"``.
        tested: Specs.
        opponents: Specs; empty: the paper's for `GUESS`, the standard pool for `AUCTION`.
        games: Of each pair.
        seed: Of the first game; the next ones count up.
        **params: Parameters of the game and options.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    options, own = parted(params)
    market = Market(label(find_game(game), own), own) if own else Market(DEFAULT, {})
    others = list(opponents) or list(GUESS_OPPONENTS if game == GUESS else pool(game, "standard"))
    seats = seat_count(find_game(game), [market])
    lineups = [(one, *[other] * (seats - 1)) for one in dict.fromkeys(tested) for other in dict.fromkeys(others)]
    seeds = range(seed, seed + games)
    return new_design(game, list(dict.fromkeys(tested)), [market], seeds, others, lineups=lineups, **options)


# Suites


Seed = Annotated[int, Option(Whole(0), "Seed of the first match; later matches use seed+1, seed+2, ...")]

GAMES = 10
"""Matches of each line-up in each setting."""


def water(
    asked: Asked,
    *,
    each: Annotated[bool, Option(Flag(), "Let each player fill all seats in matches of its own.")] = False,
    rotate: Annotated[bool, Option(Flag(), "Let everybody take every seat in turn.")] = False,
    seed: Seed = 0,
    beside: Annotated[list[str], Option(meaning="Published games (JSON, zip) or records shown as well.")] = [],  # noqa: B006
    paper: Annotated[bool, Option(Flag(), "Show the published numbers beside the own ones.")] = True,
) -> Suite:
    """The Water Allocation Challenge in the settings of the paper; see `water_design`.

    Args:
        asked: Players, settings, parameters and `seeds`: matches of each line-up in each setting.
        each: Every player in all seats, in matches of its own.
        rotate: All rotations of every line-up.
        seed: Of the first match.
        beside: See `econzoo.evaluate.analyses.alympics.water.water`.
        paper: Likewise.

    Raises:
        ValueError: Something is unknown or not allowed, or there is nothing to show.
    """
    asked.refuse("water", "opponents", "pool", "lineups", "reader")
    if not asked.players and not beside:
        raise ValueError("no player is given; allowed: one for all seats, one for each seat, or --beside")
    settings, params = asked.settings or SETTINGS, asked.keywords(water_design)
    design = (
        water_design(asked.players, asked.seeds or GAMES, seed, settings, each, rotate, **params)
        if asked.players
        else None
    )
    return Suite({".": design} if design else {}, "water", {"beside": beside, "paper": paper})


def guess(asked: Asked, *, seed: Seed = 0) -> Suite:
    """Guess 0.8 of the average: each player against four others of one kind; see `level_design`."""
    return _levels(GUESS, asked, seed)


def auction(asked: Asked, *, seed: Seed = 0) -> Suite:
    """The survival auction: each player against four others of one kind; see `level_design`."""
    return _levels(AUCTION, asked, seed)


def _levels(game: str, asked: Asked, seed: int) -> Suite:
    asked.refuse(game, "pool", "settings", "lineups", "reader")
    params = asked.keywords(level_design)
    design = level_design(game, asked.players, asked.opponents, asked.seeds or GAMES, seed, **params)
    return Suite({".": design}, "levels")
