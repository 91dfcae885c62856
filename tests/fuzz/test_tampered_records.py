"""Records that somebody changed: replay names the line and says what is wrong with it, or that it is as recorded.

It may say so only where the change is one that nothing follows from.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import econzoo
from econzoo.envs import LISTED_FIRST
from econzoo.evaluate.commands.replay import replay_files
from econzoo.evaluate.run.replay import UNCHECKED_FIELDS

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 0.5, -0.0, 1e308, float("nan"), float("inf"), 10**30, 10**400, 2**63),
    *(
        "",
        " ",
        "x",
        "\0",
        "\ud800",
        "\u202e",
        "\x1b[2J",
        "../../x",
        "/etc/passwd",
        "nan",
        "x" * 10_000,
        "{0.__class__}",
    ),
    *([], {}, [[]], [None], {"": None}, {"$float": "nan"}, {"$other": ["int", "5"]}, {"__class__": 1}, [0] * 1_000),
    json.loads("[" * 150 + "]" * 150),
)
"""What a value is replaced by."""


def _value(changed: Callable[[Random, Any], Any]) -> Callable[[Random, str], bytes]:
    """A change of one value anywhere in the record."""

    def change(rng: Random, line: str) -> bytes:
        record = json.loads(line)
        *path, last = rng.choice(list(paths(record)))
        inside = record
        for key in path:
            inside = inside[key]
        inside[last] = changed(rng, inside[last])
        return json.dumps(record).encode()

    return change


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the values of a record are, that of the record itself left out."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from paths(item, (*path, key))


def _near(rng: Random, value: Any) -> Any:
    """A value like it: the next number, a text with a character more, a list in another order."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return rng.choice((value + 1, -value, value * (1 + 1e-9), str(value)))
    if isinstance(value, str):
        place = rng.randrange(len(value) + 1)
        return value[:place] + rng.choice('x \n\u200b"\\') + value[place:]
    if isinstance(value, list):
        return rng.choice((value[::-1], value[:-1], value * 2, {}))
    return rng.choice((dict(list(value.items())[:-1]), {**value, "more": 1}, list(value)))


def _dropped(rng: Random, line: str) -> bytes:
    record = json.loads(line)
    *path, last = rng.choice(list(paths(record)))
    inside = record
    for key in path:
        inside = inside[key]
    del inside[last]
    return json.dumps(record).encode()


def _twice(rng: Random, line: str) -> bytes:
    """A key of the record that stands twice."""
    key = rng.choice(list(json.loads(line)))
    return (line[:-1] + f",{json.dumps(key)}:{json.dumps(rng.choice(ODD))}}}").encode()


def _seats(rng: Random, line: str) -> bytes:
    record = json.loads(line)
    key = rng.choice(("players", "payoffs", "faces", "turns", "errors"))
    record[key] = record[key][::-1]
    return json.dumps(record).encode()


def _cut(rng: Random, line: str) -> bytes:
    return line[: rng.randrange(1, len(line))].encode()


def _byte(rng: Random, line: str) -> bytes:
    given = bytearray(line.encode())
    given[rng.randrange(len(given))] = rng.choice([sign for sign in range(256) if sign not in b"\r\n"])
    return bytes(given)


def _around(rng: Random, line: str) -> bytes:
    text = line.encode()
    return rng.choice((b"\xef\xbb\xbf" + text, text + b"\0", b"\0" + text, text + text, text + b"]", b"[" + text))


def _nothing_like_it(rng: Random, line: str) -> bytes:
    return rng.choice((b"[" * 100_000, b'{"a":' * 100_000, b"null", b"[]", b"{}", b'"x"', b"9" * 5_000, b"\xff\xfe"))


CHANGES: tuple[tuple[Callable[[Random, str], bytes], int], ...] = (
    (_value(lambda rng, _: copy.deepcopy(rng.choice(ODD))), 8),
    (_value(_near), 8),
    (_dropped, 4),
    (_twice, 1),
    (_seats, 2),
    (_cut, 1),
    (_byte, 2),
    (_around, 1),
    (_nothing_like_it, 1),
)


def tampered(lines: Sequence[str], seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """So many of the lines, each as it was and changed in one place."""
    rng = Random(seed)
    functions, weights = zip(*CHANGES, strict=True)
    for line in rng.choices(lines, k=count):
        (change,) = rng.choices(functions, weights)
        yield line, change(rng, line)


def new_records() -> list[str]:
    """A match of every game as it is played now, in which the last player answers with words only."""
    lines = []
    for name in LISTED_FIRST:
        game = econzoo.game(name)
        players = ["random"] * (game.seats(game.params()[1]) - 1) + ["mock('I do not know.')"]
        lines.append(econzoo.play(name, players, on_error="default", max_retries=0, max_cycles=40).to_json())
    return lines


def check(lines: Sequence[str], seed: int, count: int, folder: Path) -> list[tuple[str, bytes]]:
    """Replays changed lines as one file; gives those that are as recorded."""
    file = folder / "records.jsonl"
    given = list(tampered(lines, seed, count))
    file.write_bytes(b"\n".join(changed for _, changed in given) + b"\n")
    found = replay_files([file])
    assert found.matches == count
    for _, _, problem in found.problems:
        assert str(problem).isprintable()
        assert len(str(problem)) < 1_000
        assert not re.match(r'match: .* found "\w+Error: ', str(problem)), "told in words"
    told = {line for _, line, _ in found.problems}
    return [change for number, change in enumerate(given, start=1) if number not in told]


FREE = {*UNCHECKED_FIELDS, "reply", "rulings"}
"""Not checked; checked as far as it is read; found by a referee, who is believed."""


def followed(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what is free."""
    turns = [{key: turn[key] for key in turn if key not in FREE} for turn in record["turns"]]
    return {**{key: record[key] for key in record if key not in FREE}, "turns": turns}


def check_new(seed: int, count: int, folder: Path) -> None:
    unseen = check(new_records(), seed, count, folder)
    assert len(unseen) < count // 2
    for line, changed in unseen:
        assert followed(json.loads(line)) == followed(json.loads(changed))


def test_replay_sees_every_change_from_which_something_follows(tmp_path: Path) -> None:
    check_new(seed=0, count=200, folder=tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 11))
def test_the_same_of_very_many_changes(seed: int, tmp_path: Path) -> None:
    check_new(seed, 1_000, tmp_path)
