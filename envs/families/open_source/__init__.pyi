from . import source as source
from .combinator import make_open_source_game as make_open_source_game
from .failures import Failure as Failure
from .interfaces import BASE_GAMES as BASE_GAMES, COIN_GAME as COIN_GAME, INTERFACES as INTERFACES, MATRIX as MATRIX
from .interfaces import Interface as Interface
from .library import load_programs as load_programs
from .limits import Limits as Limits
from .match_referee import BaseGame as BaseGame, play_meta_round as play_meta_round
from .meta_rounds import MetaRounds as MetaRounds, RoundCounts as RoundCounts, finished_rounds as finished_rounds
from .random_streams import RandomStreams as RandomStreams
from .solution import equilibrium_payoffs as equilibrium_payoffs, share_of_equilibrium as share_of_equilibrium
from .source import ENTRY as ENTRY, entry_of as entry_of, problem_of as problem_of
from .submission import POLICIES as POLICIES, ROUNDS as ROUNDS, TURNS as TURNS, running_conditions as running_conditions
from .texts import Texts as Texts, format_count as format_count
