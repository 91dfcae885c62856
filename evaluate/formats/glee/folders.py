"""GLEE's published format: a folder per game with ``config.json`` and ``game.csv``.

``config.json`` describes players and setting; ``game.csv`` has one row per action, and in persuasion one per move of
nature. The reader accepts all variants in the published data: a byte order mark, both line ends, and None for an empty
cell.

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

from econzoo.envs.core import LARGE_FILE_BYTES, read_csv_rows, read_text, reason, write_files
from econzoo.envs.core.contract import check_file_name, parse_json, short_repr
from econzoo.evaluate.run import NotImportableError

T = TypeVar("T")

CONFIG, TABLE = "config.json", "game.csv"
FAMILIES = ("bargaining", "negotiation", "persuasion")

PEOPLE = ("otree", "terminal")
"""Player types of people."""

OTREE_MODEL = "otree_LLM", "gemini-1.5-flash"
"""Type and name of the model that played with people."""

OWN_TYPE = "econzoo"
"""Type of players in games exported by EconZoo, whose model name is the player's spec."""

ROLES = ("Alice", "Bob")
NATURE, MYOPIC_BUYER = "Nature", "the buyer"
GAIN = "_gain"
"""Suffix of the columns with a player's part of an offer."""

OWN_COLUMNS = ("player", "round", "decision", "product_price", "round_quality", "product_worth")
"""GLEE's other columns, without ``message``."""

NONE = "None"
"""Marker of an empty cell in some tables."""

DECISIONS_KEY, KEPT_WORD, REPLACEMENT_WORD = "econzoo_names", "keep", "put"
"""Config key and values of stored decisions about possible names of people."""

NATURE_SEAT = -1
"""Seat of nature's rows."""


class PublishedGame(NamedTuple):
    """A published game.

    Attributes:
        rows: Rows of ``game.csv`` as text by column; empty cells are empty texts.
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
            raise NotImportableError(
                "config", f"invalid game_type={short_repr(family)}: expected {', '.join(FAMILIES)}"
            )
        return family

    @property
    def game_args(self) -> dict[str, Any]:
        return get_object(self.config, "game_args")

    @property
    def people(self) -> tuple[bool, bool]:
        """Whether each seat is a person."""
        return tuple(self.config.get(f"player_{i}_type") in PEOPLE for i in (1, 2))  # type: ignore[return-value]

    @property
    def decided_words(self) -> dict[str, str]:
        """Decisions by lower-case word: `KEPT_WORD`, or `REPLACEMENT_WORD` for a name."""
        found = self.config.get(DECISIONS_KEY, {})
        if not isinstance(found, dict) or not set(found.values()) <= {KEPT_WORD, REPLACEMENT_WORD}:
            raise NotImportableError(
                "config",
                f"invalid {DECISIONS_KEY}={short_repr(found)}: expected words with {KEPT_WORD!r} or "
                f"{REPLACEMENT_WORD!r}",
            )
        return found

    @property
    def names(self) -> tuple[str, str]:
        """Public name of each seat."""
        one, other = (get_object(self.config, f"player_{i}_args").get("public_name") for i in (1, 2))
        if not (isinstance(one, str) and isinstance(other, str) and one and other and one != other):
            raise NotImportableError(
                "config", f"invalid public names {one!r} and {other!r}: expected two different texts"
            )
        return one, other

    def seat(self, row: Mapping[str, str]) -> int:
        """Seat that acted in a row: 0, 1 or `NATURE_SEAT`."""
        first, second = self.names
        seats = {NATURE: NATURE_SEAT, MYOPIC_BUYER: 1, first: 0, second: 1}
        if row.get("player") not in seats:
            raise NotImportableError(
                "unknown word", f"invalid player={short_repr(row.get('player'))}: expected {', '.join(seats)}"
            )
        return seats[row["player"]]


def get_object(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return an object inside a config."""
    given = holder.get(key)
    if not isinstance(given, dict):
        raise NotImportableError("config", f"invalid {key}={short_repr(given)}: expected an object")
    return given


def gain_column(name: str) -> str:
    """Column of the part of an offer for a public name."""
    return name.lower().replace(" ", "_") + GAIN


_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def parse_number(cell: str, column: str) -> float:
    """Parse a number, ignoring dollar signs and thousands separators."""
    try:
        value = float(_THOUSANDS.sub("", cell.replace("$", "")))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise NotImportableError("unknown word", f"invalid {column}={short_repr(cell)}: expected a number")
    return value


def find_published_games(root: str | Path) -> Iterator[Path]:
    """Yield the folders at or below `root` with at least one of a game's two files, sorted by path."""
    path = Path(root)
    if not path.is_dir():
        raise FileNotFoundError(f"no such folder: {path}")
    folders = sorted(Path(folder) for folder, _, files in os.walk(path) if CONFIG in files or TABLE in files)
    if not folders:
        raise FileNotFoundError(f"no games ({CONFIG} and {TABLE}) in {path}")
    yield from folders


def read_published_game(folder: str | Path) -> PublishedGame:
    folder = Path(folder)
    config = _config(_read_file(folder / CONFIG, lambda file: read_text(file, LARGE_FILE_BYTES)))
    columns, rows = _table(_read_file(folder / TABLE, lambda file: [row for _, row in read_csv_rows(file)]))
    game = PublishedGame(folder.resolve().name, config, columns, rows)
    # In games of people, and in some others, None marks an empty cell. Elsewhere it may be the message of a model.
    if not (any(game.people) or _has_none_cells(game)):
        return game
    return game._replace(rows=tuple({c: "" if t == NONE else t for c, t in row.items()} for row in rows))


def _has_none_cells(game: PublishedGame) -> bool:
    """Whether a table marks empty cells with None (a model's message may be that word)."""
    own = [c for c in game.columns if c in OWN_COLUMNS or c.endswith(GAIN)]
    return any(row[column] == NONE for row in game.rows for column in own)


def _read_file(file: Path, read: Callable[[Path], T]) -> T:
    try:
        return read(file)
    except FileNotFoundError:
        raise NotImportableError("incomplete", f"missing {file.name}: a game has {CONFIG} and {TABLE}") from None
    except (OSError, ValueError) as error:
        raise NotImportableError(file.name, f"{file.name} cannot be read: {reason(error)}") from None


def _config(text: str) -> dict[str, Any]:
    try:
        config = parse_json(text, finite=True)
    except ValueError as error:
        raise NotImportableError(CONFIG, f"{CONFIG} is not JSON: {error}") from None
    if not isinstance(config, dict):
        raise NotImportableError(CONFIG, f"invalid {CONFIG}: expected an object, got {short_repr(config)}")
    return config


def _table(lines: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[dict[str, str], ...]]:
    if len(lines) < 2:
        raise NotImportableError("truncated", f"{TABLE} has no rows: expected one per action")
    columns = tuple(lines[0])
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise NotImportableError(TABLE, f"{TABLE}: duplicate column {short_repr(twice)}")
    for at, line in enumerate(lines[1:], start=1):
        if len(line) != len(columns):
            raise NotImportableError(TABLE, f"row {at} of {TABLE} has {len(line)} cells for {len(columns)} columns")
    return columns, tuple(dict(zip(columns, line, strict=True)) for line in lines[1:])


def write_published_game(game: PublishedGame, folder: str | Path) -> None:
    """Write a game in GLEE's format: UTF-8, LF line ends, empty cells."""
    folder = Path(folder)
    lines = [game.columns, *([row.get(column, "") for column in game.columns] for row in game.rows)]
    config = json.dumps(game.config, indent=4) + "\n"
    # Both or none: a folder with one of them is an incomplete game.
    write_files({folder / CONFIG: config, folder / TABLE: "".join(map(_line, lines))})


def _line(cells: Sequence[str]) -> str:
    return ",".join(f'"{c.replace(chr(34), chr(34) * 2)}"' if set(c) & set(',"\r\n') else c for c in cells) + "\n"


def folder_of(game: PublishedGame, out: str | Path, deep: bool = False) -> Path:
    """Folder of a game below `out`: ``FAMILY/ID``, or ``FAMILY/I/D/./ID`` (first three characters) if `deep`."""
    try:
        name = check_file_name("id", game.id)
    except ValueError as error:
        raise NotImportableError("id", str(error)) from None
    return Path(out, game.family, *(name[:3] if deep else ()), name)
