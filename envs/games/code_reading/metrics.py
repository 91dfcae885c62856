"""Metrics of code reading: the log score as gain, and accuracy as agreement."""

from __future__ import annotations

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.code_reading.rules import Params, State, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """Metrics of a position.

    ``agreed`` is the paper's accuracy: answer and label are on the same side of 1/2; False if one of them is 1/2.
    Efficiency is the gain; fairness is 1, as there is one seat.
    """
    gain = gains(p, s)[0]
    right = s.over and (s.answer - 0.5) * (p.labels[s.place] - 0.5) > 0
    return Outcome((gain,), gain, 1.0, right)
