"""Lists of matches of a server or of record files, filtered by game, player, outcome and message text."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game
from econzoo.envs.core.faces import role_names
from econzoo.envs.core.record import Record, read_lines
from econzoo.evaluate.run import FAILED, UnreadableLine, match_spending, read_plausible_record, record_files
from econzoo.people.server import texts
from econzoo.people.table.move_words import format_payoff
from econzoo.people.table.store import Store

MAX_FOLDERS = 5_000
"""Maximum folders to search; more would block the server."""


def check_searchable(path: Path) -> Path:
    """Return a path; raise ValueError if it has more than `MAX_FOLDERS` folders."""
    for number, _ in enumerate(os.walk(path) if path.is_dir() else ()):
        if number > MAX_FOLDERS:
            raise ValueError(f"{path} has too many folders: expected at most {MAX_FOLDERS:,}")
    return path


MAX_BYTES = 100_000_000
"""Maximum total size of the opened files."""

RUNNING = "goes on"
"""Outcome of a running match."""

UNREADABLE = "not a record"
"""Outcome of a match whose record cannot be read."""

ANY_ERROR = "any"
"""Filter for matches with an error of any code."""

FAILED_OUTCOME = "failed"
"""Outcome of a failed match, and code of the error that ended it."""

CONTEXT_CHARACTERS = 60
"""Characters shown on each side of a search hit."""


class SentMessage(NamedTuple):
    """A message of a player; `turn` counts from 1."""

    turn: int
    role: str
    text: str


class Entry(NamedTuple):
    """A match in a list.

    Attributes:
        key: Location of its record: an id of the store, or a file and a line number.
        seats: (role, player, payoff) of each seat; truncated matches have no payoffs.
        errors: Codes of what was wrong with replies, each as often as it happened.
        kinds: Kinds of its moves.
        reason: Why a match failed.
        table: What the matches of two models that are set side by side share: game, setting, options and seed.
    """

    key: str | tuple[str, int]
    link: str
    game: str
    seats: list[tuple[str, str, str]]
    outcome: str
    rounds: int = 0
    messages: Sequence[SentMessage] = ()
    seed: int | None = None
    errors: Counter[str] = Counter()  # noqa: RUF012 (never changed)
    kinds: frozenset[str] = frozenset()
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    reason: str = ""
    table: str = ""
    gains: Sequence[float | None] = ()
    id: str = ""

    @property
    def error_words(self) -> list[str]:
        """Codes of errors with their number, as in ``no_json (3 times)``."""
        return [f"{code} \N{MULTIPLICATION SIGN}{count}" if count > 1 else code for code, count in self.errors.items()]


class Hit(NamedTuple):
    message: SentMessage
    leading_text: str
    match_text: str
    trailing_text: str


class Filter(NamedTuple):
    """Filter of matches; an empty field accepts all.

    Attributes:
        player: Substring of a player's name or spec.
        text: Substring of a message.
        error: Code of an error, or `ANY_ERROR`.
        kind: Kind of a move.
    """

    game: str = ""
    player: str = ""
    outcome: str = ""
    text: str = ""
    error: str = ""
    kind: str = ""

    @classmethod
    def from_fields(cls, given: Mapping[str, str]) -> Filter:
        """Build a filter from submitted texts by field name."""
        return cls(*(given.get(name, "").strip() for name in cls._fields))

    def accepts(self, entry: Entry) -> bool:
        """Whether a match passes the filter."""
        name = self.player.casefold()
        return (
            self.game in ("", entry.game)
            and self.outcome in ("", entry.outcome)
            and (not self.error or (bool(entry.errors) if self.error == ANY_ERROR else self.error in entry.errors))
            and (not self.kind or self.kind in entry.kinds)
            and any(name in player.casefold() for _, player, _ in entry.seats)
            and (not self.text or self.find_hit(entry) is not None)
        )

    def find_hit(self, entry: Entry) -> Hit | None:
        """First search hit of a match, or None."""
        for message in entry.messages if self.text else ():
            text = message.text
            # Folding may lengthen a letter (ß to ss), so that places in the folded text are not those in the text.
            letters = [at for at, letter in enumerate(text) for _ in letter.casefold()]
            found = text.casefold().find(wanted := self.text.casefold())
            if found >= 0:
                at, end = letters[found], letters[found + len(wanted) - 1] + 1
                start = max(0, at - CONTEXT_CHARACTERS)
                return Hit(message, text[start:at], text[at:end], text[end : end + CONTEXT_CHARACTERS])
        return None


# -- matches of a server ---------------------------------------------------------------------------------------


class ServerList:
    """Matches of a server, newest first."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cache: dict[str, Entry] = {}
        self.unreadable: list[UnreadableLine] = []

    def entries(self) -> list[Entry]:
        """Current entries of all matches."""
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
            except ValueError:  # its page shows why
                self._cache[id] = Entry(id, f"/replay/{id}", game, seats, UNREADABLE)
        return self._cache[id]

    def lines(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Records of the finished matches among the entries."""
        for entry in entries:
            line = self._store.record_line(str(entry.key))
            if line is not None:
                yield line


# -- matches of files ------------------------------------------------------------------------------------------


class FileList:
    """Matches of a record file, or of all record files in a folder, in file order."""

    def __init__(self, path: str) -> None:
        files = record_files(check_searchable(Path(path).expanduser()))
        files += [failed for file in files if (failed := file.with_name(file.name + FAILED)).is_file()]
        sizes = [(file, file.stat()) for file in files]
        if sum(stat.st_size for _, stat in sizes) > MAX_BYTES:
            raise ValueError(f"{path} is larger than {MAX_BYTES:,} bytes: use `econzoo analyze` instead")
        parts = [_read_entries(str(file), stat.st_mtime_ns, stat.st_size) for file, stat in sizes]
        found = [entry for entries, _ in parts for entry in entries]
        # Of a failed match the last try, unless it has finished since.
        ended = {entry.id for entry in found if entry.outcome != FAILED_OUTCOME}
        tries = {entry.id: entry for entry in found if entry.outcome == FAILED_OUTCOME and entry.id not in ended}
        self._entries = [entry for entry in found if entry.outcome != FAILED_OUTCOME] + [*tries.values()]
        self.unreadable = [line for _, lines in parts for line in lines]

    def entries(self) -> list[Entry]:
        return self._entries

    def lines(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Records of the entries."""
        wanted: dict[str, set[int]] = {}
        for entry in entries:
            assert isinstance(entry.key, tuple)
            wanted.setdefault(entry.key[0], set()).add(entry.key[1])
        for file, numbers in wanted.items():
            yield from (line.decode().strip() for number, line in read_lines(Path(file)) if number in numbers)


def read_line(path: str, number: int) -> str | None:
    """Read a line of a record file; None: there is no such line. Raises as `FileList` does."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    if file.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_BYTES:,} bytes")
    return next((line.decode(errors="replace").strip() for at, line in read_lines(file) if at == number), None)


@lru_cache(16)
def _read_entries(path: str, changed: int, size: int) -> tuple[list[Entry], list[UnreadableLine]]:
    """Entries and unreadable lines of a file, cached by modification time and size."""
    entries: list[Entry] = []
    unreadable: list[UnreadableLine] = []
    for number, line in read_lines(Path(path)):
        try:
            link = f"/transcripts/replay?{urlencode({'file': path, 'line': number})}"
            entries.append(build_entry(read_plausible_record(line.decode()), (path, number), link))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            why = str(error) if isinstance(error, ValueError) else f"invalid record: {error!r}"
            unreadable.append(UnreadableLine(Path(path), number, why))
    return entries, unreadable


def build_entry(record: Record, key: str | tuple[str, int], link: str) -> Entry:
    """Build the entry of a finished match."""
    game = find_game(record.game)
    roles = role_names(game, len(record.players), record.params)
    pays = ["" if record.is_truncated else format_payoff(game, payoff) for payoff in record.payoffs]
    seats = list(zip(roles, record.labels, pays, strict=True))
    rounds = max((turn.round for turn in record.turns), default=0)
    codes = [turn.error[0] for turn in record.turns if turn.error]
    codes += [turn.finish for turn in record.turns if turn.finish and not turn.error]
    if record.status == FAILED_OUTCOME:
        codes.append(FAILED_OUTCOME)
        pays = [""] * len(pays)
    spent = match_spending(record)
    messages = [
        SentMessage(number, roles[turn.seat], text)
        for number, turn in enumerate(record.turns, start=1)
        if (text := message_of(game, turn.action))
    ]
    kinds = frozenset(str(turn.action.get("kind", game.actions.names[0])) for turn in record.turns if turn.action)
    table = json.dumps([record.game, record.params, record.options, record.seed], sort_keys=True)
    return Entry(
        key,
        link,
        record.game,
        seats,
        record.ending,
        rounds,
        messages,
        seed=record.seed,
        errors=Counter(codes),
        kinds=kinds,
        tokens=spent.tokens,
        cost=spent.cost,
        seconds=record.seconds,
        reason=record.reason or "",
        table=table,
        gains=record.metrics["gains"],
        id=record.id,
    )


def message_of(game: Game, action: Mapping[str, object] | None) -> str:
    """Message sent with a move; empty: none."""
    names = [kind.message for kind in game.actions.kinds if kind.message]
    return next((str(action[name]) for name in names if action and action.get(name)), "")


def describe_outcome(outcome: str) -> str:
    """Format the outcome of a match in the language of the pages."""
    own = {RUNNING: "transcripts.goes_on", UNREADABLE: "transcripts.not_a_record"}
    if outcome in own:
        return texts().say(own[outcome])
    agreement = outcome.removeprefix("no ")
    word = texts().word(agreement)
    return word if agreement == outcome else texts().say("end.no", agreement=word)
