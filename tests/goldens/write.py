"""Writes what is kept anew: ``python tests/goldens/write.py [GAME, commands, or name of a command's numbers ...]``.

Look at what changed (``git diff tests/goldens``) before it is committed: each change is one of behaviour.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from goldens.command_lines import LINES
from goldens.command_numbers import dumped, kept_numbers, numbers
from goldens.commands import COMMANDS, output
from goldens.episodes import EPISODES, episodes
from goldens.playthroughs import FILES, playthrough
from goldens.settings import SETTINGS

HERE = Path(__file__).parent


def write(names: list[str]) -> None:
    """Writes the files of these games, the outputs of the commands, or the numbers of one."""
    for name in names:
        if name in LINES:
            kept_numbers(name).write_text(dumped(numbers(name)) + "\n", encoding="utf-8")
            continue
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        for key in COMMANDS if name == "commands" else FILES:
            text = output(key) if name == "commands" else playthrough(name, key)
            (folder / f"{key}.txt").write_text(text, encoding="utf-8")
        if name in EPISODES:
            (folder / "episodes.txt").write_text(episodes(name), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or [*SETTINGS, "commands", *LINES])
