"""Cheap talk (Crawford and Sobel 1982) before a first-price auction: one speaks, then all others bid at once."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Choice, Flag, Game, GameFacts, Kind, Message, Parameter
from econzoo.envs.core.contract import Rules, declared_parameters
from toy.talk_then_bid import rules

CLAIMS = ("bad", "good")


class Say(NamedTuple):
    """Say whether the thing is good, true or not."""

    claim: Annotated[str, Choice("what you say it is", CLAIMS)]
    message: Annotated[str, Message("more words to the buyers")] = ""


class Bid(NamedTuple):
    """Bid for the thing."""

    bid: Annotated[float, Amount("dollars that you bid")]


def default_action(view: rules.View) -> Any:
    """It is said to be bad, and nothing is bid."""
    if view.seat == view.seller:
        return Say("bad")
    return Bid(0.0)


GAME = Game(
    name="talk_then_bid",
    version=0,
    summary="One speaks of what it sells, then all others bid at once.",
    facts=GameFacts(3, True, False, True, ("Ann", "Ben", "Cy"), "After Crawford and Sobel (1982)"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("say", Say), Kind("bid", Bid)),
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Flag(), "Whether the seller can say more."),
    ),
    default_action=default_action,
    package=__name__,
)
