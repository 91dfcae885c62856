"""Selection of the texts of the Coin Game, and their fields.

Fields of all texts: name, other, own_letter, other_letter, own_coin, other_coin, size, rounds. Those of a turn and of
the ending: round, board, own_score, other_score, own_row, own_column, other_row, other_column, own_coin_row,
own_coin_column, other_coin_row, other_coin_column, times_own, times_other, times_lost, times_other_own. Those of an
event: event_round, step, row, column, points, words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Event
from econzoo.envs.core.faces import format_number, quote_message
from econzoo.envs.games.coin_game import ACTIONS
from econzoo.envs.games.coin_game.grid import cells_of
from econzoo.envs.games.coin_game.policies import VIEW_OBJECTS
from econzoo.envs.games.coin_game.rules import View

LETTERS = ("A", "B", "a", "b")
"""Player A, player B, the red coin (A's) and the blue coin (B's) on a printed board."""

EMPTY = "."

NUMBER_FIELDS = ("round", "own_score", "other_score", "times_own", "times_other", "times_lost", "times_other_own")


def board(view: View) -> str:
    """Render the board as text: a line of column numbers, then one line per row, with the `LETTERS` of each cell.

    Letters of one cell are joined, as ``Ab``; an empty cell is a dot.
    """
    return render_board(view.size, cells_of(view))


@lru_cache(maxsize=1024)
def render_board(size: int, cells: tuple[int | None, ...]) -> str:
    """Render the cells of player A, player B, the red coin and the blue coin; None if not on the board."""
    letters = [""] * size**2
    for letter, cell in zip(LETTERS, cells, strict=True):
        if cell is not None:
            letters[cell] += letter
    margin = len(str(size - 1))
    width = max([margin, *map(len, letters)])
    lines = [["", *map(str, range(size))]]
    lines += [[str(row), *letters[row * size : (row + 1) * size]] for row in range(size)]
    return "\n".join([_line(line, margin, width) for line in lines])


def _line(parts: list[str], margin: int, width: int) -> str:
    """One line of the board; every column is as wide as the fullest cell."""
    cells = [(part or EMPTY).ljust(width) for part in parts[1:]]
    return " ".join([parts[0].rjust(margin), *cells]).rstrip()


def brief(view: View, messages: bool) -> list[str]:
    """Names of the texts of the rules brief, in order."""
    length = "hidden_rounds" if view.rounds == UNKNOWN else "rounds"
    return ["player", "steps", "coins", "back", length, *(["words"] if messages else []), "goal"]


def turn(view: View) -> str:
    return "step_hidden_rounds" if view.rounds == UNKNOWN else "step"


def ending(view: View) -> str:
    return "over"


def event(view: View, happened: Event) -> str:
    """Name of the text on a step: the coins taken, with the prefix ``own_`` and the suffix ``_words``."""
    result = happened.fact
    own, others = (result.red, result.blue) if happened.seat == 0 else (result.blue, result.red)
    took = ("both" if others else "own") if own else "others" if others else "nothing"
    words = "_words" if happened.action.message else ""
    return ("own_" if happened.seat == view.seat else "") + took + words


def constant_fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    own, other = view.seat, 1 - view.seat
    return {
        "name": names[own],
        "other": names[other],
        "own_letter": LETTERS[own],
        "other_letter": LETTERS[other],
        "own_coin": LETTERS[2 + own],
        "other_coin": LETTERS[2 + other],
    }


def fields(view: View, names: tuple[str, ...]) -> dict[str, str]:
    out = {name: str(getattr(view, name)) for name in NUMBER_FIELDS}
    for place in VIEW_OBJECTS:
        for axis in ("row", "column"):
            out[f"{place}_{axis}"] = format_number(getattr(view, f"{place}_{axis}"))
    return {**out, "board": board(view)}


def event_fields(view: View, happened: Event, names: tuple[str, ...]) -> dict[str, str]:
    result, (step, words) = happened.fact, ACTIONS.kind_and_message(happened.action)
    return {
        "event_round": str(happened.round),
        "step": step,
        "row": str(result.row),
        "column": str(result.column),
        "points": format_signed(result.points),
        "words": quote_message(words),
    }


def format_signed(points: int) -> str:
    """Format points of a round: +1, 0, -2."""
    return f"{points:+d}" if points else "0"


def fact(result: Any) -> str:
    """Describe the result of a step for spectators."""
    coins = [letter for letter, taken in (("a", result.red), ("b", result.blue)) if taken]
    took = f"coin{'s' * (len(coins) > 1)} {' and '.join(coins)}" if coins else "nothing"
    return f"row {result.row}, column {result.column}; took {took}; {format_signed(result.points)}"
