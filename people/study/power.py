"""Minimum detectable effect of a study, with dependence within matching groups.

Two arms are compared by the means of their matching groups, which are independent; matches within a group are not. An
observation is one participant in one match. With `m` observations in a group, a standard deviation `s` and an
intraclass correlation `r`, the group mean has the variance ``s^2 (1 + (m - 1) r) / m`` (design effect, Kish 1965,
section 5.4). The minimum detectable effect of a two-sided t test is

    (t[1 - alpha/2, f] + t[power, f]) * sqrt(v1 / k1 + v2 / k2),    f = k1 + k2 - 2,

where ``v`` is the mean of the variances of an arm's groups and ``k`` their number (Bloom 1995, Minimum detectable
effects, Evaluation Review 19(5), 547-556; for experiments in economics List, Sadoff and Wagner 2011, So you want to run
an experiment, now what?, Experimental Economics 14(4), 439-457). With `r` = 1 a group counts as one observation, the
most conservative assumption.

Two settings played by the same groups are compared within groups, by the mean difference of a group's two means. With
variances ``va`` and ``vb`` of these means, correlation ``c`` over groups, and `k` groups, it is

    (t[1 - alpha/2, k - 1] + t[power, k - 1]) * sqrt(mean(va + vb - 2 c sqrt(va vb)) / k),

the paired t test (Cohen 1988, Statistical power analysis, section 2.3.5). `c` = 0 is conservative unless the two means
are negatively correlated.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from econzoo.envs.core.contract import check_arguments
from econzoo.evaluate.stats import quantile
from econzoo.people.study.declaration import Study
from econzoo.people.study.matching import PlannedMatch

__all__ = ["Contrast", "detectable_effect"]

ALPHA, POWER = 0.05, 0.8
"""Two-sided significance level and power of the tests."""

MIN_GROUPS = 2
"""Minimum number of matching groups per sample."""

MAX_SETTINGS = 4
"""Maximum number of settings compared pairwise."""


class Contrast(NamedTuple):
    """A contrast between two samples of matching groups.

    Attributes:
        first: Name of the first sample.
        second: Name of the second sample.
        sizes: Observations per matching group of the first and of the second sample.
    """

    first: str
    second: str
    sizes: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def clusters(self) -> tuple[int, int]:
        """Numbers of matching groups of the two samples."""
        return len(self.sizes[0]), len(self.sizes[1])


@check_arguments
def detectable_effect(contrast: Contrast, deviation: float, correlation: float) -> float:
    """Return the minimum detectable effect of a contrast at `ALPHA` and `POWER`; NaN: too few matching groups.

    Args:
        contrast: The contrast.
        deviation: Standard deviation of an observation, > 0.
        correlation: Intraclass correlation within matching groups, in [0, 1].

    Raises:
        ValueError: The standard deviation or the correlation is out of range.
    """
    _check_parameters(deviation, correlation)
    freedom = sum(contrast.clusters) - 2
    if min(contrast.clusters) < MIN_GROUPS:
        return math.nan
    variance = sum(_variance_of_mean(sizes, deviation, correlation) / len(sizes) for sizes in contrast.sizes)
    return (quantile(1 - ALPHA / 2, freedom) + quantile(POWER, freedom)) * math.sqrt(variance)


def _check_parameters(deviation: float, correlation: float) -> None:
    if not (math.isfinite(deviation) and deviation > 0):
        raise ValueError(f"invalid standard deviation {deviation}: expected a number above 0")
    if not 0 <= correlation <= 1:
        raise ValueError(f"invalid intraclass correlation {correlation}: expected a number from 0 to 1")


def _variance_of_mean(sizes: Sequence[int], deviation: float, correlation: float) -> float:
    return fmean(_group_variance(size, deviation, correlation) for size in sizes)


def _group_variance(size: int, deviation: float, correlation: float) -> float:
    """Return the variance of the mean of `size` observations of a matching group."""
    return deviation**2 * (1 + (size - 1) * correlation) / size


class WithinContrast(NamedTuple):
    """A contrast between two settings within matching groups.

    Attributes:
        sizes: Observations of each group in the first and in the second setting.
    """

    first: str
    second: str
    sizes: tuple[tuple[int, int], ...]


def detectable_effect_within(
    within: WithinContrast, deviation: float, correlation: float, setting_correlation: float
) -> float:
    """Return the minimum detectable effect of a contrast within groups; NaN: too few groups.

    Args:
        deviation: Standard deviation of an observation, > 0.
        correlation: Intraclass correlation within a group and setting, in [0, 1].
        setting_correlation: Correlation of a group's means between the two settings, in [-1, 1).
    """
    _check_parameters(deviation, correlation)
    if not -1 <= setting_correlation < 1:
        raise ValueError(
            f"invalid correlation {setting_correlation} between settings: expected a number from -1 to below 1"
        )
    groups = len(within.sizes)
    if groups < MIN_GROUPS:
        return math.nan
    both = [[_group_variance(size, deviation, correlation) for size in sizes] for sizes in within.sizes]
    variance = fmean(a + b - 2 * setting_correlation * math.sqrt(a * b) for a, b in both)
    return (quantile(1 - ALPHA / 2, groups - 1) + quantile(POWER, groups - 1)) * math.sqrt(variance / groups)


def within_contrasts(study: Study, table: Sequence[PlannedMatch], game: str) -> list[WithinContrast]:
    """Return the contrasts between settings of a game played by the same groups; empty: too many settings."""
    settings = _game_settings(study, game)
    if not 1 < len(settings) <= MAX_SETTINGS:
        return []
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for one in table:
        counts[one.group][one.setting] += len(one.places)
    found = []
    for first, second in combinations(settings, 2):
        sizes = tuple((had[first], had[second]) for had in counts.values() if had[first] and had[second])
        if sizes:
            found.append(WithinContrast(f"setting {first + 1}", f"setting {second + 1}", sizes))
    return found


def _game_settings(study: Study, game: str) -> list[int]:
    return [place for place, one in enumerate(study.settings) if one.game == game]


def contrasts(study: Study, table: Sequence[PlannedMatch], game: str) -> list[Contrast]:
    """Return the contrasts of a game between independent groups: arms, or the settings of a single arm.

    Settings are compared if each matching group plays in one only; otherwise see `within_contrasts`.
    """
    settings = _game_settings(study, game)
    own = [one for one in table if one.setting in settings]
    if len(study.arms) > 1:
        return _pair_contrasts(
            {arm.name: _group_sizes(one for one in own if one.arm == arm.name) for arm in study.arms}
        )
    if len(settings) > MAX_SETTINGS or not _has_one_setting_each(own):
        return []
    return _pair_contrasts(
        {f"setting {one + 1}": _group_sizes(each for each in own if each.setting == one) for one in settings}
    )


def _pair_contrasts(samples: dict[str, tuple[int, ...]]) -> list[Contrast]:
    return [Contrast(one, other, (samples[one], samples[other])) for one, other in combinations(samples, 2)]


def _group_sizes(matches: Iterable[PlannedMatch]) -> tuple[int, ...]:
    counts: dict[int, int] = defaultdict(int)
    for one in matches:
        counts[one.group] += len(one.places)
    return tuple(counts.values())


def _has_one_setting_each(table: Sequence[PlannedMatch]) -> bool:
    pairs = {(one.group, one.setting) for one in table}
    return len(pairs) == len({group for group, _ in pairs})
