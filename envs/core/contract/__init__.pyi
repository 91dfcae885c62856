from . import moves as moves
from .actions import ActionSchema as ActionSchema, Kind as Kind
from .arguments import check_arguments as check_arguments
from .cases import Cases as Cases, Secret as Secret
from .chance import Nature as Nature, cumulative_probabilities as cumulative_probabilities, draw as draw
from .chance import draw_outcome as draw_outcome
from .game import Game as Game, GameFacts as GameFacts, GameOptions as GameOptions
from .marks import MAX_MESSAGE as MAX_MESSAGE, Amount as Amount, Choice as Choice, Count as Count, Message as Message
from .marks import Number as Number, Seat as Seat, Source as Source
from .moves import CONTINUOUS_DISTRIBUTIONS as CONTINUOUS_DISTRIBUTIONS, HIDDEN as HIDDEN, OPEN as OPEN
from .moves import SEALED as SEALED, Bounds as Bounds, ByQuantile as ByQuantile, Event as Event, Fact as Fact
from .moves import Finite as Finite, Legal as Legal, Move as Move, Normal as Normal, Ruling as Ruling
from .moves import Uniform as Uniform, new_tuple as new_tuple
from .objectives import OBJECTIVE as OBJECTIVE, SELF_GAIN as SELF_GAIN, UNIT as UNIT, Objective as Objective
from .objectives import Outcome as Outcome, Range as Range, Ranges as Ranges
from .options import DeclaredOption as DeclaredOption, Option as Option, check_option_values as check_option_values
from .options import check_options as check_options, declared_options as declared_options, options_in as options_in
from .parameters import MAX_ROUNDS as MAX_ROUNDS, CustomDomain as CustomDomain, Domain as Domain, Flag as Flag
from .parameters import Folder as Folder, Integer as Integer, ListOf as ListOf, Messages as Messages, OneOf as OneOf
from .parameters import OrNone as OrNone, Parameter as Parameter, Real as Real, Text as Text, TupleOf as TupleOf
from .parameters import bound_parameter as bound_parameter, check_argument as check_argument, check_seed as check_seed
from .parameters import check_sequence as check_sequence, check_setting as check_setting, check_value as check_value
from .parameters import declared_parameters as declared_parameters, validate_parameters as validate_parameters
from .perspectives import infer_game_over as infer_game_over, swap_sides as swap_sides
from .probing import turns_of as turns_of
from .probing import sample_moves as sample_moves
from .rewards import RewardScale as RewardScale, describe_dominance as describe_dominance, reward_scale as reward_scale
from .rules import CHANCE as CHANCE, DONE as DONE, NO_FEATURE as NO_FEATURE, P as P, PASS as PASS, S as S
from .rules import SEVERAL as SEVERAL, UNKNOWN as UNKNOWN, V as V, Rules as Rules, draft as draft, put as put
from .rules import to_tuple as to_tuple
from .scenarios import Distribution as Distribution, SettingParams as SettingParams, grid as grid
from .scenarios import uniform_over as uniform_over
from .scripts import ZERO_UNIFORMS as ZERO_UNIFORMS, MoveFunction as MoveFunction, NoteFunction as NoteFunction
from .scripts import Numbers as Numbers, Script as Script, StrategyMemory as StrategyMemory, UniformPair as UniformPair
from .scripts import choose_flagged as choose_flagged, random_move as random_move
from .streams import Purpose as Purpose, derive_seed as derive_seed, hash_seed as hash_seed, setting_of as setting_of
from .streams import setting_parameters as setting_parameters, stream as stream, stretch_seed as stretch_seed
from .symbols import ALPHABET as ALPHABET, NO_SYMBOL as NO_SYMBOL, alphabet as alphabet, symbol_count as symbol_count
from .symbols import symbol_index as symbol_index
from .validation import CODES as CODES, EXACT as EXACT, MAX_NESTING as MAX_NESTING, UNPRINTABLE as UNPRINTABLE
from .validation import Invalid as Invalid, check_file_name as check_file_name, check_list as check_list
from .validation import check_path as check_path, check_type as check_type, clean as clean
from .validation import exact_decimal as exact_decimal, fold as fold, format_exact as format_exact
from .validation import invalid_value as invalid_value, load_package_toml as load_package_toml
from .validation import nearest_names as nearest_names, parse_json as parse_json, parse_toml as parse_toml
from .validation import short_repr as short_repr, to_plain as to_plain, unknown_name as unknown_name
from .versions import Versions as Versions
