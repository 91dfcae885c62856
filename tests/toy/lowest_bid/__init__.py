"""Last one standing: each round the seat with the lowest sealed bid leaves; the one left wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.actions import ActionSchema, Amount, Kind
from econzoo.envs.core.contract.game import Game, GameFacts
from econzoo.envs.core.contract.parameters import Parameter, Real, Whole
from econzoo.envs.core.contract.rules import Rules
from toy.lowest_bid import rules


class Bid(NamedTuple):
    """Bid so as not to be the lowest."""

    bid: Annotated[float, Amount("your bid")]


def configure(public: Mapping[str, Any]) -> rules.Params:
    """The rules' parameters from the public ones."""
    return rules.Params(public["players"], public["highest"])


def default_action(view: rules.View) -> Any:
    """Nothing."""
    return Bid(0.0)


GAME = Game(
    name="lowest_bid",
    version=0,
    summary="Sealed bids; the lowest leaves, until one is left.",
    facts=GameFacts(3, False, True, False, ("Ann", "Ben", "Cy"), "A toy"),
    rules=Rules[rules.Params, rules.State, rules.View].of(rules),
    actions=ActionSchema(Kind("bid", Bid)),
    parameters=(
        Parameter("players", 3, Whole(2, 9), "Seats."),
        Parameter("highest", 10.0, Real(1.0, 1000000.0), "Highest bid allowed."),
    ),
    configure=configure,
    default_action=default_action,
    package=__name__,
)
