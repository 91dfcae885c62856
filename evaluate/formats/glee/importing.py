"""Import of GLEE's published games as records.

Every game is replayed under EconZoo's rules. It becomes a record only if seats, rounds, nature's moves, product values
and payoffs agree with its files; otherwise it is listed with the reason. Additional content of a file (unused columns,
other spellings of numbers) is stored in the record's source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core import escape_name, format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import MAX_MESSAGE, ListOf, Option, Text
from econzoo.envs.core.faces import MAX_REPLY
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.formats import ConversionResult
from econzoo.evaluate.formats.glee.answers import TOLERANCE, Answer, amount_columns, answers, check_repeated_gains
from econzoo.evaluate.formats.glee.answers import has_ended, params_of, players_of, round_of, table_gains
from econzoo.evaluate.formats.glee.exporting import GLEE, rows_of
from econzoo.evaluate.formats.glee.folders import PublishedGame, find_published_games, read_published_game
from econzoo.evaluate.formats.glee.name_decisions import PANEL, Decisions, KeepNames, Names, names_table_path
from econzoo.evaluate.run import EnvPool, ImportReport, NotImportableError, convert_rule_errors, recompute_record
from econzoo.evaluate.run import seed_of

# One game


def to_record(game: PublishedGame, pool: EnvPool | None = None) -> tuple[Record, str | None]:
    """Convert a published game to a record.

    Returns:
        The record, and a note on deviations from the config, or None.
    """
    params, note = params_of(game, round_of(game.rows[-1]), has_ended(game))
    with convert_rule_errors():
        public = find_game(game.family).params(**params)[0]
    given, nature = answers(game, public)
    # The replay fills in what the rules compute; it sees nothing else of the files.
    record = _skeleton(game, public, given, nature)
    with convert_rule_errors():
        played = recompute_record(record, pool)
    _compare(game, played, given, nature)
    # The replay takes time, the published match has none.
    played.seconds = 0.0
    played.source = _source(game, played)
    return played, note


def _skeleton(game: PublishedGame, public: dict[str, Any], given: Sequence[Answer], nature: list[float]) -> Record:
    """A record with replies, without the fields computed by the rules."""
    # Published messages may be longer than EconZoo allows by default.
    long = any(len(answer.reply.get("message", "")) > MAX_MESSAGE for answer in given)
    return Record(
        game=game.family,
        params=public,
        options={"max_message": MAX_REPLY} if long else {},
        seed=seed_of(GLEE, game.id),
        players=players_of(game),
        faces=["structured", "structured"],
        chance=nature,
        turns=[Turn(answer.seat, answer.round, answer.reply, None) for answer in given],
        source={"format": GLEE},
    )


def _source(game: PublishedGame, record: Record) -> dict[str, Any]:
    """The game's id, config and columns, and the cells that cannot be derived from the record."""
    source = {"format": GLEE, "id": game.id, "config": game.config, "columns": list(game.columns)}
    pairs = zip(rows_of(record, game), game.rows, strict=True)
    cells = [[at, c, own[c]] for at, (row, own) in enumerate(pairs) for c in game.columns if row[c] != own[c]]
    return {**source, "cells": cells} if cells else source


def extra_cells(game: PublishedGame, record: Record) -> Counter[str]:
    """Count by column the cells outside the match: filled in GLEE's table, empty in the record's."""
    if "cells" not in (record.source or {}):
        return Counter()
    repeated, found = amount_columns(game), Counter[str]()
    for row, own in zip(rows_of(record, game), game.rows, strict=True):
        found.update(c for c in game.columns if own[c] and not row[c] and not (c in repeated and own.get("decision")))
    return found


# Checks


def _compare(game: PublishedGame, played: Record, given: Sequence[Answer], nature: list[float]) -> None:
    """Raise `NotImportableError` at the first disagreement between replay and files."""
    for at, turn in enumerate(played.turns, start=1):
        if turn.error is not None:
            raise NotImportableError("outside our rules", f"move {at}, {game.names[turn.seat]}: {turn.error[1]}")
        answer = given[at - 1]
        if (turn.seat, turn.round) != answer[:2]:
            found, expected = (f"{game.names[one.seat]} in round {one.round}" for one in (answer, turn))
            raise NotImportableError("inconsistent", f"move {at} is by {found}: the rules expect {expected}")
    if played.status == "abandoned":
        raise NotImportableError("truncated", f"the table ends after {len(given)} moves, before the game does")
    if len(played.turns) < len(given):
        raise NotImportableError(
            "inconsistent", f"the game ends after {len(played.turns)} moves, but the table has {len(given)}"
        )
    if played.chance != nature:
        raise NotImportableError("inconsistent", f"nature's moves differ: replay {played.chance}, table {nature}")
    check_repeated_gains(game)
    # A second way to the payoffs, by the paper's formulas instead of the rules.
    gains, scale = table_gains(game, played.params), played.params.get("money") or played.params["price"]
    if any(abs(a - b) > TOLERANCE * scale for a, b in zip(gains, played.payoffs, strict=True)):
        raise NotImportableError("inconsistent", f"payoffs differ: table {gains}, rules {played.payoffs}")


# Many games


@dataclass
class GleeImport(ImportReport):
    """Report of the import of a folder of games, with deviations from the files by folder."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    beside: Counter[str] = field(default_factory=Counter)
    undecided: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return vars(self)

    def lines(self) -> list[str]:
        listed = [f"{folder}: {note}" for folder, note in self.notes] + self.skipped_lines()
        if self.beside:
            columns = ", ".join(f"{column}: {count}" for column, count in self.beside.items())
            listed.append(f"cells outside the matches (stored in the records' sources): {columns}")
        return [*listed, self.describe_counts(), *self.undecided]


def import_folder(
    root: str | Path,
    out: str | Path,
    scrub: Sequence[str] = (),
    keep_names: bool = False,
    names: str | Path | None = None,
) -> GleeImport:
    """Append the published games below a folder to a file of records, each once.

    Args:
        names: Table of decisions about possible names (see `econzoo.evaluate.formats.glee.name_decisions`); None:
            beside `out`. Undecided words are added to it.
    """
    done, pool = GleeImport(), EnvPool()
    decided = None if keep_names else Decisions(Path(names or names_table_path(Path(out))))
    # Those of the game just read: `ImportReport.add` reads it, and calls `add_folder` if it is new.
    notes, more = list[str](), Counter[str]()

    def read(folder: Path) -> Record:
        nonlocal notes, more
        record, notes, more = _read_record(folder, scrub, decided, pool)
        return record

    def add_folder(folder: Path) -> None:
        done.notes += [(escape_name(folder), note) for note in notes]
        done.beside += more

    done.add(list(find_published_games(root)), read, Path(out), GLEE, add_folder)
    if decided:
        decided.write()
        done.undecided = decided.lines()
    return done


Scrub = Annotated[
    list[str],
    Option(ListOf(Text()), "Additional first name to remove from messages (repeatable).", panel=PANEL),
]


def import_glee(
    source: str | Path,
    out: str | Path,
    scrub: Scrub = [],  # noqa: B006
    names: Names = "",
    keep_names: KeepNames = False,
) -> ConversionResult:
    """Import GLEE's published games as records, each verified by replay; failures are listed.

    Possible names of people are written to a table; a game is imported once all of its words have a decision. See
    `import_folder`.

    Args:
        names: Table of decisions; empty: beside `out`.
    """
    done = import_folder(source, out, scrub, keep_names, names or None)
    complete = not done.undecided and bool(done.added or done.known)
    return ConversionResult(done.lines(), done.to_dict(), complete)


def _read_record(
    folder: Path, scrub: Sequence[str], decided: Decisions | None, pool: EnvPool
) -> tuple[Record, list[str], Counter[str]]:
    """Record of a folder, notes on changes, and number of cells outside the match by column."""
    game, changed = read_published_game(folder), 0
    if decided:
        game, changed = decided.remove_names(game, scrub)
    record, note = to_record(game, pool)
    more = extra_cells(game, record)
    notes = [
        note,
        f"names removed from {changed} messages" if changed else None,
        _silent_messages_note(record, more["message"]),
    ]
    return record, [text for text in notes if text], more


def _silent_messages_note(record: Record, messages: int) -> str | None:
    """Note on messages in a game whose config allows none."""
    silent = not any(find_game(record.game).message_mode(record.params, seat) for seat in (0, 1))
    note = f"imported without {format_count(messages, 'message')}, stored in its source only, as its config allows none"
    return note if silent and messages else None
