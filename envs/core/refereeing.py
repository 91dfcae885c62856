"""Referees: where the rules alone cannot tell what actions lead to, because programs must be run, say.

A game with a module ``referee`` in its folder has one. It is asked once a round, after all have moved, and its ruling
is kept in the record, so that a match can be played again without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.envs.core.game import Game, Move, Ruling
from econzoo.envs.core.values import short

Referee = Callable[[Any, Any, Sequence[Any], int], Ruling]
"""From the rules' parameters, the position, the actions of all seats and a seed to a `Ruling`."""


def referee_of(game: Game, options: Mapping[str, Any]) -> Referee | None:
    """Who rules in a match: the rulings given in the options of a `reset`, or the game's own referee.

    Raises:
        ValueError: The rulings are none.
        ImportError: There are no rulings, and the referee cannot work here; the message says why.
    """
    if game.referee is None:
        return None
    if options.get("rulings") is not None:
        return _recorded(game, options["rulings"])
    reason = game.referee.unavailable()
    if reason:
        raise ImportError(f"{game.name} cannot be played here: {reason}")
    return game.referee.ruling


def plain_ruling(ruling: Ruling) -> dict[str, Any]:
    """A ruling as a record keeps it."""
    moves = [[move.kind, float(move.amount)] for move in ruling.moves]
    return {"moves": moves, "results": [dict(result._asdict()) for result in ruling.results]}


def _recorded(game: Game, given: Any) -> Referee:
    if not isinstance(given, list | tuple):
        raise ValueError(f"{game.name}: options['rulings'] must be a list of rulings; got {short(given)}")
    rulings = iter([_ruling(game, one) for one in given])

    def next_one(_params: Any, _state: Any, _actions: Sequence[Any], _seed: int) -> Ruling:
        ruling = next(rulings, None)
        if ruling is None:
            raise ValueError(f"{game.name}: the {len(given)} recorded rulings are fewer than the rounds")
        return ruling

    return next_one


def _ruling(game: Game, given: Any) -> Ruling:
    try:
        moves = tuple([Move(int(kind), float(amount)) for kind, amount in given["moves"]])
        return Ruling(moves, tuple([game.rules.Result(**result) for result in given["results"]]))
    except (TypeError, ValueError, KeyError) as error:
        told = f"{type(error).__name__}: {error}"
        raise ValueError(f"{game.name}: options['rulings'] holds no ruling: {short(given)} ({told})") from None
