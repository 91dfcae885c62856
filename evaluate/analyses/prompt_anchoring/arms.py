"""Arms: the same matches for each first question and each answer format, ending with the first answer.

An arm is the tournament of one question in one format, in its own folder. Arms of a question share players, seeds and
opponent, and so all random numbers: every match is paired with one in each other arm. Only the first answer of a match
is used, since later ones depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.env import split_settings
from econzoo.envs.core.record import MODEL_PREFIXES
from econzoo.evaluate.analyses.prompt_anchoring.formats import Format, formats
from econzoo.evaluate.analyses.prompt_anchoring.questions import DEFAULT_OPPONENT, FirstQuestion, first_questions
from econzoo.evaluate.run import Design, Setting, label_setting, new_design

DEFAULT_ANSWERS = 100
"""First answers per player, question and format."""

DECODING = {"on": ("yes",), "off": ("no",), "both": ("yes", "no")}
"""Decoding constrained to the JSON schema of the legal moves, unconstrained, or both."""

MODELS = tuple(f"{prefix}:" for prefix in MODEL_PREFIXES)
"""Spec prefixes of players that support constrained decoding."""

ARM_OPTIONS = ("kind_order", "max_cycles", "max_retries", "on_error", "prompts")
"""Options set by the arms."""


class Arm(NamedTuple):
    """One question in one format."""

    question: FirstQuestion
    format: Format
    design: Design

    @property
    def folder(self) -> str:
        """Folder of its records, relative to that of all arms."""
        return f"seat_{self.question.seat}/{self.format.name.replace(' ', '_')}"


def set_decoding(players: Sequence[str], constrained: str | None) -> list[str]:
    """Add the decoding to the specs of language models; None leaves them unchanged."""
    if constrained is None:
        return list(players)
    if constrained not in DECODING:
        raise ValueError(f"invalid constrained={constrained!r}: expected one of {', '.join(DECODING)}")
    for spec in players:
        if not spec.startswith(MODELS) or "constrained=" in spec:
            allowed = f"specs that begin with {', '.join(MODELS)} and do not set constrained"
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
    """Return the arms of all questions and formats.

    Args:
        answers: Answers per player and arm, >= 1.
        opponent: Player in all other seats; if it reads prompts, it reads those of the arm.
        seed: Seed of the first match; it grows by 1 per match.
        **settings: Parameters of the game and options of the environment, common to all arms.
    """
    options, params = split_settings(settings)
    for name in ARM_OPTIONS:
        if name in options:
            raise ValueError(f"invalid option {name}: it is set by the answer format")
    design = partial(_design, game_name, players, range(seed, seed + answers), opponent, params, options)
    questions = first_questions(game_name, opponent, params)
    return [Arm(question, form, design(question, form)) for question in questions for form in formats(question)]


def arms_of(designs: Sequence[Design]) -> list[Arm]:
    """Return the arms of a folder, whose designs differ only in question and format."""
    if not designs:
        raise ValueError("no designs of anchoring arms: expected the folder of econzoo run anchoring")
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
    """Return the design of an arm: each player in the seat of the question, the opponent in all others."""
    seats = range(find_game(game_name).seats(find_game(game_name).params(**params)[1]))
    lineups = [[player if seat == question.seat else opponent for seat in seats] for player in players]
    others = [opponent] if len(seats) > 1 else []
    setting = Setting(label_setting(find_game(game_name), params), dict(params))
    # The match ends with the answer. An illegal one is a result, so it is not asked for again.
    one_answer = {"max_cycles": question.cycles, "max_retries": 0, "on_error": "forfeit"}
    return new_design(
        game_name, players, [setting], seeds, others, lineups=lineups, **{**options, **one_answer, **form.options}
    )
