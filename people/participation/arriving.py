"""Who comes: what the links of recruiting platforms say, and how many may come at once."""

from __future__ import annotations

import re
import secrets
import time
from collections import deque
from collections.abc import Mapping
from threading import Lock
from typing import NamedTuple

from econzoo.people.server.site import texts
from econzoo.people.study.declaration import LINKS, MTURK, PROLIFIC, Study

LONGEST = 200
"""Characters of an id."""

PARAMETERS = {
    PROLIFIC: ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    MTURK: ("workerId", "assignmentId", "hitId"),
    LINKS: ("label",),
}
"""What a link says, by where participants come from; the first one tells who they are."""

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What mTurk says where a task is looked at that was not accepted."""

UNFILLED = re.compile(r"\{\{.*\}\}|\$\{.*\}|LABEL")
"""What nobody has filled in: ``{{%PROLIFIC_PID%}}``, ``${workerId}``, or the word of the link that is printed."""

MOST, WINDOW = 300, 60.0
"""New ids that may come from one address, in so many seconds: a campus, or a room full of people, may share one."""

MOST_ADDRESSES = 10_000


class Arrival(NamedTuple):
    """Somebody comes with a link.

    Attributes:
        id: Who they are.
        label: The label of the link, if it has one.
        more: What else it says.
    """

    id: str
    label: str
    more: dict[str, str]


def is_preview(source: str, asked: Mapping[str, str]) -> bool:
    """Whether somebody looks at a task that they have not accepted."""
    return source == MTURK and asked.get("assignmentId") == PREVIEW


def arrival(source: str, asked: Mapping[str, str]) -> Arrival | str:
    """What a link says; or why it does not say who comes, in words.

    Args:
        source: Where participants come from.
        asked: Parameters of the link.
    """
    name, *others = PARAMETERS[source]
    id = asked.get(name, "").strip()
    if not 0 < len(id) <= LONGEST or not id.isprintable():
        return texts().say("study.no_id")
    if UNFILLED.fullmatch(id):
        return texts().say("study.unfilled", found=id)
    more = {other: asked[other][:LONGEST] for other in others if asked.get(other)}
    return Arrival(id, id if source == LINKS else "", more)


def newcomer(source: str) -> dict[str, str]:
    """Parameters of a link of somebody who has none: a new id every time, for demonstrations."""
    return {PARAMETERS[source][0]: f"guest-{secrets.token_hex(4)}"}


class Turnstile:
    """Counts entries for a while; addresses are forgotten then and never kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._times: dict[str, deque[float]] = {}

    def lets_in(self, address: str) -> bool:
        """Whether one more entry from an address is not too many."""
        now = time.monotonic()
        with self._lock:
            if len(self._times) > MOST_ADDRESSES:
                self._times = {one: times for one, times in self._times.items() if now - times[-1] < WINDOW}
            times = self._times.setdefault(address, deque())
            while times and now - times[0] >= WINDOW:
                times.popleft()
            if len(times) >= MOST:
                return False
            times.append(now)
        return True


def entry_of(study: Study, url: str, demo: bool = False) -> str:
    """The link for participants; what their platform fills in stands as it has it there.

    Args:
        study: The study.
        url: Of the server.
        demo: Whether nobody needs to say who they are.
    """
    if demo:
        return f"{url}/study/{study.name}"
    names = PARAMETERS[study.recruitment.source]
    filled = {PROLIFIC: "{{{{%{name}%}}}}", MTURK: "${{{name}}}", LINKS: "LABEL"}[study.recruitment.source]
    return f"{url}/study/{study.name}?" + "&".join(f"{name}={filled.format(name=name)}" for name in names)
