"""Keeps the data of SPARC: ``python -m econzoo.evaluate.suites.sparc labels FILE [NAMES]`` and ``... check [i/n]``.

``labels`` makes labels, facts and checksums of the items anew by playing, which takes long. ``check`` plays every text
against its original in all variants, and ends in 1 where one plays otherwise.
"""

from __future__ import annotations

import sys
from pathlib import Path

from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.items import Item
from econzoo.envs.games.code_reading.programs.axelrod_source import Place
from econzoo.envs.games.code_reading.programs.grammar import GENERATED
from econzoo.envs.games.code_reading.programs.grammar import names as generated
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.tournament import parse_shard
from econzoo.evaluate.suites.sparc.benchmark import select_items
from econzoo.evaluate.suites.sparc.equality import differences
from econzoo.evaluate.suites.sparc.labels import write_labels


def make(file: Path, names: list[str]) -> int:
    """Writes the labels of items."""
    written = names == [GENERATED]  # whose file need not be there yet
    chosen = [Place(GENERATED, name) for name in generated()] if written else places(select_items(names))
    with progress_bar("labels", len(chosen)) as advance:
        count = write_labels(file, chosen, lambda: advance(1))
    print(f"{count} items in {file}")
    return 0


def places(chosen: list[Item]) -> list[Place]:
    """Where items are."""
    return [Place(one.module, one.name) for one in chosen]


def check(shard: str, names: list[str]) -> int:
    """Plays the texts against their originals; 1 if one plays otherwise."""
    part, parts = parse_shard(shard)
    own, count = select_items(names)[part::parts], 0
    with progress_bar("check", len(own)) as advance:
        for one in differences(own, list(VARIANTS), lambda: advance(1)):
            count += 1
            where = f"{one.item}, {one.variant}, {one.meeting.opponent} seed {one.meeting.seed}"
            print(f"{where}: {one.played} instead of {one.wanted}", flush=True)
    print(f"{len(own)} items in {len(VARIANTS)} variants: {count} matches differ")
    return int(count > 0)


if __name__ == "__main__":
    what, where, *names = [*sys.argv[1:], "", ""][: max(2, len(sys.argv) - 1)]
    if what not in ("labels", "check"):
        sys.exit(__doc__)
    sys.exit(make(Path(where), names) if what == "labels" else check(where, names))
