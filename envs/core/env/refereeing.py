"""Referees of games whose results the rules alone cannot compute, e.g. because programs must be run.

A `Game.referee` is called once per round, after all seats have moved. Its ruling is recorded, so that a match replays
without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from econzoo.envs.core import MissingLibraryError
from econzoo.envs.core.contract import Game, Move, P, Ruling, S, V, short_repr

Referee = Callable[[Any, Any, Sequence[Any], int], Ruling]
"""Function from parameters, position, actions of all seats and a seed to a `Ruling`."""


def referee_of(game: Game, options: Mapping[str, Any]) -> Referee | None:
    """Return the referee of a match: rulings from the options of a `reset`, or the game's referee."""
    if game.referee is None:
        return None
    if options.get("rulings") is not None:
        return RecordedReferee(game, options["rulings"])
    reason = game.referee.unavailable()
    if reason:
        raise MissingLibraryError(f"{game.name} cannot be played on this system: {reason}", name=game.name)
    return game.referee.ruling


def plain_ruling(ruling: Ruling) -> dict[str, Any]:
    """Convert a ruling to the form of records."""
    moves = [[move.kind, *map(float, move.values)] for move in ruling.moves]
    return {"moves": moves, "results": [dict(result._asdict()) for result in ruling.results]}


class RecordedReferee:
    """Referee that replays recorded rulings."""

    def __init__(self, game: Game, given: Any) -> None:
        if not isinstance(given, list | tuple):
            raise ValueError(f"{game.name}: options['rulings'] must be a list of rulings, got {short_repr(given)}")
        self._game, self._left = game, [_parse_ruling(game, one) for one in given]
        self._count = len(given)

    def __call__(self, params: Any, state: Any, actions: Sequence[Any], _seed: int) -> Ruling:
        """Return the next ruling; raise `ValueError` if none is left, or it contradicts the rules."""
        if not self._left:
            raise ValueError(f"{self._game.name}: only {self._count} recorded rulings for more rounds")
        ruling = self._left.pop(0)
        problem = _find_mismatch(self._game, params, state, actions, ruling)
        if problem:
            raise ValueError(f"{self._game.name}: invalid recorded ruling of round {state.round}: {problem}")
        return ruling


def _find_mismatch(game: Game[P, S, V], params: P, state: S, actions: Sequence[Any], ruling: Ruling) -> str:
    """Return why a ruling contradicts the rules; empty if it does not."""
    # Records come from anywhere: a ruling counts only if the game can derive its results from its moves.
    if len(ruling.results) != len(actions):
        return f"{len(ruling.results)} results for {len(actions)} seats"
    problems = [(result.failure, result.problem) for result in ruling.results]
    try:
        expected = game.referee.results(params, state, ruling.moves, problems)  # type: ignore[union-attr]
    except (ValueError, IndexError) as error:
        return f"its moves are illegal ({error})"
    return "" if expected == ruling.results else "its results do not follow from its moves"


def _parse_ruling(game: Game, given: Any) -> Ruling:
    try:
        moves = tuple([Move(int(kind), tuple(map(float, values))) for kind, *values in given["moves"]])
        results = tuple([game.rules.Result(**result) for result in given["results"]])
    except (TypeError, ValueError, KeyError):
        moves, results = (Move(0, ()),), ()
    if not all(move.values for move in moves):
        fields = ", ".join(game.rules.Result._fields)  # type: ignore[attr-defined]
        allowed = f"moves, each a kind and numbers, and results, each of {fields}"
        raise ValueError(f"{game.name}: invalid ruling {short_repr(given)} in options['rulings']: expected {allowed}")
    return Ruling(moves, results)
