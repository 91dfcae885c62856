"""Game-specific displays: board, table of a day, payoff matrix, contributions beside points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.core.faces import format_number
from econzoo.envs.games.public_goods.rules import CONVEX, COSTS
from econzoo.people.texts import Texts

ARROWS = {"up": "\u2191", "down": "\u2193", "left": "\u2190", "right": "\u2192"}
STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class BoardItem(NamedTuple):
    """A player or a coin on the board."""

    letter: str
    name: str
    css_class: str


class Cell(NamedTuple):
    """A cell of the board, and the step that leads to it (empty: none)."""

    things: list[BoardItem]
    step: str
    label: str = ""

    @property
    def arrow(self) -> str:
        """Arrow of the step."""
        return ARROWS.get(self.step, "")

    @property
    def css_class(self) -> str:
        return "near" if self.step else ""


class Board(NamedTuple):
    """The board of the coin game: rows of cells from top left, and all items that can be on it."""

    rows: list[list[Cell]]
    legend: list[BoardItem]


def build_board(view: Any, other: str, texts: Texts) -> Board:
    """Build the board as a seat sees it."""
    mine, theirs = ("A", "B") if view.seat == 0 else ("B", "A")
    legend = [
        BoardItem(mine, texts.say("board.you"), f"player {mine}"),
        BoardItem(theirs, other, f"player {theirs}"),
        BoardItem(mine.lower(), texts.say("board.your_coin"), f"coin {mine}"),
        BoardItem(theirs.lower(), texts.say("board.other_coin", who=other), f"coin {theirs}"),
    ]
    places = [
        (view.own_row, view.own_column),
        (view.other_row, view.other_column),
        (view.own_coin_row, view.own_coin_column),
        (view.other_coin_row, view.other_coin_column),
    ]
    steps = _steps(view)
    around = range(view.size)
    cells = [[_cell(row, column, legend, places, steps) for column in around] for row in around]
    return Board([[cell._replace(label=_label(cell, texts)) for cell in row] for row in cells], legend)


def _steps(view: Any) -> dict[tuple[int, int], str]:
    """Step by target cell; of two steps to the same cell, the first in `STEPS`."""
    if view.own_row == UNKNOWN:
        return {}
    return {
        (int(view.own_row + down) % view.size, int(view.own_column + right) % view.size): step
        for step, (down, right) in reversed(STEPS.items())
    }


def _cell(row: int, column: int, legend: list[BoardItem], places: list[Any], steps: dict[tuple[int, int], str]) -> Cell:
    things = [thing for thing, place in zip(legend, places, strict=True) if place == (row, column)]
    return Cell(things, steps.get((row, column), ""))


def _label(cell: Cell, texts: Texts) -> str:
    step, there = texts.word(cell.step), texts.say("table.and").join(thing.name for thing in cell.things)
    return texts.say("board.step_to", step=step, there=there) if there else step


def contribution_notes(game: str, view: Any, texts: Texts) -> list[str]:
    """Notes on the other seats' contributions while points are assigned in public goods; empty otherwise."""
    if game != "public_goods" or not view.assigning:
        return []
    gave = [texts.localize_numbers(format_number(tokens)) for tokens in view.gave]
    return [texts.say("points.gave", tokens=tokens) for seat, tokens in enumerate(gave) if seat != view.seat]


def point_costs(view: Any) -> list[float]:
    """Cost of 0, 1, 2, ... points to one player in public goods; empty unless points are being assigned."""
    if not view.assigning:
        return []
    return list(COSTS) if view.cost == CONVEX else [float(points) for points in range(len(COSTS))]


class Matrix(NamedTuple):
    """Payoff matrix of a 2x2 game.

    Attributes:
        rows: (own, other's) payoffs, by own move and other's move.
    """

    moves: list[str]
    rows: list[list[tuple[str, str]]]


def build_matrix(view: Any, moves: Sequence[str]) -> Matrix:
    """Build the payoff matrix as a seat sees it."""
    names = [[f"{own}{other}" for other in "cd"] for own in "cd"]
    pairs = [[(getattr(view, name), getattr(view, f"other_{name}")) for name in row] for row in names]
    return Matrix(list(moves), [[(format_number(own), format_number(other)) for own, other in row] for row in pairs])


class Resident(NamedTuple):
    """A row of the table of a day; amounts in dollars, formatted."""

    name: str
    is_own: bool
    needs: int
    earns: str
    money: str
    health: int
    dry_days: int
    died: int
    bid: str


class Day(NamedTuple):
    """A day of water allocation."""

    round: int
    days: int
    supply: float
    residents: list[Resident]


def build_day(view: Any, names: tuple[str, ...]) -> Day:
    """Build the day as a seat sees it."""
    residents = [
        Resident(
            name,
            seat == view.seat,
            view.requirements[seat],
            dollars(view.salaries[seat]),
            dollars(view.balances[seat]),
            view.healths[seat],
            view.no_water_days[seat],
            view.died[seat],
            "" if view.bids[seat] < 0 else f"${dollars(view.bids[seat])}",
        )
        for seat, name in enumerate(names)
    ]
    return Day(view.round, view.days, view.supply, residents)
