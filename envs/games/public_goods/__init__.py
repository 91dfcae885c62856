"""Public goods with punishment: contribute to what all share in, then lower the incomes of others at a cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Count, Flag, Game, GameFacts, GameOptions, Kind, Message
from econzoo.envs.core.contract import Messages, OneOf, Parameter, Rules, declared_parameters
from econzoo.envs.games.public_goods import rules

SCHEDULES = ("fehr-gaechter", "linear")
Words = Annotated[str, Message("words to all others, read together with what everybody chose")]


class Contribute(NamedTuple):
    """Contribute tokens to the common project."""

    tokens: Annotated[float, Amount("whole tokens that you contribute", is_integer=True)]
    message: Words = ""


class Assign(NamedTuple):
    """Assign points to the others, which lower their incomes."""

    points: Annotated[tuple[int, ...], Count("points for each of the others, in order", 0, rules.MOST_POINTS)]
    message: Words = ""


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cost schedule of points as a number, NO_POINTS without punishment."""
    return {"cost": 1 + SCHEDULES.index(public["cost"]) if public["punishment"] else rules.NO_POINTS}


def default_action(view: rules.View) -> Any:
    """Default action: nothing."""
    return Assign(tuple([0] * (len(view.gave) - 1))) if view.assigning else Contribute(0.0)


GAME = Game(
    name="public_goods",
    version=0,
    summary="All contribute to a public good, then assign costly points that lower the incomes of others.",
    facts=GameFacts(
        seats=4,
        chance=False,
        perfect_information=True,
        language=True,
        roles=("Ann", "Ben", "Cleo", "Dan"),
        has_person_names=True,
        source="Fehr and Gächter (2000), Cooperation and Punishment in Public Goods Experiments, AER 90(4), 980-994",
        agreement="full contribution",
        is_countable=False,
        gain="income, as a fraction of a seat's income where the group earns the most",
        gain_range=(-1.0, 2.0),
        pays_by_round=True,
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("contribute", Contribute), Kind("assign", Assign)),
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("punishment", True, Flag(), "Whether points are assigned after the contributions."),
        Parameter("cost", "fehr-gaechter", OneOf(*SCHEDULES), "Cost of points: convex, or 1 token each."),
        Parameter("messages", True, Messages(), "Whether choices can carry messages."),
    ),
    configure=configure,
    default_action=default_action,
    package=__name__,
    options=GameOptions(on_error="default"),
)
