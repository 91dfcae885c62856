"""Compute the data of the benchmark: labels by playing, facts and checksums from the programs.

A label is the fraction of matches in which a strategy cooperates in all ten rounds against the library's cooperator
(known match length, no noise, payoffs 5, 3, 1, 0). Seeds are 0, 1, 2, ...; strategies that the library calls
deterministic play three times and must repeat themselves. Players with large teams take about a second per match and
get fewer seeds; the number is stored with every label.
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
    """Number of matches for the label of a strategy."""
    if not is_stochastic(strategy):
        return SEEDS_OF_DETERMINISTIC
    if not issubclass(strategy, import_axelrod().MetaPlayer):
        return SEEDS
    return SEEDS_OF_LARGE_TEAMS if len(strategy().team) > LARGE_TEAM else SEEDS_OF_TEAMS


def label_item(place: Place, seeds: int | None = None) -> Item:
    """Compute the label, facts and checksum of one item.

    Args:
        place: Module and class.
        seeds: Number of matches; None: see `seeds_of`.

    Raises:
        ValueError: The library calls the strategy deterministic, but its play varies.
    """
    strategy, text = strategy_class(place), render_program(place)
    played = [moves(strategy, seed) for seed in range(seeds_of(strategy) if seeds is None else seeds)]
    if not is_stochastic(strategy) and len(set(played)) > 1:
        raise ValueError(f"{place.name} is declared deterministic, but its moves vary: {sorted(set(played))}")
    counts = len(played), sum("D" not in one for one in played), sum(one[0] == "C" for one in played)
    checksum = sha256(text.encode()).hexdigest()
    return Item(place.name, place.module, is_stochastic(strategy), *counts, tuple(facts(text)), checksum)


def write_labels(
    file: str | Path, chosen: Iterable[Place], on_item: Callable[[], Any], seeds: int | None = None
) -> int:
    """Write the missing items to a file and return its number of items; an interrupted run resumes.

    Args:
        file: JSON file in the format of ``items.json``, one line per item.
        chosen: Items to label.
        on_item: Called after each item.
        seeds: Matches per item; None: see `seeds_of`.

    Raises:
        ValueError: The file is of another release of the library.
    """
    path, done = Path(file), {}
    if path.exists():
        saved = parse_json(read_text(path, LARGE_FILE_BYTES))
        if saved["axelrod"] != load_library().version:
            raise ValueError(f"{path} is of Axelrod {saved['axelrod']}, but {load_library().version} is installed")
        done = {item["name"]: item for item in saved["items"]}
    for item in chosen:
        if item.name not in done:
            done[item.name] = label_item(item, seeds)._asdict()
            write_file(path, format_items(load_library().version, done.values()))
        on_item()
    return len(done)


def format_items(release: str, rows: Iterable[dict[str, Any]]) -> str:
    """Format the text of a file of items: one line per item, sorted by name."""
    lines = ",\n".join(json.dumps(item) for item in sorted(rows, key=lambda item: item["name"]))
    return f'{{"axelrod": {json.dumps(release)}, "rounds": {ROUNDS}, "items": [\n{lines}\n]}}\n'
