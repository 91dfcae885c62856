from .arms import DECODING as DECODING, DEFAULT_ANSWERS as DEFAULT_ANSWERS, arms as arms, set_decoding as set_decoding
from .questions import DEFAULT_OPPONENT as DEFAULT_OPPONENT
