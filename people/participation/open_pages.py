"""Updates of open pages: page state, and notices of the operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from econzoo.people.participation.blinded_view import BlindedSeatView
from econzoo.people.participation.page_names import MATCH_PAGES, WAITING
from econzoo.people.study.study_data import Participant

if TYPE_CHECKING:
    from econzoo.people.participation.course import Course


def page_name(one: Participant) -> str:
    """Return the name of a participant's page for its script."""
    return f"{one.page}.{one.repetition}"


class OpenPages:
    """Content of pages that can change while they are open.

    Args:
        course: Progress of the participants.
    """

    def __init__(self, course: Course) -> None:
        self._course = course

    def notice(self, one: Participant) -> dict[str, Any]:
        """Return the operator's notices for a participant."""
        store = self._course.store
        return {"paused": store.is_paused, "messages": store.messages(one), "news": self._notice_state(one)}

    def _notice_state(self, one: Participant) -> str:
        """Return the state of the notices, which changes with them and with the page."""
        store = self._course.store
        return f"{page_name(one)}.{store.message_count(one)}.{int(store.is_paused)}"

    def waiting_room(self, one: Participant) -> dict[str, Any]:
        """Return the values of the waiting room; blinded studies hide the number of waiting participants."""
        seating, limit = self._course.seating, self._course.study.time.waiting
        count = None if seating.blinded else len(self._course.store.participants_on(WAITING))
        left = max(0, round(limit - (seating.current_seconds() - one.waits_since)))
        return {"count": count, "left": left, "state": _page_state(one, count)}

    def state_watcher(self, one: Participant) -> Callable[[], str]:
        """Return a function for the states of page and notices, which reads the store only after changes."""
        store, seating = self._course.store, self._course.seating
        known: dict[str, Any] = {"changes": -1, "waits": False}

        def state() -> str:
            seating.presence.mark_open(one.token, has_stream=True)
            changes = store.changes if known["waits"] else store.last_change(one.token)
            if known["changes"] != changes:
                known["changes"], now = changes, store.participant(one.token) or one
                known["waits"] = now.page == WAITING  # this page also changes with other participants
                known["state"] = self.waiting_room(now)["state"] if now.page == WAITING else _page_state(now, None)
                known["seat"] = seating.seat(now) if now.page in MATCH_PAGES else None
                known["live"] = seating.live_match(now) if known["seat"] else None
                known["news"] = self._notice_state(now)
            live = known["live"]
            return f"{known['state'] if live is None else BlindedSeatView(live, known['seat']).state} {known['news']}"

        return state


def _page_state(one: Participant, count: int | None) -> str:
    return f"{page_name(one)}.{'' if count is None else count}"
