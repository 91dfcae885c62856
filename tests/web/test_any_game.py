"""Games that nobody here has written: what they declare is enough for a table in the browser."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from starlette.testclient import TestClient
from visitor import Visitor

from econzoo.envs.core import registry
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.table_server import build_folder_app
from refusals import says
from toy_games import TOYS, register_temporarily

STEPS = (0.0, 1.0, 0.5)
MOST_MOVES = 60


@pytest.mark.parametrize("name", TOYS)
def test_a_game_from_outside_is_offered_and_can_be_played(tmp_path, name):
    """Counts in a group, prices and quantities, choices, seats, words for one ear: one template for all."""
    with register_temporarily(TOYS[name]):
        visitor = Visitor(TestClient(build_folder_app(tmp_path)))
        assert f'href="/?game={name}"' in visitor.open("/").raw
        visitor.start(name, **{f"player_{seat}": "random" for seat in range(TOYS[name].facts.seats)})
        assert visitor.status == 200
        for step in range(MOST_MOVES):
            if visitor.over:
                break
            for part in (STEPS[step % 3], *STEPS):  # each number fits, but maybe not all together
                visitor.move(step // 3, part, words=f"word {step}")
                if visitor.status == 200:
                    break
            assert visitor.status == 200, visitor.text.partition('id="problems">')[2][:300]
        assert replay(Record.from_json(visitor.record().text)) == []


def test_a_game_that_cannot_be_loaded_is_left_out_and_said_why(visit, monkeypatch):
    monkeypatch.setitem(registry._GAMES, "broken", registry.GameEntry("nowhere.to.be.found:GAME", 0, ""))
    visitor = visit()
    with pytest.warns(UserWarning, match="broken"):
        visitor.open("/")
    assert (visitor.status, "broken" in visitor.text, "bargaining" in visitor.text) == (200, False, True)
    visitor.open("/?game=broken")
    assert visitor.status == 409
    says(visitor.text, "broken", "nowhere.to.be.found:GAME")
