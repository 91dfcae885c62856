"""A game as GLEE publishes it: a folder with ``config.json`` and ``game.csv``.

``config.json`` says who played which market; ``game.csv`` has one row for every action, and in persuasion one for
nature's move. The reader takes every form found in the published data: a byte order mark, either line end, and the word
None for an empty cell. It changes nothing else.

Source: the data of GLEE, arXiv:2410.05254, and the code that wrote them.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from econzoo.envs.core.contract.validation import check_file_name, parse_json, short_repr
from econzoo.envs.core.files import LARGE_FILE_BYTES, read_csv_rows, read_text, reason, write_files
from econzoo.evaluate.run.importing import NotImportableError

T = TypeVar("T")

CONFIG, TABLE = "config.json", "game.csv"
FAMILIES = ("bargaining", "negotiation", "persuasion")

PEOPLE = ("otree", "terminal")
"""Types of players that are people."""

OTREE_MODEL = "otree_LLM", "gemini-1.5-flash"
"""The type of the model that people met, and which model it was."""

OWN_TYPE = "econzoo"
"""Type of players in games that were exported from here: their model name is the player's spec."""

ROLES = ("Alice", "Bob")
NATURE, MYOPIC_BUYER = "Nature", "the buyer"
GAIN = "_gain"
"""How the columns with a player's part of an offer end."""

OWN_COLUMNS = ("player", "round", "decision", "product_price", "round_quality", "product_worth")
"""GLEE's other columns, but for ``message``."""

NONE = "None"
"""Stands for nothing in some tables."""

DECISIONS_KEY, KEPT_WORD, REPLACEMENT_WORD = "econzoo_names", "keep", "put"
"""Key of a config that says what was decided about words that may be names of people, so that nobody asks again."""

NATURE_SEAT = -1
"""Stands for a seat in rows of nature."""


class PublishedGame(NamedTuple):
    """One game.

    Attributes:
        id: Name of its folder.
        config: What ``config.json`` says.
        columns: Of ``game.csv``, in order.
        rows: Its rows as text by column; an empty text where there is nothing.
    """

    id: str
    config: dict[str, Any]
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    @property
    def family(self) -> str:
        """One of `FAMILIES`."""
        family = self.config.get("game_type")
        if family not in FAMILIES:
            raise NotImportableError("config", f"game_type is {short_repr(family)}; known: {', '.join(FAMILIES)}")
        return family

    @property
    def game_args(self) -> dict[str, Any]:
        """The ``game_args``."""
        return get_object(self.config, "game_args")

    @property
    def people(self) -> tuple[bool, bool]:
        """Whether a person sat in each seat."""
        return tuple(self.config.get(f"player_{i}_type") in PEOPLE for i in (1, 2))  # type: ignore[return-value]

    @property
    def decided_words(self) -> dict[str, str]:
        """Lower-case words that were decided on: `KEPT_WORD`, or `REPLACEMENT_WORD` for a name."""
        found = self.config.get(DECISIONS_KEY, {})
        if not isinstance(found, dict) or not set(found.values()) <= {KEPT_WORD, REPLACEMENT_WORD}:
            raise NotImportableError(
                "config",
                f"{DECISIONS_KEY} is {short_repr(found)}; wanted: words, each with {KEPT_WORD!r} or "
                f"{REPLACEMENT_WORD!r}",
            )
        return found

    @property
    def names(self) -> tuple[str, str]:
        """The public name in each seat."""
        one, other = (get_object(self.config, f"player_{i}_args").get("public_name") for i in (1, 2))
        if not (isinstance(one, str) and isinstance(other, str) and one and other and one != other):
            raise NotImportableError(
                "config", f"the public names are {one!r} and {other!r}; wanted: two different texts"
            )
        return one, other

    def seat(self, row: Mapping[str, str]) -> int:
        """Who acted in a row: 0, 1 or `NATURE_SEAT`."""
        first, second = self.names
        seats = {NATURE: NATURE_SEAT, MYOPIC_BUYER: 1, first: 0, second: 1}
        if row.get("player") not in seats:
            raise NotImportableError(
                "unknown word", f"player is {short_repr(row.get('player'))}; known: {', '.join(seats)}"
            )
        return seats[row["player"]]


def get_object(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object inside a config."""
    given = holder.get(key)
    if not isinstance(given, dict):
        raise NotImportableError("config", f"{key} is {short_repr(given)}; wanted: an object")
    return given


def gain_column(name: str) -> str:
    """The column with what an offer gives to the player of a public name."""
    return name.lower().replace(" ", "_") + GAIN


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def parse_number(cell: str, column: str) -> float:
    """A cell as a number; a dollar sign and separators of thousands are read over.

    Raises:
        UnusableError: It is none.
    """
    try:
        value = float(_THOUSANDS.sub("", cell.replace("$", "")))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise NotImportableError("unknown word", f"{column} is {short_repr(cell)}; wanted: a number")
    return value


def find_published_games(root: str | Path) -> Iterator[Path]:
    """The folders at or below `root` that hold a game or one of its two files, in order of their paths.

    Raises:
        FileNotFoundError: No such folder, or no game in it.
    """
    path = Path(root)
    if not path.is_dir():
        raise FileNotFoundError(f"no such folder: {path}")
    folders = sorted(Path(folder) for folder, _, files in os.walk(path) if CONFIG in files or TABLE in files)
    if not folders:
        raise FileNotFoundError(f"no games ({CONFIG} and {TABLE}) in {path}")
    yield from folders


def read_published_game(folder: str | Path) -> PublishedGame:
    """Reads a game.

    Raises:
        UnusableError: A file cannot be read as what it should be.
    """
    folder = Path(folder)
    config = _config(_read_file(folder / CONFIG, lambda file: read_text(file, LARGE_FILE_BYTES)))
    columns, rows = _table(_read_file(folder / TABLE, lambda file: [row for _, row in read_csv_rows(file)]))
    game = PublishedGame(folder.resolve().name, config, columns, rows)
    if not (any(game.people) or _has_none_cells(game)):
        return game
    return game._replace(rows=tuple({c: "" if t == NONE else t for c, t in row.items()} for row in rows))


def _has_none_cells(game: PublishedGame) -> bool:
    """Whether a table has the word None where there is nothing; a message of a model alone can be that word."""
    own = [c for c in game.columns if c in OWN_COLUMNS or c.endswith(GAIN)]
    return any(row[column] == NONE for row in game.rows for column in own)


def _read_file(file: Path, read: Callable[[Path], T]) -> T:
    try:
        return read(file)
    except FileNotFoundError:
        raise NotImportableError("incomplete", f"no {file.name}; a game has {CONFIG} and {TABLE}") from None
    except (OSError, ValueError) as error:
        raise NotImportableError(file.name, f"{file.name} cannot be read: {reason(error)}") from None


def _config(text: str) -> dict[str, Any]:
    try:
        config = parse_json(text, finite=True)
    except ValueError as error:
        raise NotImportableError(CONFIG, f"{CONFIG} is not JSON: {error}") from None
    if not isinstance(config, dict):
        raise NotImportableError(CONFIG, f"{CONFIG} is {short_repr(config)}; wanted: an object")
    return config


def _table(lines: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[dict[str, str], ...]]:
    if len(lines) < 2:
        raise NotImportableError("truncated", f"{TABLE} has no rows; wanted: one for each action")
    columns = tuple(lines[0])
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise NotImportableError(TABLE, f"the column {short_repr(twice)} of {TABLE} stands twice; wanted: each once")
    for at, line in enumerate(lines[1:], start=1):
        if len(line) != len(columns):
            raise NotImportableError(TABLE, f"row {at} of {TABLE} has {len(line)} cells for {len(columns)} columns")
    return columns, tuple(dict(zip(columns, line, strict=True)) for line in lines[1:])


def write_published_game(game: PublishedGame, folder: str | Path) -> None:
    """Writes a game as GLEE does: UTF-8, plain line ends, nothing in empty cells."""
    folder = Path(folder)
    lines = [game.columns, *([row.get(column, "") for column in game.columns] for row in game.rows)]
    config = json.dumps(game.config, indent=4) + "\n"
    write_files({folder / CONFIG: config, folder / TABLE: "".join(map(_line, lines))})


def _line(cells: Sequence[str]) -> str:
    return ",".join(f'"{c.replace(chr(34), chr(34) * 2)}"' if set(c) & set(',"\r\n') else c for c in cells) + "\n"


def folder_of(game: PublishedGame, out: str | Path, deep: bool = False) -> Path:
    """Where a game stands below `out`: ``FAMILY/ID``, or ``FAMILY/I/D/./ID`` by its first three signs if `deep`.

    Raises:
        UnusableError: No folder can have its id as a name.
    """
    try:
        name = check_file_name("id", game.id)
    except ValueError as error:
        raise NotImportableError("id", str(error)) from None
    return Path(out, game.family, *(name[:3] if deep else ()), name)
