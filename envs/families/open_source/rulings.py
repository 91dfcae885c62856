"""Whether a ruling that somebody recorded can be one, in what the rules of the base game do not look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.game import CHANCE, PASS, Move
from econzoo.envs.core.contract.validation import short
from econzoo.envs.families.open_source.failures import LONGEST_TEXT, Failure

if TYPE_CHECKING:
    from econzoo.envs.families.open_source.playing import BaseGame

FAILURES = tuple(map(float, Failure))


def check_moves(base: BaseGame, params: Any, moves: Sequence[Move]) -> None:
    """Raises `ValueError` for a move of another width, of an unknown kind or failure, or that no failure leads to."""
    actions = base.game.actions_of(base.rules.base(params))
    letters = len(base.interface.moves)
    kinds, width = (letters + 1, 1) if letters else (len(actions.kinds), actions.width + 1)
    for move in moves:
        if move.kind in (CHANCE, PASS):
            fits = len(move.values) == actions.width + (move.kind == PASS)
        else:
            fits = 0 <= move.kind < kinds and len(move.values) == width and move.values[-1] in FAILURES
            fits = fits and (not letters or _follows(params, move, letters))
        if not fits:
            raise ValueError(f"no program makes the move {short([move.kind, *move.values])}")


def _follows(params: Any, move: Move, letters: int) -> bool:
    """Whether this is what is played for an answer, or for none; `letters` is the kind of a turn that is forfeited."""
    failure = int(move.values[-1])
    forfeits = failure > 0 and params.policies[failure - 1] == letters
    return (move.kind == letters) == forfeits


def check_problems(made: Sequence[Sequence[Move]], problems: Sequence[tuple[Any, Any]]) -> None:
    """Raises `ValueError` if what is told of each seat's first failure is not the first failure of its moves."""
    for own, (words, text) in zip(made, problems, strict=True):
        first = Failure(int(next((move.values[-1] for move in own if move.values[-1]), 0.0)))
        if words != (first.words if first else ""):
            raise ValueError(f"failure is {short(words)}, but the first of the moves is {first.words!r}")
        is_line = isinstance(text, str) and text.isprintable() and len(text) <= LONGEST_TEXT
        if not is_line or bool(text) != bool(first):
            raise ValueError(
                f"problem is {short(text)}; allowed: a line on the failure, or nothing where there is none"
            )
