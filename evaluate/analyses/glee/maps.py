"""The printed heat maps of GLEE as matrices, and the model-choice game that they define."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses import Paper, Place, read_paper
from econzoo.evaluate.analyses.regression import Equilibria, equilibria

FAMILIES = ("bargaining", "negotiation", "persuasion")
"""In the order of the figures."""

ROLES = ("Alice", "Bob")

METRICS = {
    "alice_self_gain": (1, "a"),
    "bob_self_gain": (1, "b"),
    "efficiency": (4, "a"),
    "fairness": (4, "b"),
}
"""Column of observations to the figure of bargaining and its half; other families have the following figures."""

GAINS = tuple(METRICS)[:2]

SHADES = 255
"""Steps between the lowest and the highest colour; every map has both."""

SCALE_ERROR = 0.01
"""Maximum error of the width of a scale, whose ends are printed with two digits."""


class Map(NamedTuple):
    """A heat map.

    Attributes:
        values: Deviations from the mean of all pairs, shape (names, names).
    """

    names: tuple[str, ...]
    values: np.ndarray

    @property
    def shade(self) -> float:
        """Value of one colour step."""
        return float(np.ptp(self.values)) / SHADES

    def slack(self, difference: float) -> float:
        """Return the maximum error of a difference of cell means, due to the scale's ends and colours."""
        # Errors of the ends stretch all differences alike; each of the two cells errs by up to half a colour step.
        return SCALE_ERROR * abs(difference) / float(np.ptp(self.values)) + self.shade


def glee_paper() -> Paper:
    """Return GLEE's printed numbers, maps last."""
    paper = read_paper("glee")
    return paper._replace(places={**paper.places, **read_paper("glee_maps").places})


def place_of(family: str, metric: str) -> str:
    """Return the name of the place of a map."""
    number, half = METRICS[metric]
    return f"figure-{number + FAMILIES.index(family)}{half}"


def printed_map(paper: Paper, family: str, metric: str) -> Map:
    return map_of(paper.places[place_of(family, metric)])


def map_of(place: Place) -> Map:
    """Convert a place whose rows and columns have the same names to a map."""
    return Map(tuple(place.cells), np.array([[float(text) for text in row.values()] for row in place.cells.values()]))


def choices(paper: Paper, family: str) -> tuple[tuple[str, ...], Equilibria]:
    """Return the models, and the Nash equilibria of the model-choice game with the printed gains."""
    first, second = (printed_map(paper, family, metric) for metric in GAINS)
    # Deviations serve as gains: best responses do not depend on the mean that is subtracted.
    return first.names, equilibria(first.values, second.values)


def pure_pairs(names: Sequence[str], found: Equilibria) -> Iterator[tuple[str, str]]:
    """Yield the models of both seats in each pure equilibrium."""
    for profile in found.profiles:
        if profile.is_pure:
            yield names[int(profile.first.argmax())], names[int(profile.second.argmax())]


VERSION = re.compile(r"(-instruct)?(-maas)?(-v\d+|-\d{3}|-\d{4}-\d\d-\d\d)?(@.*)?$")
"""Suffixes of model names in the published files."""


def model_of(player: str, names: Collection[str]) -> str:
    """Return the paper's name of a model; other players' names are unchanged."""
    bare = VERSION.sub("", player)
    return bare if bare in names and player not in names else player
