"""Lists of matches: those of a server, and those of files of records; by game, players, outcome and what was said."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.record.lines import read_lines
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.stories import ending
from econzoo.evaluate.run.folder import UnreadableLine, record_files
from econzoo.evaluate.run.replay import read_plausible_record
from econzoo.people.table.move_words import format_payoff
from econzoo.people.table.store import Store

MAX_FOLDERS = 5_000
"""Within a folder; more would keep everybody waiting."""


def check_searchable(path: Path) -> Path:
    """A file, or a folder without more folders in it than can be searched now.

    Raises:
        ValueError: It has more.
    """
    for number, _ in enumerate(os.walk(path) if path.is_dir() else ()):
        if number > MAX_FOLDERS:
            raise ValueError(f"{path} has more than {MAX_FOLDERS:,} folders in it; allowed: a folder with fewer")
    return path


MAX_BYTES = 100_000_000
"""That files may have which are opened together."""

RUNNING = "goes on"
"""The outcome of a match that has none yet."""

UNREADABLE = "not a record"
"""The outcome of a match whose record cannot be read."""

CONTEXT_CHARACTERS = 60
"""Characters that are shown before and after words that were looked for."""


class SentMessage(NamedTuple):
    """Words of a player.

    Attributes:
        turn: In which turn, 1-based.
        role: Whose.
        text: As they were said.
    """

    turn: int
    role: str
    text: str


class Entry(NamedTuple):
    """A match in a list.

    Attributes:
        key: Where its record is: an id of the store, or a file and the number of a line.
        link: Where it can be looked at.
        game: Name.
        seats: (role, player, payoff) of each seat; a match that was cut has no payoffs.
        outcome: How it ended, in a word or two.
        rounds: How many.
        messages: All words.
    """

    key: str | tuple[str, int]
    link: str
    game: str
    seats: list[tuple[str, str, str]]
    outcome: str
    rounds: int = 0
    messages: Sequence[SentMessage] = ()


class Hit(NamedTuple):
    """Words that were looked for.

    Attributes:
        message: In what.
        text_before: What stands before them there.
        match_text: The words.
        text_after: What follows.
    """

    message: SentMessage
    text_before: str
    match_text: str
    text_after: str


class Filter(NamedTuple):
    """Which matches are wanted; an empty field asks for nothing.

    Attributes:
        game: Name.
        player: A part of somebody's name or spec.
        outcome: Of the match.
        text: A part of what somebody said.
    """

    game: str = ""
    player: str = ""
    outcome: str = ""
    text: str = ""

    @classmethod
    def from_fields(cls, given: Mapping[str, str]) -> Filter:
        """What was typed, by the names of the fields."""
        return cls(*(given.get(name, "").strip() for name in cls._fields))

    def accepts(self, entry: Entry) -> bool:
        """Whether a match is wanted."""
        who = self.player.casefold()
        return (
            self.game in ("", entry.game)
            and self.outcome in ("", entry.outcome)
            and any(who in player.casefold() for _, player, _ in entry.seats)
            and (not self.text or self.find_hit(entry) is not None)
        )

    def find_hit(self, entry: Entry) -> Hit | None:
        """The first words of a match that were looked for."""
        for said in entry.messages if self.text else ():
            at = said.text.casefold().find(self.text.casefold())
            if at >= 0:
                end = at + len(self.text)
                cut = max(0, at - CONTEXT_CHARACTERS)
                return Hit(said, said.text[cut:at], said.text[at:end], said.text[end : end + CONTEXT_CHARACTERS])
        return None


# -- of a server -----------------------------------------------------------------------------------------------


class ServerList:
    """The matches of a server, the newest first.

    Args:
        store: Where they are kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cache: dict[str, Entry] = {}
        self.unreadable: list[UnreadableLine] = []

    def entries(self) -> list[Entry]:
        """All matches, as they are now."""
        return [self._entry(*one) for one in self._store.list_matches()]

    def _entry(self, id: str, game: str, players: list[str], ended: bool) -> Entry:
        seats = [(role, who, "") for role, who in zip(role_names(find_game(game), len(players)), players, strict=True)]
        if not ended:
            return Entry(id, f"/watch/{id}", game, seats, RUNNING)
        if id not in self._cache:
            try:
                self._cache[id] = build_entry(
                    read_plausible_record(self._store.record_line(id) or ""), id, f"/replay/{id}"
                )
            except ValueError:  # the page of the match says why
                self._cache[id] = Entry(id, f"/replay/{id}", game, seats, UNREADABLE)
        return self._cache[id]

    def lines(self, entries: Iterable[Entry]) -> Iterator[str]:
        """The records of matches that have ended."""
        for entry in entries:
            line = self._store.record_line(str(entry.key))
            if line is not None:
                yield line


# -- of files --------------------------------------------------------------------------------------------------


class FileList:
    """The matches of a file of records, or of all files in a folder, in their order.

    Args:
        path: The file or folder, as it was typed.

    Raises:
        ValueError: The files are too large, or there are too many folders.
        FileNotFoundError: There are none.
    """

    def __init__(self, path: str) -> None:
        files = record_files(check_searchable(Path(path).expanduser()))
        sizes = [(file, file.stat()) for file in files]
        if sum(stat.st_size for _, stat in sizes) > MAX_BYTES:
            raise ValueError(f"{path} has more than {MAX_BYTES:,} bytes; `econzoo analyze` reads it")
        parts = [_read_entries(str(file), stat.st_mtime_ns, stat.st_size) for file, stat in sizes]
        self._entries = [entry for entries, _ in parts for entry in entries]
        self.unreadable = [line for _, lines in parts for line in lines]

    def entries(self) -> list[Entry]:
        """All matches."""
        return self._entries

    def lines(self, entries: Iterable[Entry]) -> Iterator[str]:
        """The records of matches."""
        wanted: dict[str, set[int]] = {}
        for entry in entries:
            assert isinstance(entry.key, tuple)
            wanted.setdefault(entry.key[0], set()).add(entry.key[1])
        for file, numbers in wanted.items():
            yield from (line.decode().strip() for number, line in read_lines(Path(file)) if number in numbers)


def read_line(path: str, number: int) -> str | None:
    """A line of a file of records, or None; raises as `FileList` does."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    if file.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path} has more than {MAX_BYTES:,} bytes")
    return next((line.decode(errors="replace").strip() for at, line in read_lines(file) if at == number), None)


@lru_cache(8)
def _read_entries(path: str, changed: int, size: int) -> tuple[list[Entry], list[UnreadableLine]]:
    """The matches of a file, and its lines that are none; remembered by when it changed, and its size."""
    entries: list[Entry] = []
    bad: list[UnreadableLine] = []
    for number, line in read_lines(Path(path)):
        try:
            link = f"/transcripts/replay?{urlencode({'file': path, 'line': number})}"
            entries.append(build_entry(read_plausible_record(line.decode()), (path, number), link))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = str(error) if isinstance(error, ValueError) else f"no match can be like that: {error!r}"
            bad.append(UnreadableLine(Path(path), number, why))
    return entries, bad


def build_entry(record: Record, key: str | tuple[str, int], link: str) -> Entry:
    """A match that has ended, for a list; see `Entry`.

    Raises:
        ValueError: Its parameters are not allowed.
    """
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    pays = ["" if record.is_truncated else format_payoff(game, payoff) for payoff in record.payoffs]
    seats = list(zip(roles, record.labels, pays, strict=True))
    rounds = max((turn.round for turn in record.turns), default=0)
    said = [
        SentMessage(number, roles[turn.seat], words)
        for number, turn in enumerate(record.turns, start=1)
        if (words := message_of(game, turn.action))
    ]
    return Entry(key, link, record.game, seats, ending(record), rounds, said)


def message_of(game: Game, action: Mapping[str, object] | None) -> str:
    """What was said with a move."""
    names = [kind.message for kind in game.actions.kinds if kind.message]
    return next((str(action[name]) for name in names if action and action.get(name)), "")
