"""Rows of a study's operator page: page, match, waiting time and payment of each participant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote
from zlib import crc32

from econzoo.people.participation import END_PAGES, PLAY, WAITING, Course, Participants, StudyTexts
from econzoo.people.study import HUMAN, Participant, Study, arms_by_place
from econzoo.people.table import LiveMatch


def monitor_path(name: str) -> str:
    """Path of a study's operator page."""
    return f"/manage/study/{quote(name, safe='')}"


class MonitoredStudy(NamedTuple):
    """A study as its operator monitors it.

    Attributes:
        base_url: URL of the participants' pages, without a trailing slash; empty: no server is running.
        course: Course of the participants on this server; None: this is not the study's server.
        own_page: URL of the operator page on the study's running server, the only one to write; empty: this one writes.
        command: Command that starts the study's server; empty: it is running.
    """

    study: Study
    store: Participants
    folder: Path
    base_url: str
    exclude: Callable[[Participant, str], bool]
    course: Course | None = None
    own_page: str = ""
    command: str = ""


class CurrentMatch(NamedTuple):
    """The current match of a participant.

    Attributes:
        match: Number of the match among the participant's own, from 1.
        round: Current round, from 1; 0: the match is over.
        is_deserted: Whether a person has dropped out, so that the others may continue.
        others: Participant numbers (``#2``) and program specs in the other seats.
        seconds_asked: Seconds since the open question was asked; None: no open question.
    """

    match: int
    matches: int
    round: int
    is_deserted: bool
    others: Sequence[str]
    seconds_asked: int | None


class ParticipantRow(NamedTuple):
    """A row of the table of participants.

    Attributes:
        number: Number in order of arrival, from 1.
        arm: Assigned arm; empty: none yet.
        since: Time of arrival on the current page (UTC).
        is_here: Whether the page is open; None: unknown, or the participant has finished.
        current_match: The current match; None: no match, or another server.
        seconds_waited: Seconds in the waiting room; None: not waiting, or another server.
        can_end_time: Whether the operator can end the wait: in the waiting room, at a question or at a match's end.
        total: Total payment; empty: none yet.
        link: Personal link; empty: no server is running.
    """

    number: int
    participant: Participant
    arm: str
    since: str
    is_here: bool | None
    current_match: CurrentMatch | None
    seconds_waited: int | None
    can_end_time: bool
    bonus: str
    total: str
    link: str


def participant_rows(followed: MonitoredStudy) -> Iterator[ParticipantRow]:
    """Yield the rows in order of arrival."""
    study, store = followed.study, followed.store
    arms, amounts, reached = arms_by_place(study, store.added_places), StudyTexts(study, store, {}), store.page_times()
    participants = store.participants()
    playing, paused = current_matches(followed.course, participants), store.is_paused
    for number, one in enumerate(participants, start=1):
        now, waited = playing.get(one.token), _seconds_waited(followed.course, one)
        timed = waited is not None or (
            now is not None and (now.seconds_asked is not None or now.is_deserted or not now.round)
        )
        yield ParticipantRow(
            number=number,
            participant=one,
            arm="" if one.place is None else arms[one.place],
            since=reached.get(one.token, one.created),
            is_here=is_page_open(followed.course, one),
            current_match=now,
            seconds_waited=waited,
            can_end_time=timed and not paused,
            bonus="" if one.bonus_cents is None else amounts.format_cents(one.bonus_cents),
            total=amounts.format_total(one) if one.is_paid else "",
            link=f"{followed.base_url}/p/{one.token}" if followed.base_url else "",
        )


def is_page_open(course: Course | None, one: Participant) -> bool | None:
    """Whether a participant's page is open; None: unknown, or the participant has finished."""
    return None if course is None or one.page in END_PAGES else course.seating.presence.is_open(one.token)


def _seconds_waited(course: Course | None, one: Participant) -> int | None:
    return (
        None
        if course is None or one.page != WAITING
        else max(0, round(course.seating.current_seconds() - one.waits_since))
    )


def current_matches(course: Course | None, participants: Sequence[Participant]) -> Mapping[str, CurrentMatch]:
    """Current matches by participant token."""
    if course is None:
        return {}
    players = [
        (number, one, _find_live_match(course, one))
        for number, one in enumerate(participants, start=1)
        if one.page == PLAY
    ]
    matches = {}
    for number, one, live in players:
        if live is not None:
            people = [f"#{other}" for other, _, there in players if there is live and other != number]
            programs = [spec for spec in live.match.players if spec != HUMAN]
            matches[one.token] = _describe_match(course, one, live, [*people, *programs])
    return matches


def _find_live_match(course: Course, one: Participant) -> LiveMatch | None:
    try:
        return course.seating.live_match(one)
    except ValueError:  # the match cannot continue; its page shows why
        return None


def _describe_match(course: Course, one: Participant, live: LiveMatch, others: Sequence[str]) -> CurrentMatch:
    seat, own = course.seating.seat(one), course.seating.own_matches(one)
    over = live.is_over or bool(live.trouble)
    asked = None if seat is None or over else live.seconds_asked(seat.seat)
    seconds = None if asked is None else round(asked)
    return CurrentMatch(
        one.repetition + 1, len(own), 0 if over else live.current_round, bool(live.deserted_seats), others, seconds
    )


def study_state(followed: MonitoredStudy) -> str:
    """Checksum of what the page shows, except elapsed seconds."""
    participants, course = followed.store.participants(), followed.course
    presence = [is_page_open(course, one) for one in participants]
    playing = [
        # Pages count the seconds themselves; as a part of the state they would update it all the time.
        one._replace(seconds_asked=one.seconds_asked is not None)
        for one in current_matches(course, participants).values()
    ]
    shown = participants, presence, playing, followed.own_page, followed.store.is_paused
    return str(crc32(repr(shown).encode("utf-8", "replace")))
