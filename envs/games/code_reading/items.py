"""Items of the benchmark: strategies, their labels, and facts about their programs.

The list is that of Axelrod 4.11.0, with the paper's 239 strategies, all of which are in 4.14.0, too (4.13.0 added
Capri and BurnBothEnds, 4.14.0 EvolvedAttention, FrequencyAnalyzer and Momentum). Items are identified by name; their
numbers are positions in the alphabetical list of ``items.json`` and have no other meaning. Texts are not stored: they
are rendered from the installed library (`econzoo.envs.games.code_reading.programs`).

``generated.json`` has the items of a grammar (`econzoo.envs.games.code_reading.programs.grammar`), whose numbers
follow. Both files are written by ``python benchmarks/sparc.py labels FILE [generated]``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

LIBRARY_FILE, GENERATED_FILE = FILES = ("items.json", "generated.json")
"""Items of the Axelrod library, and those of the grammar."""

HELD_OUT_STRIDE = 3
"""Every third item is held out."""


class Item(NamedTuple):
    """One item.

    Attributes:
        name: Class of the strategy.
        module: The library's module that defines it, or ``generated``.
        stochastic: Whether the library classifies it as stochastic.
        seeds: Number of matches played, with seeds from 0.
        yes: Matches in which it cooperated ten times.
        first: Matches in which it cooperated in the first round.
        facts: Values of `econzoo.envs.games.code_reading.programs.facts.Facts`, in order.
        checksum: SHA-256 of its plain text.
    """

    name: str
    module: str
    stochastic: bool
    seeds: int
    yes: int
    first: int
    facts: tuple[float, ...]
    checksum: str

    @property
    def label(self) -> float:
        """Probability of ten cooperations against a cooperator."""
        return self.yes / self.seeds


@lru_cache(maxsize=2)
def _load_data(file: str = LIBRARY_FILE) -> Mapping[str, Any]:
    return json.loads(files(__package__).joinpath(file).read_text(encoding="utf-8"))


def axelrod_version() -> str:
    """Release of Axelrod from which labels, facts and checksums were computed."""
    return _load_data()["axelrod"]


@lru_cache(maxsize=1)
def items() -> tuple[Item, ...]:
    """All items: those of the library by name, then the generated ones."""
    rows = [*_load_data()["items"], *_load_data(GENERATED_FILE)["items"]]
    return tuple(Item(**{**item, "facts": tuple(item["facts"])}) for item in rows)


@lru_cache(maxsize=1)
def item_numbers() -> Mapping[str, int]:
    return {item.name: number for number, item in enumerate(items())}


@lru_cache(maxsize=8)
def set_members(item_set: str) -> tuple[int, ...]:
    """Numbers of the items of one of `econzoo.envs.games.code_reading.SETS`; all but ``generated`` are of the library.

    The split is stratified: of the items that always cooperate, that never do, and of the rest, every third is held
    out, in the order of the SHA-256 of their names.
    """
    of_library = range(len(_load_data()["items"]))
    if item_set == "all":
        return tuple(of_library)
    if item_set == "generated":
        return tuple(range(len(of_library), len(items())))
    held = {number for stratum in _strata() for number in stratum[::HELD_OUT_STRIDE]}
    return tuple(number for number in of_library if (number in held) == (item_set == "held-out"))


def _strata() -> list[list[int]]:
    # By hash: a random order that needs no random seed.
    order = sorted(set_members("all"), key=lambda number: sha256(items()[number].name.encode()).hexdigest())
    kinds = [0 if one.yes == 0 else 1 if one.yes == one.seeds else 2 for one in items()]
    return [[number for number in order if kinds[number] == kind] for kind in (0, 1, 2)]
