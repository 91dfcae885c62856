"""What pages that are open are told: what state they should have, and what the operator says on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from econzoo.people.participation.blind import Blind
from econzoo.people.participation.page_names import PLAYING, WAITING
from econzoo.people.study.study_data import Participant

if TYPE_CHECKING:
    from econzoo.people.participation.course import Course


def name_of(one: Participant) -> str:
    """Where somebody is, as pages name it for their scripts."""
    return f"{one.page}.{one.repetition}"


class OpenPages:
    """Tells what pages show that may change while they are open.

    Args:
        course: Of the participants.
    """

    def __init__(self, course: Course) -> None:
        self._course = course

    def notice_to(self, one: Participant) -> dict[str, Any]:
        """What the operator tells somebody, on whatever page."""
        store = self._course.store
        return {"paused": store.paused, "messages": store.messages(one), "news": self._news(one)}

    def _news(self, one: Participant) -> str:
        """Changes when there is something else to tell, or the page is another one."""
        store = self._course.store
        return f"{name_of(one)}.{store.told(one)}.{int(store.paused)}"

    def room(self, one: Participant) -> dict[str, Any]:
        """The waiting room: how many wait is no secret, unless it could tell that somebody waits for programs."""
        seating, limit = self._course.seating, self._course.study.time.waiting
        count = None if seating.blinded else len(self._course.store.at(WAITING))
        left = max(0, round(limit - (seating.now() - one.waits_since)))
        return {"count": count, "left": left, "state": _state(one, count)}

    def watched(self, one: Participant) -> Callable[[], str]:
        """Tells the states of somebody's page and of the notice; looks into the file when somebody has moved on."""
        store, seating = self._course.store, self._course.seating
        known: dict[str, Any] = {"changes": -1, "waits": False}

        def state() -> str:
            seating.presence.seen(one.token, followed=True)
            changes = store.changes if known["waits"] else store.changed(one.token)
            if known["changes"] != changes:
                known["changes"], now = changes, store.participant(one.token) or one
                known["waits"] = now.page == WAITING  # where others who come and go change the page
                known["state"] = self.room(now)["state"] if now.page == WAITING else _state(now, None)
                known["seat"] = seating.seat(now) if now.page in PLAYING else None
                known["live"] = seating.live(now) if known["seat"] else None
                known["news"] = self._news(now)
            live = known["live"]
            return f"{known['state'] if live is None else Blind(live, known['seat']).state} {known['news']}"

        return state


def _state(one: Participant, count: int | None) -> str:
    return f"{name_of(one)}.{'' if count is None else count}"
