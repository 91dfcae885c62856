"""A tender with private values (Vickrey 1961): hidden bids, opened at noon and at the end, and words for one ear."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, Flag, Game, GameFacts, Kind, Message, Parameter, Rules
from econzoo.envs.core.contract import Seat, declared_parameters
from toy.tender import rules


class Whisper(NamedTuple):
    """Say something that one other hears, and nobody else."""

    whom: Annotated[int, Seat("number of the seat that hears it")]
    message: Annotated[str, Message("words to that seat", recipients=("whom",))] = ""


class Wait(NamedTuple):
    """Do nothing that anybody could see."""


class Bid(NamedTuple):
    """Bid in secret; the last bid stands."""

    price: Annotated[float, Amount("dollars that you bid")]


def default_action(view: rules.View) -> Any:
    """Nothing."""
    return Wait()


GAME = Game(
    name="tender",
    version=0,
    summary="Hidden bids for a thing of private value, opened at noon and at the end; words for one ear.",
    facts=GameFacts(3, True, False, True, ("Ann", "Ben", "Cy"), "After Vickrey (1961)"),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ActionSchema(Kind("whisper", Whisper), Kind("wait", Wait), Kind("bid", Bid)),
    parameters=(
        *declared_parameters(rules.Params),
        Parameter("messages", True, Flag(), "Whether there are words."),
    ),
    default_action=default_action,
    package=__name__,
)
