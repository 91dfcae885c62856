"""SPARC's data: labels of its items, and a check that their texts play like the library's own classes.

    python benchmarks/sparc.py labels FILE [NAME ...]     # slow; NAME "generated": the programs of the grammar
    python benchmarks/sparc.py check I/N [NAME ...]       # part I of N; exit code 1: a match differs

A label is the fraction of matches in which a strategy cooperates in all ten rounds against the library's cooperator
(known match length, no noise, payoffs 5, 3, 1, 0). Seeds are 0, 1, 2, ...; strategies that the library calls
deterministic play three times and must repeat themselves. Players with large teams take about a second per match and
get fewer seeds; the number is stored with every label. Facts and checksums are those of the programs.

In the check the text, in every variant, and the original play the same matches with the same random numbers: against
the cooperator, as in the benchmark, and against the random player, which reaches other branches of the program.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, read_text, write_file
from econzoo.envs.core.contract import parse_json
from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.items import Item
from econzoo.envs.games.code_reading.programs.axelrod_source import Place, load_library
from econzoo.envs.games.code_reading.programs.execution import ROUNDS, import_axelrod, is_stochastic, load_class, moves
from econzoo.envs.games.code_reading.programs.execution import strategy_class
from econzoo.envs.games.code_reading.programs.facts import facts
from econzoo.envs.games.code_reading.programs.grammar import GENERATED
from econzoo.envs.games.code_reading.programs.grammar import names as generated_names
from econzoo.envs.games.code_reading.programs.rendering import render_program
from econzoo.evaluate.run import parse_shard, progress_bar
from econzoo.evaluate.suites.sparc.benchmark import select_items

# Labels

SEEDS, SEEDS_OF_TEAMS, SEEDS_OF_LARGE_TEAMS, SEEDS_OF_DETERMINISTIC = 1000, 100, 50, 3
LARGE_TEAM = 50


def seeds_of(strategy: Any) -> int:
    """Number of matches for the label of a strategy."""
    if not is_stochastic(strategy):
        return SEEDS_OF_DETERMINISTIC
    if not issubclass(strategy, import_axelrod().MetaPlayer):
        return SEEDS
    return SEEDS_OF_LARGE_TEAMS if len(strategy().team) > LARGE_TEAM else SEEDS_OF_TEAMS


def label_item(place: Place) -> Item:
    """Compute the label, facts and checksum of one item."""
    strategy, text = strategy_class(place), render_program(place)
    played = [moves(strategy, seed) for seed in range(seeds_of(strategy))]
    if not is_stochastic(strategy) and len(set(played)) > 1:
        raise ValueError(f"{place.name} is declared deterministic, but its moves vary: {sorted(set(played))}")
    counts = len(played), sum("D" not in one for one in played), sum(one[0] == "C" for one in played)
    checksum = sha256(text.encode()).hexdigest()
    return Item(place.name, place.module, is_stochastic(strategy), *counts, tuple(facts(text)), checksum)


def write_labels(path: Path, chosen: Iterable[Place], on_item: Callable[[], Any]) -> int:
    """Write the missing items to a file like ``items.json``, which resumes; return its number of items."""
    done = {}
    if path.exists():
        saved = parse_json(read_text(path, LARGE_FILE_BYTES))
        if saved["axelrod"] != load_library().version:
            raise ValueError(f"{path} is of Axelrod {saved['axelrod']}, but {load_library().version} is installed")
        done = {item["name"]: item for item in saved["items"]}
    for item in chosen:
        if item.name not in done:
            done[item.name] = label_item(item)._asdict()
            write_file(path, format_items(load_library().version, done.values()))
        on_item()
    return len(done)


def format_items(release: str, rows: Iterable[dict[str, Any]]) -> str:
    """Format the text of a file of items: one line per item, sorted by name."""
    lines = ",\n".join(json.dumps(item) for item in sorted(rows, key=lambda item: item["name"]))
    return f'{{"axelrod": {json.dumps(release)}, "rounds": {ROUNDS}, "items": [\n{lines}\n]}}\n'


# Texts and originals


class Meeting(NamedTuple):
    """A match that the text and the original play.

    Attributes:
        opponent: Name of a class of the library.
        seed: Seed of the match.
        rounds: Number of rounds.
    """

    opponent: str
    seed: int
    rounds: int


MEETINGS = (
    *[Meeting("Cooperator", seed, 10) for seed in (0, 1)],
    *[Meeting("Random", seed, 50) for seed in (2, 3, 4)],
)
MEETINGS_OF_TEAMS = Meeting("Cooperator", 0, 10), Meeting("Random", 2, 10)
"""Fewer matches for players with teams, which query every member in every round."""


class Difference(NamedTuple):
    """A match in which a text and its original differ.

    Attributes:
        item: Name of the strategy.
        variant: Variant of the text.
        meeting: The match.
        expected: Moves of the original.
        played: Moves of the text, or its error.
    """

    item: str
    variant: str
    meeting: Meeting
    expected: str
    played: str


def differences(item: Item, variants: Iterable[str] = VARIANTS) -> Iterator[Difference]:
    """Yield the matches in which a text of an item and its original differ."""
    place = Place(item.module, item.name)
    strategy = strategy_class(place)
    original = {meeting: play_meeting(strategy, meeting) for meeting in meetings(strategy)}
    for variant in variants:
        text = render_program(place, variant)
        for meeting, expected in original.items():
            played = attempt(text, meeting)
            if played != expected:
                yield Difference(place.name, variant, meeting, expected, played)


def meetings(strategy: Any) -> tuple[Meeting, ...]:
    """Test matches of a strategy."""
    return MEETINGS_OF_TEAMS if issubclass(strategy, import_axelrod().MetaPlayer) else MEETINGS


def play_meeting(strategy: Any, meeting: Meeting) -> str:
    return moves(strategy, meeting.seed, getattr(import_axelrod(), meeting.opponent), meeting.rounds)


load_strategy = lru_cache(maxsize=1)(load_class)
"""The strategy class of a text, loaded once for all its matches."""


def attempt(text: str, meeting: Meeting) -> str:
    """Moves of a text, or its error, which counts as a difference too."""
    try:
        return play_meeting(load_strategy(text), meeting)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


# The commands


def label(file: str, names: list[str]) -> int:
    """Write the labels of items; those of `GENERATED` need no existing file."""
    places = [(GENERATED, name) for name in generated_names()]
    if names != [GENERATED]:
        places = [(one.module, one.name) for one in select_items(names)]
    with progress_bar("labels", len(places)) as advance:
        count = write_labels(Path(file), [Place(*place) for place in places], lambda: advance(1))
    print(f"{count} items in {file}")
    return 0


def check(shard: str, names: list[str]) -> int:
    """Compare the play of texts and originals; return 1 if a match differs."""
    part, parts = parse_shard(shard)
    chosen, count = select_items(names)[part::parts], 0
    with progress_bar("check", len(chosen)) as advance:
        for item in chosen:
            for one in differences(item):
                count += 1
                where = f"{one.item}, {one.variant}, {one.meeting.opponent} seed {one.meeting.seed}"
                print(f"{where}: expected {one.expected}, got {one.played}", flush=True)
            advance(1)
    print(f"{len(chosen)} items in {len(VARIANTS)} variants: {count} matches differ")
    return int(count > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("labels", "check"))
    parser.add_argument("where", metavar="FILE or I/N")
    parser.add_argument("names", nargs="*", metavar="NAME", help="items or sets of items (default: all)")
    args = parser.parse_args()
    sys.exit((label if args.command == "labels" else check)(args.where, args.names))
