"""Possible names of people in published games, and decisions about them.

`econzoo.evaluate.formats.glee.scrubbing` removes certain names. Others are not in greetings: a model writes "Dana, let
us share", "that is fair, Dana", or "DanaLevi"; a person signs. Such candidates, false positives included, go into a
table that the import writes and a person completes. It has one row per word, with the number of games, a context, and a
column ``decision``: ``keep``, ``role`` (replace by the person's role), or any other replacement text. A game with an
undecided word is neither imported nor exported. Decisions are stored in the game's config, so that a word that was kept
or inserted needs no new decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Annotated, NamedTuple

from econzoo.envs.core import escape_name, format_count, read_csv_rows
from econzoo.envs.core.contract import Flag, Option, Text
from econzoo.evaluate.formats.glee.folders import DECISIONS_KEY, KEPT_WORD, NONE, REPLACEMENT_WORD, ROLES, PublishedGame
from econzoo.evaluate.formats.glee.scrubbing import NO_NAMES, SOMEBODY, ScrubbedGame, certain_names, replace_names
from econzoo.evaluate.formats.glee.scrubbing import scrub_names
from econzoo.evaluate.run import NotImportableError
from econzoo.evaluate.show import plain_text, write_csv

CONTEXT = 40
"""Characters of context on each side of a word."""

NAME = r"[^\W\d_][\w\u2019'-]*"
WORD = re.compile(NAME)
SENTENCE = re.compile(r"(?:^|[.!?:;\n\u2026\"\u201c(*-])\s*$")
"""Text before the first word of a sentence."""

SET_OFF_SIGN = re.compile(r"\s*(?:[,!]|[-\u2013\u2014](?!\w))")
"""Text after a name at the start of a sentence."""

POSSESSIVE = re.compile("['\u2019]s$")
RUN_TOGETHER = re.compile("[a-z][A-Z]")
"""First and last name without a space."""


def _word_set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


OPENERS = _word_set("""
    a absolutely accept accepted actually additionally after agreed ah alas alright also although an and anyway as
    at awesome because besides best but bye cheers clearly come congrats congratulations consider considering cool
    deal dear each even exactly excellent fair fantastic finally fine first for frankly friendly from further
    furthermore given good goodbye great greetings ha he hello hence here hey hi hmm honestly hopefully how however
    i if in indeed instead interesting it just last lastly later let like listen look meanwhile moreover my nah
    nevertheless next nice no none nonetheless nope not now of oh ok okay on once one or otherwise our overall
    perfect perhaps please quality rather really recall regardless reject rejected remember respectfully right
    second see she similarly since sincerely so sold sometimes sorry splendid still sure thank thanks that the then
    there therefore these they third this those though thus to today together tomorrow tonight too true trust
    ultimately understood unfortunately unless until we welcome well what when while who why with wonderful wow yeah
    yep yes yet you your
""")
"""Sentence openers followed by punctuation, besides words in ``-ly``."""

NO_NAME_WORDS = _word_set("""
    ai america american august christmas december dollar dollars english eur euro euros february friday gbp god high
    high-quality i'd i'll i'm i've i\u2019d i\u2019ll i\u2019m i\u2019ve internet january july llm low low-quality
    march may monday november october round rounds saturday september sunday thursday tuesday usd wednesday win-win
""")
"""Capitalized words within sentences that are not names of people."""

ADDRESS_PATTERN = re.compile(
    rf"\b(?:hi|hello|hey|dear|thanks|thank you|thx|ok|sorry|cheers),? +({NAME})(?= *(?:[,.!?;:]|$))", re.I
)
"""Forms of address."""

INTRODUCTION_PATTERN = re.compile(
    rf"(?:\b(?:call me|name(?: is|'s|\u2019s|:)|(?:regards|sincerely|cheers|yours|love),?) +({NAME})"
    rf"|^ *({NAME}) here\b|[-\u2013\u2014] ?({NAME})\W*$)",
    re.IGNORECASE,
)
"""Forms of self-introduction and signatures."""


def find_suspected_names(game: PublishedGame) -> dict[str, str]:
    """Find possible names in messages of a game with a person, once certain ones are removed.

    Returns:
        First context by lower-case word.
    """
    found: dict[str, str] = {}
    rows = [row for row in game.rows if row.get("message")] if any(game.people) else []
    # Words that models write in lower case in this game, so that a capital does not make them names.
    common = {
        word
        for row in rows
        if not game.people[game.seat(row)]
        for word in WORD.findall(row["message"])
        if word.islower()
    }
    for row in rows:
        message, own = row["message"], game.people[game.seat(row)]
        for start, end in (*_find_addressed_names(message, own), *_find_conspicuous_words(message, own, common)):
            found.setdefault(message[start:end].lower(), _context(message, start, end))
    return found


def _find_addressed_names(message: str, own: bool) -> Iterator[tuple[int, int]]:
    """Spans of names in forms of address and, in a person's message, of self-introduction."""
    for pattern in (ADDRESS_PATTERN, INTRODUCTION_PATTERN) if own else (ADDRESS_PATTERN,):
        for found in pattern.finditer(message):
            at = next(group for group in range(1, pattern.groups + 1) if found[group])
            if not _is_no_name(found[at]):
                yield found.span(at)


def _find_conspicuous_words(message: str, own: bool, common: Set[str]) -> Iterator[tuple[int, int]]:
    """Spans of words with unusual capitals, or set off by punctuation like names."""
    # In a person's message without small letters capitals tell nothing.
    if own and message.upper() == message:
        return
    for found in WORD.finditer(message):
        word = POSSESSIVE.sub("", found[0])
        head, tail = message[: found.start()], message[found.end() :]
        set_off = word != found[0] or SET_OFF_SIGN.match(tail) is not None
        if SENTENCE.search(head):
            stands_out = set_off and (word[0].isupper() or not (own or head.strip()))
        else:
            shouted = word.isupper() and len(word) > 1
            stands_out = word[0].isupper() and (set_off or not (shouted or word.lower() in common))
        if (stands_out or RUN_TOGETHER.search(word)) and not _is_no_name(word):
            yield found.start(), found.start() + len(word)


def _is_no_name(word: str) -> bool:
    low = word.lower().strip("-'\u2019")
    return len(low) < 2 or low in NO_NAMES or low in OPENERS or low in NO_NAME_WORDS or low.endswith("ly")


def _context(message: str, start: int, end: int) -> str:
    """Excerpt of a message around a word, in one line."""
    low, high = max(0, start - CONTEXT), end + CONTEXT
    excerpt = f"{'...' * (low > 0)}{message[low:start]}[{message[start:end]}]{message[end:high]}"
    return " ".join(excerpt.split()) + "..." * (high < len(message))


COLUMNS = ("word", "decision", "games", "context")
KEEP, ROLE = "keep", "role"
"""Decisions other than replacement texts."""

UNDECIDED_KIND = "undecided names"
"""Kind of the reason why a game is skipped."""

NAMES_SUFFIX = ".names.csv"
"""Suffix of the table beside a file of records."""

PANEL = "GLEE"
"""Panel of the options of GLEE's conversions."""

Names = Annotated[
    str,
    Option(Text(), "Table of decisions about possible names in messages.", panel=PANEL, default="beside the records"),
]
KeepNames = Annotated[bool, Option(Flag(), "Keep names of people in messages.", panel=PANEL)]


class Word(NamedTuple):
    """A possible name.

    Attributes:
        decision: Decision; empty: none.
    """

    decision: str
    games: int
    context: str


def names_table_path(records: Path) -> Path:
    return records.with_suffix(NAMES_SUFFIX)


class Decisions:
    """Decisions in a table.

    Args:
        path: Path of the table, which may be missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._decided = _read(path) if path.exists() else {}
        self._undecided: dict[str, Word] = {}

    def remove_names(self, game: PublishedGame, extra_names: Sequence[str] = ()) -> ScrubbedGame:
        """Remove certain names and words decided to be names."""
        sure = scrub_names(game, extra_names)
        contexts, known = find_suspected_names(sure.game), game.decided_words
        decisions = {word: self._decision(word, known) for word in contexts}
        undecided = [word for word, decision in decisions.items() if not decision]
        for word in undecided:
            games = self._undecided[word].games if word in self._undecided else 0
            self._undecided[word] = Word("", games + 1, contexts[word])
        if undecided:
            raise NotImportableError(UNDECIDED_KIND, f"no decision about {', '.join(undecided)}")
        people = [role for role, person in zip(ROLES, game.people, strict=True) if person]
        role = people[0] if len(people) == 1 else SOMEBODY
        names = {word: role if one == ROLE else one for word, one in decisions.items() if one != KEEP}
        done = replace_names(sure.game, names)
        # What still looks like a name was kept or inserted: it is stored as decided, for exports and later imports.
        after = sorted({*find_suspected_names(done.game), *map(str.lower, certain_names(done.game))})
        new = {word: KEPT_WORD if decisions.get(word) == KEEP else REPLACEMENT_WORD for word in after}
        stored = {word: known.get(word, decision) for word, decision in new.items()}
        config = {key: value for key, value in done.game.config.items() if key != DECISIONS_KEY}
        game = done.game._replace(config={**config, **({DECISIONS_KEY: stored} if stored else {})})
        return ScrubbedGame(game, sure.messages + done.messages)

    def _decision(self, word: str, known: Mapping[str, str]) -> str:
        """Decision of the table, else the stored one; replacements of names are always kept."""
        own = self._decided[word].decision if word in self._decided and known.get(word) != REPLACEMENT_WORD else ""
        return own or KEEP * (word in known)

    def write(self) -> None:
        """Write the table if there are undecided words."""
        if self._undecided:
            rows = {**self._decided, **self._undecided}
            write_csv(self.path, COLUMNS, [(word, *rows[word]) for word in sorted(rows)])

    def lines(self) -> list[str]:
        """Instructions about undecided words."""
        if not self._undecided:
            return []
        return [
            f"{format_count(len(self._undecided), 'possible name')} of people undecided: enter {KEEP}, {ROLE} or a "
            f"replacement in the column decision of {self.path}, then rerun the command"
        ]


def _read(path: Path) -> dict[str, Word]:
    # Not strict: a person edits this table, so that quotes may be malformed.
    heads, *rows = [row for _, row in read_csv_rows(path, strict=False)] or [[]]
    missing = [column for column in COLUMNS[:2] if column not in heads]
    if missing:
        raise ValueError(f"{escape_name(path)}: missing column {missing[0]!r}: expected {', '.join(COLUMNS)}")
    found = [dict(zip(heads, row, strict=False)) for row in rows]
    words = {plain_text(row.get("word", "")).strip().lower(): _word(row) for row in found}
    if void := [word for word, row in words.items() if row.decision == NONE]:
        raise ValueError(f"{escape_name(path)}: invalid decision {NONE} for {void[0]!r}: it marks empty cells")
    return words


def _word(row: Mapping[str, str]) -> Word:
    decision, games, context = (plain_text(row.get(column, "")).strip() for column in COLUMNS[1:])
    decision = decision.lower() if decision.lower() in (KEEP, ROLE) else decision
    return Word(decision, int(games) if games.isdigit() else 0, context)
