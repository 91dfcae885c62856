"""Persuasion: a seller who sees the quality of its products talks to a buyer who does not, round after round (GLEE)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Flag, Game, GameFacts, GameOptions, Kind, Message, Messages, OneOf
from econzoo.envs.core.contract import Parameter, Rules, declared_parameters
from econzoo.envs.families.offers import horizon_parameters, resolve_horizon
from econzoo.envs.games.persuasion import rules


class Recommend(NamedTuple):
    """Recommend this round's product to the buyer."""


class Discourage(NamedTuple):
    """Advise the buyer against this round's product."""


class Say(NamedTuple):
    """Tell the buyer something about this round's product."""

    message: Annotated[str, Message("words to the buyer")] = ""


class Buy(NamedTuple):
    """Buy this round's product at its price."""

    message: Annotated[str, Message("words to the seller")] = ""


class Decline(NamedTuple):
    """Do not buy this round's product."""

    message: Annotated[str, Message("words to the seller")] = ""


ACTIONS = ActionSchema(
    Kind("recommend", Recommend),
    Kind("discourage", Discourage),
    Kind("say", Say),
    Kind("buy", Buy),
    Kind("decline", Decline),
)

PRICE, PRIOR, *WORTH, SELLER_KNOWS, BUYER_KNOWS = declared_parameters(rules.Params)
ROUNDS, ENDS = horizon_parameters(20, "Number of rounds, each with a new product.", "rounds")

PARAMETERS = (
    PRICE,
    PRIOR,
    *WORTH,
    ROUNDS,
    SELLER_KNOWS,
    BUYER_KNOWS,
    Parameter(
        "message_type",
        "text",
        OneOf("text", "binary"),
        "Message type of the seller: free text, or only to recommend or discourage.",
    ),
    Parameter(
        "buyer",
        "long-living",
        OneOf("long-living", "myopic"),
        "One buyer for all rounds, or a new one in each round who observes statistics only.",
    ),
    Parameter(
        "statistics",
        "shares",
        OneOf("shares", "counts"),
        "Statistics that myopic buyers observe: shares of past rounds, or also counts of sales and of good products.",
        in_seed="unless default",
    ),
    Parameter("buyer_messages", False, Flag(), "Whether buyers can answer with messages."),
    Parameter("messages", True, Messages(), "Whether messages can be sent at all."),
    replace(ENDS, in_seed="unless default"),
)


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as flags, and the true number of rounds."""
    return {
        **resolve_horizon(public, "rounds"),
        "binary": public["message_type"] == "binary",
        "words": public["message_type"] == "text" and bool(public["messages"]),
        "myopic": public["buyer"] == "myopic",
        "counts": public["statistics"] == "counts",
    }


def speaks(public: Mapping[str, Any], seat: int) -> bool:
    """Whether a seat can send messages: the seller in text mode, the buyer if allowed."""
    own = public["message_type"] == "text" if seat == rules.SELLER else public["buyer_messages"]
    return bool(public["messages"] and own)


def default_action(view: rules.View) -> Any:
    """Default action: silence, discouragement, or no purchase."""
    if view.seat == rules.BUYER:
        return Decline()
    return Discourage() if view.binary else Say()


GAME = Game(
    name="persuasion",
    version=0,
    summary="A seller who sees the quality of each product talks to a buyer who sees it only after deciding.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        has_person_names=True,
        source="GLEE, arXiv:2410.05254, section 2.3; Kamenica and Gentzkow (2011)",
        parts=("seller", "buyer"),
        agreement="sale",
        rate="sale rate",
        gain="dollars per round, as a fraction of the price",
        gain_range=(-1.0, 3.0),
        money=True,
        private_fields=("quality",),
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=configure,
    default_action=default_action,
    package=__name__,
    options=GameOptions(speaks=speaks),
)
