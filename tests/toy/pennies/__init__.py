"""Matching pennies: two seats show a side at once; seat 0 wins a round if the sides match, seat 1 if not."""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Game, GameFacts, Kind, Rules, declared_parameters
from toy.pennies import rules


class Heads(NamedTuple):
    """Show heads."""


class Tails(NamedTuple):
    """Show tails."""


def default_action(view: rules.View) -> Any:
    """Heads, always."""
    return Heads()


GAME = Game(
    name="pennies",
    version=0,
    summary="Two players show heads or tails at once, for some rounds.",
    facts=GameFacts(2, False, True, False, ("Even", "Odd"), "von Neumann (1928)"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("heads", Heads), Kind("tails", Tails)),
    parameters=declared_parameters(rules.Params),
    default_action=default_action,
    package=__name__,
)
