"""Multi-issue bargaining: two players divide items of several kinds that are worth something else to each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core import plural
from econzoo.envs.core.contract import ActionSchema, Count, Game, GameFacts, Kind, Message, Messages, Parameter, Rules
from econzoo.envs.core.contract import declared_parameters
from econzoo.envs.games.multi_issue import rules

NAMES = ("book", "hat", "ball", "lamp", "cup", "pen")
"""Names of the kinds of item, in order."""


class Offer(NamedTuple):
    """Offer a division: you keep these items, the other player gets the rest."""

    keep: Annotated[tuple[int, ...], Count("items that you keep", 0, rules.MAX_ITEMS, tuple(map(plural, NAMES)))]
    message: Annotated[str, Message("words to the other player")] = ""


class Accept(NamedTuple):
    """Accept the other player's offer on the table; the game ends."""


class Talk(NamedTuple):
    """Say something without an offer; what is on the table stays there, and it is the other player's turn."""

    message: Annotated[str, Message("words to the other player")] = ""


class Leave(NamedTuple):
    """Walk away; the game ends without agreement."""


ACTIONS = ActionSchema(Kind("offer", Offer), Kind("accept", Accept), Kind("talk", Talk), Kind("leave", Leave))


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limits of offers."""
    items, values = public["items"], public["values"]
    if any(len(own) != len(items) or not any(own) for own in values):
        expected = f"{len(items)} numbers per seat, one per kind of item, not all 0"
        raise ValueError(f"multi_issue: invalid values={values!r}: expected {expected}")
    limits = tuple([(0.0, float(count)) for count in items])
    return {"limits": limits}


def default_action(view: rules.View) -> Any:
    """Default action: silence, and no agreement in the last turn."""
    return Talk() if view.round < view.horizon else Leave()


GAME = Game(
    name="multi_issue",
    version=0,
    summary="Two players divide items of several kinds, which each of them values differently, and talk about it.",
    facts=GameFacts(
        title="Division of items",
        seats=2,
        chance=False,
        perfect_information=False,
        language=True,
        roles=("Alice", "Bob"),
        has_person_names=True,
        source="DeVault, Mell and Gratch (2015); Lewis et al. (2017), arXiv:1706.05125, section 2",
        gain="points as a share of the seat's value of all items",
        gain_range=(0.0, 1.0),
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Messages(), "Whether offers and talk can carry messages."),
    ),
    configure=configure,
    default_action=default_action,
    package=__name__,
)
