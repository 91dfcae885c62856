"""Upper bounds on survivors: the supplies of a full game, and a search for the best allocation.

A game ends when all have died. How many residents could have survived to the last day also depends on the supplies
after that; with the supplies of played days only, early extinction would raise the bound.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import append_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import cumulative_probabilities, draw_outcome, parse_json, setting_of, stream
from econzoo.envs.core.record import Record, read_lines
from econzoo.envs.families.survival import SURVIVAL, Day, Town, best_allocation
from econzoo.envs.games.water_allocation.rules import Params, chance, initial
from econzoo.envs.games.water_allocation.solution import town_of
from econzoo.evaluate.analyses.alympics.days import WATER, days_of, params_of

FILE = "possible.jsonl"
"""Name of the file of search results."""

# Supplies

Supplies = tuple[int, ...]
"""Units of each day, from the first."""


def sample_supplies(record: Record) -> Supplies:
    """Sample the supplies of all days from the match's seed, as the environment does."""
    params, setting = params_of(record), setting_of(find_game(record.game), record.params)
    # Every day has the same distribution. The match drew the first ones by the same generator, in the same order.
    outcomes = chance(params, initial(params))
    edges, rng = cumulative_probabilities(outcomes), stream(setting, record.seed, "nature")
    return tuple([int(draw_outcome(outcomes, edges, rng)) for _ in range(params.days)])


def supplies_of(record: Record) -> Supplies | None:
    """Return the supplies of all days of a match of water_allocation; see `complete_supplies`.

    Supplies after the death of all follow from the seed, unless the match was imported or its chance moves were fixed.
    """
    params = params_of(record)
    sampled = sample_supplies(record) if record.source is None else ()
    return complete_supplies(params, days_of(record, WATER), sampled)


def complete_supplies(params: Params, days: Sequence[Day], sampled_supplies: Supplies = ()) -> Supplies | None:
    """Return the supplies of the played days and, if all have died, of the remaining days.

    Returns:
        The supplies; None if all have died and later supplies are unknown.
    """
    played = tuple([day.supply for day in days])
    if not days or len(days) == params.days or not all(days[-1].died):
        return played
    # Supplies that differ from those played were not drawn by the seed, so that later ones are unknown.
    return (
        sampled_supplies if len(sampled_supplies) == params.days and sampled_supplies[: len(played)] == played else None
    )


# Search


class SearchResult(NamedTuple):
    """The result of a search for one town.

    Attributes:
        proven: Whether the search was exhaustive, so that `survivors` is the maximum.
    """

    survivors: int
    proven: bool


class SurvivalSearch:
    """Search for the most possible survivors, once per town.

    Args:
        folder: Folder of saved results (`FILE`, append-only); None: in memory only. Invalid lines are ignored.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE if folder else None
        self._results = dict(_read_results(self._path)) if self._path and self._path.is_file() else {}

    def __call__(self, params: Params, supplies: Supplies) -> SearchResult:
        # Whatever residents are paid for, the search is for survivors: towns that differ in that have one result.
        town = town_of(params, supplies)._replace(reward=SURVIVAL)
        if town not in self._results:
            best = best_allocation(town)
            self._results[town] = result = SearchResult(best.survivors, best.proven)
            self._store(town, result)
        return self._results[town]

    def _store(self, town: Town, result: SearchResult) -> None:
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            append_file(self._path, json.dumps({**town._asdict(), **result._asdict()}) + "\n")


def _read_results(path: Path) -> list[tuple[Town, SearchResult]]:
    results = []
    for _, line in read_lines(path):
        try:
            fields = parse_json(line)
            results.append((_parse_town(fields), SearchResult(int(fields["survivors"]), bool(fields["proven"]))))
        except (ValueError, KeyError, TypeError):  # the file is a cache: what is lost is computed again
            continue
    return results


def _parse_town(fields: dict[str, Any]) -> Town:
    requirements, supplies, *rest = [fields[name] for name in Town._fields]
    return Town(tuple(requirements), tuple(supplies), *rest)
