"""The command that writes a new game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.env.options import one_of
from econzoo.envs.new_game.writing import FAMILIES, HERE, PACKAGE, checked_name, files_of, write

MOST_SEATS = 10


def new_game(
    name: Annotated[str, typer.Argument(help="Snake-case name of the game.")],
    seats: Annotated[int, typer.Option(min=2, max=MOST_SEATS, help="Number of seats.")] = 2,
    family: Annotated[
        str, typer.Option(help="; ".join(f"{family}: {told}" for family, told in FAMILIES.items()) + ".")
    ] = "simultaneous",
    out: Annotated[Path | None, typer.Option(help="Folder of the package. [default: NAME]")] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Write it into EconZoo's source, in this folder, instead of a package.")
    ] = False,
) -> None:
    """Write a new game that plays at once: a package of its own, or its files in EconZoo's source."""
    name = checked_name(name)
    one_of("family", family, tuple(FAMILIES))
    if family == "offers" and seats != 2:
        raise ValueError(f"seats={seats} is not allowed: offers are made between two; allowed: 2")
    folder = source_folder(out) if here else out or Path(name)
    files = files_of(name, seats, family, HERE if here else PACKAGE)
    write(files, folder)
    print(*(folder / path for path in files), sep="\n")
    print("\nNext:")
    print(f"  python -m pytest tests/conformance -k {name}" if here else f"  pip install -e {folder}")
    print(f"  econzoo play {name}{' share' * seats}")


def source_folder(out: Path | None) -> Path:
    """This folder, if it has EconZoo's source.

    Raises:
        ValueError: It has not, or another folder was given.
    """
    if out is not None:
        raise ValueError("--out is not allowed together with --here, which writes into this folder")
    folder = Path()
    missing = [part for part in ("envs/games", "baselines", "tests/games") if not (folder / part).is_dir()]
    if missing:
        raise ValueError(f"--here is not allowed in a folder without {missing[0]}; allowed: that of EconZoo's source")
    return folder
