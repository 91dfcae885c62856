from .choices import MatchChoices as MatchChoices, StartPages as StartPages
from .clocks import BEAT as BEAT, Uptime as Uptime, run_clock as run_clock
from .debrief import end_card as end_card
from .forms import Form as Form, Input as Input, build_forms as build_forms
from .listing import check_searchable as check_searchable
from .live import LiveMatch as LiveMatch
from .match_setup import build_match as build_match, check_substitute as check_substitute
from .match_setup import restore_match as restore_match
from .move_words import format_payoff as format_payoff, join_paragraphs as join_paragraphs
from .pair_pages import PairPages as PairPages
from .person import Person as Person
from .player_threads import Desk as Desk, Question as Question, answer_all as answer_all
from .replay_pages import ReplayPages as ReplayPages
from .run_pages import RunPages as RunPages, first_page as first_page
from .seat_pages import SeatPages as SeatPages
from .seat_view import SeatView as SeatView, TextPart as TextPart, game_summary as game_summary
from .seat_view import game_title as game_title
from .store import MEMORY as MEMORY, SCHEMA as SCHEMA, SECRET_BYTES as SECRET_BYTES, MatchState as MatchState
from .store import Seat as Seat, Statement as Statement, Store as Store
from .tables import Tables as Tables
from .terms import DEFAULT as DEFAULT, DEFAULT_TERMS as DEFAULT_TERMS, ENDED as ENDED, FORFEIT as FORFEIT
from .terms import MAX_SECONDS as MAX_SECONDS, REPLACE as REPLACE, Absence as Absence, Terms as Terms
from .terms import build_terms as build_terms
from .transcript_pages import TranscriptPages as TranscriptPages
from .watch_pages import WatchPages as WatchPages
