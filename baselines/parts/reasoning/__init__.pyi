from .author import MAX_ATTEMPTS as MAX_ATTEMPTS, Author as Author, AuthorFromScratch as AuthorFromScratch
from .author import objective as objective, objective_of as objective_of
from .k_level import KLevel as KLevel
from .request import Question as Question, Reasoning as Reasoning, Request as Request
from .request import RequestGenerator as RequestGenerator, continue_conversation as continue_conversation
from .thinking import ChainOfThought as ChainOfThought, Direct as Direct, Explain as Explain
from .thinking import PredictThenAct as PredictThenAct, Refine as Refine, Reflect as Reflect
from .thinking import SoloPerformance as SoloPerformance
