"""Small parts of the servers of people: clocks, limits by address, and what is remembered of streams and links."""

from __future__ import annotations

from threading import Event
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette", reason="the web table needs the extra web")

from econzoo.people.participation import arrivals
from econzoo.people.participation.arrivals import entry_limit
from econzoo.people.server import Listener
from econzoo.people.server.sessions import Sessions
from econzoo.people.study.attrition import fisher_p
from econzoo.people.table.clocks import run_clock
from econzoo.people.table.listing import RUNNING, Entry, Filter, SentMessage


def test_a_clock_goes_on_after_an_error_and_tells_it_once(capsys: pytest.CaptureFixture[str]) -> None:
    closed, calls = Event(), []

    def tick() -> None:
        calls.append(1)
        if len(calls) == 4:
            closed.set()
        raise OSError("No space left on device")

    run_clock(tick, 0.0, closed)
    assert len(calls) == 4
    assert capsys.readouterr().err == "clock: OSError: No space left on device\n"


def test_addresses_of_one_network_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MAX_ENTRIES", 2)
    limit = entry_limit()
    assert [limit.admits(f"2001:db8:1:2::{host}") for host in (1, 2, 3)] == [True, True, False]
    assert [limit.admits(one) for one in ("2001:db8:1:3::1", "192.0.2.1", "192.0.2.2")] == [True] * 3


def test_pages_without_a_stream_are_forgotten() -> None:
    app = SimpleNamespace(state=SimpleNamespace(streams={}))

    def listen(path: str) -> Listener:
        return Listener(SimpleNamespace(app=app, url=SimpleNamespace(path=path)), 2)

    stays = listen("/a")
    for number in range(5):
        listen(f"/{number}")
    listen("/b")
    assert {*app.state.streams} == {"/a", "/b"}
    assert stays is not None


def test_links_that_nobody_used_are_forgotten(tmp_path) -> None:
    now = [0.0]
    sessions = Sessions("token", None, lambda: now[0])
    sessions.new_link()
    now[0] = 1e6
    last = sessions.new_link()
    assert [*sessions._links] == [last]
    assert sessions.redeem_link(last)


def test_the_exact_test_of_large_arms() -> None:
    """A normal approximation without correction is near: z = 1.155, p = 0.248; the exact p is larger."""
    assert fisher_p(300, 600, 280, 600) == pytest.approx(0.273, abs=0.003)
    assert fisher_p(3, 4, 1, 4) == pytest.approx(34 / 70), "of Fisher's tea"


def test_a_hit_stands_where_it_is_in_a_text_whose_letters_fold_to_several() -> None:
    entry = Entry("x", "", "bargaining", [], RUNNING, 0, [SentMessage(1, "Ann", "Straße: FUSS und Gruß, Geld!")])
    for text, words in (("geld", "Geld"), ("fuss", "FUSS"), ("GRUSS", "Gruß"), ("straSSe", "Straße")):
        hit = Filter(text=text).find_hit(entry)
        assert hit is not None
        assert hit.match_text == words
        assert hit.leading_text + hit.match_text + hit.trailing_text == entry.messages[0].text
