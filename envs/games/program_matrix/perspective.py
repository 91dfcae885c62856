"""What a seat can tell of the other's view and of the match: all of it, since both know the same."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.perspectives import swap_sides
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.games.matrix.perspective import CELL_PAIRS
from econzoo.envs.games.matrix.tables import row_first_table
from econzoo.envs.games.program_matrix.rules import Params


def infer_view(view: Any, seat: int) -> Any:
    """The other's view: what is own here is the other's there, and in cells the moves are named the other way round."""
    return swap_sides(view, seat, *CELL_PAIRS)


def options(view: Any) -> tuple[tuple[bool], tuple[()]]:
    """A program, as long as the match lasts."""
    return (not view.over,), ()


def params_from_view(view: Any) -> Params:
    """The match as a seat is told of it; of the limits it knows the seconds, the others are the usual ones."""
    limits = Limits(seconds=view.seconds)
    return Params(row_first_table(view), view.rounds, view.turns, view.noise, tuple(limits), view.policies)
