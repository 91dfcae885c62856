"""Buyers with a purse at two markets that sell to the highest prices (bidders with budgets: Che and Gale 1998)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.actions import ActionSchema, Amount, Choice, Count, Kind, Message
from econzoo.envs.core.contract.game import Game, GameFacts
from econzoo.envs.core.contract.parameters import Flag, Parameter, Real, Whole
from econzoo.envs.core.contract.rules import Rules
from toy.budget import rules


class Order(NamedTuple):
    """Order some units at one of the markets."""

    price: Annotated[float, Amount("dollars a unit")]
    quantity: Annotated[int, Count("units", 1, rules.MOST_UNITS)]
    market: Annotated[str, Choice("where to buy", rules.MARKETS)]
    message: Annotated[str, Message("words to all")] = ""


class Stay(NamedTuple):
    """Order nothing."""


def configure(public: Mapping[str, Any]) -> rules.Params:
    """The rules' parameters from the public ones."""
    return rules.Params(*[public[name] for name in rules.Params._fields])


def default_action(view: rules.View) -> Any:
    """Nothing."""
    return Stay()


GAME = Game(
    name="budget",
    version=0,
    summary="Orders at two markets, to be paid out of a purse.",
    facts=GameFacts(2, False, True, True, ("Ann", "Ben"), "After Che and Gale (1998)"),
    rules=Rules[rules.Params, rules.State, rules.View].of(rules),
    actions=ActionSchema(Kind("order", Order), Kind("stay", Stay)),
    parameters=(
        Parameter("players", 2, Whole(2, 9), "Seats."),
        Parameter("rounds", 2, Whole(1, 100), "Rounds."),
        Parameter("purse", 20.0, Real(1.0, 1e6), "Money of each seat at the start, in dollars."),
        Parameter("worth", 10.0, Real(1.0, 1e6), "What a unit is worth to everybody, in dollars."),
        Parameter("supply", 3, Whole(1, rules.MOST_UNITS), "Units for sale at each market in each round."),
        Parameter("messages", True, Flag(), "Whether orders carry words."),
    ),
    configure=configure,
    default_action=default_action,
    package=__name__,
)
