"""A game of the Water Allocation Challenge as ALYMPICS publishes it: a JSON file with one chat for each resident.

The file is one object; each value is the chat of a resident, a list of ``{"role", "content"}``. First come the rules,
then day by day the question for a bid, the resident's answer, and the public result. An object with the keys A to E
has the five residents of the paper; other numbers of residents are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import parse_json, short_repr
from econzoo.envs.core.faces.parse import MAX_REPLY
from econzoo.envs.core.files import LARGE_FILE_BYTES, Member, list_members, read_text, reason
from econzoo.evaluate.formats.alympics.texts import (
    STATUS,
    BidQuestion,
    DayResult,
    Rules,
    is_day_result,
    read_day_result,
    read_question,
    read_rules,
)
from econzoo.evaluate.run.importing import NotImportableError

ANSWER = "assistant"
"""Role of the resident's own words; all other roles speak to it."""

RANGE_IN_NAME = re.compile(r"_(\d{1,6})_(\d{1,6})(?:_|$)")
"""Supply range in the name of a file, such as ``WAC_persona_10_20_5``, for rules that do not say it."""

Chat = Sequence[Mapping[str, str]]

File = Path | Member
"""A file on the disk or in an archive."""


class Answer(NamedTuple):
    """What a resident read and wrote.

    Attributes:
        question: What the question says.
        prompt: All that was read since the last answer, the rules aside.
        reply: The own words.
    """

    question: BidQuestion
    prompt: str
    reply: str


class Day(NamedTuple):
    """A day.

    Attributes:
        result: Its public result.
        answers: By name, of those who were asked.
    """

    result: DayResult
    answers: dict[str, Answer]


class PublishedGame(NamedTuple):
    """One game.

    Attributes:
        id: Name of its file.
        rules: Numbers of the rules.
        supply: Least and most units of a day.
        briefs: The rules text that each resident read.
        ends: What each read after its last answer.
        days: In order.
    """

    id: str
    rules: Rules
    supply: tuple[int, int]
    briefs: tuple[str, ...]
    ends: tuple[str, ...]
    days: tuple[Day, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the residents, seat by seat."""
        return tuple(name for name, _, _ in self.rules.residents)

    @property
    def params(self) -> dict[str, Any]:
        """Public parameters of the game of ours."""
        told = self.rules._asdict()
        return {**told, "supply": self.supply, "residents": self.rules.residents}


def find_published_games(path: str | Path) -> list[File]:
    """The files of games: the path itself, or every ``*.json`` in a folder or in an archive (``*.zip``).

    Game 10 comes after game 9.

    Raises:
        FileNotFoundError: No such file or folder, or no such file in it.
        ValueError: The archive is none.
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
    """Numbers and what stands between them, in turn, a text first."""
    return re.split(r"([0-9]+)", name)


def read_published_game(file: str | File) -> PublishedGame:
    """Reads a game.

    Raises:
        UnusableError: The file is no such game, or its chats contradict each other.
    """
    file = Path(file) if isinstance(file, str) else file
    chats = _chats(_read_object(file))
    told = [read_rules(chat[0]["content"]) for chat in chats]
    if any(one != told[0] for one in told):
        raise NotImportableError("rules", "the residents were not told the same rules")
    rules, briefs = told[0], tuple(chat[0]["content"] for chat in chats)
    if len(chats) != len(rules.residents):
        raise NotImportableError(
            "rules", f"{len(chats)} chats for {len(rules.residents)} residents; wanted: one for each"
        )
    names = [name for name, _, _ in rules.residents]
    days = _days(names, chats)
    return PublishedGame(file.stem, rules, _supply(rules, file.stem), briefs, tuple(map(_closing_text, chats)), days)


def _supply(rules: Rules, name: str) -> tuple[int, int]:
    return supply_range(name) if rules.supply is None else rules.supply


def supply_range(name: str) -> tuple[int, int]:
    """Least and most units of a day, by the name of a file.

    Raises:
        UnusableError: It does not say them.
    """
    found = RANGE_IN_NAME.search(name)
    if found is None:
        raise NotImportableError(
            "rules", "neither the rules nor the name of the file say how much water a day can bring"
        )
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
        raise NotImportableError("file", f"{short_repr(given)}; wanted: an object with a chat for each resident")
    return given


def _chats(given: Mapping[str, Any]) -> list[Chat]:
    """The chats in the order of their keys."""
    for key, chat in given.items():
        if not isinstance(chat, list) or not chat or not all(_is_message(one) for one in chat):
            wanted = f"a list of messages with role and content of up to {MAX_REPLY:,} characters"
            raise NotImportableError("file", f"{short_repr(key)} is {short_repr(chat)}; wanted: {wanted}")
        if chat[0]["role"] == ANSWER:
            raise NotImportableError("file", f"{short_repr(key)} begins with an answer; wanted: the rules")
    return [given[key] for key in sorted(given)]


def _is_message(given: Any) -> bool:
    if not isinstance(given, dict):
        return False
    role, content = given.get("role"), given.get("content")
    return isinstance(role, str) and isinstance(content, str) and len(content) <= MAX_REPLY


# The days


def _days(names: Sequence[str], chats: Sequence[Chat]) -> tuple[Day, ...]:
    """The days of all chats together.

    Raises:
        UnusableError: A day is missing or stands twice, or two chats say different things of it.
    """
    results: dict[int, DayResult] = {}
    answers: dict[int, dict[str, Answer]] = {}
    for name, chat in zip(names, chats, strict=True):
        for settled in _day_results(chat):
            if results.setdefault(settled.day, settled) != settled:
                raise NotImportableError("inconsistent", f"the residents read different results of day {settled.day}")
        for answer in _answers(chat):
            _check_answer(name, answer, answers.setdefault(answer.question.day, {}))
    if not results or sorted(results) != list(range(1, len(results) + 1)):
        raise NotImportableError(
            "incomplete", f"results of the days {sorted(results)}; wanted: of every day from day 1"
        )
    if not set(answers) <= set(results):
        raise NotImportableError("incomplete", f"day {max(answers)} has answers and no result")
    return tuple(_day(results[day], answers.get(day, {})) for day in sorted(results))


def _check_answer(name: str, answer: Answer, of_day: dict[str, Answer]) -> None:
    """Notes an answer of a resident; each is asked under its own name and once a day."""
    if answer.question.name != name:
        raise NotImportableError(
            "inconsistent", f"the chat of {name} has a question for {short_repr(answer.question.name)}"
        )
    if of_day.setdefault(name, answer) is not answer:
        raise NotImportableError("inconsistent", f"{name} answers twice on day {answer.question.day}")


def _day(settled: DayResult, answers: dict[str, Answer]) -> Day:
    if settled.bids.keys() != answers.keys():
        told = f"bids of {', '.join(settled.bids)} and answers of {', '.join(answers) or 'nobody'}"
        raise NotImportableError("inconsistent", f"day {settled.day} has {told}")
    other = [one.question.supply for one in answers.values() if one.question.supply != settled.supply]
    if other:
        raise NotImportableError(
            "inconsistent", f"day {settled.day} brings {other[0]} units in one text, {settled.supply} in another"
        )
    return Day(settled, answers)


def _day_results(chat: Chat) -> Iterator[DayResult]:
    """The public results that a resident read."""
    for message in chat[1:]:
        if message["role"] != ANSWER and is_day_result(message["content"]):
            yield read_day_result(message["content"])


def _answers(chat: Chat) -> Iterator[Answer]:
    """The answers of a resident; the last text before each that shows its state and no result is the question."""
    heard: list[str] = []
    for message in chat[1:]:
        if message["role"] != ANSWER:
            heard.append(message["content"])
        elif not heard:
            raise NotImportableError("inconsistent", f"an answer without a question: {short_repr(message['content'])}")
        else:
            yield Answer(read_question(_question(heard)), "\n\n".join(heard), message["content"])
            heard = []


def _question(heard: Sequence[str]) -> str:
    return next((text for text in reversed(heard) if STATUS.search(text) and not is_day_result(text)), heard[-1])


def _closing_text(chat: Chat) -> str:
    """What a resident read after its last answer."""
    last = max(place for place, message in enumerate(chat) if place == 0 or message["role"] == ANSWER)
    return "\n\n".join(message["content"] for message in chat[last + 1 :])
