"""What matches look like stays as it is kept in the files of this folder, until somebody changes a file on purpose."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice
from pathlib import Path

import pytest

from econzoo.envs import LISTED_FIRST
from econzoo.envs.core import games
from goldens.commands import COMMANDS, output
from goldens.episodes import EPISODES, episodes
from goldens.playthroughs import FILES, playthrough
from goldens.settings import SETTINGS

HERE = Path(__file__).parent
REMEDY = "if that is meant, write the files anew with tests/goldens/write.py, and raise the version that it concerns"


def differences(kept: str, made: str) -> str:
    """The first lines that differ."""
    lines = unified_diff(kept.splitlines(), made.splitlines(), "kept", "now", lineterm="", n=1)
    return "\n".join(line[:300] for line in islice(lines, 40))


@pytest.mark.parametrize("name", SETTINGS)
def test_playthroughs_are_as_they_were(name: str) -> None:
    for file in FILES:
        kept, made = (HERE / name / f"{file}.txt").read_text(encoding="utf-8"), playthrough(name, file)
        assert kept == made, f"{name}/{file}.txt; {REMEDY}\n{differences(kept, made)}"


def test_episodes_against_players_that_draw_nothing_are_as_they_were() -> None:
    for name in EPISODES:
        kept, made = (HERE / name / "episodes.txt").read_text(encoding="utf-8"), episodes(name)
        assert kept == made, f"{name}/episodes.txt; {REMEDY}\n{differences(kept, made)}"


def test_commands_print_what_they_did() -> None:
    for name in COMMANDS:
        kept, made = (HERE / "commands" / f"{name}.txt").read_text(encoding="utf-8"), output(name)
        assert kept == made, f"commands/{name}.txt; {REMEDY}\n{differences(kept, made)}"


def test_the_games_that_lists_begin_with_are_kept() -> None:
    """Others are kept once they stand in `SETTINGS`."""
    assert set(LISTED_FIRST) <= set(SETTINGS) <= set(games())
