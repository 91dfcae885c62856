"""A seat's inference of the other's view and of the match: complete, as both have the same information."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import swap_sides
from econzoo.envs.families.open_source import Limits
from econzoo.envs.games.matrix.perspective import CELL_PAIRS
from econzoo.envs.games.matrix.tables import row_first_table
from econzoo.envs.games.program_matrix.rules import Params


def infer_view(view: Any, seat: int) -> Any:
    """Infer the other's view by swapping own and other fields, and the order of moves in cells."""
    return swap_sides(view, seat, *CELL_PAIRS)


def options(view: Any) -> tuple[tuple[bool], tuple[()]]:
    """A program, until the end."""
    return (not view.over,), ()


def params_from_view(view: Any) -> Params:
    """Reconstruct the match from a view; limits other than seconds are not observed and have their defaults."""
    limits = Limits(seconds=view.seconds)
    return Params(row_first_table(view), view.rounds, view.turns, view.noise, tuple(limits), view.policies)
