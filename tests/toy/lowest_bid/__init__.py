"""Last one standing: each round the seat with the lowest sealed bid leaves; the one left wins."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Game, GameFacts, Kind, Rules, declared_parameters
from toy.lowest_bid import rules


class Bid(NamedTuple):
    """Bid so as not to be the lowest."""

    bid: Annotated[float, Amount("your bid")]


def default_action(view: rules.View) -> Any:
    """Nothing."""
    return Bid(0.0)


GAME = Game(
    name="lowest_bid",
    version=0,
    summary="Sealed bids; the lowest leaves, until one is left.",
    facts=GameFacts(3, False, True, False, ("Ann", "Ben", "Cy"), "A toy"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("bid", Bid)),
    parameters=(*declared_parameters(rules.Params),),
    default_action=default_action,
    package=__name__,
)
