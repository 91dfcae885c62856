"""Negotiation: a seller and a buyer bargain over the price of one good by alternating offers (GLEE)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import UNKNOWN, ActionSchema, Amount, Game, GameFacts, Kind, Message, Messages
from econzoo.envs.core.contract import Parameter, Real, Rules, bound_parameter, declared_parameters
from econzoo.envs.families.offers import horizon_parameters, resolve_horizon
from econzoo.envs.games.negotiation import rules


class Offer(NamedTuple):
    """Post a price at which the good changes hands if the other player accepts."""

    price: Annotated[
        float, Amount("dollars that the buyer pays the seller if the offer is accepted", are_guards=(True, True))
    ]
    message: Annotated[str, Message("words to the other player")] = ""


class Accept(NamedTuple):
    """Accept the posted price; the trade is made and the game ends."""


class Reject(NamedTuple):
    """Reject the posted price; the next round begins, or the game ends without a trade."""


class OptOut(NamedTuple):
    """Deal with somebody else at your own value of the good; the game ends without a trade."""


ACTIONS = ActionSchema(
    Kind("offer", Offer),
    Kind("accept", Accept),
    Kind("reject", Reject),
    Kind("opt_out", OptOut),
)

FACTOR = Real(0.0, 1000.0)

MONEY, COMPLETE, OUTSIDE = declared_parameters(rules.Params)

PARAMETERS = (
    MONEY,
    Parameter("seller_value", 1.0, FACTOR, "Value of the good to the seller, as a multiple of the scale."),
    Parameter("buyer_value", 1.2, FACTOR, "Value of the good to the buyer, as a multiple of the scale."),
    *horizon_parameters(10, "Last round in which a price can be posted."),
    COMPLETE,
    Parameter("messages", True, Messages(), "Whether offers can carry messages."),
    OUTSIDE,
    bound_parameter(rules.BOUND, "Highest legal price, as a multiple of the largest amount known to both seats"),
)


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return values in dollars, the true horizon, and the bound on prices as a number."""
    money, most = public["money"], public["bound"] or 0.0
    for name in ("seller_value", "buyer_value"):
        if most and public[name] > most and not public["complete_information"]:
            raise ValueError(f"negotiation: invalid {name}={public[name]}: expected a number from 0 to bound={most}")
    value = public["seller_value"] * money, public["buyer_value"] * money
    return {"value": value, "bound": most, **resolve_horizon(public)}


def default_action(view: rules.View) -> Any:
    """Default action: reject, or offer to trade at one's own value."""
    return Offer(view.own_value) if view.offered == UNKNOWN else Reject()


GAME = Game(
    name="negotiation",
    version=0,
    summary="A seller and a buyer of one good name prices in turn; whoever answers may trade with somebody else.",
    facts=GameFacts(
        title="Price negotiation",
        seats=2,
        chance=False,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        has_person_names=True,
        source="GLEE, arXiv:2410.05254, section 2.2",
        parts=("seller", "buyer"),
        agreement="trade",
        gain="distance of the price from the own value, as a fraction of the scale",
        gain_range=(-1.0, 1.0),
        money=True,
        private_fields=("own_value",),
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=configure,
    default_action=default_action,
    package=__name__,
)
