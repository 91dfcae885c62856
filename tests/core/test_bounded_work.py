"""However long a reply is and whatever stands in it, there is only so much to do to read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.long_replies import SHAPES, longest
from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces import objects, parse
from econzoo.envs.core.faces.parse import MAX_REPLY, parse_reply
from econzoo.envs.families.open_source import source
from econzoo.envs.games.bargaining import ACTIONS
from econzoo.envs.games.program_matrix import ACTIONS as PROGRAMS

LEGAL = {ACTIONS: Legal((True, True, True), ((0.0, 100.0),), True), PROGRAMS: Legal((True,), (), False)}


class Work:
    """Counts what is done to read replies."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.marks = self.decoded = 0
        self.parsed: list[int] = []
        self._pattern, self._decoder, self._parsed = objects._MARKS, parse._DECODER, source.parsed
        monkeypatch.setattr(objects, "_MARKS", self)
        monkeypatch.setattr(parse, "_DECODER", self)
        monkeypatch.setattr(source, "parsed", self._parse)
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


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("schema", LEGAL, ids=["bargaining", "program_matrix"])
def test_the_work_is_bounded(schema: ActionSchema, name: str, work: Work) -> None:
    reply = longest(name)
    assert MAX_REPLY // 20 < len(reply) <= MAX_REPLY
    answers = [parse_reply(reply, schema, LEGAL[schema]) for _ in range(3)]
    assert answers == answers[:1] * 3
    assert not isinstance(answers[0], Invalid) or len(answers[0].text) < 300
    assert work.marks <= 3 * objects.MAX_MARKS, "once a reply"
    assert work.decoded <= 3, "once a reply"
    assert len(work.parsed) <= 1, "once for all replies that are the same"
    assert sum(work.parsed) <= source.LONGEST


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_is_looked_at_in_a_reply_that_is_too_long(name: str, work: Work) -> None:
    reply = SHAPES[name](MAX_REPLY) + "\n" * MAX_REPLY
    for schema, legal in LEGAL.items():
        answer = parse_reply(reply, schema, legal)
        assert (answer.code, work.marks, work.decoded, work.parsed) == ("too_long", 0, 0, [])


def test_a_program_is_parsed_once_by_whoever_asks(work: Work) -> None:
    reply = "```python\ndef strategy_function(a, b, c, d):\n    return 'C'\n```"
    program = parse_reply(reply, PROGRAMS, LEGAL[PROGRAMS])
    assert parse_reply(program.program, PROGRAMS, LEGAL[PROGRAMS]) == program
    assert source.problem_of(program.program, ("a", "b", "c", "d"), source.LONGEST) is None
    assert source.problem_of(program.program, ("a", "b", "c"), source.LONGEST) is not None
    assert work.parsed == [len(program.program)]
