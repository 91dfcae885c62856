"""Writes what is kept anew: ``python tests/goldens/write.py [GAME, commands, or name of numbers or curves ...]``.

Look at what changed (``git diff tests/goldens``) before it is committed: each change is one of behaviour. With
``python tests/goldens/write.py digests`` nothing is written: the SHA-256 of the curves and weights of each training are
printed, which are the same for two commits on one machine if the trainings are the same to the last bit.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from goldens.command_lines import LINES
from goldens.command_numbers import dumped, kept_numbers, numbers
from goldens.commands import COMMANDS, output
from goldens.curves import TRAININGS, kept_curve, train
from goldens.episodes import EPISODES, episodes
from goldens.playthroughs import FILES, playthrough
from goldens.settings import SETTINGS

HERE = Path(__file__).parent


def write(name: str) -> None:
    """Writes the files of a game, the outputs of the commands, the numbers of one, or the curve of a training."""
    if name in LINES:
        kept_numbers(name).write_text(dumped(numbers(name)) + "\n", encoding="utf-8")
    elif name in TRAININGS:
        trained = train(name)
        kept_curve(name).write_text(trained.curve, encoding="utf-8")
        kept_curve(name).with_suffix(".json").write_text(dumped(trained.settings) + "\n", encoding="utf-8")
    else:
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        for key in COMMANDS if name == "commands" else FILES:
            text = output(key) if name == "commands" else playthrough(name, key)
            (folder / f"{key}.txt").write_text(text, encoding="utf-8")
        if name in EPISODES:
            (folder / "episodes.txt").write_text(episodes(name), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["digests"]:
        for name in TRAININGS:
            print(train(name).digest, name, flush=True)
    else:
        for name in sys.argv[1:] or [*SETTINGS, "commands", *LINES, *TRAININGS]:
            write(name)
