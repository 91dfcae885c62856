"""Records of version 0 of all games, faces and endings: they replay for good, with the same payoffs to the last bit.

They were recorded in November 2026 by scripted players and by typists, who answer at random and now and then with
something that is no move. ``personas.jsonl`` has two of which a player was told whom to be, ``glee.jsonl`` and
``alympics.jsonl`` were imported from small games in the forms in which those were published. Nobody writes them anew.
"""

from __future__ import annotations

from collections import Counter

import pytest

from econzoo.envs import GAMES
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run import EnvPool, replay
from goldens.commands import RECORDS


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return [record for path in sorted(RECORDS.glob("*.jsonl")) for record in read_record_file(path)]


def test_records_replay_and_keep_their_ids(records: list[Record]) -> None:
    pool = EnvPool()
    for record in records:
        assert replay(record, pool) == [], (record.game, record.id)
        assert record.source is not None or record.id == record.match_id(), record.game


def test_records_are_of_every_game(records: list[Record]) -> None:
    assert set(GAMES) == {record.game for record in records}


def test_records_are_of_every_face_and_ending(records: list[Record]) -> None:
    assert {face for record in records for face in record.faces} == {"numeric", "structured", "text", "chat"}
    assert {record.status for record in records} == {"finished", "truncated", "forfeited", "abandoned", "paused"}
    held = Counter(
        what
        for record in records
        for what, found in {
            "errors": any(record.errors),
            "defaults": any(record.defaults),
            "rulings": record.rulings,
            "personas": record.personas,
            "chance": record.chance,
            "imported": record.source,
        }.items()
        if found
    )
    assert set(held) == {"errors", "defaults", "rulings", "personas", "chance", "imported"}
