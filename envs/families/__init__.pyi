from . import k_level as k_level
from .elimination import amounts_of as amounts_of, facts_of as facts_of, fill_like as fill_like, seat_at as seat_at
from .elimination import seat_feature_names as seat_feature_names
from .k_level import adaption_index as adaption_index, drop_nan as drop_nan, mean as mean
from .two_seats import ROUND as ROUND, seat_of as seat_of, shares as shares, tally_moves as tally_moves
from .two_seats import weights_of as weights_of
