"""Metrics of code reading: the log score as gain, and accuracy as agreement."""

from __future__ import annotations

import math

from econzoo.envs.core.contract import Outcome, Ranges
from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY, Params, State, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position.

    ``agreed`` is the paper's accuracy: answer and label are on the same side of 1/2; False if one of them is 1/2.
    Efficiency is the gain; fairness is 1, as there is one seat.
    """
    gain = gains(p, s)[0]
    right = s.over and (s.answer - 0.5) * (p.labels[s.place] - 0.5) > 0
    return Outcome((gain,), gain, 1.0, right)


def ranges(p: Params, definition: str = "paper") -> Ranges:
    """Ranges of payoffs and metrics: a certain answer that is wrong, and one that is right."""
    return Ranges(((math.log(MIN_PROBABILITY), math.log(MAX_PROBABILITY)),), ((0.0, 1.0),), fairness=(1.0, 1.0))
