from .budget import NO_TERMINAL as NO_TERMINAL, Spending as Spending, add_budget_options as add_budget_options
from .budget import count_previous_costs as count_previous_costs, has_prices as has_prices
from .budget import match_spending as match_spending, spending_at as spending_at, sum_spending as sum_spending
from .cost_estimate import Pairing as Pairing, iterate_confirmed_parts as iterate_confirmed_parts
from .costs import Cost as Cost, Costs as Costs, costs_tables as costs_tables
from .design import MAX_SEEDS as MAX_SEEDS, PLAYER_SEPARATOR as PLAYER_SEPARATOR, Design as Design, Sampling as Sampling
from .design import new_design as new_design, parse_lineups as parse_lineups, read_design as read_design
from .design import seat_count as seat_count
from .engine import ENGINES as ENGINES, LOCAL as LOCAL, MAX_WORKER_TRIES as MAX_WORKER_TRIES, RAY as RAY
from .engine import Address as Address, Concurrent as Concurrent, Engine as Engine, EngineName as EngineName
from .engine import EngineOptions as EngineOptions, check_engine as check_engine, current_engine as current_engine
from .engine import open_engine as open_engine, results as results
from .failures import MAX_TRIES as MAX_TRIES, FailureCounter as FailureCounter, NoneEndedError as NoneEndedError
from .failures import Run as Run, StoppedError as StoppedError, describe_failures as describe_failures
from .failures import failed_matches as failed_matches, open_run as open_run, raise_none_ended as raise_none_ended
from .failures import report_failures as report_failures
from .folder import CURVE as CURVE, FAILED as FAILED, MANIFEST as MANIFEST, DuplicateRecords as DuplicateRecords
from .folder import FailedMatch as FailedMatch, RunStart as RunStart, UnreadableLine as UnreadableLine
from .folder import check_output_folder as check_output_folder, describe_unreadable as describe_unreadable
from .folder import find_line_id as find_line_id, lost_matches as lost_matches, open_writer as open_writer
from .folder import read_failed_tries as read_failed_tries, read_folder as read_folder, read_latest as read_latest
from .folder import read_provenance as read_provenance, read_run_start as read_run_start, record_files as record_files
from .folder import recorded_ids as recorded_ids, recorded_lines as recorded_lines
from .gains_from_trade import describe_no_gains as describe_no_gains, has_no_gains as has_no_gains
from .gains_from_trade import no_gains_sentence as no_gains_sentence
from .importing import ImportReport as ImportReport, NotImportableError as NotImportableError
from .importing import convert_rule_errors as convert_rule_errors, seed_of as seed_of
from .match import PlayerCache as PlayerCache, has_no_batched_player as has_no_batched_player
from .match import is_seed_independent as is_seed_independent, play_match as play_match, play_matches as play_matches
from .match import seat_players as seat_players
from .processes import block_interrupts as block_interrupts
from .progress import exit_on_interrupt as exit_on_interrupt, progress_bar as progress_bar
from .records import ALL as ALL, ALWAYS_REPLAYED as ALWAYS_REPLAYED, NONE as NONE, SAMPLE_INTERVAL as SAMPLE_INTERVAL
from .records import SOME as SOME, Records as Records, read_records as read_records
from .remote_models import concurrency_of as concurrency_of, model_of as model_of
from .replay import Problem as Problem, plausibility_error as plausibility_error
from .replay import read_plausible_record as read_plausible_record, recompute_record as recompute_record
from .replay import replay as replay, replay_error as replay_error, replay_file as replay_file
from .resume_rule import resumable_ids as resumable_ids
from .resuming import ask_again as ask_again, check_free as check_free, match_file as match_file
from .resuming import read_match as read_match, replay_turn as replay_turn, resume as resume, save_match as save_match
from .seal import check_seal as check_seal, find_broken_seal as find_broken_seal, seal_records as seal_records
from .settings import ALL_SETTINGS as ALL_SETTINGS, DEFAULT as DEFAULT, FIRST_SEED as FIRST_SEED, PARAM as PARAM
from .settings import SPECS as SPECS, SUITES as SUITES, TEST as TEST, VALIDATION as VALIDATION, Setting as Setting
from .settings import find_settings as find_settings, format_value as format_value, game_settings as game_settings
from .settings import label_setting as label_setting, name_setting as name_setting, parse_entry as parse_entry
from .settings import parse_params as parse_params, parse_value as parse_value, pool_settings as pool_settings
from .settings import read_settings as read_settings, read_suite as read_suite, resolve_settings as resolve_settings
from .settings import settings_collection as settings_collection, validation_settings as validation_settings
from .table import EnvPool as EnvPool, Match as Match, MatchTable as MatchTable, format_error as format_error
from .table import new_match as new_match
from .tournament import MIN_MATCHES_PER_PROCESS as MIN_MATCHES_PER_PROCESS, check_run as check_run
from .tournament import missing_matches as missing_matches, parse_shard as parse_shard, play_all as play_all
from .tournament import play_lines as play_lines, play_missing as play_missing, run as run
