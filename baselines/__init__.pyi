from . import judges as judges, pools as pools
from .bag_of_words import evidence as evidence, log_odds as log_odds
from .base import PausedMatch, Player, PlayerLeft, SeatInfo, Usage
from .call_log import LogFollower as LogFollower, LoggedCall, call_log_files as call_log_files
from .call_log import collect_log as collect_log, is_logging as is_logging, write_logged as write_logged
from .call_log import hide_secret as hide_secret, log_call as log_call, log_start as log_start
from .call_log import open_call_log as open_call_log, read_call_log, without_call_log as without_call_log
from .calls import SUFFIX as SUFFIX, Budget as Budget, BudgetSpentError as BudgetSpentError, Journal as Journal
from .calls import Key as Key, ModelError, RefusedError as RefusedError, Reply as Reply, charge as charge
from .calls import check_budget as check_budget, collect_calls as collect_calls, current_budget as current_budget
from .calls import current_journal as current_journal, format_dollars as format_dollars, open_budget as open_budget
from .calls import UnavailableError as UnavailableError
from .calls import open_journal as open_journal, recorded_calls as recorded_calls, release_call as release_call
from .calls import reserve_call as reserve_call
from .calls import store_calls as store_calls, wants_logprobs as wants_logprobs
from .connections import Confirm as Confirm, may_have_key as may_have_key, refuse_address as refuse_address
from .connections import restrict_connections as restrict_connections
from .descriptions import description as description
from .factory import PREFIXES as PREFIXES, add_reader as add_reader, check_names as check_names
from .factory import check_reader as check_reader, describe_allowed as describe_allowed
from .factory import describe_unknown as describe_unknown, filter_by_seat as filter_by_seat
from .factory import find_partners as find_partners, is_known_spec as is_known_spec, is_person as is_person, player
from .factory import reads_keywords as reads_keywords, refuse_people as refuse_people, scripted_name as scripted_name
from .factory import scripted_players as scripted_players, seats_of as seats_of
from .http_player import KEY as KEY
from .human import strip_reply_format as strip_reply_format
from .judges import FENCE as FENCE, LONGEST_REASON as LONGEST_REASON, MAX_RETRIES as MAX_RETRIES, MODELS as MODELS
from .judges import (
    Question as Question,
    answer_schema as answer_schema,
    ask_until_answered as ask_until_answered,
    Answered as Answered,
    Inquiry as Inquiry,
    ask_about as ask_about,
    check_distinct as check_distinct,
)
from .judges import check_person as check_person, open_language_model as open_language_model, read_answer as read_answer
from .judges import seed_entropy as seed_entropy
from .language_model import LanguageModelPlayer
from .learned_opponent import opponent_function as opponent_function
from .policy_files import ALGORITHMS as ALGORITHMS, COMPILED as COMPILED, MAX_FREQUENCIES as MAX_FREQUENCIES
from .policy_files import MEMORIES as MEMORIES, METADATA as METADATA, OPTIMIZER as OPTIMIZER, POLICY as POLICY
from .policy_files import (
    SB3 as SB3,
    STATE as STATE,
    WEIGHTS as WEIGHTS,
    DivergedError as DivergedError,
    are_finite as are_finite,
)
from .policy_files import metadata_of as metadata_of, read_metadata as read_metadata, tensors_of as tensors_of
from .policy_network import PolicyNetwork as PolicyNetwork, network_of as network_of
from .opponents import group_by_family as group_by_family, is_pool_name as is_pool_name, load_files as load_files
from .opponents import members as members, members_left_out as members_left_out, pin_files as pin_files
from .pools import FAMILIES as FAMILIES, HELD_OUT_FAMILIES as HELD_OUT_FAMILIES, POOLS, candidates as candidates
from .pools import families as families, pool, read_pools
from .presets import expand_preset as expand_preset
from .questions import Questions as Questions, capitalise as capitalise, items_of as items_of
from .questions import legal_fields as legal_fields
from .random_and_mock import MESSAGE_PROBABILITY as MESSAGE_PROBABILITY, MESSAGES as MESSAGES
from .random_and_mock import RandomPlayer as RandomPlayer
from .random_arguments import Draw as Draw, RandomArgumentsPlayer as RandomArgumentsPlayer
from .rl_policy import BatchPolicy as BatchPolicy, Network as Network, PolicyPlayer as PolicyPlayer
from .scheduling import Need as Need, Pending as Pending, Scheduler as Scheduler, Shared as Shared, Task as Task
from .scheduling import catch_errors as catch_errors, count_calls as count_calls, outcomes_of as outcomes_of
from .scheduling import run_tasks as run_tasks
from .seat_json import information_state_of as information_state_of, seat_info_of as seat_info_of
from .single_agent import fixed_setting as fixed_setting, make_single_agent as make_single_agent, params_of as params_of
from .single_agent import parse_settings as parse_settings, seat_ranges as seat_ranges, symbols_of as symbols_of
from .strategy import ObservationDict as ObservationDict, ScriptedPlayer as ScriptedPlayer, argument as argument
from .strategy import offers_of_other as offers_of_other, round_generator as round_generator, view_of as view_of
from .terminal import show as show
from .torch_player import TorchPlayer

__all__ = [
    "LanguageModelPlayer",
    "LoggedCall",
    "ModelError",
    "POOLS",
    "PausedMatch",
    "Player",
    "PlayerLeft",
    "SeatInfo",
    "TorchPlayer",
    "Usage",
    "player",
    "pool",
    "read_call_log",
    "read_pools",
]
