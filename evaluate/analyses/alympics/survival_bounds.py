"""How many could have lived in a town: the supplies of the whole game, and what the search for the best use found.

A game ends when all have died. How many could have lived to its last day also depends on what nature would have brought
after that; with the supplies of the days that were played alone, a town would look the kinder the sooner it dies out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.chance import drawn, edges_of
from econzoo.envs.core.contract.streams import setting_of, stream
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.files import append_file
from econzoo.envs.core.record.lines import lines_of
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.survival.health import SURVIVAL
from econzoo.envs.families.survival.metrics import Day
from econzoo.envs.families.survival.watering import Town
from econzoo.envs.families.survival.watering_program import best_allocation
from econzoo.envs.games.water_allocation.rules import Params, chance, initial
from econzoo.envs.games.water_allocation.solution import town_of
from econzoo.evaluate.analyses.alympics.days import WATER, days_of, params_of

FILE = "possible.jsonl"
"""Name of the file of what was found."""

# Supplies

Supplies = tuple[int, ...]
"""Units of each day, from the first."""


def drawn_supplies(record: Record) -> Supplies:
    """What nature brings on all days of a game with its seed: as the environment draws, one number a day."""
    params, setting = params_of(record), setting_of(find_game(record.game), record.params)
    outcomes = chance(params, initial(params))
    edges, rng = edges_of(outcomes), stream(setting, record.seed, "nature", Versions.of(record.fields()).streams)
    return tuple([int(drawn(outcomes, edges, rng)) for _ in range(params.days)])


def supplies_of(record: Record) -> Supplies | None:
    """The supplies that a match of water_allocation was played for.

    See `whole_game`. What nature would have brought after the death of all follows from the seed, unless the match was
    played elsewhere or nature's moves were set by hand.

    Raises:
        ValueError: It is a match of another game, or its moves do not fit the rules.
    """
    params = params_of(record)
    drawn = drawn_supplies(record) if record.source is None else ()
    return whole_game(params, days_of(record, WATER), drawn)


def whole_game(params: Params, days: Sequence[Day], drawn: Supplies = ()) -> Supplies | None:
    """The supplies of the days that were played, and where all have died, of those to the last day of the game.

    Args:
        params: The town.
        days: That are over.
        drawn: What nature brings in the game from the first day on, as far as that is known otherwise.

    Returns:
        None if all have died and the days after that are not known.
    """
    played = tuple([day.supply for day in days])
    if not days or len(days) == params.days or not all(days[-1].died):
        return played
    return drawn if len(drawn) == params.days and drawn[: len(played)] == played else None


# What can be done with them


class Found(NamedTuple):
    """What the search found for one town.

    Attributes:
        survivors: The most found; so many could have lived.
        proven: Whether the search was completed, so that no more could have.
    """

    survivors: int
    proven: bool


class Possible:
    """Finds how many could have lived, each town once.

    Args:
        folder: Where what was found is kept (`FILE`, only appended to), so that it is not searched for again; None:
            in memory only. Lines that cannot be read count for nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder else None
        self._known = dict(_read(self._path)) if self._path and self._path.is_file() else {}

    def __call__(self, params: Params, supplies: Supplies) -> Found:
        """How many could have lived with these supplies.

        Raises:
            ValueError: A supply is not possible.
            ImportError: scipy is not installed.
        """
        town = town_of(params, supplies)._replace(reward=SURVIVAL)
        if town not in self._known:
            best = best_allocation(town)
            self._known[town] = found = Found(best.survivors, best.proven)
            self._keep(town, found)
        return self._known[town]

    def _keep(self, town: Town, found: Found) -> None:
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            append_file(self._path, json.dumps({**town._asdict(), **found._asdict()}) + "\n")


def _read(path: Path) -> list[tuple[Town, Found]]:
    found = []
    for _, line in lines_of(path):
        try:
            told = from_json(line)
            found.append((_town(told), Found(int(told["survivors"]), bool(told["proven"]))))
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _town(told: dict[str, Any]) -> Town:
    requirements, supplies, *rest = [told[name] for name in Town._fields]
    return Town(tuple(requirements), tuple(supplies), *rest)
