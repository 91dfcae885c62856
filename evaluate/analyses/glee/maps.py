"""The heat maps of GLEE: matrices of what is printed, and the game of choosing a model that they make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.paper_numbers import Paper, Place, read_paper
from econzoo.evaluate.analyses.regression.equilibria import Equilibria, equilibria

FAMILIES = ("bargaining", "negotiation", "persuasion")
"""In the order of the figures."""

ROLES = ("Alice", "Bob")

METRICS = {
    "alice_self_gain": (1, "a"),
    "bob_self_gain": (1, "b"),
    "efficiency": (4, "a"),
    "fairness": (4, "b"),
}
"""Column of observations to the figure of bargaining, and its half; the other families have the next ones."""

GAINS = tuple(METRICS)[:2]

SHADES = 255
"""Steps between the lowest and the highest colour; every map has both."""

SCALE_ERROR = 0.01
"""How far the width of a scale may be off: both ends are printed with two digits."""


class Map(NamedTuple):
    """A map.

    Attributes:
        names: Of the rows, and of the columns.
        values: Shape (names, names): against the mean of all pairs.
    """

    names: tuple[str, ...]
    values: np.ndarray

    @property
    def shade(self) -> float:
        """A step of colour."""
        return float(np.ptp(self.values)) / SHADES

    def slack(self, difference: float) -> float:
        """How far a difference of two means of cells may be off, by the ends of the scale and by the colours."""
        return SCALE_ERROR * abs(difference) / float(np.ptp(self.values)) + self.shade


def glee_paper() -> Paper:
    """What GLEE prints, its maps last."""
    paper = read_paper("glee")
    return paper._replace(places={**paper.places, **read_paper("glee_maps").places})


def place_of(family: str, metric: str) -> str:
    """The name of the place of a map."""
    number, half = METRICS[metric]
    return f"figure-{number + FAMILIES.index(family)}{half}"


def printed_map(paper: Paper, family: str, metric: str) -> Map:
    """A map as it is printed."""
    return map_of(paper.places[place_of(family, metric)])


def map_of(place: Place) -> Map:
    """The map of a place whose rows and columns have the same names."""
    return Map(tuple(place.cells), np.array([[float(text) for text in row.values()] for row in place.cells.values()]))


def choices(paper: Paper, family: str) -> tuple[tuple[str, ...], Equilibria]:
    """The models, and the Nash equilibria of choosing one of them for each seat, by the printed gains."""
    first, second = (printed_map(paper, family, metric) for metric in GAINS)
    return first.names, equilibria(first.values, second.values)


def pure_pairs(names: Sequence[str], found: Equilibria) -> Iterator[tuple[str, str]]:
    """Who is sent in the pure equilibria."""
    for profile in found.profiles:
        if profile.is_pure:
            yield names[int(profile.first.argmax())], names[int(profile.second.argmax())]


VERSION = re.compile(r"(-instruct)?(-maas)?(-v\d+|-\d{3}|-\d{4}-\d\d-\d\d)?(@.*)?$")
"""What the published files write behind the name of a model."""


def model_of(player: str, names: Collection[str]) -> str:
    """The paper's name of a player; that of another one stays."""
    bare = VERSION.sub("", player)
    return bare if bare in names and player not in names else player
