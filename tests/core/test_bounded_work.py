"""However long a reply is and whatever stands in it, there is only so much to do to read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.long_replies import SHAPES, longest
from econzoo.envs.core.contract import Invalid, Legal
from econzoo.envs.core.faces import MAX_REPLY, MAX_TAG_SIGNS, Reply, parse, parse_reply
from econzoo.envs.families.open_source import source
from econzoo.envs.games.bargaining import ACTIONS
from econzoo.envs.games.program_matrix import ACTIONS as PROGRAMS

LEGAL = {ACTIONS: Legal((True, True, True), ((0.0, 100.0),), True), PROGRAMS: Legal((True,), (), False)}


class Work:
    """Counts what is done to read replies."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.start()
        self._pattern, self._decoder, self._parsed = parse._MARKS, parse._DECODER, source.parse_source
        monkeypatch.setattr(parse, "_MARKS", self)
        monkeypatch.setattr(parse, "_DECODER", self)
        monkeypatch.setattr(source, "parse_source", self._parse)

    def start(self) -> None:
        """Counts from nothing."""
        self.marks = self.decoded = 0
        self.parsed: list[int] = []
        source.outline_of.cache_clear()

    def finditer(self, text: str, start: int) -> Iterator[re.Match[str]]:
        """Brackets and texts that are looked at."""
        for mark in self._pattern.finditer(text, start):
            self.marks += 1
            yield mark

    def raw_decode(self, text: str, start: int) -> Any:
        """JSON that is decoded."""
        self.decoded += 1
        return self._decoder.raw_decode(text, start)

    def _parse(self, text: str) -> Any:
        self.parsed.append(len(text))
        return self._parsed(text)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return Work(monkeypatch)


@pytest.mark.slow
def test_the_work_is_bounded(work: Work) -> None:
    for name in SHAPES:
        reply = longest(name)
        assert MAX_REPLY // 20 < len(reply) <= MAX_REPLY, name
        for schema, legal in LEGAL.items():
            work.start()
            answers = [parse_reply(reply, schema, legal) for _ in range(2)]
            assert answers == answers[:1] * 2, name
            assert not isinstance(answers[0], Invalid) or len(answers[0].text) < 300, name
            assert work.marks <= 2 * parse.MAX_MARKS, f"once a reply: {name}"
            assert work.decoded <= 2, f"once a reply: {name}"
            assert len(work.parsed) <= 1, f"once for all replies that are the same: {name}"
            assert sum(work.parsed) <= source.MAX_SOURCE_LENGTH, name


def test_nothing_is_looked_at_in_a_reply_that_is_too_long(work: Work) -> None:
    for name, shape in SHAPES.items():
        reply = shape(MAX_REPLY) + "\n" * MAX_REPLY
        for schema, legal in LEGAL.items():
            answer = parse_reply(reply, schema, legal)
            assert (answer.code, work.marks, work.decoded, work.parsed) == ("too_long", 0, 0, []), name


def test_a_reply_is_too_long_by_its_characters_or_by_its_signs() -> None:
    for text, told in [
        ("a" * MAX_REPLY, False),
        ("a" * (MAX_REPLY + 1), True),
        ("<" * MAX_TAG_SIGNS, False),
        ("<" * (MAX_TAG_SIGNS + 1), True),
    ]:
        assert Reply(text).is_too_long is told, (text[:1], len(text))


def test_a_program_is_parsed_once_by_whoever_asks(work: Work) -> None:
    reply = "```python\ndef strategy_function(a, b, c, d):\n    return 'C'\n```"
    program = parse_reply(reply, PROGRAMS, LEGAL[PROGRAMS])
    assert parse_reply(program.program, PROGRAMS, LEGAL[PROGRAMS]) == program
    assert source.problem_of(program.program, ("a", "b", "c", "d"), source.MAX_SOURCE_LENGTH) is None
    assert source.problem_of(program.program, ("a", "b", "c"), source.MAX_SOURCE_LENGTH) is not None
    assert work.parsed == [len(program.program)]
