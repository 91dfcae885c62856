from .conduct import Exchange as Exchange, answer_tool_calls as answer_tool_calls, log_requests as log_requests
from .conduct import replay_replies as replay_replies
from .diary import Diary as Diary, rows_of as rows_of, teller as teller
from .memory import Full, Memory, Retrieve, Summary, Table, Window
from .persona import Persona, PersonaChoice as PersonaChoice
from .reasoning.author import Author, AuthorFromScratch
from .reasoning.k_level import KLevel
from .reasoning.request import Reasoning, Request
from .reasoning.thinking import ChainOfThought, Direct, Explain, PredictThenAct, Refine, Reflect, SoloPerformance
from .spec import OPTIONS as OPTIONS, THOUGHT as THOUGHT, Parts, parts_of as parts_of
from .tools import CALCULATOR, SOLVER, Tool, describe_tools as describe_tools

__all__ = [
    "Author",
    "AuthorFromScratch",
    "CALCULATOR",
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
    "SOLVER",
    "SoloPerformance",
    "Summary",
    "Table",
    "Tool",
    "Window",
]
