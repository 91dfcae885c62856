"""Answers about programs, as they stand in records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import labels, split_name
from econzoo.envs.games.code_reading.items import item_numbers
from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY

GAME = "code_reading"

PROMPTS = {"zero-shot": "", "chain-of-thought": "reasoning=cot"}
"""Name of a prompt to the option that makes it."""


class Answer(NamedTuple):
    """One answer.

    Attributes:
        player: Its spec, without the option of the prompt.
        prompt: One of `PROMPTS`, or a dash of those who have none.
        variant: The form of the text.
        item: Name of the program.
        seed: Of the match.
        probability: What was said; None where no usable answer was given.
        errors: Unusable answers.
        cut: Whether the question was longer than what the model can read, and was cut; such an answer is not usable,
            as its reader did not see the whole program.
    """

    player: str
    prompt: str
    variant: str
    item: str
    seed: int
    probability: float | None
    errors: int
    cut: bool = False


def is_model(spec: str) -> bool:
    """Whether a spec is that of a language model."""
    prefix, colon, _ = split_name(spec).spec.partition(":")
    return bool(colon) and prefix in ("hf", "openai", "mock")


def split_prompt(spec: str) -> tuple[str, str]:
    """(spec without the option of a prompt, the prompt)."""
    for prompt, option in PROMPTS.items():
        if option and spec.endswith((f"?{option}", f"&{option}")):
            name, bare = split_name(spec[: -len(option) - 1])
            return f"{name.removesuffix(f' {prompt}')}={bare}" if name else bare, prompt
    return spec, "zero-shot" if is_model(spec) else "-"


def answers(records: Iterable[Record]) -> list[Answer]:
    """The answers about known programs among some matches."""
    found = [answer_of(one) for one in records if one.game == GAME and one.params["item"] in item_numbers()]
    told = labels(one.player for one in found)
    return [one._replace(player=told[one.player]) for one in found]


def answer_of(record: Record) -> Answer:
    """What was answered in a match: nothing unless it ended with an answer of the player's own to a whole text."""
    player, prompt = split_prompt(record.players[0])
    cut = any(turn.dropped for turn in record.turns)
    usable = record.status == "finished" and not record.defaults[0] and not cut
    said = recorded_probability(record.turns[-1].action) if usable and record.turns else None
    item, variant = record.params["item"], record.params["variant"]
    return Answer(player, prompt, variant, item, record.seed, said, record.errors[0], cut)


def recorded_probability(action: Any) -> float | None:
    """The probability of an action as records keep it."""
    if not action:
        return None
    return {"yes": MAX_PROBABILITY, "no": MIN_PROBABILITY}.get(action["kind"], action.get("probability"))
