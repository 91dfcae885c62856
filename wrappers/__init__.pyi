from .face import DiscreteActions, TextObservation
from .message_channel import MessageChannel
from .objective import ObjectiveReward
from .recording import RecordMatch
from .single_agent import SingleAgentEnv

__all__ = [
    "DiscreteActions",
    "MessageChannel",
    "ObjectiveReward",
    "RecordMatch",
    "SingleAgentEnv",
    "TextObservation",
]
