"""What somebody decided about words that may be names of people: a table that the import writes and people fill in.

The table has a row for every word, with the number of games and a context in which it stands, and a column
``decision``: ``keep``, ``role`` (the name of the person's role takes its place), or any other text, which then takes
its place. A game with a word that has no decision is neither imported nor exported.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Text
from econzoo.envs.core.plurals import many
from econzoo.evaluate.formats.glee.folders import ROLES, Published
from econzoo.evaluate.formats.glee.scrubbing import SOMEBODY, Scrubbed, replaced, scrubbed
from econzoo.evaluate.formats.glee.suspected_names import suspected
from econzoo.evaluate.run.importing import UnusableError
from econzoo.evaluate.show.csv_files import plain_text, write_csv

COLUMNS = ("word", "decision", "games", "context")
KEEP, ROLE = "keep", "role"
"""Decisions besides texts that take the place of the word."""

UNDECIDED = "undecided names"
"""Kind of the reason why a game is not taken over."""

NAMES = ".names.csv"
"""Ends the name of the table that stands beside a file of records."""

PANEL = "GLEE"
"""Of the options of its conversions."""

Names = Annotated[
    str,
    Option(
        Text(), "Table of what was decided about words that may be names.", panel=PANEL, default="beside the records"
    ),
]
KeepNames = Annotated[bool, Option(Flag(), "Leave names of people in messages.", panel=PANEL)]


class Word(NamedTuple):
    """A word that may be a name.

    Attributes:
        decision: Empty: there is none.
        games: In how many it stands.
        context: One in which it does.
    """

    decision: str
    games: int
    context: str


def table_beside(records: Path) -> Path:
    """Where the table of a file of records stands."""
    return records.with_suffix(NAMES)


class Decisions:
    """The decisions in a table.

    Args:
        path: Of the table, which need not exist.

    Raises:
        ValueError: It is no such table.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = _read(path) if path.exists() else {}
        self._met: dict[str, Word] = {}

    def scrubbed(self, game: Published, given: Sequence[str] = ()) -> Scrubbed:
        """The game without names: those that are beyond doubt, and those that were decided to be some.

        Args:
            game: A published game.
            given: See `econzoo.evaluate.formats.glee.scrubbing.scrubbed`.

        Raises:
            UnusableError: A word that may be a name has no decision; it goes into the table.
        """
        sure = scrubbed(game, given)
        contexts = suspected(sure.game)
        told = {word: self._known[word].decision if word in self._known else "" for word in contexts}
        undecided = [word for word, decision in told.items() if not decision]
        for word in undecided:
            games = self._met[word].games if word in self._met else 0
            self._met[word] = Word("", games + 1, contexts[word])
        if undecided:
            raise UnusableError(UNDECIDED, f"no decision about {', '.join(undecided)}")
        people = [role for role, person in zip(ROLES, game.people, strict=True) if person]
        role = people[0] if len(people) == 1 else SOMEBODY
        names = {word: role if one == ROLE else one for word, one in told.items() if one != KEEP}
        done = replaced(sure.game, names)
        return done._replace(messages=sure.messages + done.messages)

    def write(self) -> None:
        """Writes what was met into the table, if there is anything to decide."""
        if self._met:
            rows = {**self._known, **self._met}
            write_csv(self.path, COLUMNS, [(word, *rows[word]) for word in sorted(rows)])

    def lines(self) -> list[str]:
        """What is to be done, for people."""
        if not self._met:
            return []
        return [
            f"{many(len(self._met), 'word')} may be names of people: write {KEEP}, {ROLE} or what is to take its place "
            f"into the column decision of {self.path}, and run the same command again"
        ]


def _read(path: Path) -> dict[str, Word]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        missing = [column for column in COLUMNS[:2] if column not in (table.fieldnames or ())]
        if missing:
            raise ValueError(f"{path} has no column {missing[0]!r}; wanted: {', '.join(COLUMNS)}")
        return {plain_text(row["word"] or "").strip().lower(): _word(row) for row in table}


def _word(row: Mapping[str, str | None]) -> Word:
    decision, games, context = (plain_text(row.get(column) or "").strip() for column in COLUMNS[1:])
    told = decision.lower() if decision.lower() in (KEEP, ROLE) else decision
    return Word(told, int(games) if games.isdigit() else 0, context)
