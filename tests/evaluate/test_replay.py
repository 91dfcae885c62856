"""Replays: an honest record passes, every change that matters is found."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from econzoo.baselines import Player, PlayerLeft
from econzoo.envs.core.contract import short_repr
from econzoo.envs.core.record import OPTIONAL_FIELDS, OPTIONAL_TURN_FIELDS
from econzoo.envs.games.bargaining import Offer
from econzoo.evaluate.run import EnvPool, play_match, replay, replay_file
from econzoo.evaluate.run.replay import UNCHECKED_FIELDS
from refusals import says
from toy_games import TOYS, register_temporarily

BAD = 'mock(\'no move\', \'{"kind": "offer", "gain": 6000, "message": "hi \u05e9"}\', \'{"kind": "accept"}\')'


class Canned(Player):
    """Gives its replies in order, whatever they are, then leaves."""

    def __init__(self, *replies, face="structured"):
        super().__init__("canned")
        self.face = face
        self.replies = list(replies)

    def act(self, observation, info):
        if not self.replies:
            raise PlayerLeft
        return self.replies.pop(0)


@pytest.fixture(scope="module")
def record():
    """A short match with an unusable answer and words."""
    return play_match("bargaining", [BAD, "fair"], seed=3, horizon=3, delta=(0.9, 0.8))


def test_what_is_recorded_replays(small_records):
    pool = EnvPool()
    assert [replay(record, pool) for record in small_records] == [[]] * len(small_records)


@pytest.mark.parametrize("face", ["structured", "text", "chat", "numeric"])
def test_any_reply_replays(face):
    for reply in [
        math.nan,
        {"kind": "offer", "gain": math.nan},
        {"kind": "offer", "gain": -math.inf},
        np.float32(0.5),
        np.int64(70),
        np.array([1.0, 2.0]),
        {"kind": "offer", "gain": np.float64(6000.5), "message": "a"},
        {1: 2},
        Offer(6000.0, "typed"),
        None,
        b"bytes",
        object(),
        10**400,
        10**5000,
        {"kind": "offer", "gain": 10**5000},
        {"kind": "offer", "gain": [-(10**5000)]},
        {10**5000: 1},
        "\ud800 lone",
        '{"kind": "offer", "gain": 4000.25, "message": "\u202e\U0001f600"}',
        "x" * 200_000,
        {"$float": "nan"},
        {"$other": ["int", "5"]},
        {"$float": "junk", "kind": "offer"},
    ]:
        players = [Canned(reply, face=face), "fair"]
        record = play_match("bargaining", players, horizon=2, on_error="default", max_retries=0)
        line = json.loads(record.to_json())
        assert replay(line) == [], short_repr(reply)[:40]
        assert record.turns[0].default == (record.errors[0] > 0), short_repr(reply)[:40]


def test_options_replay():
    for options in [{"metrics": "glee-code"}, {"max_cycles": 1}, {"on_error": "forfeit", "max_retries": 1}]:
        assert replay(play_match("bargaining", [BAD, "greedy"], horizon=None, max_rounds=4, **options)) == [], options


def test_a_match_that_was_left_replays():
    record = play_match("bargaining", [Canned({"kind": "offer", "gain": 9000}), "fair"], horizon=9)
    assert (record.status, record.forfeit) == ("abandoned", 0)
    assert replay(record) == []


def test_own_prompts_are_in_the_record_and_replay(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('[turn]\npropose = "Your turn, {name}."\n')
    record = play_match("bargaining", [BAD, "fair"], prompts=str(file))
    file.unlink()
    told = record.options["prompts"]
    assert told["turn.propose"] == "Your turn, {name}."
    assert told.keys() == {"turn.propose", "name", "hash"}
    assert record.turns[0].prompt.startswith("Your turn, Alice.")
    assert replay(record) == []


def test_games_with_chance_and_simultaneous_moves_replay():
    for name in list(TOYS):
        with register_temporarily(TOYS[name]):
            seats = TOYS[name].seats(TOYS[name].params()[1])
            record = play_match(name, ["random"] * seats, seed=5)
            assert replay(record) == [], name
            if record.chance:
                record.chance[0] = 1.0 - record.chance[0]
                assert any(problem.field == "chance" for problem in replay(record)), name


def changed(value):
    """A value of the same kind, but another."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    return "x" if value is None else [*value, 1] if isinstance(value, list) else {**value, "x": 1}


def places(value, path=()):
    """The path of every value inside a value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def test_every_changed_field_is_found(record):
    whole = asdict(record)
    for path in places(whole):
        if not path or path[-1] in (*UNCHECKED_FIELDS, "reply") or {"tokens", "software"} & {*path}:
            continue
        copied = copy.deepcopy(whole)
        inner = copied
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = changed(inner[path[-1]])
        assert replay(copied), path


def test_every_missing_or_added_field_is_found(record):
    whole = asdict(record)
    for holder in (lambda given: given, lambda given: given["turns"][1]):
        for key in [*holder(whole), "colour"]:
            copied = copy.deepcopy(whole)
            if key in (*OPTIONAL_FIELDS, *OPTIONAL_TURN_FIELDS):
                continue
            if key in holder(copied):
                del holder(copied)[key]
            else:
                holder(copied)[key] = 1
            assert any(problem.field == key for problem in replay(copied)), key


def test_a_changed_reply_is_found_where_it_means_something_else(record):
    for turn, reply in [
        (0, ""),
        (0, '{"kind": "reject"}'),
        (1, '{"kind": "offer", "gain": 6000, "message": "hi"}'),
        (1, '{"kind": "offer", "gain": 6000.5, "message": "hi \u05e9"}'),
        (1, "no move"),
        (2, {"kind": "accept"}),
        (2, None),
    ]:
        given = asdict(record)
        given["turns"][turn]["reply"] = reply
        assert any(problem.turn == turn + 1 for problem in replay(given)), (turn, reply)


def test_turns_cannot_be_dropped_added_or_swapped(record):
    whole = asdict(record)
    turns = whole["turns"]
    for other in (turns[:-1], turns[1:], [*turns, turns[-1]], [turns[1], turns[0], *turns[2:]], []):
        assert replay({**whole, "turns": other})


@pytest.mark.long
def test_every_changed_byte_is_found_or_does_not_matter(record, tmp_path):
    line = record.to_json().encode()
    prose = line.index(b'"no move"')  # free text that is no move, whatever it says
    skipped = dont_care(line) | set(range(prose, prose + len("'no move'")))
    changes = [line[:i] + bytes([other(line[i])]) + line[i + 1 :] for i in range(len(line))]
    file = tmp_path / "records.jsonl"
    file.write_bytes(b"\n".join(changes) + b"\n")
    found = dict(replay_file(file))
    assert len(found) == len(line)
    missed = [i for i in range(len(line)) if not found[i + 1] and i not in skipped and not same(line, changes[i])]
    assert [line[max(0, i - 20) : i + 20] for i in missed] == []
    assert sum(bool(problems) for problems in found.values()) > 0.9 * len(line)


def other(byte):
    """Another byte of the same kind, where that is likely to be missed: a digit for a digit."""
    if chr(byte).isdigit():
        return ord("0") + (byte - ord("0") + 1) % 10
    return byte + 1 if chr(byte).isalpha() else ord("#")


def same(line, change):
    """Whether a change leaves the meaning of the line as it was."""
    try:
        return json.loads(change) == json.loads(line)
    except ValueError:
        return False


def dont_care(line):
    """Positions inside the values of fields that are not checked."""
    text, inside = line.decode(), set()
    for name in UNCHECKED_FIELDS:
        at = text.find(f'"{name}":')
        while at >= 0:
            start = at + len(name) + 3
            end = start + 1
            while (
                text[end] not in ",}"
                or (name == "tokens" and "]" not in text[start:end])
                or (text[start:end].count("{") > text[start:end].count("}"))
            ):
                end += 1
            inside.update(range(start, end))
            at = text.find(f'"{name}":', end)
    return inside


def test_what_is_said_names_turn_field_and_both_values(record):
    given = asdict(record)
    given["payoffs"][0] = 1.0
    given["turns"][1]["action"]["gain"] = 5999.0
    told = [str(problem) for problem in replay(given)]
    says(told[0], "turn 2", "action", 6000.0, 5999.0)
    says(told[1], "payoffs", record.payoffs[0], 1.0)


def test_lines_that_cannot_be_read_are_told_and_the_rest_is_checked(record, tmp_path):
    file = tmp_path / "records.jsonl"
    good = record.to_json()
    wrong = json.dumps({**json.loads(good), "payoffs": [1.0, 2.0]})
    file.write_bytes(b"\n".join([good.encode(), b"\xff\xfe", b"", b"[1]", b"{}", good[:90].encode(), wrong.encode()]))
    found = dict(replay_file(file))
    assert [number for number, problems in found.items() if not problems] == [1]
    assert sorted(found) == [1, 2, 4, 5, 6, 7]
    assert found[7][0].field == "payoffs"


def test_nothing_in_a_record_raises(record):
    for change in [
        {"game": "chess"},
        {"game": 5},
        {"versions": {"rules": 9}},
        {"params": {"size": 3}},
        {"params": []},
        {"options": {"colour": 1}},
        {"options": {"money": 5}},
        {"players": "fair"},
        {"players": [1, 2]},
        {"faces": ["structured"]},
        {"faces": ["smell", "touch"]},
        {"seed": "3"},
        {"seed": -3},
        {"turns": 7},
        {"turns": [7]},
        {"format": 3},
        {"metrics": None},
    ]:
        assert replay({**asdict(record), **change}), change
