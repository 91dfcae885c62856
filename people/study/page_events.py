"""What is noticed of participants besides answers: pages shown, time on each, and when a page was out of sight."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from econzoo.people.study.study_data import FORGOTTEN, KeptEvent

ARRIVED = "page"
"""Kind of the event that a page was reached."""

VIEW, HIDDEN, VISIBLE = NOTICED = ("view", "hidden", "visible")
"""Kinds of events: a page was shown, a browser hid it, it came in sight again. They go with who is forgotten."""

MOST = 1000
"""Events of each of these kinds that are kept of a participant: no page can fill the disk by being loaded again."""

INDEX = "CREATE INDEX IF NOT EXISTS events_of ON events (participant, kind)"
"""Without it, counting up to `MOST` would read the events of everybody."""

TIMED = ("consent", "instructions", "quiz", "waiting", "play", "questionnaire", "debriefing")
"""Pages on which time is told: those that lead on to another."""


def keep_notice(token: str, kind: str, told: str) -> tuple[str, Sequence[Any]]:
    """The SQL that keeps an event of `NOTICED`, with its values; none of who withdrew, was forgotten, or has `MOST`."""
    text = (
        "INSERT INTO events (participant, kind, json) SELECT token, ?, ? FROM participants "
        "WHERE token = ? AND withdrawn IS NULL AND substr(external_id, 1, ?) <> ? "
        "AND (SELECT count(*) FROM events WHERE participant = token AND kind = ?) < ?"
    )
    return text, (kind, told, token, len(FORGOTTEN), FORGOTTEN, kind, MOST)


class Attention(NamedTuple):
    """What the events of a participant say together.

    Attributes:
        views: How often a page was shown; None: nothing was noticed.
        hidden: How often a page was hidden; None likewise.
        seconds: Page of `TIMED` to the time on it, over all visits that have ended.
    """

    views: int | None
    hidden: int | None
    seconds: dict[str, int]


def attention_of(events: Sequence[KeptEvent]) -> Attention:
    """What the events of one participant, in order, say together."""
    kinds = [one.kind for one in events]
    reached = [one for one in events if one.kind == ARRIVED]
    seconds: dict[str, int] = {}
    for one, then in pairwise(reached):
        spent = datetime.fromisoformat(then.at) - datetime.fromisoformat(one.at)
        page = one.told["page"]
        seconds[page] = seconds.get(page, 0) + round(spent.total_seconds())
    views = kinds.count(VIEW) or None
    return Attention(views, kinds.count(HIDDEN) if views else None, seconds)
