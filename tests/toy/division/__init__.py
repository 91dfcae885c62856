"""Dividing books, hats and balls that are worth something else to each (Lewis et al. 2017), by alternating offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Count, Flag, Game, GameFacts, Integer, Kind, Message, Parameter
from econzoo.envs.core.contract import Rules, TupleOf
from toy.division import rules

KINDS = 6
"""Kinds of item that there can be."""


class Offer(NamedTuple):
    """Say how many items of each kind you keep; the other gets the rest."""

    keep: Annotated[tuple[int, ...], Count("items of each kind that you keep", 0, rules.MOST)]
    message: Annotated[str, Message("words to the other")] = ""


class Accept(NamedTuple):
    """Accept the offer."""


class Reject(NamedTuple):
    """Reject the offer."""


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing differs in the rules."""
    items, worth = public["items"], public["worth"]
    if any(len(own) != len(items) for own in worth):
        raise ValueError(f"division: worth={worth!r} is not allowed; allowed: for each seat a number for each of items")
    return {}


def default_action(view: rules.View) -> Any:
    """Half of every kind, rounded down; or no."""
    if view.proposing:
        return Offer(tuple([number // 2 for number in view.items]))
    return Reject()


WORTH = TupleOf(KINDS, Integer(1, rules.MOST_WORTH), min_length=1)

GAME = Game(
    name="division",
    version=0,
    summary="Two divide items that are worth something else to each.",
    facts=GameFacts(2, False, False, True, ("Ann", "Ben"), "After Lewis et al. (2017), Deal or No Deal"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("offer", Offer), Kind("accept", Accept), Kind("reject", Reject)),
    parameters=(
        Parameter("items", (1, 2, 3), TupleOf(KINDS, Integer(1, rules.MOST), min_length=1), "Items of each kind."),
        Parameter("worth", ((4, 3, 1), (2, 1, 2)), TupleOf(2, WORTH), "What an item is worth to each, in points."),
        Parameter("horizon", 3, Integer(1, 100), "Offers that can be made."),
        Parameter("messages", True, Flag(), "Whether offers carry words."),
    ),
    configure=configure,
    default_action=default_action,
    package=__name__,
)
