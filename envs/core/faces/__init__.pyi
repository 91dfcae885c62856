from .finish import BROKEN as BROKEN, CUT as CUT, FILTER as FILTER, FILTERED as FILTERED, FINISHES as FINISHES
from .finish import IN_REASONING as IN_REASONING, LEFT as LEFT, LENGTH as LENGTH, MALFORMED as MALFORMED
from .finish import NO_REPLY_CODES as NO_REPLY_CODES, NO_REPLY_REASONS as NO_REPLY_REASONS, REASONING as REASONING
from .finish import RECITATION as RECITATION, REFUSAL as REFUSAL, THINKING as THINKING, THOUGHT as THOUGHT
from .finish import TIMEOUT as TIMEOUT, check_finish as check_finish, no_reply_error as no_reply_error
from .grid_range import FRACTION_RANGE as FRACTION_RANGE, FRACTION_RANGE_OR_NONE as FRACTION_RANGE_OR_NONE
from .grid_range import FULL_RANGE as FULL_RANGE, FractionRange as FractionRange, GridRange as GridRange
from .grid_range import Ranges as Ranges
from .numeric_face import NumericFace as NumericFace, last_symbol_features as last_symbol_features
from .numeric_moves import GRID as GRID, MAX_LISTED_MOVES as MAX_LISTED_MOVES, Grid as Grid, ListedMoves as ListedMoves
from .numeric_moves import MultiDiscreteMoves as MultiDiscreteMoves, Slots as Slots, grid_of as grid_of
from .numeric_moves import numeric_moves as numeric_moves
from .parse import MAX_REPLY as MAX_REPLY, MAX_TAG_SIGNS as MAX_TAG_SIGNS, UNFINISHED_THOUGHT as UNFINISHED_THOUGHT
from .parse import Reply as Reply, fence_code as fence_code, find_object as find_object, has_tags as has_tags
from .parse import has_too_many_signs as has_too_many_signs, is_thinking as is_thinking, json_reply as json_reply
from .parse import parse_reply as parse_reply, read_reply as read_reply, render_reply as render_reply
from .prompts import MAX_EXTRA as MAX_EXTRA, SHARED_TABLES as SHARED_TABLES, SHARED_TEXTS as SHARED_TEXTS
from .prompts import Prompts as Prompts, break_markup as break_markup, changed_templates as changed_templates
from .prompts import event_text as event_text, fields_of as fields_of, flatten_tables as flatten_tables
from .prompts import format_number as format_number, format_share as format_share, load_templates as load_templates
from .prompts import quote_message as quote_message, translation_template as translation_template
from .prompts import Fields as Fields, default_templates as default_templates, sets_of as sets_of
from .spaces import MoveSpace as MoveSpace, UnicodeText as UnicodeText
from .structured_face import OUTSIDE_SPACE as OUTSIDE_SPACE, Face as Face, InformationState as InformationState
from .structured_face import StructuredFace as StructuredFace, event_from_plain as event_from_plain
from .structured_face import parse_structured_observation as parse_structured_observation, space_error as space_error
from .text_face import UNLIMITED as UNLIMITED, Teller as Teller, TextFace as TextFace, answer_form as answer_form
from .text_face import answer_sentences as answer_sentences
from .transcript import describe_action as describe_action, describe_fact as describe_fact
from .transcript import format_payoffs as format_payoffs, join_names as join_names, picture as picture
from .transcript import replace_names as replace_names, role_names as role_names, spectate as spectate
from .wording import Wording as Wording, declared_wording as declared_wording, seat_wording as seat_wording
