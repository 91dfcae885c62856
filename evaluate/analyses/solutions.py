"""Access to a game's solution for recorded matches, and the moves of a match in its format."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from econzoo.baselines import opponent_function
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, to_plain
from econzoo.envs.core.record import Record, split_name
from econzoo.evaluate.stats import nan_if_none

DRAWS = "random"
"""The player that draws uniformly among its moves: not deterministic, but its distribution is known."""

ROUNDING = 1e-9
"""Equilibrium payoffs below this fraction of their sum over seats count as zero."""


@cache
def params_of(game_name: str, public: str) -> Any:
    """Return the rules' ``Params`` for public parameters as JSON."""
    return find_game(game_name).params(**json.loads(public))[1]


@cache
def equilibrium_payoffs(game_name: str, public: str) -> tuple[float, ...] | None:
    """Return the equilibrium payoffs of all seats; None if the game has none."""
    solve = solution_part(find_game(game_name), "equilibrium_payoffs")
    return None if solve is None else tuple(map(float, solve(params_of(game_name, public))))


def public_text(params: Mapping[str, Any]) -> str:
    """Return public parameters as JSON, the input of `params_of` and `equilibrium_payoffs`."""
    return json.dumps(to_plain(params), sort_keys=True)


def shares_of_equilibrium(record: Record, public: str = "") -> list[float]:
    """Return each seat's payoff / equilibrium payoff; NaN if either is unknown or the latter is 0 up to rounding.

    Computed by the game's own ``share_of_equilibrium``, if it has one; else see `ROUNDING`.
    """
    if not record.has_result:
        return [math.nan] * len(record.payoffs)
    game, public = find_game(record.game), public or public_text(record.params)
    if (own := solution_part(game, "share_of_equilibrium")) is not None:
        return [nan_if_none(one) for one in own(params_of(game.name, public), record.payoffs)]
    due = equilibrium_payoffs(game.name, public) or [math.nan] * len(record.payoffs)
    least = ROUNDING * sum(map(abs, due))
    return [payoff / one if one > least else math.nan for payoff, one in zip(record.payoffs, due, strict=True)]


def solution_part(game: Game, name: str) -> Any:
    """Return a function of the game's solution; None if it has none of this name."""
    try:
        return getattr(game.solution, name, None)
    except ModuleNotFoundError:  # the game has no solution
        return None


def moves(game: Game, record: Record) -> list[tuple[int, int, int, float]]:
    """Return the moves of a match in order, each (seat, round, kind, amount)."""
    out = []
    for turn in record.turns:
        if turn.action is not None:
            index = game.actions.index[turn.action.get("kind", game.actions.names[0])]
            amount = game.actions.kinds[index].amount
            out.append((turn.seat, turn.round, index, float(turn.action[amount]) if amount else 0.0))
    return out


def decision_stakes(record: Record, seat: int) -> list[float | None]:
    """Return the value of accepting minus that of rejecting, relative to the game's stake, at each move of a seat.

    The value of rejecting is that of the best response from there, given the opponent and all private information on
    the setting; see `econzoo.envs.families.offers.pool_response`.

    Returns:
        One value per move in order; None for moves that are not answers, NaN for answers whose value the solution
        does not give: in some games, and against opponents whose moves depend on more than the round.
    """
    game = find_game(record.game)
    solve = solution_part(game, "acceptance_stakes")
    played = moves(game, record)
    if solve is None:
        return [None for move in played if move[0] == seat]
    accept, reject = (game.actions.index[name] for name in ("accept", "reject"))
    ours = [number for number, move in enumerate(played) if move[0] == seat]
    answers = [number for number in ours if played[number][2] in (accept, reject)]
    # An answer is to the move just before it; games with a solution of this kind have two seats.
    offers = tuple((played[number][1], played[number - 1][3]) for number in answers)
    found = _stakes_of_offers(
        game.name, public_text(record.params), seat, split_name(record.players[1 - seat]).spec, offers
    )
    values = dict(zip(answers, found or [math.nan] * len(answers), strict=True))
    return [values.get(number) for number in ours]


@cache  # plays of a match often face the same offers
def _stakes_of_offers(
    game_name: str, public: str, seat: int, spec: str, offers: tuple[tuple[int, float], ...]
) -> list[float] | None:
    game = find_game(game_name)
    solve = solution_part(game, "acceptance_stakes")
    opponent = None if spec == DRAWS else opponent_function(game, spec)  # None: uniformly random moves
    forgets = spec == DRAWS or getattr(opponent, "memory", "") == "round"
    if solve is None or not forgets:
        return None
    params = params_of(game_name, public)
    try:
        return [float(value) for value in solve(params, seat, opponent, offers)]
    except ValueError:  # an opponent accepts any amount and amounts have no limit
        return None
