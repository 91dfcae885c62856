"""Command that creates a new game from the templates in this folder.

In templates, ``{{name}}`` and other words in double braces are replaced, and lines that begin with e.g. ``{{?hidden}}``
are for games with that part. The folder ``common`` and that of the family contain the game, its players and tests;
``package`` and ``here`` contain the surrounding files of a separate package and of this repository.
"""

from __future__ import annotations

import re
from itertools import product
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from econzoo.envs.core import escape_name, games, write_files
from econzoo.envs.core.env import check_choice

TEMPLATES = Path(__file__).parent / "templates"
SUFFIX = ".template"

LONGEST = 30
"""Maximum characters of a name, which limits line lengths."""

FAMILIES = {
    "simultaneous": "all move at once in every round",
    "alternating": "seats move in turn in every round",
    "offers": "two seats alternate offers, which the other accepts or rejects",
}
"""Families of games, each with a folder of templates."""


NATURE = {
    "none": "no chance",
    "open": "a random value of a dollar, known to all",
    "hidden": "the same, known to seat 0 only",
}
"""Chance moves of a new game; also parts of templates, besides ``nature`` for games with any."""

DRAWN = {
    "undrawn": ", UNKNOWN",
    "drawn": ", s.worth",
    "shown_worth": ", p.spread, worth",
    "and_worth": ", worth",
    "or_drawn": " | drawn",
    "worth_disclosed": ', "worth": dollars(view.worth)',
    "at_worth": " Every dollar is worth ${worth}.",
    "certain": ", spread=0.0",
}
"""Template words that are empty without chance moves."""

OPTIONAL = re.compile(r"\{\{\?(\w+)\}\}")


class Layout(NamedTuple):
    """Locations of the parts of a game.

    Attributes:
        around: Folder of templates of the surrounding files.
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
"""A separate package."""

HERE = Layout(
    "here",
    "econzoo.envs.games.NAME",
    "econzoo.baselines.NAME",
    {"game": "envs/games/NAME", "players": "baselines/NAME", "tests": "tests/games/NAME", "around": "."},
)
"""A part of this repository."""


def checked_name(name: str) -> str:
    """Return the name if it is snake-case, no Python keyword, short enough and not taken."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or len(name) > LONGEST or iskeyword(name):
        expected = f"a snake-case word of at most {LONGEST} characters"
        raise ValueError(f"invalid name={name!r}: expected {expected}, such as 'trust_game'")
    if name in games():
        raise ValueError(f"invalid name={name!r}: a game of this name exists")
    return name


def files_of(name: str, seats: int, family: str, layout: Layout, nature: str = "none") -> dict[Path, str]:
    """Return the files of a new game: path within the package or repository to text."""
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
        "but_worth": " but the value of a dollar, which only seat 0 observes" if hidden else ": nothing is hidden",
        "most": "p.money" + " * p.rounds" * (family == "simultaneous") + " * (1.0 + p.spread)" * draws,
        "divided": "divided" if draws else "payoffs",
        "demanded": "demanded" if draws else "apply",
        **{word: text * draws for word, text in DRAWN.items()},
    }
    parts, files = {nature, *["nature"] * draws}, {}
    for source, (part, folder) in product(("common", family, layout.around), layout.folders.items()):
        for template in sorted((TEMPLATES / source / part).rglob(f"*{SUFFIX}")):
            place = Path(folder) / template.relative_to(TEMPLATES / source / part)
            path = str(place).replace("NAME", name).removesuffix(SUFFIX)
            # A template of which no line is left belongs to other games.
            if text := fill_template(template.read_text(encoding="utf-8"), words, parts):
                files[Path(path)] = text
    return files


def fill_template(template: str, words: dict[str, str], parts: set[str]) -> str:
    """Fill a template: drop lines of other parts and replace words in double braces."""
    lines = [(OPTIONAL.match(line), line) for line in template.splitlines(keepends=True)]
    kept = "".join(line[part.end() :] if part else line for part, line in lines if not part or part[1] in parts)
    return re.sub(r"\{\{(\w+)\}\}", lambda match: words[match[1]], kept)


def write(files: dict[Path, str], folder: Path) -> None:
    """Write all files to a folder, or none if one exists."""
    for path in files:
        if (folder / path).exists():
            raise ValueError(f"{folder / path} exists; choose another name or folder")
    # A file may have appeared since the check.
    write_files({folder / path: text for path, text in files.items()}, must_be_new=True)


MOST_SEATS = 10


def format_choices(choices: dict[str, str]) -> str:
    """Help text of an option: its values and their meanings."""
    return "; ".join(f"{name}: {meaning}" for name, meaning in choices.items()) + "."


def new_game(
    name: Annotated[str, typer.Argument(help="Snake-case name of the game.")],
    seats: Annotated[int, typer.Option(min=2, max=MOST_SEATS, help="Number of seats.")] = 2,
    family: Annotated[str, typer.Option(help=format_choices(FAMILIES))] = "simultaneous",
    nature: Annotated[str, typer.Option(help=format_choices(NATURE))] = "none",
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
        raise ValueError(f"invalid seats={seats}: expected 2 for family=offers")
    folder = source_folder(out) if here else out or Path(name)
    files = files_of(name, seats, family, HERE if here else PACKAGE, nature)
    write(files, folder)
    print(*(escape_name(folder / path) for path in files), sep="\n")
    print("\nNext:")
    print(f"  python -m pytest tests/conformance -k {name}" if here else f"  pip install -e {escape_name(folder)}")
    print(f"  econzoo play {name}{' share' * seats}")


def source_folder(out: Path | None) -> Path:
    """Return this folder if it contains the EconZoo source; `ValueError` if it does not, or if --out was given."""
    if out is not None:
        raise ValueError("--out cannot be combined with --here")
    folder = Path()
    missing = [part for part in ("envs/games", "baselines", "tests/games") if not (folder / part).is_dir()]
    if missing:
        raise ValueError(f"--here requires the folder of the EconZoo source; {missing[0]} is missing")
    return folder
