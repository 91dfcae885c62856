from .behaviour.measures import Behaviour, measure
from .dilemmas.round_robin import RoundRobin, round_robin
from .evolution.payoff_matrix import PayoffMatrix, matrix_from_payoffs, matrix_from_round_robin
from .evolution.study import StudyOptions, evolution_study
from .judging.evidence import Item, items_of
from .judging.judgements import Judgement, new_judgement, read_judgements
from .judging.model_judge import ModelJudge
from .judging.panel import new_judge, run_panel
from .judging.ratings import Rating, ratings_of, read_ratings
from .judging.report import judging_report
from .judging.rubric import Rubric, load_rubric
from .programs.exploitability import program_exploitability, referee_play
from .programs.play import memory_one_index
from .programs.sources import access_score, token_similarity, tree_similarity
from .regression.study import regression_study
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
    "evolution_study",
    "export_folder",
    "items_of",
    "judging_report",
    "load_rubric",
    "matrix_from_payoffs",
    "matrix_from_round_robin",
    "measure",
    "memory_one_index",
    "new_judge",
    "new_judgement",
    "program_exploitability",
    "ratings_of",
    "read_judgements",
    "read_ratings",
    "referee_play",
    "regression_study",
    "round_robin",
    "run_panel",
    "token_similarity",
    "tree_similarity",
]
