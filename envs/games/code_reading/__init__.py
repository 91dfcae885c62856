"""Code reading: predict whether a program cooperates (SPARC, Sistla and Kleiman-Weiner 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import ActionSchema, Amount, CustomDomain, Game, GameFacts, Kind, OneOf, Parameter
from econzoo.envs.core.contract import Rules
from econzoo.envs.games.code_reading import rules
from econzoo.envs.games.code_reading.items import item_numbers, items, set_members

VARIANTS = ("plain", "stripped", "masked", "obfuscated")
ANSWERS = ("probability", "words")
SETS = ("all", "training", "held-out", "generated")
ANY_ITEM = "any"


class Yes(NamedTuple):
    """It will cooperate in all ten rounds."""


class No(NamedTuple):
    """It will defect at least once."""


class Probability(NamedTuple):
    """Say how likely it is that it cooperates in all ten rounds."""

    probability: Annotated[float, Amount("probability that the program cooperates in all ten rounds")]


ACTIONS = ActionSchema(Kind("yes", Yes), Kind("no", No), Kind("probability", Probability))


def _validate_item(value: Any) -> str:
    return OneOf(ANY_ITEM, *item_numbers())(value)


ITEM = CustomDomain(_validate_item, "the name of an item, such as 'TitForTat', or 'any'")

PARAMETERS = (
    Parameter(
        "item", ANY_ITEM, ITEM, "Program: a class of the Axelrod library, or a generated one; 'any': a random one."
    ),
    Parameter("items", "all", OneOf(*SETS), "Set from which a random program is drawn."),
    Parameter(
        "variant",
        "plain",
        OneOf(*VARIANTS),
        "Variant of the text: original, without comments, also without names of strategies, or without any own names.",
    ),
    Parameter("answers", "probability", OneOf(*ANSWERS), "Whether the answer is a probability, or yes or no."),
)


def configure(public: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rules' parameters: items by their numbers, options as integers."""
    chosen = set_members(public["items"]) if public["item"] == ANY_ITEM else (item_numbers()[public["item"]],)
    rows = [items()[number] for number in chosen]
    return {
        "items": chosen,
        "labels": tuple(row.label for row in rows),
        "facts": tuple(tuple(map(float, row.facts)) for row in rows),
        "words": int(public["answers"] == "words"),
        "variant": VARIANTS.index(public["variant"]),
    }


def default_action(view: rules.View) -> Any:
    """Default action: even odds, or no if only yes and no are legal."""
    return No() if view.words == 1 else Probability(0.5)


GAME = Game(
    name="code_reading",
    version=0,
    summary="Read a strategy's program and say whether it cooperates in ten rounds with a cooperator.",
    facts=GameFacts(
        seats=1,
        chance=True,
        perfect_information=False,
        language=False,
        roles=("Reader",),
        source="SPARC of Sistla and Kleiman-Weiner (2025), Evaluating LLMs in Open-Source Games, arXiv:2512.00371; "
        "strategies of the Axelrod library",
        agreement="right answer",
        gain="log score, from 0 (sure and wrong) to 1 (sure and right)",
        gain_range=(0.0, 1.0),
    ),
    rules=Rules[rules.Params, rules.State, rules.View].from_module(rules),
    actions=ACTIONS,
    parameters=PARAMETERS,
    configure=configure,
    default_action=default_action,
    package=__name__,
)
