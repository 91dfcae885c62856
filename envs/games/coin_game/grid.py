"""The board as an array, as programs and convolutional networks read it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.envs.games.coin_game.rules import Params, State, View

LAYERS = ("player A", "player B", "red coin (A's)", "blue coin (B's)")


def cells_of(view: View) -> tuple[int | None, ...]:
    """Cells of player A, player B, the red coin and the blue coin, numbered row by row; None: not on the board."""
    places = (
        (view.own_row, view.own_column),
        (view.other_row, view.other_column),
        (view.own_coin_row, view.own_coin_column),
        (view.other_coin_row, view.other_coin_column),
    )
    own, other, own_coin, other_coin = [
        None if row == UNKNOWN else int(row * view.size + column) for row, column in places
    ]
    if view.seat == 0:
        return own, other, own_coin, other_coin
    return other, own, other_coin, own_coin


def grid(size: int, cells: Sequence[int | None]) -> np.ndarray:
    """One layer for each cell, with a 1 there.

    Args:
        size: Rows and columns of the board.
        cells: Numbered row by row; None, or below 0: not on the board.

    Returns:
        float32 of shape (len(cells), size, size).
    """
    layers = np.zeros((len(cells), size * size), np.float32)
    for layer, cell in enumerate(cells):
        if cell is not None and cell >= 0:
            layers[layer, cell] = 1.0
    return layers.reshape(len(cells), size, size)


def grid_of(view: View) -> np.ndarray:
    """The board that a seat sees: the same array for both, with the four `LAYERS`.

    Returns:
        float32 of shape (4, size, size).
    """
    return grid(view.size, cells_of(view))


def grid_of_state(params: Params, state: State) -> np.ndarray:
    """The board of a position, as `grid_of` gives it."""
    return grid(params.size, (*state.player, *state.coin))
