"""Player pairs: the mean of every ordered pair, and its effect relative to all pairs (figures 1 to 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.regression.design import sort_levels
from econzoo.evaluate.analyses.regression.features import PAIR, Feature, pair_level, pair_levels
from econzoo.evaluate.analyses.regression.observations import Observations
from econzoo.evaluate.analyses.regression.regression import fit
from econzoo.evaluate.show import NOISE


class Cell(NamedTuple):
    """One ordered pair.

    Attributes:
        effect: Effect of the pair minus the mean effect of all pairs.
    """

    mean: float
    effect: float
    n: int


@dataclass(frozen=True)
class Heat:
    """The heat map of one metric.

    Attributes:
        columns: Players in the second seat.
        cells: (row, column) to `Cell`; pairs without matches have none.
        is_adjusted: Whether effects are regression coefficients; False: pairs and parameters are confounded, so effects
            are differences of unadjusted means.
    """

    family: str
    metric: str
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], Cell] = field(repr=False)
    is_adjusted: bool


def heats(observations: Observations, parameters: Sequence[Feature]) -> list[Heat]:
    """Compute the heat maps of all metrics; none unless the game has two seats."""
    if len(observations.seats) != 2:
        return []
    found = [heat(observations, metric, parameters) for metric in observations.metrics]
    return [one for one in found if one.cells]


def heat(observations: Observations, metric: str, parameters: Sequence[Feature]) -> Heat:
    """Compute the heat map of one metric.

    The effect of a pair is its coefficient in the regression on pairs, minus the unweighted mean of all these
    coefficients. In a balanced tournament that is the pair's mean minus the mean of means.
    """
    table = observations.table
    known = table[table[metric].notna()]
    grouped = known.groupby(list(observations.seats), sort=False)[metric].agg(["mean", "size"])
    means = {(str(a), str(b)): (float(row["mean"]), int(row["size"])) for (a, b), row in grouped.iterrows()}
    effects = _pair_effects(observations, metric, parameters, list(means))
    adjusted = effects is not None
    raw = effects or {pair: mean for pair, (mean, _) in means.items()}
    centre = float(np.mean(list(raw.values()))) if raw else math.nan
    cells = {pair: Cell(mean, _zero_if_noise(raw[pair] - centre, mean), n) for pair, (mean, n) in means.items()}
    names = [sort_levels({pair[seat] for pair in means}) for seat in (0, 1)]
    return Heat(observations.family, metric, names[0], names[1], cells, adjusted)


def _zero_if_noise(effect: float, mean: float) -> float:
    """Return the effect, or 0 if it is floating-point noise."""
    return 0.0 if abs(effect) <= NOISE * max(1.0, abs(mean)) else effect


def _pair_effects(
    observations: Observations, metric: str, parameters: Sequence[Feature], pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], float] | None:
    """Coefficients of the pairs (baseline: 0); None unless all are identified."""
    levels = pair_levels(observations.table, observations.seats)
    feature = Feature(PAIR, levels, pair_level(*pairs[0]), is_player=True)  # any pair with a value
    found = fit(observations, metric, [*parameters, feature], intervals=False)  # heat maps show none
    if found is None:
        return None
    by_level = {effect.value: effect.effect for effect in found.effects if effect.parameter == feature.name}
    effects = {pair: by_level.get(pair_level(*pair), 0.0) for pair in pairs}
    return None if any(map(math.isnan, effects.values())) else effects
