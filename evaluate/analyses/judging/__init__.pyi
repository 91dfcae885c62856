from .agreement import alpha as alpha
from .evidence import Evidence as Evidence, Item as Item, answer_page as answer_page
from .evidence import assigned_persona as assigned_persona, evidence as evidence, find_items as find_items
from .evidence import shuffle_items as shuffle_items
from .judgements import JUDGEMENTS as JUDGEMENTS, Judgement as Judgement, new_judgement as new_judgement
from .judgements import read_judgements as read_judgements
from .page import judgements_page as judgements_page
from .panel import Judge as Judge, new_judge as new_judge, run_panel as run_panel
from .ratings import REQUIRED_COLUMNS as REQUIRED_COLUMNS, Rating as Rating, ratings_of as ratings_of
from .ratings import read_ratings as read_ratings
from .report import judging_report as judging_report
from .rubric import SCORES as SCORES, Dimension as Dimension, Rubric as Rubric, load_rubric as load_rubric
