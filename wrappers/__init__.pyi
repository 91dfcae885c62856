from .face import DiscreteActions, TextObservation
from .message_channel import MessageChannel
from .objective import ObjectiveReward
from .recording import RecordMatch
from .seating import Listener as Listener, MatchLoop as MatchLoop, SeatInfo as SeatInfo, seat_info as seat_info
from .single_agent import BOTH as BOTH, Pool as Pool, SettingSource as SettingSource, SingleAgentEnv

__all__ = [
    "DiscreteActions",
    "MessageChannel",
    "ObjectiveReward",
    "RecordMatch",
    "SingleAgentEnv",
    "TextObservation",
]
