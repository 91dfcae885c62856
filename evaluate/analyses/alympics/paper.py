"""Published numbers of the Water Allocation Challenge, to stand beside others (ALYMPICS, arXiv:2311.03220, Table 2).

Ten games of GPT-4-32k in each setting. Rates and RSR are as the paper prints them, the survivors are the sum of its
rates. In medium and plenty its RSR at the end does not follow from its own survival rates: the published games have
0.54 and 0.52. `RECOUNTED` is not in the paper, but was counted from the published games.
"""

from __future__ import annotations

from typing import NamedTuple

GAMES = 10
"""Of each setting."""

PLAYER = "paper (GPT-4-32k)"


class Setting(NamedTuple):
    """Published numbers of a setting.

    Attributes:
        rates: Survival rates of Alex, Bob, Cindy, David and Eric.
        survivors: Mean number.
        rsr_start: RSR of all residents.
        rsr_end: Mean RSR of the survivors.
        minimum_bid: Mean of the daily medians of the minimum successful bid, in dollars; see `RECOUNTED`.
    """

    rates: tuple[float, float, float, float, float]
    survivors: float
    rsr_start: float
    rsr_end: float
    minimum_bid: float


RECOUNTED = frozenset(("minimum_bid",))
"""What was counted from the published games: the paper has it as a figure only."""

TABLE_2: dict[str, Setting] = {
    "scarce": Setting((0.1, 0.1, 0.5, 0.7, 0.4), 1.8, 0.3, 0.83, 185.7),
    "medium": Setting((0.8, 0.5, 0.8, 0.8, 0.9), 3.8, 0.4, 0.51, 131.6),
    "plenty": Setting((1.0, 1.0, 1.0, 1.0, 0.9), 4.9, 0.5, 0.53, 113.8),
    "scarce-persona": Setting((0.3, 0.1, 0.4, 0.6, 0.7), 2.1, 0.3, 0.72, 177.25),
    "medium-persona": Setting((0.6, 0.6, 0.6, 0.5, 0.9), 3.2, 0.4, 0.65, 139.4),
    "plenty-persona": Setting((1.0, 0.8, 1.0, 1.0, 1.0), 4.8, 0.5, 0.52, 108.8),
}
"""By the names of the settings in the order of the paper."""
