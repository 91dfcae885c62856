"""Rate limit, back-off and Retry-After."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.baselines.models import backoff, retry_after
from econzoo.baselines.models.pacing import TokenBucket


class FakeTime:
    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@given(per_minute=st.floats(1, 600), burst=st.integers(1, 5), pauses=st.lists(st.floats(0, 5), min_size=1, max_size=40))
def test_no_stretch_of_time_has_more_requests_than_allowed(per_minute, burst, pauses):
    time, sent = FakeTime(), []
    bucket = TokenBucket(per_minute, burst, time.clock, time.sleep)
    for pause in pauses:
        time.now += pause
        bucket.wait()
        sent.append(time.now)
    for i, begin in enumerate(sent):
        for j, end in enumerate(sent[i:]):
            assert j + 1 <= burst + (end - begin) * per_minute / 60 + 1e-6


def test_a_burst_goes_out_at_once_and_the_rest_in_step():
    time = FakeTime()
    bucket = TokenBucket(60, 3, time.clock, time.sleep)
    sent = []
    for _ in range(6):
        bucket.wait()
        sent.append(time.now)
    assert sent == [0, 0, 0, 1, 2, 3]


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_wrong_rate_is_named(rate):
    with pytest.raises(ValueError, match="requests_per_minute"):
        TokenBucket(rate)


@given(st.integers(0, 10_000), st.floats(0, 1, exclude_max=True), st.none() | st.floats(0, 100))
def test_waits_grow_have_a_ceiling_and_respect_the_server(attempt, chance, asked):
    wait = backoff(attempt, chance, asked)
    assert 0.25 <= wait <= max(30.0, asked or 0)
    assert wait >= (asked or 0)
    assert backoff(attempt + 2, chance, None) >= backoff(attempt, chance, None)


def test_what_the_server_asks_for():
    for headers, seconds in [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 -0000"}, 30.0),
        ({"retry-after": "Wed, 31 Dec 2025 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
    ]:
        assert retry_after(headers, lambda: datetime(2026, 1, 1, tzinfo=UTC)) == seconds, (headers, seconds)
