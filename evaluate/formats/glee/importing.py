"""From GLEE's published games to our records.

Every game is played again under our rules, answer by answer. It becomes a record only if seats, rounds, nature's moves,
what a product was worth and what everybody won come out as its files say; if not, it is listed with the reason. What
a file has beyond the game (columns nobody else saw, other spellings of a number) stays in the record's source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from econzoo.envs.core.contract.marks import MAX_MESSAGE
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import ListOf, Text, complete_parameters
from econzoo.envs.core.faces.parse import MAX_REPLY
from econzoo.envs.core.files import escape_name
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.formats.conversions import ConversionResult
from econzoo.evaluate.formats.glee.answers import (
    TOLERANCE,
    Answer,
    amount_columns,
    answers,
    check_repeated_gains,
    has_ended,
    params_of,
    players_of,
    round_of,
    table_gains,
)
from econzoo.evaluate.formats.glee.exporting import GLEE, rows_of
from econzoo.evaluate.formats.glee.folders import PublishedGame, find_published_games, read_published_game
from econzoo.evaluate.formats.glee.name_decisions import PANEL, Decisions, KeepNames, Names, names_table_path
from econzoo.evaluate.run.importing import ImportReport, NotImportableError, convert_rule_errors, seed_of
from econzoo.evaluate.run.replay import recompute_record
from econzoo.evaluate.run.table import EnvPool

# One game


def to_record(game: PublishedGame, pool: EnvPool | None = None) -> tuple[Record, str | None]:
    """The record of a published game.

    Args:
        game: See `read_published_game`.
        pool: Where environments come from, if there are many games.

    Returns:
        The record, and what was taken otherwise than the config says, or None.

    Raises:
        UnusableError: The game does not come out under our rules as its files say.
    """
    params, note = params_of(game, round_of(game.rows[-1]), has_ended(game))
    with convert_rule_errors():
        rules = find_game(game.family)
        public = rules.params(**complete_parameters(rules.parameters, params))[0]
    given, nature = answers(game, public)
    record = _skeleton(game, public, given, nature)
    with convert_rule_errors():
        played = recompute_record(record, pool)
    _compare(game, played, given, nature)
    played.seconds = 0.0
    played.source = _source(game, played)
    return played, note


def _skeleton(game: PublishedGame, public: dict[str, Any], given: Sequence[Answer], nature: list[float]) -> Record:
    """A record that knows the answers and not yet what follows from them."""
    long = any(len(answer.reply.get("message", "")) > MAX_MESSAGE for answer in given)
    return Record(
        game=game.family,
        version=find_game(game.family).version,
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
    """The game's id, config and columns, and the cells that do not follow from the record."""
    source = {"format": GLEE, "id": game.id, "config": game.config, "columns": list(game.columns)}
    pairs = zip(rows_of(record, game), game.rows, strict=True)
    cells = [[at, c, own[c]] for at, (row, own) in enumerate(pairs) for c in game.columns if row[c] != own[c]]
    return {**source, "cells": cells} if cells else source


def extra_cells(game: PublishedGame, record: Record) -> Counter[str]:
    """Cells by column that are no part of the match: GLEE's table has something where a record's table has nothing."""
    if "cells" not in (record.source or {}):
        return Counter()
    repeated, found = amount_columns(game), Counter[str]()
    for row, own in zip(rows_of(record, game), game.rows, strict=True):
        found.update(c for c in game.columns if own[c] and not row[c] and not (c in repeated and own.get("decision")))
    return found


# Checks


def _compare(game: PublishedGame, played: Record, given: Sequence[Answer], nature: list[float]) -> None:
    """Raises `UnusableError` for the first thing that did not come out as the files say."""
    for at, turn in enumerate(played.turns, start=1):
        if turn.error is not None:
            raise NotImportableError("outside our rules", f"move {at}, {game.names[turn.seat]}: {turn.error[1]}")
        answer = given[at - 1]
        if (turn.seat, turn.round) != answer[:2]:
            found, expected = (f"{game.names[one.seat]} in round {one.round}" for one in (answer, turn))
            raise NotImportableError(
                "inconsistent", f"move {at} is that of {found}; by the rules it is that of {expected}"
            )
    if played.status == "abandoned":
        raise NotImportableError("truncated", f"the table ends after {len(given)} moves, before the game does")
    if len(played.turns) < len(given):
        raise NotImportableError("inconsistent", f"the game ends after {len(played.turns)} moves; the table goes on")
    if played.chance != nature:
        raise NotImportableError("inconsistent", f"nature drew {played.chance}; the table says {nature}")
    check_repeated_gains(game)
    gains, scale = table_gains(game, played.params), played.params.get("money") or played.params["price"]
    if any(abs(a - b) > TOLERANCE * scale for a, b in zip(gains, played.payoffs, strict=True)):
        raise NotImportableError("inconsistent", f"by the table the players win {gains}, by the rules {played.payoffs}")


# Many games


@dataclass
class GleeImport(ImportReport):
    """What became of a folder of games.

    Attributes:
        notes: (folder, what was taken otherwise than the files say).
        beside: Cells of the added games that are no part of a match, by column.
        undecided: What is to be done about words that may be names.
    """

    notes: list[tuple[str, str]] = field(default_factory=list)
    beside: Counter[str] = field(default_factory=Counter)
    undecided: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return vars(self)

    def lines(self) -> list[str]:
        """For people."""
        listed = [f"{folder}: {note}" for folder, note in self.notes] + self.skipped_lines()
        if self.beside:
            columns = ", ".join(f"{column}: {count}" for column, count in self.beside.items())
            listed.append(f"cells that are no part of a match and stay in its source: {columns}")
        return [*listed, self.describe_counts(), *self.undecided]


def import_folder(
    root: str | Path,
    out: str | Path,
    scrub: Sequence[str] = (),
    keep_names: bool = False,
    names: str | Path | None = None,
) -> GleeImport:
    """Adds the published games below a folder to a file of records, each once.

    Args:
        root: Searched for folders with ``config.json`` and ``game.csv``.
        out: The file; what is in it stays.
        scrub: Further first names to take out of messages.
        keep_names: Leave all names where they are.
        names: Table of what was decided about words that may be names (see
            `econzoo.evaluate.formats.glee.name_decisions`); None: beside `out`. Words without a decision are added.

    Raises:
        FileNotFoundError: No such folder, or no game in it.
        ValueError: The file holds something else than records, or is a folder; or the table is none.
    """
    done, pool = GleeImport(), EnvPool()
    decided = None if keep_names else Decisions(Path(names or names_table_path(Path(out))))
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
    """Turns GLEE's published games into records, each checked against our rules; what does not pass is listed.

    Words that may be names of people are written into a table; a game waits until all of its own have a decision
    there. See `import_folder`.

    Args:
        source: Searched for ``config.json`` and ``game.csv``.
        out: File of records; games that it has are not added again.
        scrub: First names to take out of messages, besides those that are found.
        names: The table; empty: beside `out`.
        keep_names: Leave names of people in messages.

    Returns:
        Not complete if a game waits, or if none passes.
    """
    done = import_folder(source, out, scrub, keep_names, names or None)
    complete = not done.undecided and bool(done.added or done.already)
    return ConversionResult(done.lines(), done.to_dict(), complete)


def _read_record(
    folder: Path, scrub: Sequence[str], decided: Decisions | None, pool: EnvPool
) -> tuple[Record, list[str], Counter[str]]:
    """The record of a folder, what was changed on the way, and cells that are no part of the match."""
    game, changed = read_published_game(folder), 0
    if decided:
        game, changed = decided.remove_names(game, scrub)
    record, note = to_record(game, pool)
    more = extra_cells(game, record)
    notes = [
        note,
        f"names taken out of {changed} messages" if changed else None,
        _silent_messages_note(record, more["message"]),
    ]
    return record, [told for told in notes if told], more


def _silent_messages_note(record: Record, messages: int) -> str | None:
    """What is told of messages in a game in which nobody can send any."""
    silent = not any(find_game(record.game).message_mode(record.params, seat) for seat in (0, 1))
    told = f"imported, but messages are not allowed by its config: {messages} of them stay in its source only"
    return told if silent and messages else None
