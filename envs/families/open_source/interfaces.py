"""Interfaces between base games and programs: parameters, moves and helper functions."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

ARGUMENT_PREFIX = "__econzoo_"
"""Prefix of the names of values passed to a program, against collisions with its own names."""

HELPERS_FOLDER = "helpers"


SHARED_PARAMETERS = ("my_history", "opp_history", "my_program_code", "opponent_program_code")
"""Last parameters of the entry function, in every base game."""


class Interface(NamedTuple):
    """Interface between a base game and a program.

    Attributes:
        parameters: Parameters of the entry function, in order; a program may rename them.
        moves: Allowed return values; empty if a move is a dictionary of the base game.
        forfeit_symbol: Symbol of a turn without a move.
        letters: The players' names on the board by seat, given to a program as MY_ID and OPPONENT_ID; or None.
        helpers: Name of the source in `HELPERS_FOLDER` with functions for programs; or None.
        setup_code: Code that a call runs first, with parameters bound to their names prefixed by `ARGUMENT_PREFIX`.
        history_symbol: Replacement of `forfeit_symbol` in the histories that programs read; empty for none.
    """

    parameters: tuple[str, ...]
    moves: tuple[str, ...]
    forfeit_symbol: str
    letters: tuple[str, str] | None = None
    helpers: str | None = None
    setup_code: str = ""
    history_symbol: str = ""

    @property
    def position_parameters(self) -> tuple[str, ...]:
        """Parameters that describe the position, ahead of those that all base games share."""
        return self.parameters[: -len(SHARED_PARAMETERS)]

    def seat_constants(self, seat: int) -> dict[str, str]:
        """Constants for the program in this seat."""
        return {"MY_ID": self.letters[seat], "OPPONENT_ID": self.letters[1 - seat]} if self.letters else {}

    def helper_source(self) -> str:
        """Read the source of the helper functions; empty if there are none."""
        if self.helpers is None:
            return ""
        return (files(__package__) / HELPERS_FOLDER / f"{self.helpers}.py").read_text(encoding="utf-8")


MATRIX = Interface(SHARED_PARAMETERS, ("C", "D"), "-", history_symbol="D")
"""Iterated 2 x 2 games; a forfeited turn reads D, so that it breaks no program that knows only two moves."""

COIN_GAME = Interface(
    ("state", *SHARED_PARAMETERS),
    ("UP", "DOWN", "LEFT", "RIGHT"),
    "STAY",
    ("A", "B"),
    "coin_game",
    f"BOARD[0] = len({ARGUMENT_PREFIX}state[0])",
)
"""The coin game; `state` is a list of 4 layers of N x N zeros and ones: player A, player B, red coin, blue coin."""

GENERIC = Interface(("view", *SHARED_PARAMETERS), (), "")
"""Any other game of two seats: `view` is a dictionary of the seat's observation, None for unknown values."""

INTERFACES: Mapping[str, Interface] = {"matrix": MATRIX, "coin_game": COIN_GAME}
"""Interfaces by name of the base game."""

BASE_GAMES: Mapping[str, str] = {"program_matrix": "matrix", "program_coin": "coin_game"}
"""Open-source games and their base games."""
