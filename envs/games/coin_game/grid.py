"""The board as an array, for programs and convolutional networks."""

from __future__ import annotations

import numpy as np

from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.coin_game.rules import View

LAYERS = ("player A", "player B", "red coin (A's)", "blue coin (B's)")


def cells_of(view: View) -> tuple[int | None, ...]:
    """Cells of player A, player B, the red coin and the blue coin, numbered row by row; None if not on the board."""
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


def grid_of(view: View) -> np.ndarray:
    """Encode the board as one-hot `LAYERS`; both seats get the same array.

    Returns:
        float32 of shape (4, size, size).
    """
    layers = np.zeros((len(LAYERS), view.size**2), np.float32)
    for layer, cell in enumerate(cells_of(view)):
        if cell is not None:
            layers[layer, cell] = 1.0
    return layers.reshape(len(LAYERS), view.size, view.size)
