from . import best_response as best_response, horizon as horizon, pool_response as pool_response
from .best_response import OfferGame as OfferGame, Opponent as Opponent
from .cases import unknown_horizons as unknown_horizons
from .glee_templates import convert_template as convert_template, key_of as key_of, read_texts as read_texts
from .horizon import HORIZON as HORIZON, check_round as check_round, horizon_parameters as horizon_parameters
from .horizon import horizon_suffix as horizon_suffix, horizon_text as horizon_text, resolve_horizon as resolve_horizon
from .pool_response import BayesAdaptivePlan as BayesAdaptivePlan, agreement_payoff as agreement_payoff
from .pool_response import build_schedule as build_schedule, random_schedule as random_schedule
from .pool_response import round_starts as round_starts
from .protocol import END_FEATURES as END_FEATURES, History as History, Memory as Memory, end_features as end_features
from .protocol import proposer as proposer, to_act as to_act
from .quantal import LOOKAHEAD_ROUNDS as LOOKAHEAD_ROUNDS, STEPS as STEPS, Logit as Logit, Stage as Stage
from .quantal import Values as Values, build_backward_induction as build_backward_induction
from .quantal import logit_amounts as logit_amounts, logit_answers as logit_answers, sample_place as sample_place
