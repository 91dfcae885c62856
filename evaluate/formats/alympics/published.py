"""ALYMPICS' published format of the Water Allocation Challenge: a JSON file with one chat per resident.

The file is one object; each value is the chat of a resident, a list of ``{"role", "content"}``: the rules, then by day
the question for a bid, the resident's answer, and the public result. The paper's games have the keys A to E; other
numbers of residents are supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, Member, list_members, read_text, reason
from econzoo.envs.core.contract import parse_json, short_repr
from econzoo.envs.core.faces import MAX_REPLY
from econzoo.evaluate.formats.alympics.texts import STATUS, BidQuestion, DayResult, Rules, is_day_result
from econzoo.evaluate.formats.alympics.texts import read_day_result, read_question, read_rules
from econzoo.evaluate.run import NotImportableError

ANSWER = "assistant"
"""Role of the resident's own messages; all others are addressed to it."""

RANGE_IN_NAME = re.compile(r"_(\d{1,6})_(\d{1,6})(?:_|$)")
"""Supply range in a file name such as ``WAC_persona_10_20_5``, for rules texts without it."""

Chat = Sequence[Mapping[str, str]]

File = Path | Member
"""A file on the disk or in an archive."""


class Answer(NamedTuple):
    """An answer of a resident.

    Attributes:
        prompt: Texts since the last answer, without the rules.
    """

    question: BidQuestion
    prompt: str
    reply: str


class Day(NamedTuple):
    """A day."""

    result: DayResult
    answers: dict[str, Answer]


class PublishedGame(NamedTuple):
    """A published game.

    Attributes:
        id: Name of its file.
        supply: Minimum and maximum units per day.
        briefs: Rules text by resident.
        ends: Text after the last answer, by resident.
    """

    id: str
    rules: Rules
    supply: tuple[int, int]
    briefs: tuple[str, ...]
    ends: tuple[str, ...]
    days: tuple[Day, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the residents, by seat."""
        return tuple(name for name, _, _ in self.rules.residents)

    @property
    def params(self) -> dict[str, Any]:
        """Public parameters of EconZoo's game."""
        return {**self.rules._asdict(), "supply": self.supply, "residents": self.rules.residents, "bound": None}


def find_published_games(path: str | Path) -> list[File]:
    """Find the files of games: the path itself, or every ``*.json`` in a folder or archive (``*.zip``).

    Files are in natural order (game 10 after game 9).
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    if not path.is_dir() and path.suffix.lower() != ".zip":
        return [path]
    found = path.rglob("*.json") if path.is_dir() else _archive_members(path)
    files = sorted(found, key=lambda file: [int(part) if part.isdigit() else part for part in _parts(str(file))])
    if not files:
        raise FileNotFoundError(f"no games (*.json) in {path}")
    return files


def _archive_members(path: Path) -> Iterable[File]:
    return [member for name, member in list_members(path).items() if name.endswith(".json")]


def _parts(name: str) -> list[str]:
    """Split a name into alternating texts and numbers, text first."""
    # So two names never compare a text with a number.
    return re.split(r"([0-9]+)", name)


def read_published_game(file: str | File) -> PublishedGame:
    file = Path(file) if isinstance(file, str) else file
    chats = _chats(_read_object(file))
    texts = [read_rules(chat[0]["content"]) for chat in chats]
    if any(one != texts[0] for one in texts):
        raise NotImportableError("rules", "the residents' rules differ")
    rules, briefs = texts[0], tuple(chat[0]["content"] for chat in chats)
    if len(chats) != len(rules.residents):
        raise NotImportableError("rules", f"{len(chats)} chats for {len(rules.residents)} residents: expected one each")
    names = [name for name, _, _ in rules.residents]
    days = _days(names, chats)
    return PublishedGame(file.stem, rules, _supply(rules, file.stem), briefs, tuple(map(_closing_text, chats)), days)


def _supply(rules: Rules, name: str) -> tuple[int, int]:
    return supply_range(name) if rules.supply is None else rules.supply


def supply_range(name: str) -> tuple[int, int]:
    """Parse the minimum and maximum units per day from a file name."""
    found = RANGE_IN_NAME.search(name)
    if found is None:
        raise NotImportableError("rules", f"no supply range in the rules or in the file name {name!r}")
    return int(found[1]), int(found[2])


# The file


def _read_object(file: File) -> dict[str, Any]:
    try:
        text = read_text(file, LARGE_FILE_BYTES)
    except (OSError, ValueError) as error:
        raise NotImportableError("file", f"cannot be read: {reason(error)}") from None
    try:
        given = parse_json(text, finite=True)
    except ValueError as error:
        raise NotImportableError("file", f"not JSON: {error}") from None
    if not isinstance(given, dict) or not given:
        raise NotImportableError("file", f"expected an object with one chat per resident, got {short_repr(given)}")
    return given


def _chats(given: Mapping[str, Any]) -> list[Chat]:
    """Chats sorted by key."""
    for key, chat in given.items():
        if not isinstance(chat, list) or not chat or not all(_is_message(one) for one in chat):
            expected = f"expected a list of messages with role and content of up to {MAX_REPLY:,} characters"
            raise NotImportableError("file", f"invalid {short_repr(key)}={short_repr(chat)}: {expected}")
        if chat[0]["role"] == ANSWER:
            raise NotImportableError("file", f"{short_repr(key)} starts with an answer: expected the rules")
    return [given[key] for key in sorted(given)]


def _is_message(given: Any) -> bool:
    if not isinstance(given, dict):
        return False
    role, content = given.get("role"), given.get("content")
    return isinstance(role, str) and isinstance(content, str) and len(content) <= MAX_REPLY


# The days


def _days(names: Sequence[str], chats: Sequence[Chat]) -> tuple[Day, ...]:
    """Merge the days of all chats."""
    results: dict[int, DayResult] = {}
    answers: dict[int, dict[str, Answer]] = {}
    for name, chat in zip(names, chats, strict=True):
        for settled in _day_results(chat):
            # Results are public, so that every chat must have the same ones.
            if results.setdefault(settled.day, settled) != settled:
                raise NotImportableError("inconsistent", f"the residents read different results of day {settled.day}")
        for answer in _answers(chat):
            _check_answer(name, answer, answers.setdefault(answer.question.day, {}))
    if not results or sorted(results) != list(range(1, len(results) + 1)):
        raise NotImportableError("incomplete", f"results of days {sorted(results)}: expected all days from day 1")
    if not set(answers) <= set(results):
        raise NotImportableError("incomplete", f"day {max(answers)} has answers but no result")
    return tuple(_day(results[day], answers.get(day, {})) for day in sorted(results))


def _check_answer(name: str, answer: Answer, of_day: dict[str, Answer]) -> None:
    """Add an answer of a resident, after checking its name and that it is the only one on its day."""
    if answer.question.name != name:
        raise NotImportableError(
            "inconsistent", f"the chat of {name} contains a question to {short_repr(answer.question.name)}"
        )
    if of_day.setdefault(name, answer) is not answer:
        raise NotImportableError("inconsistent", f"{name} answers twice on day {answer.question.day}")


def _day(settled: DayResult, answers: dict[str, Answer]) -> Day:
    if settled.bids.keys() != answers.keys():
        found = f"bids of {', '.join(settled.bids)} but answers of {', '.join(answers) or 'nobody'}"
        raise NotImportableError("inconsistent", f"day {settled.day} has {found}")
    other = [one.question.supply for one in answers.values() if one.question.supply != settled.supply]
    if other:
        raise NotImportableError(
            "inconsistent", f"day {settled.day}: supply is {other[0]} in one text, {settled.supply} in another"
        )
    return Day(settled, answers)


def _day_results(chat: Chat) -> Iterator[DayResult]:
    """Public results in a resident's chat."""
    for message in chat[1:]:
        if message["role"] != ANSWER and is_day_result(message["content"]):
            yield read_day_result(message["content"])


def _answers(chat: Chat) -> Iterator[Answer]:
    """Answers of a resident; the question is the last text before it with a status and no result."""
    texts: list[str] = []
    for message in chat[1:]:
        if message["role"] != ANSWER:
            texts.append(message["content"])
        elif not texts:
            raise NotImportableError("inconsistent", f"answer without a question: {short_repr(message['content'])}")
        else:
            yield Answer(read_question(_question(texts)), "\n\n".join(texts), message["content"])
            texts = []


def _question(texts: Sequence[str]) -> str:
    return next((text for text in reversed(texts) if STATUS.search(text) and not is_day_result(text)), texts[-1])


def _closing_text(chat: Chat) -> str:
    """Texts after a resident's last answer."""
    last = max(place for place, message in enumerate(chat) if place == 0 or message["role"] == ANSWER)
    return "\n\n".join(message["content"] for message in chat[last + 1 :])
