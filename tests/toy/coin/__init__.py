"""Call the coin: nature flips, seat 0 sees the side and says something, seat 1 calls it."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Flag, Game, GameFacts, Kind, Message, Parameter, Rules
from econzoo.envs.core.contract import declared_parameters
from toy.coin import rules


class Say(NamedTuple):
    """Say something about the coin, true or not."""

    message: Annotated[str, Message("words to the caller", max_length=100)] = ""


class Heads(NamedTuple):
    """Call heads."""


class Tails(NamedTuple):
    """Call tails."""


def default_action(view: rules.View) -> Any:
    """Silence, or heads."""
    return Say() if view.seat == 0 else Heads()


GAME = Game(
    name="coin",
    version=0,
    summary="One sees the coin and speaks, the other calls it.",
    facts=GameFacts(2, True, False, True, ("Speaker", "Caller"), "A toy"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("say", Say), Kind("heads", Heads), Kind("tails", Tails)),
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Flag(), "Whether the speaker can speak."),
    ),
    default_action=default_action,
    package=__name__,
)
