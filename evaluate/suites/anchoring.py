"""First questions in several forms of the prompt: how much the form of an answer moves it."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import OneOf, OrNone, Whole
from econzoo.evaluate.analyses.prompt_anchoring.arms import ANSWERS, DECODING, arms, decoded
from econzoo.evaluate.analyses.prompt_anchoring.questions import ANYBODY
from econzoo.evaluate.suites.suite import Asked, Suite


def anchoring(
    asked: Asked,
    *,
    game: Annotated[str, Option(meaning="Game whose first questions are asked.")] = "bargaining",
    constrained: Annotated[
        str | None,
        Option(
            OrNone(OneOf(*DECODING)), "Whether models are held to the schema of legal moves.", default="as specs say"
        ),
    ] = None,
    seed: Annotated[int, Option(Whole(0), "Seed of the first match; later matches use seed+1, seed+2, ...")] = 0,
) -> Suite:
    """Every first question in every form: placeholders, two examples, ranges in words, kinds of move reversed.

    Args:
        asked: Who is asked, and one opponent; `seeds` are the answers to each question in each form.
        game: Name.
        constrained: How replies of models are decoded.
        seed: Of the first match.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    asked.refuse("anchoring", "pool", "settings", "lineups", "reader")
    if len(asked.opponents) > 1:
        raise ValueError(f"opponents={asked.opponents!r} is not allowed with anchoring; allowed: one")
    opponent = asked.opponents[0] if asked.opponents else ANYBODY
    players, settings = decoded(asked.players, constrained), asked.keywords(arms)
    made = arms(game, players, asked.seeds or ANSWERS, opponent, seed, **settings)
    return Suite({arm.folder: arm.design for arm in made}, "anchoring", counted="answers")
