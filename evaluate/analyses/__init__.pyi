from .analyze import ANALYSES as ANALYSES, DEFAULT_ANALYSIS as DEFAULT_ANALYSIS, analysis as analysis
from .analyze import analyze as analyze, records_for as records_for
from .behaviour.measures import Behaviour, measure
from .blinding import Blindfold as Blindfold, telltales as telltales
from .description import PlayedGame as PlayedGame, PlayedSetting as PlayedSetting, describe as describe
from .description import describe_players as describe_players, merge_played_games as merge_played_games
from .description import played_games as played_games, rules_of as rules_of
from .dilemmas.round_robin import RoundRobin, round_robin
from .evolution.payoff_matrix import PayoffMatrix, matrix_from_payoffs, matrix_from_round_robin
from .evolution.study import StudyOptions, evolution_study
from .frame import CLIPPED_COLUMN as CLIPPED_COLUMN, OBJECTIVES as OBJECTIVES, SHARE as SHARE, SHARE_GAIN as SHARE_GAIN
from .frame import UNFORFEITED_GAIN as UNFORFEITED_GAIN, VIOLATION_PREFIX as VIOLATION_PREFIX, columns as columns
from .frame import frame as frame, seat_rows as seat_rows
from .gap_to_best import HOLM as HOLM, Case as Case, GapToBest as GapToBest, gap_table as gap_table
from .gap_to_best import gap_tables as gap_tables, group_gaps_to_best as group_gaps_to_best
from .groups import ComparableMatches as ComparableMatches, Estimates as Estimates, Group as Group
from .groups import comparable_rows as comparable_rows, established_gap as established_gap
from .groups import has_same_matches as has_same_matches
from .judging.evidence import Item, items_of
from .judging.judgements import Judgement, new_judgement, read_judgements
from .judging.model_judge import ModelJudge
from .judging.panel import new_judge, run_panel
from .judging.ratings import Rating, ratings_of, read_ratings
from .judging.report import judging_report
from .judging.rubric import Rubric, load_rubric
from .learning_curve import Curve as Curve, read_curve as read_curve, read_curves as read_curves
from .learning_curve import read_training_games as read_training_games
from .missing_results import describe_missing as describe_missing, describe_no_result as describe_no_result
from .missing_results import matches_with_result as matches_with_result, split_by_result as split_by_result
from .model_queries import ask_all as ask_all
from .paper_numbers import Comparison as Comparison, OwnNumber as OwnNumber, Paper as Paper, Place as Place
from .paper_numbers import compare_paper as compare_paper, read_paper as read_paper
from .programs.exploitability import program_exploitability, referee_play
from .programs.play import memory_one_index
from .programs.sources import access_score, token_similarity, tree_similarity
from .ranking_values import CASES_MEANING as CASES_MEANING, COUNTED as COUNTED, COUNTED_MEANING as COUNTED_MEANING
from .ranking_values import SeatValues as SeatValues, add_counted as add_counted, case_rows as case_rows
from .ranking_values import least_values as least_values, order_warning as order_warning
from .regression.study import regression_study
from .regret import EXACT as EXACT, REGRET as REGRET, SEARCH as SEARCH, SECONDS as SECONDS
from .regret import add_regret as add_regret, script_of as script_of
from .seat_columns import PLACE_COLUMNS as PLACE_COLUMNS, places as places, roles_of as roles_of
from .servers import served_notes as served_notes
from .solutions import (
    DRAWS as DRAWS,
    decision_stakes as decision_stakes,
    equilibrium_payoffs as equilibrium_payoffs,
    moves as moves,
    params_of as params_of,
)
from .solutions import public_text as public_text, shares_of_equilibrium as shares_of_equilibrium
from .solutions import solution_part as solution_part
from .stories import CUT_MATCH as CUT_MATCH, FORFEITED as FORFEITED, INVALID as INVALID, LEFT_MATCH as LEFT_MATCH
from .stories import REPLIES as REPLIES, match_outline as match_outline, select_matches as select_matches
from .stories import story as story, turns_of as turns_of
from .tidy.export import export_folder
from .training_exposure import Cells as Cells, TrainingExposure as TrainingExposure, exposure_cells as exposure_cells
from .training_exposure import exposure_table as exposure_table, plain_cells as plain_cells
from .training_exposure import read_exposure as read_exposure, read_training_record as read_training_record
from .training_exposure import setting_text as setting_text
from .transcript import MatchTexts as MatchTexts, TurnContext as TurnContext, replay_texts as replay_texts
from .verdicts import agrees as agrees, half_unit as half_unit, printed_number as printed_number

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
