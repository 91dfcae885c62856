"""Maintain SPARC's data: ``python -m econzoo.evaluate.suites.sparc labels FILE [NAMES]`` and ``... check [i/n]``.

``labels`` recomputes labels, facts and checksums of the items by playing (slow). ``check`` plays every program text, in
all variants, against its original; exit code 1: a match differs.
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
    """Write the labels of items; those of `GENERATED` need no existing file."""
    chosen = [Place(GENERATED, name) for name in generated()] if names == [GENERATED] else places(select_items(names))
    with progress_bar("labels", len(chosen)) as advance:
        count = write_labels(file, chosen, lambda: advance(1))
    print(f"{count} items in {file}")
    return 0


def places(chosen: list[Item]) -> list[Place]:
    """Modules and names of items."""
    return [Place(one.module, one.name) for one in chosen]


def check(shard: str, names: list[str]) -> int:
    """Compare the play of texts and originals; return 1 if a match differs."""
    part, parts = parse_shard(shard)
    own, count = select_items(names)[part::parts], 0
    with progress_bar("check", len(own)) as advance:
        for one in differences(own, list(VARIANTS), lambda: advance(1)):
            count += 1
            where = f"{one.item}, {one.variant}, {one.meeting.opponent} seed {one.meeting.seed}"
            print(f"{where}: expected {one.wanted}, got {one.played}", flush=True)
    print(f"{len(own)} items in {len(VARIANTS)} variants: {count} matches differ")
    return int(count > 0)


if __name__ == "__main__":
    what, where, *names = [*sys.argv[1:], "", ""][: max(2, len(sys.argv) - 1)]
    if what not in ("labels", "check"):
        sys.exit(__doc__)
    sys.exit(make(Path(where), names) if what == "labels" else check(where, names))
