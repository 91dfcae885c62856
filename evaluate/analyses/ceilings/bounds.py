"""The most that can be earned against known opponents: exact where a game's solution finds it.

A game has it whose solution has ``pool_response(params, seat, opponents, drawing)`` (see
`econzoo.envs.families.offers.pool_response`) and whose scripted players have ``as_opponent(spec)``; or whose solution
has ``script_response(params, seat, script)`` (see `econzoo.envs.games.persuasion.best_response`), which finds the best
response to each script, and with it a bound for somebody who is not told whom it meets. For other games, and for
opponents that no solution takes, the best of the game's own scripts is what is known (`ceilings.scripts`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.baselines.factory import player, seats_of
from econzoo.baselines.learned_opponent import known_opponent
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.scripts import Script
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import params_of, solution_part
from econzoo.evaluate.run.settings import Market

EXACT, BOUND, KNOWN = "exact", "upper bound", "best known"
"""How sure a number is: nobody can earn more, and somebody does; nobody can; somebody does."""

SEARCH = {"grid": 21, "width": 20}
"""How widely to search against an opponent that remembers more than the round."""

DRAWS = "random"
"""The player that draws uniformly among its moves: no function of what it sees, but its odds are known."""


class Cell(NamedTuple):
    """What can be earned in one seat of one market.

    Attributes:
        market: Its name.
        seat: Of who earns it.
        known: Opponent to the gain of the best response, of somebody who knows who it is.
        exact: Opponent to whether that is exact; else it is the best known.
        unknown: Mean gain over the opponents of the best plan of somebody who does not know who it is.
        bounded: Whether that is only known to be no more than this.
    """

    market: str
    seat: int
    known: dict[str, float]
    exact: dict[str, bool]
    unknown: float
    bounded: bool = False


def solvable(game: Game, specs: Sequence[str]) -> list[str]:
    """Those of a pool that the game's solution can answer."""
    if solution_part(game, "script_response") is not None:
        return [spec for spec in specs if spec == DRAWS or script_of(game.name, spec) is not None]
    if solution_part(game, "pool_response") is None:
        return []
    return [spec for spec in specs if (_limited(game) if spec == DRAWS else known_opponent(game, spec) is not None)]


@cache
def script_of(game_name: str, spec: str) -> Script | None:
    """The strategy of a scripted player as functions of numbers; None if it has no such form."""
    return getattr(player(spec, game_name), "script", None)


def _limited(game: Game) -> bool:
    """Whether a best response exists to somebody who takes any amount."""
    try:
        solution_part(game, "pool_response")(game.params()[1], 0, [], 1)
    except ValueError:
        return False
    return True


def cells(game: Game, specs: Sequence[str], markets: Sequence[Market], seats: Sequence[int] = (0, 1)) -> list[Cell]:
    """What can be earned against a pool, in every market and seat in which somebody of it can be met.

    Args:
        game: One with a ``pool_response`` or a ``script_response``.
        specs: Opponents out of `solvable`, each as likely.
        markets: The markets; all that some seat of them is told is known to who earns this.
        seats: Of who earns it.
    """
    publics = {market.name: json.dumps(plain(game.params(**market.params)[0]), sort_keys=True) for market in markets}
    found = []
    for name, public in publics.items():
        for seat in seats:
            met = tuple(sorted(spec for spec in specs if 1 - seat in (seats_of(spec, game.name) or (0, 1))))
            solve = solved if solution_part(game, "script_response") is None else solved_apart
            found += [Cell(name, seat, *solve(game.name, public, seat, met))] if met else []
    return found


Solved = tuple[dict[str, float], dict[str, bool], float, bool]
"""See `Cell`: ``known``, ``exact``, ``unknown`` and ``bounded`` in a market."""


@cache
def solved(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> Solved:
    """Against a pool whose opponents can be told apart by what they do."""
    game = find_game(game_name)
    met = [spec for spec in specs if spec != DRAWS]
    others: list[Any] = [known_opponent(game, spec) for spec in met]
    respond = solution_part(game, "pool_response")
    best = respond(params_of(game_name, public), seat, others, len(specs) - len(met), **SEARCH)
    found = dict(zip([*met, *[DRAWS] * (len(specs) - len(met))], best.known, strict=True))
    gains = {spec: one.gain for spec, one in found.items()}
    return gains, {spec: one.exact for spec, one in found.items()}, best.gain, False


@cache
def solved_apart(game_name: str, public: str, seat: int, specs: tuple[str, ...]) -> Solved:
    """Against scripts one by one: who is not told whom it meets earns no more than who is."""
    respond, params = solution_part(find_game(game_name), "script_response"), params_of(game_name, public)
    gains = {spec: respond(params, seat, None if spec == DRAWS else script_of(game_name, spec)) for spec in specs}
    return gains, dict.fromkeys(specs, True), fmean(gains.values()), len(specs) > 1
