"""Prompt anchoring: the first questions of a game under several prompt variants."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract import Integer, OneOf, Option, OrNone
from econzoo.evaluate.analyses.prompt_anchoring import DECODING, DEFAULT_ANSWERS, DEFAULT_OPPONENT, arms, set_decoding
from econzoo.evaluate.suites.suite import Suite, SuiteRequest


def anchoring(
    request: SuiteRequest,
    *,
    game: Annotated[str, Option(meaning="Game that supplies the questions.")] = "bargaining",
    constrained: Annotated[
        str | None,
        Option(
            OrNone(OneOf(*DECODING)), "Constrained decoding to the schema of legal moves.", default="as in the specs"
        ),
    ] = None,
    seed: Annotated[int, Option(Integer(0), "Seed of the first match; it grows by 1 per match.")] = 0,
) -> Suite:
    """Every first question under every prompt variant: placeholders, two examples, verbal ranges, reversed move kinds.

    Args:
        constrained: Decoding of model replies, one of `DECODING`; None: as in the specs.
    """
    request.refuse_options("anchoring", "pool", "settings", "lineups", "reader")
    if len(request.opponents) > 1:
        raise ValueError(f"invalid opponents={request.opponents!r}: anchoring takes one opponent")
    opponent = request.opponents[0] if request.opponents else DEFAULT_OPPONENT
    players, settings = set_decoding(request.players, constrained), request.keywords(arms)
    variants = arms(game, players, request.seeds or DEFAULT_ANSWERS, opponent, seed, **settings)
    return Suite({arm.folder: arm.design for arm in variants}, "anchoring", unit="answers")
