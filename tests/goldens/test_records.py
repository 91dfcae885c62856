"""Records of version 0 of all games, faces and endings: they replay for good, with the same payoffs to the last bit.

They were recorded in November 2026 by scripted players and by typists, who answer at random and now and then with
something that is no move. ``personas.jsonl`` has two of which a player was told whom to be, ``glee.jsonl`` and
``alympics.jsonl`` were imported from small games in the forms in which those were published. Nobody writes them anew.
"""

from __future__ import annotations

from collections import Counter

import pytest

from econzoo.envs import GAMES
from econzoo.envs.core.record.record import read_records
from econzoo.evaluate.run.replay import replay
from econzoo.evaluate.run.table import EnvPool
from goldens.commands import RECORDS

FILES = sorted(path.stem for path in RECORDS.glob("*.jsonl"))


@pytest.mark.parametrize("name", FILES)
def test_records_replay(name: str) -> None:
    pool = EnvPool()
    for record in read_records(RECORDS / f"{name}.jsonl"):
        assert replay(record, pool) == [], record.id


@pytest.mark.parametrize("name", FILES)
def test_records_keep_their_ids(name: str) -> None:
    for record in read_records(RECORDS / f"{name}.jsonl"):
        assert record.source is not None or record.id == record.match_id()


def test_records_are_of_every_game() -> None:
    assert set(GAMES) == {record.game for name in FILES for record in read_records(RECORDS / f"{name}.jsonl")}


def test_records_are_of_every_face_and_ending() -> None:
    records = [record for name in FILES for record in read_records(RECORDS / f"{name}.jsonl")]
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
