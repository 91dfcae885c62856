"""The command that writes a new game: its files are made from the templates in this folder.

In a template ``{{name}}`` and other words in double braces stand for those of the game, and a line that begins with
``{{?hidden}}``, say, is for games with that part. The folder ``common`` and that of the family have the game, its
players and its tests; ``package`` and ``here`` have what stands around them in a package of its own, and in this
repository.
"""

from __future__ import annotations

import re
from itertools import product
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from econzoo.envs.core.env.options import check_choice
from econzoo.envs.core.files import escape_name, write_files
from econzoo.envs.core.registry import games

TEMPLATES = Path(__file__).parent / "templates"
SUFFIX = ".template"

LONGEST = 30
"""Characters of a name, at most, so that no line gets too long."""

FAMILIES = {
    "simultaneous": "all move at once in every round",
    "alternating": "seats move in turn in every round",
    "offers": "two take turns to propose, and the other accepts or rejects",
}
"""Families of games, each with a folder of templates."""


NATURE = {
    "none": "no chance",
    "open": "a random value of a dollar, known to all",
    "hidden": "the same, known to seat 0 only",
}
"""What nature does in a new game; also the parts of templates, besides ``nature`` for what it does in any case."""

DRAWN = {
    "undrawn": ", UNKNOWN",
    "drawn": ", s.worth",
    "worth": "worth=worth, ",
    "and_worth": ", worth",
    "or_drawn": " | drawn",
    "worth_told": ', "worth": dollars(view.worth)',
    "at_worth": " Every dollar is worth ${worth}.",
    "certain": ", spread=0.0",
}
"""Words of templates that are empty where nature does nothing."""

OPTIONAL = re.compile(r"\{\{\?(\w+)\}\}")


class Layout(NamedTuple):
    """Where the parts of a game go.

    Attributes:
        around: Folder of templates of what stands around the game.
        game: Import path of the game's folder.
        players: Import path of its players.
        folders: Folder of templates to the folder that its files are written to; ``NAME`` stands for the name.
    """

    around: str
    game: str
    players: str
    folders: dict[str, str]


PACKAGE = Layout(
    "package",
    "econzoo_NAME.game",
    "econzoo_NAME.players",
    {"game": "src/econzoo_NAME/game", "players": "src/econzoo_NAME/players", "tests": "tests", "around": "."},
)
"""A package of its own."""

HERE = Layout(
    "here",
    "econzoo.envs.games.NAME",
    "econzoo.baselines.NAME",
    {"game": "envs/games/NAME", "players": "baselines/NAME", "tests": "tests/games/NAME", "around": "."},
)
"""A part of this repository."""


def checked_name(name: str) -> str:
    """The name, if a new game can have it.

    Raises:
        ValueError: It is no snake-case word, too long, a word of Python, or another game's.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or len(name) > LONGEST or iskeyword(name):
        told = f"a snake-case word of at most {LONGEST} characters"
        raise ValueError(f"name={name!r} is not allowed; allowed: {told}, such as 'trust_game'")
    if name in games():
        raise ValueError(f"name={name!r} is not allowed: there is a game of this name; allowed: another name")
    return name


def files_of(name: str, seats: int, family: str, layout: Layout, nature: str = "none") -> dict[Path, str]:
    """The files of a new game: path within the folder of the package or of the repository, and text."""
    draws, hidden = nature != "none", nature == "hidden"
    title = name.replace("_", " ")
    words = {
        "name": name,
        "title": title,
        "Title": title.capitalize(),
        "seats": str(seats),
        "opponents": " share" * seats,
        "game": layout.game.replace("NAME", name),
        "players": layout.players.replace("NAME", name),
        "chance": str(draws),
        "perfect": str(not hidden),
        "and_secret": ", Secret" * hidden,
        "secret_steps": "2" if family == "offers" else "6",
        "but_worth": " but what a dollar is worth, which seat 0 alone is told" if hidden else ": nothing is hidden",
        "divided": "divided" if draws else "payoffs",
        "demanded": "demanded" if draws else "apply",
        **{word: text * draws for word, text in DRAWN.items()},
    }
    parts, files = {nature, *["nature"] * draws}, {}
    for source, (part, folder) in product(("common", family, layout.around), layout.folders.items()):
        for template in sorted((TEMPLATES / source / part).rglob(f"*{SUFFIX}")):
            place = Path(folder) / template.relative_to(TEMPLATES / source / part)
            path = str(place).replace("NAME", name).removesuffix(SUFFIX)
            if text := fill_template(template.read_text(encoding="utf-8"), words, parts):
                files[Path(path)] = text
    return files


def fill_template(template: str, words: dict[str, str], parts: set[str]) -> str:
    """A template with the lines of other parts left out, and the words in double braces replaced."""
    lines = [(OPTIONAL.match(line), line) for line in template.splitlines(keepends=True)]
    kept = "".join(line[part.end() :] if part else line for part, line in lines if not part or part[1] in parts)
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], kept)


def write(files: dict[Path, str], folder: Path) -> None:
    """Writes files into a folder, or none of them.

    Raises:
        ValueError: One of them exists.
    """
    for path in files:
        if (folder / path).exists():
            raise ValueError(f"{folder / path} exists and is not written over; allowed: another name or folder")
    write_files({folder / path: text for path, text in files.items()}, must_be_new=True)


MOST_SEATS = 10


def told_of(choices: dict[str, str]) -> str:
    """Help text of an option: its values and their meanings."""
    return "; ".join(f"{name}: {meaning}" for name, meaning in choices.items()) + "."


def new_game(
    name: Annotated[str, typer.Argument(help="Snake-case name of the game.")],
    seats: Annotated[int, typer.Option(min=2, max=MOST_SEATS, help="Number of seats.")] = 2,
    family: Annotated[str, typer.Option(help=told_of(FAMILIES))] = "simultaneous",
    nature: Annotated[str, typer.Option(help=told_of(NATURE))] = "none",
    out: Annotated[Path | None, typer.Option(help="Folder of the package. [default: NAME]")] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Write into EconZoo's source tree in this folder instead of a package.")
    ] = False,
) -> None:
    """Create a playable game from a template: a package, or files in EconZoo's source tree."""
    name = checked_name(name)
    check_choice("family", family, tuple(FAMILIES))
    check_choice("nature", nature, tuple(NATURE))
    if family == "offers" and seats != 2:
        raise ValueError(f"seats={seats} is not allowed: offers are made between two; allowed: 2")
    folder = source_folder(out) if here else out or Path(name)
    files = files_of(name, seats, family, HERE if here else PACKAGE, nature)
    write(files, folder)
    print(*(escape_name(folder / path) for path in files), sep="\n")
    print("\nNext:")
    print(f"  python -m pytest tests/conformance -k {name}" if here else f"  pip install -e {escape_name(folder)}")
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
