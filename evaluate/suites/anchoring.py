"""First questions in several forms of the prompt: how much the form of an answer moves it."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Integer, OneOf, OrNone
from econzoo.evaluate.analyses.prompt_anchoring.arms import DECODING, DEFAULT_ANSWERS, arms, set_decoding
from econzoo.evaluate.analyses.prompt_anchoring.questions import DEFAULT_OPPONENT
from econzoo.evaluate.suites.suite import Suite, SuiteRequest


def anchoring(
    request: SuiteRequest,
    *,
    game: Annotated[str, Option(meaning="Game whose first questions are asked.")] = "bargaining",
    constrained: Annotated[
        str | None,
        Option(
            OrNone(OneOf(*DECODING)), "Whether models are held to the schema of legal moves.", default="as specs say"
        ),
    ] = None,
    seed: Annotated[int, Option(Integer(0), "Seed of the first match; later matches use seed+1, seed+2, ...")] = 0,
) -> Suite:
    """Every first question in every form: placeholders, two examples, ranges in words, kinds of move reversed.

    Args:
        request: Who is asked, and one opponent; `seeds` are the answers to each question in each form.
        game: Name.
        constrained: How replies of models are decoded.
        seed: Of the first match.

    Raises:
        ValueError: Something is unknown or not allowed.
    """
    request.refuse_options("anchoring", "pool", "settings", "lineups", "reader")
    if len(request.opponents) > 1:
        raise ValueError(f"opponents={request.opponents!r} is not allowed with anchoring; allowed: one")
    opponent = request.opponents[0] if request.opponents else DEFAULT_OPPONENT
    players, settings = set_decoding(request.players, constrained), request.keywords(arms)
    made = arms(game, players, request.seeds or DEFAULT_ANSWERS, opponent, seed, **settings)
    return Suite({arm.folder: arm.design for arm in made}, "anchoring", unit="answers")
