"""Methods of reasoning. They work in every game, since they know nothing but the question of the turn."""

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
