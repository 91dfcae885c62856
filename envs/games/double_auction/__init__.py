"""A double auction: buyers and sellers with private values talk in private, then make sealed offers at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Game, GameFacts, GameOptions, Kind, Message, Messages
from econzoo.envs.core.contract import Parameter, Rules, Seat, declared_parameters
from econzoo.envs.games.double_auction import rules


class Say(NamedTuple):
    """Tell one trader of the other side a value of yours, true or not; nobody else hears it."""

    whom: Annotated[int, Seat("number of the trader who hears it")]
    claim: Annotated[float, Amount("dollars that you say a unit is worth to you")]
    message: Annotated[str, Message("more words to that trader", recipients=("whom",))] = ""


class Listen(NamedTuple):
    """Say nothing in this round of talk."""


class Offer(NamedTuple):
    """Make a sealed offer: the most that you pay if you buy, the least that you take if you sell."""

    price: Annotated[float, Amount("dollars of your offer")]


ACTIONS = ActionSchema(Kind("say", Say), Kind("listen", Listen), Kind("offer", Offer))


def names(public: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the seats: Buyer and Seller, numbered if there are several."""
    sides = (("Buyer", public["buyers"]), ("Seller", public["sellers"]))
    return tuple(f"{side} {i}" if count > 1 else side for side, count in sides for i in range(1, count + 1))


def default_action(view: rules.View) -> Any:
    """Default action: no message, and an offer that is never a gain for the other side."""
    return Listen() if view.round <= view.talk else Offer(0.0 if view.seat < view.buyers else view.money)


GAME = Game(
    name="double_auction",
    version=0,
    summary="Buyers and sellers with private values talk in private, then make sealed offers at once.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=False,
        language=True,
        roles=("Buyer", "Seller"),
        source="Chatterjee and Samuelson (1983), Bargaining under incomplete information, Operations Research 31(5); "
        "with talk: Valley, Thompson, Gibbons and Bazerman (2002), Games and Economic Behavior 38",
        agreement="trade",
        gain="dollars won, as a fraction of the highest value",
        gain_range=(-1.0, 1.0),
        money=True,
        private_fields=("value",),
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Messages(), "Whether a claimed value can carry a message."),
    ),
    default_action=default_action,
    package=__name__,
    options=GameOptions(names=names),
)
