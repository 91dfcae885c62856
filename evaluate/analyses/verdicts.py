"""Verdicts: a printed number beside ours, which is exact or an estimate with a 95% interval.

Numbers that follow from rules, counts or other printed numbers are exact: they are equal, or contradict outright.
Means, effects and correlations of games are estimates, which contradict only where the interval of the difference
excludes 0; from too few games, or without degrees of freedom, no verdict is possible.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.stats import MIN_CLUSTERS, Interval, TooFewClusters, difference_ends

EQUAL, WITHIN, COMPATIBLE = "equal", "within resolution", "compatible"
CONTRADICTS, UNIDENTIFIED, INCOMPARABLE = "contradicts", "not identifiable", "not comparable"
MISSING = "not compared"

MEANINGS = {
    EQUAL: "Equal: our number, rounded as the paper prints it, is the printed one",
    WITHIN: "Within resolution: equal only with the slack, the maximum error due to rounded inputs or colours",
    COMPATIBLE: "Compatible: the 95% interval of the difference contains 0",
    CONTRADICTS: "Contradicts: not equal, and ours is exact or the 95% interval of the difference excludes 0",
    UNIDENTIFIED: f"Not identifiable: these data allow no verdict; an interval needs {MIN_CLUSTERS} settings or seeds",
    INCOMPARABLE: "Not comparable: the number was chosen here, or depends on other data than the paper's",
    MISSING: "Not compared: ours is missing",
}
"""Verdicts on a printed cell, best first, with their meaning."""

VERDICTS = tuple(MEANINGS)


NO_FREEDOM = "Its level is that of the paper, which leaves no degree of freedom."


class Verdict(NamedTuple):
    """A verdict.

    Attributes:
        word: One of `VERDICTS`; empty if the paper prints no such number.
        difference: Our number minus the printed one, with a 95% interval: of zero width if ours is exact, without ends
            if it is unknown. None: there is no number to subtract, or no degree of freedom.
        reason: Why no verdict is possible; empty: it is, or our number is missing.
    """

    word: str
    difference: Interval | None = None
    reason: str = ""


def find_verdict(
    printed: str,
    ours: float | str | Interval | None,
    *,
    slack: float = 0.0,
    resolution: float | None = None,
    printed_interval: Interval | None = None,
    freedom: int = 1,
) -> Verdict:
    """Compare a printed number with ours.

    Args:
        ours: An exact number or a word; an estimate with its interval; None or NaN: undefined in our data.
        slack: Maximum error of ours due to rounded inputs, in the unit of the number, at least 0.
        resolution: Maximum error of a printed number that is read from a picture, which has no digits to be equal by;
            None: half a unit of the last printed digit.
        printed_interval: The printed estimate with the paper's own 95% interval; None: taken as exact.
        freedom: Degrees of freedom of all numbers compared together: their count less the parameters fitted to the
            paper, such as a common level.
    """
    if ours is None:
        return Verdict(UNIDENTIFIED)
    if isinstance(ours, str):
        return Verdict(EQUAL if ours == printed else CONTRADICTS)
    if freedom < 1:
        return Verdict(UNIDENTIFIED, None, NO_FREEDOM)
    number = printed_number(printed)
    gap = _subtract(ours, number, printed_interval)
    if math.isnan(gap.mean):
        return Verdict(UNIDENTIFIED)
    if math.isnan(gap.low):
        return Verdict(UNIDENTIFIED, gap, f"No interval: {gap.no_interval_reason or 'unknown variance'}.")
    if resolution is None and _is_within(gap.mean, half_unit(printed)):
        return Verdict(EQUAL, gap)
    room = slack + (half_unit(printed) if resolution is None else resolution)
    if _is_within(gap.mean, room):
        return Verdict(WITHIN, gap)
    is_compatible = isinstance(ours, Interval) and gap.low - room <= 0 <= gap.high + room
    return Verdict(COMPATIBLE if is_compatible else CONTRADICTS, gap)


def _subtract(ours: float | Interval, number: float, printed: Interval | None) -> Interval:
    """Our number minus a printed one; an estimate of too few games has no interval, whatever its variance."""
    if not isinstance(ours, Interval):
        return Interval(ours - number, ours - number, ours - number, 0)
    ends = printed or Interval(number, number, number, 0)
    low, high = difference_ends(np.array(ours[:3]), np.array(ends[:3]))
    if ours.rows < MIN_CLUSTERS:
        return TooFewClusters(ours.mean - number, math.nan, math.nan, ours.rows)
    # The type of an estimate tells why it has no interval.
    return type(ours)(ours.mean - number, float(low), float(high), ours.rows)


def agrees(printed: str, value: float) -> bool:
    """Whether our number rounds to the printed one, with halves rounded either way."""
    return _is_within(value - printed_number(printed), half_unit(printed))


def _is_within(gap: float, room: float) -> bool:
    # Halves of a last decimal digit are not exact in binary.
    return abs(gap) <= room * (1 + 1e-9) + 1e-9


# Printed numbers

SCALES = {"K": 3, "M": 6, "%": -2}
"""Suffixes of thousands, millions and percentages, as powers of ten."""


def printed_number(printed: str) -> float:
    """Parse a printed number, such as ``"1,320"``, ``"9.77M"`` or ``"26.8%"`` (0.268)."""
    number, power = _split_scale(printed)
    return float(f"{number.replace(',', '')}e{power}")


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit: 0.5 for ``"4"``, 0.05 for ``"4.0"``, 5,000 for ``"9.77M"``."""
    number, power = _split_scale(printed)
    return 0.5 * 10.0 ** (power - len(number.partition(".")[2]))


def digits_of(printed: str) -> int:
    """Return the number of decimals; 0 for thousands (33.7K) and millions."""
    number, power = _split_scale(printed)
    return max(0, len(number.partition(".")[2]) - power)


def _split_scale(printed: str) -> tuple[str, int]:
    power = SCALES.get(printed[-1:], 0)
    return printed[:-1] if power else printed, power
