"""Buyers with a purse at two markets that sell to the highest prices (bidders with budgets: Che and Gale 1998)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Choice, Count, Flag, Game, GameFacts, Kind, Message
from econzoo.envs.core.contract import Parameter, Rules, declared_parameters
from toy.budget import rules


class Order(NamedTuple):
    """Order some units at one of the markets."""

    price: Annotated[float, Amount("dollars a unit")]
    quantity: Annotated[int, Count("units", 1, rules.MOST_UNITS)]
    market: Annotated[str, Choice("where to buy", rules.MARKETS)]
    message: Annotated[str, Message("words to all")] = ""


class Stay(NamedTuple):
    """Order nothing."""


def default_action(view: rules.View) -> Any:
    """Nothing."""
    return Stay()


GAME = Game(
    name="budget",
    version=0,
    summary="Orders at two markets, to be paid out of a purse.",
    facts=GameFacts(2, False, True, True, ("Ann", "Ben"), "After Che and Gale (1998)"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("order", Order), Kind("stay", Stay)),
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Flag(), "Whether orders carry words."),
    ),
    default_action=default_action,
    package=__name__,
)
