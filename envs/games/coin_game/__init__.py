"""The Coin Game: two players on a board collect coins of their own colour, or each other's (Lerer and Peysakhovich)."""

from __future__ import annotations

import sys
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, CustomDomain, Game, GameFacts, GameOptions, Integer, Kind, Message
from econzoo.envs.core.contract import Messages, Parameter, Rules, TupleOf, check_value, declared_parameters
from econzoo.envs.games.coin_game import rules

Words = Annotated[str, Message("words to the other player")]


class Up(NamedTuple):
    """Go one row up; from the top row you come to the bottom row."""

    message: Words = ""


class Down(NamedTuple):
    """Go one row down; from the bottom row you come to the top row."""

    message: Words = ""


class Left(NamedTuple):
    """Go one column to the left; from the first column you come to the last."""

    message: Words = ""


class Right(NamedTuple):
    """Go one column to the right; from the last column you come to the first."""

    message: Words = ""


ACTIONS = ActionSchema(Kind("up", Up), Kind("down", Down), Kind("left", Left), Kind("right", Right))

PARAMETERS = (
    *declared_parameters(rules.Params),
    Parameter("messages", True, Messages(), "Whether steps can carry messages."),
)
SIZE = PARAMETERS[0]


def placement_moves(params: rules.Params, value: Any) -> list[float]:
    """Return nature's moves for ``reset(options={"placement": [(row, column), ...]})``.

    Args:
        value: Cells of player A, player B, the red coin and the blue coin, then the cells of respawning coins, in order
            (the red one first if both are taken). Missing ones are drawn.
    """
    place = Integer(0, params.size - 1)
    pairs = TupleOf(sys.maxsize, TupleOf(2, place), min_length=0)
    expected = f"pairs (row, column) of {place.plural}: A, B, red coin, blue coin, ..."
    cells = check_value("coin_game: placement", value, CustomDomain(pairs, expected))
    return [float(row * params.size + column) for row, column in cells]


def default_action(view: rules.View) -> Any:
    """Default action: a step up."""
    return Up()


GAME = Game(
    name="coin_game",
    version=0,
    summary="Two players on a board without edges collect coins; a coin of the other's colour costs the other more.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        has_person_names=True,
        source="Lerer and Peysakhovich (2017), arXiv:1707.01068; Foerster et al. (2018), arXiv:1709.04326; with two "
        "coins at a time: Sistla and Kleiman-Weiner (2025), arXiv:2512.00371",
        agreement="mutual cooperation",
        is_countable=False,
        gain="points per round",
        gain_range=(-2.0, 1.0),
        pays_by_round=True,
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    default_action=default_action,
    package=__name__,
    options=GameOptions(nature={"placement": placement_moves}),
)
