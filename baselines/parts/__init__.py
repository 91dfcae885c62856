"""Parts of language-model players: persona, memory, reasoning and tools.

Each part is small and replaceable; `econzoo.baselines.language_model.LanguageModelPlayer` combines them with a model.
None of them is specific to a game: they use what every player observes.
"""

from econzoo.baselines.parts.memory import Full, Memory, Retrieve, Summary, Table, Window
from econzoo.baselines.parts.persona import Persona
from econzoo.baselines.parts.reasoning.author import Author, AuthorFromScratch
from econzoo.baselines.parts.reasoning.k_level import KLevel
from econzoo.baselines.parts.reasoning.request import Reasoning, Request
from econzoo.baselines.parts.reasoning.thinking import (
    ChainOfThought,
    Direct,
    Explain,
    PredictThenAct,
    Refine,
    Reflect,
    SoloPerformance,
)
from econzoo.baselines.parts.spec import Parts
from econzoo.baselines.parts.tools import CALCULATOR, SOLVER, Tool

__all__ = [
    "CALCULATOR",
    "SOLVER",
    "Author",
    "AuthorFromScratch",
    "ChainOfThought",
    "Direct",
    "Explain",
    "Full",
    "KLevel",
    "Memory",
    "Parts",
    "Persona",
    "PredictThenAct",
    "Reasoning",
    "Refine",
    "Reflect",
    "Request",
    "Retrieve",
    "SoloPerformance",
    "Summary",
    "Table",
    "Tool",
    "Window",
]
