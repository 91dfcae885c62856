"""Methods of reasoning. They work in every game, since they know nothing but the question of the turn.

Only `Author` is for games in which programs are submitted.
"""

from econzoo.baselines.parts.reasoning.author import Author
from econzoo.baselines.parts.reasoning.k_level import KLevel
from econzoo.baselines.parts.reasoning.request import PURPOSES, Asking, Question, Reasoning, Request, going_on
from econzoo.baselines.parts.reasoning.thinking import (
    ChainOfThought,
    Direct,
    PredictThenAct,
    Refine,
    Reflect,
    SoloPerformance,
)

__all__ = [
    "PURPOSES",
    "Asking",
    "Author",
    "ChainOfThought",
    "Direct",
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
