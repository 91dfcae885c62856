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

MAX_ID_LENGTH = 200
"""Characters of an id."""

LINK_PARAMETERS = {
    PROLIFIC: ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    MTURK: ("workerId", "assignmentId", "hitId"),
    LINKS: ("label",),
}
"""What a link says, by where participants come from; the first one tells who they are."""

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""What mTurk says where a task is looked at that was not accepted."""

UNFILLED_PARAMETER = re.compile(r"\{\{.*\}\}|\$\{.*\}|LABEL")
"""What nobody has filled in: ``{{%PROLIFIC_PID%}}``, ``${workerId}``, or the word of the link that is printed."""

MAX_ENTRIES, ENTRY_WINDOW = 300, 60.0
"""New ids that may come from one address, in so many seconds: a campus, or a room full of people, may share one."""

MAX_ADDRESSES = 10_000


class Arrival(NamedTuple):
    """Somebody comes with a link.

    Attributes:
        id: Who they are.
        label: The label of the link, if it has one.
        extra: What else it says.
    """

    id: str
    label: str
    extra: dict[str, str]


def is_preview(source: str, parameters: Mapping[str, str]) -> bool:
    """Whether somebody looks at a task that they have not accepted."""
    return source == MTURK and parameters.get("assignmentId") == PREVIEW


def parse_arrival(source: str, parameters: Mapping[str, str]) -> Arrival | str:
    """What a link says; or why it does not say who comes, in words.

    Args:
        source: Where participants come from.
        parameters: Parameters of the link.
    """
    name, *others = LINK_PARAMETERS[source]
    id = parameters.get(name, "").strip()
    if not 0 < len(id) <= MAX_ID_LENGTH or not id.isprintable():
        return texts().say("study.no_id")
    if UNFILLED_PARAMETER.fullmatch(id):
        return texts().say("study.unfilled", found=id)
    more = {other: parameters[other][:MAX_ID_LENGTH] for other in others if parameters.get(other)}
    return Arrival(id, id if source == LINKS else "", more)


def guest_parameters(source: str) -> dict[str, str]:
    """Parameters of a link of somebody who has none: a new id every time, for demonstrations."""
    return {LINK_PARAMETERS[source][0]: f"guest-{secrets.token_hex(4)}"}


class EntryLimiter:
    """Counts entries for a while; addresses are forgotten then and never kept."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._times: dict[str, deque[float]] = {}

    def allows_entry(self, address: str) -> bool:
        """Whether one more entry from an address is not too many."""
        now = time.monotonic()
        with self._lock:
            if len(self._times) > MAX_ADDRESSES:
                self._times = {one: times for one, times in self._times.items() if now - times[-1] < ENTRY_WINDOW}
            times = self._times.setdefault(address, deque())
            while times and now - times[0] >= ENTRY_WINDOW:
                times.popleft()
            if len(times) >= MAX_ENTRIES:
                return False
            times.append(now)
        return True


def entry_link(study: Study, url: str, demo: bool = False) -> str:
    """The link for participants; what their platform fills in stands as it has it there.

    Args:
        study: The study.
        url: Of the server.
        demo: Whether nobody needs to say who they are.
    """
    if demo:
        return f"{url}/study/{study.name}"
    names = LINK_PARAMETERS[study.recruitment.source]
    filled = {PROLIFIC: "{{{{%{name}%}}}}", MTURK: "${{{name}}}", LINKS: "LABEL"}[study.recruitment.source]
    return f"{url}/study/{study.name}?" + "&".join(f"{name}={filled.format(name=name)}" for name in names)
