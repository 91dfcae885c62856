"""Referees: where the rules alone cannot tell what actions lead to, because programs must be run, say.

A game with a `Game.referee` has one. It is asked once a round, after all have moved, and its ruling
is kept in the record, so that a match can be played again without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.envs.core.contract.events import Ruling
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.moves import Move
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.core.extras import MissingLibraryError

Referee = Callable[[Any, Any, Sequence[Any], int], Ruling]
"""From the rules' parameters, the position, the actions of all seats and a seed to a `Ruling`."""


def referee_of(game: Game, options: Mapping[str, Any]) -> Referee | None:
    """Who rules in a match: the rulings given in the options of a `reset`, or the game's own referee.

    Raises:
        ValueError: The rulings are none.
        MissingLibraryError: There are no rulings, and the referee cannot work here; the message says why.
    """
    if game.referee is None:
        return None
    if options.get("rulings") is not None:
        return RecordedReferee(game, options["rulings"])
    reason = game.referee.unavailable()
    if reason:
        raise MissingLibraryError(f"{game.name} cannot be played here: {reason}", name=game.name)
    return game.referee.ruling


def plain_ruling(ruling: Ruling) -> dict[str, Any]:
    """A ruling as a record keeps it."""
    moves = [[move.kind, *map(float, move.values)] for move in ruling.moves]
    return {"moves": moves, "results": [dict(result._asdict()) for result in ruling.results]}


class RecordedReferee:
    """Rules as a record says, meta-round by meta-round.

    Args:
        game: The game.
        given: The rulings in order, as a record keeps them.

    Raises:
        ValueError: They are none.
    """

    def __init__(self, game: Game, given: Any) -> None:
        if not isinstance(given, list | tuple):
            raise ValueError(f"{game.name}: options['rulings'] must be a list of rulings; got {short_repr(given)}")
        self._game, self._left = game, [_parse_ruling(game, one) for one in given]
        self._count = len(given)

    def __call__(self, params: Any, state: Any, actions: Sequence[Any], _seed: int) -> Ruling:
        """The next ruling.

        Raises:
            ValueError: There is none, or it does not fit the rules.
        """
        if not self._left:
            raise ValueError(f"{self._game.name}: the {self._count} recorded rulings are fewer than the rounds")
        ruling = self._left.pop(0)
        problem = _find_mismatch(self._game, params, state, actions, ruling)
        if problem:
            raise ValueError(f"{self._game.name}: the recorded ruling of round {state.round} does not fit: {problem}")
        return ruling


def _find_mismatch(game: Game[P, S, V], params: P, state: S, actions: Sequence[Any], ruling: Ruling) -> str:
    """Why a ruling cannot be one of this round; empty if it can."""
    if len(ruling.results) != len(actions):
        return f"{len(ruling.results)} results for {len(actions)} seats"
    problems = [(result.failure, result.problem) for result in ruling.results]
    try:
        expected = game.referee.results(params, state, ruling.moves, problems)  # type: ignore[union-attr]
    except (ValueError, IndexError) as error:
        return f"its moves cannot be played ({error})"
    return "" if expected == ruling.results else "its results are not what its moves make"


def _parse_ruling(game: Game, given: Any) -> Ruling:
    try:
        moves = tuple([Move(int(kind), tuple(map(float, values))) for kind, *values in given["moves"]])
        results = tuple([game.rules.Result(**result) for result in given["results"]])
    except (TypeError, ValueError, KeyError):
        moves, results = (Move(0, ()),), ()
    if not all(move.values for move in moves):
        fields = ", ".join(game.rules.Result._fields)  # type: ignore[attr-defined]
        allowed = f"moves, each a kind and numbers, and results, each of {fields}"
        raise ValueError(f"{game.name}: options['rulings'] holds no ruling: {short_repr(given)}; allowed: {allowed}")
    return Ruling(moves, results)
