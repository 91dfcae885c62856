"""Metrics of code reading: the log score as gain, and whether the answer was on the right side."""

from __future__ import annotations

from econzoo.envs.core.contract.objectives import Outcome
from econzoo.envs.games.code_reading.rules import Params, State, gains

DEFINITIONS = ("paper",)


def outcome(p: Params, s: State, definition: str = "paper") -> Outcome:
    """The metrics of a position.

    ``agreed``: the answer says that what is more likely is more likely (the accuracy of the paper); an even answer
    and an even label are right with nothing. Efficiency is the gain; fairness is 1, as there is one seat.
    """
    gain = gains(p, s)[0]
    right = s.over and (s.answer - 0.5) * (p.labels[s.place] - 0.5) > 0
    return Outcome((gain,), gain, 1.0, right)
