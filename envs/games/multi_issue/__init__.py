"""Multi-issue bargaining: two players divide items of several kinds that are worth something else to each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.actions import ActionSchema, Count, Kind, Message
from econzoo.envs.core.contract.game import Game, GameFacts
from econzoo.envs.core.contract.parameters import Flag, Parameter, Real, Several, Whole
from econzoo.envs.core.contract.rules import Rules
from econzoo.envs.core.plurals import plural
from econzoo.envs.games.multi_issue import rules

NAMES = ("book", "hat", "ball", "lamp", "cup", "pen")
"""What the kinds of item are called, in their order."""

LAST = 100
"""Turns that a match may have."""


class Offer(NamedTuple):
    """Offer a division: you keep these items, the other player gets the rest."""

    keep: Annotated[tuple[int, ...], Count("items that you keep", 0, rules.MOST, tuple(map(plural, NAMES)))]
    message: Annotated[str, Message("words to the other player")] = ""


class Accept(NamedTuple):
    """Accept the other player's offer on the table; the game ends."""


class Talk(NamedTuple):
    """Say something without an offer; what is on the table stays there, and it is the other player's turn."""

    message: Annotated[str, Message("words to the other player")] = ""


class Leave(NamedTuple):
    """Walk away; the game ends without agreement."""


ACTIONS = ActionSchema(Kind("offer", Offer), Kind("accept", Accept), Kind("talk", Talk), Kind("leave", Leave))

ITEMS = Several(len(NAMES), Whole(1, rules.MOST), least=1)
VALUES = Several(2, Several(len(NAMES), Whole(0, 100), least=1))


def configure(public: Mapping[str, Any]) -> rules.Params:
    """The rules' parameters from the public ones."""
    items, values = public["items"], public["values"]
    if any(len(own) != len(items) or not any(own) for own in values):
        allowed = f"for each seat {len(items)} numbers, one for each of items, not all 0"
        raise ValueError(f"multi_issue: values={values!r} is not allowed; allowed: {allowed}")
    limits = tuple([(0.0, float(count)) for count in items])
    return rules.Params(*[{**public, "limits": limits}[name] for name in rules.Params._fields])


def default_action(view: rules.View) -> Any:
    """What stands in under ``on_error="default"``: silence, and no agreement in the last turn."""
    return Talk() if view.round < view.horizon else Leave()


GAME = Game(
    name="multi_issue",
    version=0,
    summary="Two players divide items of several kinds that are worth something else to each, and talk about it.",
    facts=GameFacts(
        seats=2,
        chance=False,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        source="DeVault, Mell and Gratch (2015); Lewis et al. (2017), arXiv:1706.05125, section 2",
        gain="points as a share of what all items are worth to the seat",
    ),
    rules=Rules[rules.Params, rules.State, rules.View].of(rules),
    actions=ACTIONS,
    parameters=(
        Parameter("items", (3, 2, 1), ITEMS, "Items of each kind."),
        Parameter("values", ((1, 3, 1), (2, 1, 2)), VALUES, "Points that one item of each kind is worth."),
        Parameter("horizon", 10, Whole(2, LAST), "Last turn; it is for an answer, not for offers."),
        Parameter("delta", 1.0, Real(0.0, 1.0, above=True), "Discount factor per turn of both seats."),
        Parameter("complete_information", False, Flag(), "Whether each seat knows the other's values."),
        Parameter("messages", True, Flag(), "Whether offers and talk can carry words."),
    ),
    configure=configure,
    default_action=default_action,
    package=__name__,
)
