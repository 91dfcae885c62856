"""The trust game: what is sent grows, and the other decides how much of it comes back."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.contract import (
    ActionSchema,
    Amount,
    Flag,
    Game,
    GameFacts,
    Kind,
    Message,
    Parameter,
    Rules,
    declared_parameters,
)
from econzoo_trust.game import rules


class Send(NamedTuple):
    """Send a part of your money to the trustee."""

    amount: Annotated[float, Amount("dollars that you send")]
    message: Annotated[str, Message("words to the trustee")] = ""


class GiveBack(NamedTuple):
    """Give a part of what arrived back to the investor."""

    amount: Annotated[float, Amount("dollars that you give back")]
    message: Annotated[str, Message("words to the investor")] = ""


def default_action(view: rules.View) -> Any:
    """What stands in for an unusable answer under ``on_error="default"``: nothing is sent or given back."""
    return Send(0.0) if view.seat == rules.INVESTOR else GiveBack(0.0)


GAME = Game(
    name="trust",
    version=1,
    summary="An investor sends money, which grows on its way; the trustee decides how much of it comes back.",
    facts=GameFacts(
        seats=2,
        chance=False,
        perfect_information=True,
        language=True,
        roles=("Investor", "Trustee"),
        source="Berg, Dickhaut and McCabe (1995), Games and Economic Behavior 10(1), 122-142",
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("send", Send), Kind("give_back", GiveBack)),
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Flag(), "Whether moves can carry words."),
    ),
    default_action=default_action,
    package=__name__,
)
