"""Guess a fraction of the average of all guesses, round after round (the beauty contest of Nagel 1995)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Game, GameFacts, GameOptions, Kind, Rules
from econzoo.envs.core.contract import declared_parameters
from econzoo.envs.games.guess_average import rules

NAMES = ("Alex", "Bob", "Cindy", "David", "Eric")


class Guess(NamedTuple):
    """Choose a number, so as to be nearest to the target."""

    number: Annotated[float, Amount("the number that you choose", is_integer=True)]


ACTIONS = ActionSchema(Kind("guess", Guess))


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Validate the range of numbers."""
    low, high = public["low"], public["high"]
    if low >= high:
        raise ValueError(f"guess_average: invalid low={low}: expected less than high={high}")
    return {}


def default_action(view: rules.View) -> Any:
    """Default action: the largest number, which is dominated."""
    return Guess(float(view.high))


GAME = Game(
    name="guess_average",
    version=0,
    summary="All choose a number at once; whoever comes closest to a fraction of the average wins the round.",
    facts=GameFacts(
        title="Beauty contest",
        seats=5,
        chance=False,
        perfect_information=True,
        language=False,
        roles=NAMES,
        has_person_names=True,
        source="Nagel (1995), Unraveling in guessing games; game G08A of Zhang et al. (2024), arXiv:2402.01521",
        agreement="full survival",
        is_countable=False,
        gain="rounds won, as a fraction of all rounds",
        gain_range=(0.0, 1.0),
        pays_by_round=True,
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=declared_parameters(rules.Params),
    configure=configure,
    default_action=default_action,
    package=__name__,
    options=GameOptions(on_error="default"),
)
