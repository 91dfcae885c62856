"""The matches: for each first question and each form of it the same ones, which end with the answer.

An arm is the tournament of one question in one form, in a folder of its own. All arms of a question share players,
seeds and opponent, and with them all luck, so that every match has a twin in each. Only the first answer of a match is
taken: what comes later depends on it, and would count one answer several times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from econzoo.envs.core.env.options import split_settings
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.prompt_anchoring.formats import Format, formats
from econzoo.evaluate.analyses.prompt_anchoring.questions import DEFAULT_OPPONENT, FirstQuestion, first_questions
from econzoo.evaluate.run.design import Design, new_design
from econzoo.evaluate.run.settings import Setting, label_setting

DEFAULT_ANSWERS = 100
"""First answers of each player to each question in each form."""

DECODING = {"on": ("yes",), "off": ("no",), "both": ("yes", "no")}
"""How replies are decoded: held to the JSON schema of the legal moves, freely, or one after the other."""

MODELS = ("hf:", "openai:", "mock:")
"""How specs of players begin that can be held to a schema."""

ARM_OPTIONS = ("kind_order", "max_cycles", "max_retries", "on_error", "prompts")
"""Options that belong to the arms."""


class Arm(NamedTuple):
    """One question in one form.

    Attributes:
        question: What is asked, and whom.
        format: In which form.
        design: The matches.
    """

    question: FirstQuestion
    format: Format
    design: Design

    @property
    def folder(self) -> str:
        """Where its records are, below the folder of all arms."""
        return f"seat_{self.question.seat}/{self.format.name.replace(' ', '_')}"


def set_decoding(players: Sequence[str], constrained: str | None) -> list[str]:
    """The specs of language models with their way of decoding; None: as they say themselves.

    Raises:
        ValueError: An unknown way, or a player that cannot be held to a schema, or says itself whether it is.
    """
    if constrained is None:
        return list(players)
    if constrained not in DECODING:
        raise ValueError(f"invalid constrained={constrained!r}: expected one of {', '.join(DECODING)}")
    for spec in players:
        if not spec.startswith(MODELS) or "constrained=" in spec:
            allowed = f"specs that begin with {', '.join(MODELS)} and do not say constrained themselves"
            raise ValueError(f"invalid constrained={constrained!r} with player {spec!r}: expected {allowed}")
    return [
        f"{spec}{'&' if '?' in spec else '?'}constrained={held}" for spec in players for held in DECODING[constrained]
    ]


def arms(
    game_name: str,
    players: Sequence[str],
    answers: int = DEFAULT_ANSWERS,
    opponent: str = DEFAULT_OPPONENT,
    seed: int = 0,
    **settings: Any,
) -> list[Arm]:
    """Every question in every form.

    Args:
        game_name: For example ``"bargaining"``.
        players: Specs of those who are asked.
        answers: Of each player in each arm, >= 1.
        opponent: Spec of the player in all other seats; one that reads prompts would read those of the arm.
        seed: Of the first match; the next ones count up.
        **settings: Parameters of the game and options of the environment, the same for all.

    Raises:
        ValueError: As `new_design`; or an option is given that the arms set.
    """
    options, params = split_settings(settings)
    for name in ARM_OPTIONS:
        if name in options:
            raise ValueError(f"invalid option {name}: it is set by the format of a question")
    design = partial(_design, game_name, players, range(seed, seed + answers), opponent, params, options)
    questions = first_questions(game_name, opponent, params)
    return [Arm(question, form, design(question, form)) for question in questions for form in formats(question)]


def arms_of(designs: Sequence[Design]) -> list[Arm]:
    """The arms of a folder, whose designs share all but the question and its form.

    Raises:
        ValueError: There are no designs, or the game has no such questions.
    """
    if not designs:
        raise ValueError(
            "there are no designs of arms; allowed: the folder of econzoo run anchoring, with all below it"
        )
    design = max(designs, key=len)
    settings = {**design.settings[0].params, **design.options}
    shared = {name: value for name, value in settings.items() if name not in ARM_OPTIONS}
    opponent = design.opponents[0] if design.opponents else DEFAULT_OPPONENT
    return arms(design.game, design.players, len(design.seeds), opponent, design.seeds[0], **shared)


def _design(
    game_name: str,
    players: Sequence[str],
    seeds: range,
    opponent: str,
    params: Mapping[str, Any],
    options: Mapping[str, Any],
    question: FirstQuestion,
    form: Format,
) -> Design:
    """The matches of an arm: everybody who is asked in the seat of the question, the opponent in all others."""
    seats = range(find_game(game_name).seats(find_game(game_name).params(**params)[1]))
    lineups = [[player if seat == question.seat else opponent for seat in seats] for player in players]
    others = [opponent] if len(seats) > 1 else []
    market = Setting(label_setting(find_game(game_name), params), dict(params))
    once = {"max_cycles": question.cycles, "max_retries": 0, "on_error": "forfeit"}
    return new_design(
        game_name, players, [market], seeds, others, lineups=lineups, **{**options, **once, **form.options}
    )
