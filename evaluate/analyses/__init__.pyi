from .behaviour.measures import Behaviour, measure
from .dilemmas.round_robin import RoundRobin, round_robin
from .evolution.payoff_matrix import PayoffMatrix, matrix_from_payoffs, matrix_from_round_robin
from .evolution.study import StudyOptions
from .judging.evidence import Item, items_of
from .judging.judgements import Judgement, new_judgement, read_judgements
from .judging.model_judge import ModelJudge
from .judging.panel import new_judge, run_panel
from .judging.ratings import Rating, ratings_of, read_ratings
from .judging.rubric import Rubric, load_rubric
from .programs.exploitability import referee_play
from .programs.play import memory_one_index
from .programs.sources import access_score, token_similarity, tree_similarity
from .tidy.export import export_folder

__all__ = [
    "Behaviour",
    "Item",
    "Judgement",
    "ModelJudge",
    "PayoffMatrix",
    "Rating",
    "RoundRobin",
    "Rubric",
    "StudyOptions",
    "access_score",
    "export_folder",
    "items_of",
    "load_rubric",
    "matrix_from_payoffs",
    "matrix_from_round_robin",
    "measure",
    "memory_one_index",
    "new_judge",
    "new_judgement",
    "ratings_of",
    "read_judgements",
    "read_ratings",
    "referee_play",
    "round_robin",
    "run_panel",
    "token_similarity",
    "tree_similarity",
]
