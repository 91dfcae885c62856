from .demands import SCRAP as SCRAP, Amount as Amount, concession_share as concession_share, last_round as last_round
from .demands import round_to_cents as round_to_cents
from .generated import GeneratedHaggler as GeneratedHaggler
from .haggler import Committed as Committed, Firm as Firm, Haggler as Haggler, TimeDependent as TimeDependent
from .haggler import opponent_of as opponent_of, parse_high_and_low as parse_high_and_low
from .identifier import Identifier as Identifier
from .productions import BLANK as BLANK, clip_share as clip_share, make_demand_rules as make_demand_rules
from .productions import remember as remember
from .quantal import QuantalHaggler as QuantalHaggler
from .planner import FAR as FAR, Frame as Frame, Offers as Offers, Outlook as Outlook
from .planner import Planner as Planner
from .planner import effort_of as effort_of, frame_history as frame_history, linear_tables as linear_tables
