"""Bargaining: two players divide a sum of money by alternating offers while waiting costs them (GLEE)."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Game, GameFacts, Kind, Message, Messages, Parameter, Rules
from econzoo.envs.core.contract import declared_parameters
from econzoo.envs.families.offers import horizon_parameters, resolve_horizon
from econzoo.envs.games.bargaining import rules


class Offer(NamedTuple):
    """Propose how to divide the money: you keep `gain`, the other player gets the rest."""

    gain: Annotated[float, Amount("dollars that you keep if the offer is accepted; the other player gets the rest")]
    message: Annotated[str, Message("words to the other player")] = ""


class Accept(NamedTuple):
    """Accept the offer on the table; the game ends."""


class Reject(NamedTuple):
    """Reject the offer on the table; the next round begins, or the game ends without agreement."""


def remainder(money: float, gain: float) -> float:
    """Amount that an offer leaves to the other seat."""
    return money - gain


ACTIONS = ActionSchema(
    Kind("offer", Offer, complements={"other_gain": remainder}),
    Kind("accept", Accept),
    Kind("reject", Reject),
)

MONEY, DELTA, COMPLETE = declared_parameters(rules.Params)

PARAMETERS = (
    MONEY,
    DELTA,
    *horizon_parameters(12, "Last round in which an offer can be made."),
    COMPLETE,
    Parameter("messages", True, Messages(), "Whether offers can carry messages."),
)


def default_action(view: rules.View) -> Any:
    """Default action: reject, or offer an equal division."""
    return Offer(view.money / 2) if view.offered < 0 else Reject()


GAME = Game(
    name="bargaining",
    version=0,
    summary="Two players divide a sum of money by alternating offers; every round of delay costs each of them.",
    facts=GameFacts(
        seats=2,
        chance=False,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        has_person_names=True,
        source="Rubinstein (1982); GLEE, arXiv:2410.05254, section 2.1",
        gain="discounted share of the money",
        gain_range=(0.0, 1.0),
        money=True,
        private_fields=("own_delta",),
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=resolve_horizon,
    default_action=default_action,
    package=__name__,
)
