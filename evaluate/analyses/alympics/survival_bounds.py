"""How many could have lived in a town: the supplies of the whole game, and what the search for the best use found.

A game ends when all have died. How many could have lived to its last day also depends on what nature would have brought
after that; with the supplies of the days that were played alone, a town would look the kinder the sooner it dies out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.chance import cumulative_probabilities, draw_outcome
from econzoo.envs.core.contract.streams import setting_of, stream
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.contract.versions import Versions
from econzoo.envs.core.files import append_file
from econzoo.envs.core.record.lines import read_lines
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.survival.health import SURVIVAL
from econzoo.envs.families.survival.metrics import Day
from econzoo.envs.families.survival.water_planning import Town
from econzoo.envs.families.survival.water_program import best_allocation
from econzoo.envs.games.water_allocation.rules import Params, chance, initial
from econzoo.envs.games.water_allocation.solution import town_of
from econzoo.evaluate.analyses.alympics.days import WATER, days_of, params_of

FILE = "possible.jsonl"
"""Name of the file of what was found."""

# Supplies

Supplies = tuple[int, ...]
"""Units of each day, from the first."""


def sample_supplies(record: Record) -> Supplies:
    """What nature brings on all days of a game with its seed: as the environment draws, one number a day."""
    params, setting = params_of(record), setting_of(find_game(record.game), record.params)
    outcomes = chance(params, initial(params))
    edges, rng = (
        cumulative_probabilities(outcomes),
        stream(setting, record.seed, "nature", Versions.from_record(record.fields()).streams),
    )
    return tuple([int(draw_outcome(outcomes, edges, rng)) for _ in range(params.days)])


def supplies_of(record: Record) -> Supplies | None:
    """The supplies that a match of water_allocation was played for.

    See `complete_supplies`. What nature would have brought after the death of all follows from the seed, unless the
    match was
    played elsewhere or nature's moves were set by hand.

    Raises:
        ValueError: It is a match of another game, or its moves do not fit the rules.
    """
    params = params_of(record)
    drawn = sample_supplies(record) if record.source is None else ()
    return complete_supplies(params, days_of(record, WATER), drawn)


def complete_supplies(params: Params, days: Sequence[Day], sampled_supplies: Supplies = ()) -> Supplies | None:
    """The supplies of the days that were played, and where all have died, of those to the last day of the game.

    Args:
        params: The town.
        days: That are over.
        sampled_supplies: What nature brings in the game from the first day on, as far as that is known otherwise.

    Returns:
        None if all have died and the days after that are not known.
    """
    played = tuple([day.supply for day in days])
    if not days or len(days) == params.days or not all(days[-1].died):
        return played
    return (
        sampled_supplies if len(sampled_supplies) == params.days and sampled_supplies[: len(played)] == played else None
    )


# What can be done with them


class SearchResult(NamedTuple):
    """What the search found for one town.

    Attributes:
        survivors: The most found; so many could have lived.
        proven: Whether the search was completed, so that no more could have.
    """

    survivors: int
    proven: bool


class SurvivalSearch:
    """Finds how many could have lived, each town once.

    Args:
        folder: Where what was found is kept (`FILE`, only appended to), so that it is not searched for again; None:
            in memory only. Lines that cannot be read count for nothing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder else None
        self._results = dict(_read_results(self._path)) if self._path and self._path.is_file() else {}

    def __call__(self, params: Params, supplies: Supplies) -> SearchResult:
        """How many could have lived with these supplies.

        Raises:
            ValueError: A supply is not possible.
            ImportError: scipy is not installed.
        """
        town = town_of(params, supplies)._replace(reward=SURVIVAL)
        if town not in self._results:
            best = best_allocation(town)
            self._results[town] = found = SearchResult(best.survivors, best.proven)
            self._store(town, found)
        return self._results[town]

    def _store(self, town: Town, found: SearchResult) -> None:
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            append_file(self._path, json.dumps({**town._asdict(), **found._asdict()}) + "\n")


def _read_results(path: Path) -> list[tuple[Town, SearchResult]]:
    found = []
    for _, line in read_lines(path):
        try:
            told = parse_json(line)
            found.append((_parse_town(told), SearchResult(int(told["survivors"]), bool(told["proven"]))))
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _parse_town(told: dict[str, Any]) -> Town:
    requirements, supplies, *rest = [told[name] for name in Town._fields]
    return Town(tuple(requirements), tuple(supplies), *rest)
