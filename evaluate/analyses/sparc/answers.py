"""Answers about programs, from records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from econzoo.envs.core.record import MODEL_PREFIXES, Record, labels, split_name
from econzoo.envs.games.code_reading.items import item_numbers
from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY

GAME = "code_reading"

PROMPTS = {"zero-shot": "", "chain-of-thought": "reasoning=cot"}
"""Prompt to its option."""


class Answer(NamedTuple):
    """One answer.

    Attributes:
        player: Player spec without the prompt option.
        prompt: One of `PROMPTS`, or a dash if the player has no prompt.
        probability: Predicted probability; None without a valid answer.
        errors: Number of invalid answers.
        cut: Whether the question was truncated to the model's context, which makes the answer invalid.
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
    prefix, colon, _ = split_name(spec).spec.partition(":")
    return bool(colon) and prefix in MODEL_PREFIXES


def split_prompt(spec: str) -> tuple[str, str]:
    """Split a spec into (spec without the prompt option, prompt)."""
    for prompt, option in PROMPTS.items():
        if option and spec.endswith((f"?{option}", f"&{option}")):
            name, bare = split_name(spec[: -len(option) - 1])
            return f"{name.removesuffix(f' {prompt}')}={bare}" if name else bare, prompt
    return spec, "zero-shot" if is_model(spec) else "-"


def answers(records: Iterable[Record]) -> list[Answer]:
    """Return the answers about known programs."""
    found = [answer_of(one) for one in records if one.game == GAME and one.params["item"] in item_numbers()]
    names = labels(one.player for one in found)
    return [one._replace(player=names[one.player]) for one in found]


def answer_of(record: Record) -> Answer:
    """Return the answer of a match; invalid if defaulted, unfinished or to a truncated text."""
    player, prompt = split_prompt(record.players[0])
    cut = any(turn.dropped_turns for turn in record.turns)
    valid = record.status == "finished" and not record.defaults[0] and not cut
    probability = recorded_probability(record.turns[-1].action) if valid and record.turns else None
    item, variant = record.params["item"], record.params["variant"]
    return Answer(player, prompt, variant, item, record.seed, probability, record.errors[0], cut)


def recorded_probability(action: Any) -> float | None:
    if not action:
        return None
    # Yes and no are the ends of the range of probabilities, as in the payoff.
    return {"yes": MAX_PROBABILITY, "no": MIN_PROBABILITY}.get(action["kind"], action.get("probability"))
