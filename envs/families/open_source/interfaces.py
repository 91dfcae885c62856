"""What base games agree on with a program: its parameters, its moves and what it finds there."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

ARGUMENT_PREFIX = "__econzoo_"
"""Stands before the names of the values that are handed to a program, so that they meet none of its own."""

HELPERS_FOLDER = "helpers"
"""The folder with the functions that programs find."""


SHARED_PARAMETERS = ("my_history", "opp_history", "my_program_code", "opponent_program_code")
"""The parameters that end those of every base game."""


class Interface(NamedTuple):
    """How a base game and a program speak.

    Attributes:
        parameters: Of the entry function, in order; a program may name them as it likes.
        moves: What it may return, exactly; empty where a move is a dictionary of the base game.
        forfeit_symbol: Stands for the move of a program that gave none.
        letters: The players' names on the board by seat, which a program finds as MY_ID and OPPONENT_ID; or none.
        helpers: Name of the source in the folder `HELPERS` whose functions a program finds; or none.
        setup_code: What is run before each call, with the parameters bound to their names with `ARGUMENT_PREFIX` in
            front.
        history_symbol: How programs read `forfeit_symbol` in histories, if not as it stands.
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
        """The parameters before those that all base games share: what the position is."""
        return self.parameters[: -len(SHARED_PARAMETERS)]

    def seat_constants(self, seat: int) -> dict[str, str]:
        """Names that the program in this seat finds, beside functions."""
        return {"MY_ID": self.letters[seat], "OPPONENT_ID": self.letters[1 - seat]} if self.letters else {}

    def helper_source(self) -> str:
        """Source of the functions that a program finds; empty where there are none."""
        if self.helpers is None:
            return ""
        return (files(__package__) / HELPERS_FOLDER / f"{self.helpers}.py").read_text(encoding="utf-8")


MATRIX = Interface(SHARED_PARAMETERS, ("C", "D"), "-", history_symbol="D")
"""Iterated 2 x 2 games; a forfeited turn reads D, so that programs that know two moves do not fail for the other's."""

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
"""Any other game of two: `view` is a dictionary of what the seat may know, None where it does not; so is a move."""

INTERFACES: Mapping[str, Interface] = {"matrix": MATRIX, "coin_game": COIN_GAME}
"""By name of the base game."""

BASE_GAMES: Mapping[str, str] = {"program_matrix": "matrix", "program_coin": "coin_game"}
"""The games in which programs are submitted, with the base game of each."""
