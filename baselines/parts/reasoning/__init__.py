"""Methods of reasoning. They work in every game, since they know nothing but the question of the turn.

Only `Author` and `AuthorAnew` are for games in which programs are submitted.
"""

from econzoo.baselines.parts.reasoning.author import Author, AuthorAnew
from econzoo.baselines.parts.reasoning.k_level import KLevel
from econzoo.baselines.parts.reasoning.request import PURPOSES, Asking, Question, Reasoning, Request, going_on
from econzoo.baselines.parts.reasoning.thinking import (
    ChainOfThought,
    Direct,
    Explain,
    PredictThenAct,
    Refine,
    Reflect,
    SoloPerformance,
)

__all__ = [
    "PURPOSES",
    "Asking",
    "Author",
    "AuthorAnew",
    "ChainOfThought",
    "Direct",
    "Explain",
    "KLevel",
    "PredictThenAct",
    "Question",
    "Reasoning",
    "Refine",
    "Reflect",
    "Request",
    "SoloPerformance",
    "going_on",
]
