"""Folders of runs that were stopped half-way go on for good: the same command plays the rest of the same matches.

They were made in November 2026; nobody writes them anew. As scripts read no texts and no numeric face, the versions of
these in a manifest rise with those of the game. ``plans.json`` has the ids of all matches of each, and which of three
shards plays them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from goldens.command_lines import RESUMED
from goldens.command_numbers import HERE, beside_folders, run

PLANS: dict[str, dict[str, int]] = json.loads((HERE / "plans.json").read_text(encoding="utf-8"))


def lines(folder: Path) -> list[str]:
    """The records below a folder."""
    return [line for path in sorted(folder.rglob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]


def ids(records: list[str]) -> list[str]:
    """Of the matches."""
    return sorted(json.loads(record)["id"] for record in records)


@pytest.mark.parametrize("name", RESUMED)
def test_the_same_command_plays_what_is_missing(name: str) -> None:
    with beside_folders():
        shutil.copytree(Path("folders") / name, name)
        before = lines(Path(name))
        assert run(f"{RESUMED[name]} --out {name}")["exit code"] == 0
        after = lines(Path(name))
    assert after[: len(before)] == before
    assert ids(after) == sorted(PLANS[name])


@pytest.mark.parametrize("name", RESUMED)
def test_a_shard_plays_the_matches_that_it_did(name: str) -> None:
    with beside_folders():
        for shard in range(3):
            assert run(f"{RESUMED[name]} --out {shard} --shard {shard}/3")["exit code"] == 0
            planned = sorted(match for match, its in PLANS[name].items() if its == shard)
            assert ids(lines(Path(str(shard)))) == planned, shard
