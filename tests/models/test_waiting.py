"""Waits for servers that limit their rate, are overloaded or are gone, and the number of calls that they get."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

pytest.importorskip("openai")

from asking import TALK
from local_server import Answer, LocalServer, error, reply
from test_pacing import FakeTime

from econzoo.baselines import Budget, BudgetSpentError, ModelError, UnavailableError, open_budget, reserve_call
from econzoo.baselines.models import OpenAIChat
from econzoo.baselines.models.pacing import Pace, Waits, reset_after, seconds_until, wait_in
from econzoo.baselines.models.server_errors import ServerError
from refusals import refuses, says

pytestmark = pytest.mark.usefixtures("no_surroundings")

BUSY = error(503, "The model is overloaded. Please try again later.")
NOON = datetime(2026, 1, 1, tzinfo=UTC)


def client(server, **options):
    time = FakeTime()
    return OpenAIChat("m", server.url, clock=time.clock, sleep=time.sleep, **options), time


def answer(chat):
    return chat.answer(TALK, None, 1, None)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 38.2s.", 38.2),
        ("try again in 1m26.4s", 86.4),
        ("Please retry in 34.07s.", 34.07),
        ("Please retry after 7 seconds", 7.0),
        ("Please try again in 6ms. Visit our page", 0.006),
        ("wait 1 hour and 2 minutes", 3720.0),
        ("The model is overloaded. Please try again later.", None),
        ("retry your request 3 more times", None),
        ("Limit 30, Used 30, Requested 1", None),
    ],
)
def test_a_wait_in_words(text, seconds):
    assert wait_in(text) == pytest.approx(seconds)


def test_a_wait_in_the_body():
    for body, seconds in [
        ([{"error": {"details": [{"@type": "RetryInfo", "retryDelay": "34s"}]}}], 34.0),
        ({"error": {"details": [{"retryDelay": {"seconds": 3}}]}}, 3.0),
        ({"retry_after": 12}, 12.0),
        ({"retry_after_ms": 1500}, 1.5),
        ({"retry_after": "soon"}, None),
        ({"retry_after": True}, None),
    ]:
        assert ServerError(429, body).wait == seconds, body


def test_a_wait_in_headers_of_limits():
    for headers, seconds in [
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-limit-requests": "9",
                "x-ratelimit-reset-requests": "6m0s",
            },
            360,
        ),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"anthropic-ratelimit-input-tokens-reset": "2026-01-01T00:00:30Z"}, 30),
        ({"x-ratelimit-reset": str(int(NOON.timestamp() * 1000) + 5000)}, 5),
        ({"x-ratelimit-reset": "soon"}, None),
        ({}, None),
    ]:
        assert reset_after(headers, lambda: NOON) == pytest.approx(seconds), headers
    assert seconds_until("nan", lambda: NOON) is None


def test_a_busy_server_is_waited_for_without_end_and_that_is_told_once_a_minute(capsys):
    with LocalServer(*[BUSY] * 30, reply("at last")) as server:
        chat, time = client(server, max_retries=0)
        assert answer(chat).text == "at last"
    lines = capsys.readouterr().err.splitlines()
    assert time.now > 300
    assert time.now // 90 <= len(lines) <= time.now // 60, "after each minute, at the next attempt"
    says(lines[0], "waiting for", "s so far", "HTTP 503: The model is overloaded")


def test_the_patience_of_a_run_ends_the_wait():
    with LocalServer(BUSY) as server, open_budget(Budget(patience=600)):
        chat, time = client(server, max_retries=0)
        with refuses(BudgetSpentError, "patience of 10 min", "overloaded", "--patience"):
            answer(chat)
    assert time.now == pytest.approx(600)


def test_a_wait_that_is_longer_than_the_patience_is_not_begun():
    with LocalServer(error(429, "slow down", Retry_After="7200")) as server, open_budget(Budget(patience=600)):
        chat, time = client(server)
        with refuses(BudgetSpentError, "asks for 2.0 h more"):
            answer(chat)
    assert time.now == 0


def test_a_reply_to_another_call_ends_a_wait_without_replies():
    time = FakeTime()
    waits = Waits(lambda text: None, time.clock, time.sleep)
    with open_budget(Budget(patience=50)):
        for _ in range(4):
            waits.wait(40, "busy", True)
            waits.end()
        waits.wait(40, "busy", True)
        with pytest.raises(BudgetSpentError):
            waits.wait(40, "busy", True)


def test_a_waiting_call_holds_no_budget_of_others():
    """The first call runs alone, unless it waits."""
    entered = threading.Event()

    def sleep(seconds):
        def other():
            with reserve_call():
                entered.set()

        threading.Thread(target=other, daemon=True).start()
        assert entered.wait(5)

    with (
        LocalServer(error(429, "slow down", Retry_After="9"), reply("ok")) as server,
        open_budget(Budget(max_cost=1)) as own,
    ):
        chat = OpenAIChat("m", server.url, sleep=sleep)
        with reserve_call():
            assert answer(chat).text == "ok"
            assert own._calls_in_flight == 1
        assert own._calls_in_flight == 0


def test_a_server_that_goes_away_is_waited_for_and_one_that_never_was_is_not():
    gone = Answer(502, b"<html>Bad gateway</html>")
    with LocalServer(reply("first"), *[gone] * 9, reply("again")) as server:
        chat, _ = client(server, max_retries=0)
        assert [answer(chat).text, answer(chat).text] == ["first", "again"]
    with LocalServer(gone) as server:
        chat, _ = client(server)
        with refuses(ModelError, "gave up after 6 attempts", "HTTP 502"):
            answer(chat)
    chat, time = client(server)
    with refuses(UnavailableError, "no server answers", "refused"):
        answer(chat)
    assert time.now < 10


def test_a_key_that_is_refused_once_it_has_worked_ends_the_match_only():
    with LocalServer(reply("first"), error(401, "no")) as server:
        chat, _ = client(server)
        answer(chat)
        with pytest.raises(RuntimeError) as caught:
            answer(chat)
    assert not isinstance(caught.value, UnavailableError)


ROOM = {"x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "90"}
FULL = {**ROOM, "x-ratelimit-limit-tokens": "1000", "x-ratelimit-remaining-tokens": "499"}


def test_the_number_of_calls_doubles_with_each_round_while_limits_leave_room():
    pace = Pace(4)
    for expected in (8, 16, 32, 64, 128, 256, 256):
        for _ in range(pace.calls):
            pace.count_reply(ROOM)
        assert pace.calls == expected


def test_without_limits_or_room_the_number_stays():
    pace = Pace(4)
    for headers in ({}, FULL, {"x-ratelimit-limit-requests": "100"}):
        for _ in range(100):
            pace.count_reply(headers)
    assert pace.calls == 4


def test_a_refusal_halves_the_number_once_for_the_calls_under_way_and_then_it_rises_slowly():
    pace = Pace(16)
    sent = pace.round
    for _ in range(16):
        pace.count_refusal(sent)
    assert pace.calls == 8
    for _ in range(9):
        pace.count_reply(ROOM)
    assert pace.calls == 9
    for _ in range(9):
        pace.count_refusal(pace.round)
    assert pace.calls == 1
    for _ in range(1000):
        pace.count_reply({})
    assert pace.calls == 16


def test_a_model_gets_more_calls_by_the_headers_of_its_server():
    with LocalServer(Answer(body=reply("x").body, headers=ROOM)) as server:
        chat, _ = client(server, concurrency=2)
        for _ in range(6):
            answer(chat)
        assert chat.concurrency == 8
    with LocalServer(error(429, "slow down"), reply("x")) as server:
        chat, _ = client(server, concurrency=8)
        answer(chat)
        assert chat.concurrency == 4
