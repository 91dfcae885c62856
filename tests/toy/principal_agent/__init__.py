"""A contract for hidden effort (Holmström 1979), under limited liability."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Game, GameFacts, Kind, Rules, declared_parameters
from toy.principal_agent import rules


class Offer(NamedTuple):
    """Offer a contract."""

    wage: Annotated[float, Amount("dollars that you pay in any case")]
    bonus: Annotated[float, Amount("dollars that you pay on success besides")]


class Accept(NamedTuple):
    """Accept the contract."""


class Decline(NamedTuple):
    """Decline the contract; both get nothing."""


class Work(NamedTuple):
    """Work; nobody sees how much."""

    effort: Annotated[float, Amount("probability of success")]


def default_action(view: rules.View) -> Any:
    """Nothing is offered, nothing accepted, nothing done."""
    if view.seat == rules.PRINCIPAL:
        return Offer(0.0, 0.0)
    return Work(0.0) if view.accepted > 0 else Decline()


GAME = Game(
    name="principal_agent",
    version=0,
    summary="A wage and a bonus for effort that nobody sees; success is a matter of effort and luck.",
    facts=GameFacts(
        seats=2,
        chance=True,
        perfect_information=False,
        language=False,
        roles=("Pat", "Alex"),
        source="Holmström (1979), Bell Journal of Economics 10(1), 74-91",
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("offer", Offer), Kind("accept", Accept), Kind("decline", Decline), Kind("work", Work)),
    parameters=declared_parameters(rules.Params),
    default_action=default_action,
    package=__name__,
)
