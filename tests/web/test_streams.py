"""The stream of a seat says when there is something new, and nothing of what it is."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from econzoo.envs.core.record import RecordFile
from econzoo.people.server.rendering import watch_states
from econzoo.people.table import SeatView, Store, Tables
from econzoo.people.table.forms import MoveForms


class Connection:
    """A browser that goes away after so many looks."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    async def is_disconnected(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_a_stream_has_numbers_and_changes_with_the_table(tmp_path):
    tables = Tables(Store(tmp_path / "table.sqlite"), RecordFile(tmp_path / "matches.jsonl"))
    _, (alice, bob) = tables.create_match("bargaining", ["human", "human"], 1, {"horizon": 1})
    live = tables.open_match(alice.match)

    async def told() -> list[str]:
        found = []
        async for line in watch_states(Connection(2), lambda: SeatView(live, bob).state):
            found.append(line)
            if len(found) == 1:
                asked = live.people[0].open_question
                form = {"kind": "offer", "move.gain": "7000", "move.message": "secret"}
                reply = MoveForms(live.people[0].wording, asked.legal).read(form)
                assert live.answer(alice, 0, reply)
                live.advance()
        return found

    assert asyncio.run(told()) == ["data: 0.1..0\n\n", "data: asked.0\n\n"]
    tables.close()
