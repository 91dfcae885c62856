"""Makes the data of the benchmark: labels by playing, facts and checksums from the programs.

A label is the share of matches in which a strategy cooperates in all ten rounds against the library's cooperator:
length of the match known to both, no noise, payoffs 5, 3, 1, 0. Seeds are 0, 1, 2, ...; strategies that the library
calls deterministic play three times, and must do the same. Players with large teams take about a second a match and
so get fewer seeds; the number is kept with every label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_text, write_file
from econzoo.envs.games.code_reading.items import Item
from econzoo.envs.games.code_reading.programs.axelrod_source import Place, load_library
from econzoo.envs.games.code_reading.programs.execution import (
    ROUNDS,
    import_axelrod,
    is_stochastic,
    moves,
    strategy_class,
)
from econzoo.envs.games.code_reading.programs.facts import facts
from econzoo.envs.games.code_reading.programs.rendering import render_program

SEEDS, SEEDS_OF_TEAMS, SEEDS_OF_LARGE_TEAMS, SEEDS_OF_DETERMINISTIC = 1000, 100, 50, 3
LARGE_TEAM = 50


def seeds_of(strategy: Any) -> int:
    """Matches that a strategy plays for its label."""
    if not is_stochastic(strategy):
        return SEEDS_OF_DETERMINISTIC
    if not issubclass(strategy, import_axelrod().MetaPlayer):
        return SEEDS
    return SEEDS_OF_LARGE_TEAMS if len(strategy().team) > LARGE_TEAM else SEEDS_OF_TEAMS


def label_item(place: Place, seeds: int | None = None) -> Item:
    """One item, played and read.

    Args:
        place: Module and class.
        seeds: Matches; None: see `seeds_of`.

    Raises:
        ValueError: The library calls it deterministic, and it does not always do the same.
    """
    strategy, text = strategy_class(place), render_program(place)
    played = [moves(strategy, seed) for seed in range(seeds_of(strategy) if seeds is None else seeds)]
    if not is_stochastic(strategy) and len(set(played)) > 1:
        raise ValueError(f"{place.name} is called deterministic, but plays {sorted(set(played))}")
    counts = len(played), sum("D" not in one for one in played), sum(one[0] == "C" for one in played)
    told = tuple(facts(text)), sha256(text.encode()).hexdigest()
    return Item(place.name, place.module, is_stochastic(strategy), *counts, *told)


def write_labels(
    file: str | Path, chosen: Iterable[Place], on_item: Callable[[], Any], seeds: int | None = None
) -> int:
    """Makes the file of items anew, and gives their number; what is in it already stays, so that it can be stopped.

    Args:
        file: A JSON file of the form of ``items.json``, with a line for each item.
        chosen: Which items.
        on_item: Called after each item.
        seeds: Of every item; None: see `seeds_of`.

    Raises:
        ValueError: The file is of another release of the library.
    """
    path, done = Path(file), {}
    if path.exists():
        kept = parse_json(read_text(path, LARGE_FILE_BYTES))
        if kept["axelrod"] != load_library().version:
            raise ValueError(f"{path} is of Axelrod {kept['axelrod']}, but {load_library().version} is installed")
        done = {item["name"]: item for item in kept["items"]}
    for item in chosen:
        if item.name not in done:
            done[item.name] = label_item(item, seeds)._asdict()
            write_file(path, format_items(load_library().version, done.values()))
        on_item()
    return len(done)


def format_items(release: str, made: Iterable[dict[str, Any]]) -> str:
    """The text of a file of items: one line each, by name."""
    rows = ",\n".join(json.dumps(item) for item in sorted(made, key=lambda item: item["name"]))
    return f'{{"axelrod": {json.dumps(release)}, "rounds": {ROUNDS}, "items": [\n{rows}\n]}}\n'
