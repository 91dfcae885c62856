"""Contributing to a public good, then punishing one by one (Fehr and Gaechter 2000)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Count, Game, GameFacts, Kind, Rules, Seat
from econzoo.envs.core.contract import declared_parameters
from toy.punish import rules


class Contribute(NamedTuple):
    """Contribute to what everybody gets a share of."""

    amount: Annotated[float, Amount("dollars that you contribute")]


class Punish(NamedTuple):
    """Punish another player."""

    whom: Annotated[int, Seat("number of the player, from 0 on")]
    points: Annotated[int, Count("points", 1, rules.MOST_POINTS)]


class Spare(NamedTuple):
    """Punish nobody."""


def default_action(view: rules.View) -> Any:
    """Nothing."""
    if view.turn < 0:
        return Contribute(0.0)
    return Spare()


GAME = Game(
    name="punish",
    version=0,
    summary="All contribute at once, then each may punish another.",
    facts=GameFacts(3, False, True, False, ("Ann", "Ben", "Cy"), "After Fehr and Gaechter (2000)"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("contribute", Contribute), Kind("punish", Punish), Kind("spare", Spare)),
    parameters=(*declared_parameters(rules.Params),),
    default_action=default_action,
    package=__name__,
)
