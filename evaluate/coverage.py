"""How often 95% intervals cover what they estimate: simulated samples of which the truth is known.

``python -m econzoo.evaluate.coverage > docs/statistics.md`` makes that page, in about ten minutes of one core.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from econzoo.evaluate.columns import Columns
from econzoo.evaluate.intervals import FEWEST, Interval
from econzoo.evaluate.jackknife import FISHER, PLAIN, Scale, jackknife
from econzoo.evaluate.statistics import Population, differences, estimate

DRAWS = 2000
DESIGNS = tuple((settings, seeds) for settings in (5, 10, 30, 100) for seeds in (1, 3, 10))
"""Settings, and seeds of each."""

Sample = Callable[[np.random.Generator, np.ndarray, int], np.ndarray]
"""From a generator, the mean of each setting, shape (..., settings), and the number of seeds, to payoffs, shape
(..., settings, seeds)."""


class Payoffs(NamedTuple):
    """Payoffs of a player whose mean is known.

    Attributes:
        name: In words.
        setting: Draws the means of settings, of a shape.
        sample: See `Sample`.
        mean: Over all settings.
    """

    name: str
    setting: Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
    sample: Sample
    mean: float


def _same(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return np.repeat(settings[..., None], seeds, axis=-1)


def _noisy(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, 0.2, (*settings.shape, seeds))


def _skewed(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] * rng.exponential(1.0, (*settings.shape, seeds))


def _near_zero(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return settings[..., None] + rng.normal(0.0, 0.02, (*settings.shape, seeds))


def _yes(rng: np.random.Generator, settings: np.ndarray, seeds: int) -> np.ndarray:
    return (rng.random((*settings.shape, seeds)) < settings[..., None]).astype(float)


def _always(value: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: np.full(shape, value)


def _beta(a: float, b: float) -> Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]:
    return lambda rng, shape: rng.beta(a, b, shape)


PAYOFFS = (
    Payoffs("deterministic", _beta(2, 5), _same, 2 / 7),
    Payoffs("stochastic", _beta(2, 5), _noisy, 2 / 7),
    Payoffs("skewed", _beta(2, 5), _skewed, 2 / 7),
    Payoffs("near 0", lambda rng, shape: rng.normal(0.001, 0.01, shape), _near_zero, 0.001),
    Payoffs("yes in 2%", _always(0.02), _yes, 0.02),
    Payoffs("yes in 50%", _always(0.5), _yes, 0.5),
    Payoffs("yes in 98%", _always(0.98), _yes, 0.98),
    Payoffs("yes, more in some settings", _beta(2, 5), _yes, 2 / 7),
)


class Cell(NamedTuple):
    """What came out for one estimator in one design.

    Attributes:
        estimator: In words.
        over: Of what the intervals speak.
        settings: How many.
        seeds: Of each setting.
        covered: Share of the intervals that hold the truth.
        told: Share of the draws that have an interval.
    """

    estimator: str
    over: Population
    settings: int
    seeds: int
    covered: float
    told: float


Shape = tuple[int, int, int]
"""Draws, settings, seeds."""

Coverage = Callable[[np.random.Generator, Shape, Population], tuple[np.ndarray, float]]
"""From a generator and a design to the ends of intervals, shape (draws, 2), and what they should hold."""


def _mean(payoffs: Payoffs) -> Coverage:
    def covered(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
        values, truth = _drawn(payoffs, rng, shape, over)
        return _ends(estimate(_table(value=values), ["draw"], ["value"], over=over), "value"), truth

    return covered


def _share_of_sums(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A player who errs in a fifth of its answers, more in some matches; a match has one to ten."""
    answers = rng.integers(1, 11, shape)
    errors = rng.binomial(answers, rng.beta(2, 8, shape))
    return _ends(
        estimate(_table(errors=errors, answers=answers), ["draw"], ["error_rate"], over=over), "error_rate"
    ), 0.2


def _difference(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Two who share what is peculiar to settings and seeds; one is better by a tenth, mostly by less."""
    shared, _ = _drawn(PAYOFFS[1], rng, shape, over)
    both = np.stack([shared + rng.exponential(0.1, shape), shared], axis=1)
    ends = []
    for one in both:
        gap = differences(_table(value=one), [(0, 1)], "value", by="draw", over=over)[0, 1]
        ends.append([gap.low, gap.high])
    return np.array(ends), 0.1


def _correlation(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Two numbers of a match that correlate by 0.6."""
    x = rng.normal(size=shape)
    y = 0.6 * x + 0.8 * rng.normal(size=shape)
    return _left_out(lambda i, weights: _pearson(x[i].ravel(), y[i].ravel(), weights), shape, over, FISHER), 0.6


def _pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=1)
    dx, dy = (v - ((weights @ v) / total)[:, None] for v in (x, y))
    return ((weights * dx * dy).sum(1) / np.sqrt((weights * dx**2).sum(1) * (weights * dy**2).sum(1)))[:, None]


def _slope(rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """A trend of 0.5 a unit under skewed noise."""
    x = rng.uniform(0, 1, shape)
    y = 0.5 * x + rng.exponential(0.3, shape)

    def slope(i: int, weights: np.ndarray) -> np.ndarray:
        one, other = x[i].ravel(), y[i].ravel()
        mean = (weights @ one) / weights.sum(axis=1)
        apart = weights * (one - mean[:, None])
        return ((apart @ other) / (apart * (one - mean[:, None])).sum(1))[:, None]

    return _left_out(slope, shape, over), 0.5


def _left_out(
    statistic: Callable[[int, np.ndarray], np.ndarray], shape: Shape, over: Population, scale: Scale = PLAIN
) -> np.ndarray:
    draws, settings, seeds = shape
    market, cluster = (part.ravel() for part in np.indices((settings, seeds)))
    table = Columns({"market": market, "cluster": cluster})
    found = [jackknife(partial(statistic, i), table, scale=scale, over=over) for i in range(draws)]
    return np.array([[one[1][0], one[2][0]] for one in found])


ESTIMATORS: dict[str, Coverage] = {
    **{f"mean: {payoffs.name}": _mean(payoffs) for payoffs in PAYOFFS},
    "ratio of sums: errors among answers": _share_of_sums,
    "paired difference": _difference,
    "correlation": _correlation,
    "slope": _slope,
}
"""Of everything that is printed with an interval, by its way to it."""


def cell(estimator: str, settings: int, seeds: int, over: Population, draws: int = DRAWS, seed: int = 0) -> Cell:
    """Coverage of one estimator in one design.

    Args:
        estimator: One of `ESTIMATORS`.
        settings: How many there are; over ``"seeds"`` they are the same in all draws.
        seeds: Of each.
        over: Of what the interval speaks.
        draws: Samples.
        seed: Of them.
    """
    rng = np.random.default_rng([seed, settings, seeds, list(ESTIMATORS).index(estimator)])
    ends, truth = ESTIMATORS[estimator](rng, (draws, settings, seeds), over)
    known = np.isfinite(ends).all(axis=1)
    hits = (ends[known, 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[known, 1])
    covered = float(hits.mean()) if known.any() else math.nan
    return Cell(estimator, over, settings, seeds, covered, float(known.mean()))


def _drawn(payoffs: Payoffs, rng: np.random.Generator, shape: Shape, over: Population) -> tuple[np.ndarray, float]:
    """Payoffs, shape (draws, settings, seeds), and the mean that their intervals should hold."""
    draws, settings, seeds = shape
    if over == "settings":
        return payoffs.sample(rng, payoffs.setting(rng, (draws, settings)), seeds), payoffs.mean
    fixed = payoffs.setting(rng, (settings,))
    return payoffs.sample(rng, np.tile(fixed, (draws, 1)), seeds), float(fixed.mean())


def _table(**columns: np.ndarray) -> Columns:
    shape = next(iter(columns.values())).shape
    places = (np.broadcast_to(part, shape).ravel() for part in np.indices(shape))
    names = zip(("draw", "market", "cluster"), places, strict=True)
    return Columns({**dict(names), **{name: values.ravel() for name, values in columns.items()}})


def _ends(found: Mapping[Any, Mapping[str, Interval]], column: str) -> np.ndarray:
    return np.array([[one[column].low, one[column].high] for one in found.values()])


def designs() -> Iterator[tuple[Population, int, int]]:
    """Populations, settings and seeds in which there are intervals that mean what they say.

    One seed in each of a few settings says nothing of other seeds; five settings say nothing of others.
    """
    for over in ("settings", "seeds"):
        for settings, seeds in DESIGNS:
            if settings >= FEWEST if over == "settings" else seeds > 1 and settings * (seeds - 1) >= FEWEST - 1:
                yield over, settings, seeds


def page(draws: int = DRAWS) -> str:
    """The page ``docs/statistics.md``."""
    text = files("econzoo.evaluate").joinpath("templates/statistics.template").read_text(encoding="utf-8")
    tables = []
    titles: dict[Population, str] = {"settings": "Over settings", "seeds": "Over seeds"}
    for over, title in titles.items():
        shapes = [(settings, seeds) for one, settings, seeds in designs() if one == over]
        head = ["estimator", *(f"{settings} x {seeds}" for settings, seeds in shapes)]
        rows = [
            [name, *(f"{cell(name, *shape, over, draws).covered:.3f}" for shape in shapes)]
            for name in ESTIMATORS
            if not (over == "seeds" and name == "mean: deterministic")
        ]
        lines = [" | ".join(row) for row in (head, ["---"] * len(head), *rows)]
        tables.append("\n".join([f"### {title}", "", *(f"| {line} |" for line in lines)]))
    return text.replace("<!-- tables -->", "\n\n".join(tables))


def main() -> None:
    """Writes the page to standard output."""
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
