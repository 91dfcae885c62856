"""Matches between programs outside of a tournament: the game's own referee plays them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from econzoo.baselines.programs.written import read_program
from econzoo.envs.core.contract.streams import stretched
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.open_source.interfaces import BASES, INTERFACES
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.families.open_source.playing import contest
from econzoo.envs.families.open_source.source import problem_of
from econzoo.evaluate.analyses.programs.exploitability import Exploitability, Play, Played, exploitability
from econzoo.evaluate.analyses.programs.submissions import Submission

__all__ = ["exploited_by", "referee_play"]

EVERY = "all"
"""Stands for all written programs of a game."""


def referee_play(name: str, params: Mapping[str, Any]) -> Play:
    """Plays one meta-round of a program game with the game's referee; a match that was played before is looked up.

    Args:
        name: Of the game.
        params: Its public parameters.

    Raises:
        ValueError: No game has this name, or a parameter is not allowed.
        ImportError: The referee cannot work here; the message says why.
    """
    game = find_game(name)
    reason = game.referee.unavailable() if game.referee else ""
    if reason:
        raise ImportError(f"{name} cannot be played here: {reason}")
    _, settings = game.params(**params)
    known: dict[tuple[str, str, int], Played] = {}

    def play(first: str, second: str, seed: int) -> Played:
        key = first, second, seed
        if key not in known:
            one, other = contest(game, settings, (first, second), stretched(seed))
            turns = len(one.moves)
            pay = (one.payoff / turns, other.payoff / turns) if turns else (math.nan, math.nan)
            known[key] = Played((one.moves, other.moves), pay)
        return known[key]

    return play


def pools_of(games: Iterable[str], wanted: Sequence[str]) -> dict[str, dict[str, str]]:
    """The programs of a pool for each of some program games.

    Args:
        games: Names of the games.
        wanted: Names of written programs, `EVERY`, and paths of ``.py`` files. A game's pool has those that are
            written for it; there may be none.

    Returns:
        Game to name or path to source.

    Raises:
        ValueError: No game knows a name, or a file cannot be read or is a program for none of the games.
    """
    from econzoo.envs.families.open_source import library

    bases = {game: BASES[game] for game in games}
    pools: dict[str, dict[str, str]] = {game: {} for game in bases}
    for one in wanted:
        for game, base in bases.items():
            pools[game] |= _from_file(Path(one), base) if one.endswith(".py") else _written(one, base)
        if not any(one in pool or one == EVERY for pool in pools.values()):
            known = ", ".join(dict.fromkeys(name for base in bases.values() for name in library.names(base)))
            raise ValueError(
                f"pool: no program {one[:80]!r} here; allowed: {EVERY}, {known}, or a .py file of a program"
            )
    return pools


def _written(wanted: str, base: str) -> dict[str, str]:
    from econzoo.envs.families.open_source import library

    return {name: library.program(base, name) for name in library.names(base) if wanted in (name, EVERY)}


def _from_file(path: Path, base: str) -> dict[str, str]:
    """The program of a file, if it can play the base game."""
    try:
        source = read_program(path)
    except ValueError as error:
        raise ValueError(f"pool {str(path)!r}: {error}") from None
    problem = problem_of(source, INTERFACES[base].parameters, Limits().source)
    return {} if problem else {str(path): source}


def exploited_by(
    wanted: Sequence[str], games: Iterable[str], params: Mapping[str, Mapping[str, Any]], seeds: int
) -> Callable[[Submission], Exploitability | None]:
    """Measures the exploitability of submitted programs, each in the market in which it was submitted.

    Args:
        wanted: See `pools_of`.
        games: That are measured.
        params: Match to public parameters.
        seeds: How many: 0, 1, 2, ...
    """
    plays: dict[tuple[str, str], Play] = {}
    pools = pools_of(games, wanted)
    known: dict[tuple[str, str, str], Exploitability] = {}

    def exploited(one: Submission) -> Exploitability | None:
        game, market, source = one.place["game"], one.place["market"], one.source or ""
        if not pools[game]:
            return None
        if (game, market) not in plays:
            plays[game, market] = referee_play(game, params[one.place["match"]])
        key = game, market, source
        if key not in known:
            known[key] = exploitability(source, pools[game], plays[game, market], range(seeds))
        return known[key]

    return exploited
