"""The rows of a study's page for its operator: who is where, in which match, since when, and what may be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote
from zlib import crc32

from econzoo.people.participation.page_names import END_PAGES, PLAY, WAITING
from econzoo.people.participation.page_texts import StudyTexts
from econzoo.people.study.declaration import HUMAN, Study
from econzoo.people.study.matching import arms_by_place
from econzoo.people.study.study_data import Participant

if TYPE_CHECKING:
    from econzoo.people.participation.course import Course
    from econzoo.people.participation.participants import Participants
    from econzoo.people.table.live import LiveMatch


def monitor_path(name: str) -> str:
    """Path of the page of a study."""
    return f"/manage/study/{quote(name, safe='')}"


class MonitoredStudy(NamedTuple):
    """A study as its operator follows it.

    Attributes:
        study: The study.
        store: Its participants.
        folder: Where it is kept.
        base_url: Address of the pages of participants, without a slash at the end; empty: no server shows them now.
        exclude: Excludes a participant for a reason.
        course: Of the participants, where their server is this one; None: nobody plays here.
        own_page: Address of the study's own page, where its server runs: only that one writes. Empty: this one may.
        command: That runs the study; empty: it runs.
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
    """The match of a participant.

    Attributes:
        match: Which one of theirs, from 1.
        matches: How many they have.
        round: That is played, from 1; 0: the match is over.
        is_deserted: Whether somebody has left it, so that the others may go on.
        others: Numbers of the participants (``#2``) and specs of the programs in the other seats.
        seconds_asked: Seconds since they were asked for a move; None: they are not.
    """

    match: int
    matches: int
    round: int
    is_deserted: bool
    others: Sequence[str]
    seconds_asked: int | None


class ParticipantRow(NamedTuple):
    """A participant in the table.

    Attributes:
        number: In the order in which they came, from 1.
        participant: Who.
        arm: Where they were admitted to; empty: nowhere yet.
        since: When they came to their page (UTC).
        is_here: Whether their page is open; None: that is not known, or of no interest any more.
        current_match: Their match; None: they play none, or their server is not this one.
        seconds_waited: Seconds in the waiting room; None: they are elsewhere, or likewise.
        can_end_time: Whether their time can be ended: they wait, are asked, or look at the end of a match.
        bonus: So far.
        total: That they are paid; empty: nothing yet.
        link: Their personal one; empty: no server shows it now.
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
    """The table, in the order in which participants came."""
    study, store = followed.study, followed.store
    arms, telling, reached = arms_by_place(study, store.added_places), StudyTexts(study, store, {}), store.page_times()
    everybody = store.participants()
    playing, paused = current_matches(followed.course, everybody), store.is_paused
    for number, one in enumerate(everybody, start=1):
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
            bonus="" if one.bonus_cents is None else telling.format_cents(one.bonus_cents),
            total=telling.format_total(one) if one.is_paid else "",
            link=f"{followed.base_url}/p/{one.token}" if followed.base_url else "",
        )


def is_page_open(course: Course | None, one: Participant) -> bool | None:
    """Whether somebody's page is open; None: that is not known, or of no interest any more."""
    return None if course is None or one.page in END_PAGES else course.seating.presence.is_open(one.token)


def _seconds_waited(course: Course | None, one: Participant) -> int | None:
    return (
        None
        if course is None or one.page != WAITING
        else max(0, round(course.seating.current_seconds() - one.waits_since))
    )


def current_matches(course: Course | None, everybody: Sequence[Participant]) -> Mapping[str, CurrentMatch]:
    """The matches of those who play, by their tokens."""
    if course is None:
        return {}
    players = [
        (number, one, _find_live_match(course, one))
        for number, one in enumerate(everybody, start=1)
        if one.page == PLAY
    ]
    found = {}
    for number, one, live in players:
        if live is not None:
            people = [f"#{other}" for other, _, there in players if there is live and other != number]
            programs = [spec for spec in live.match.players if spec != HUMAN]
            found[one.token] = _describe_match(course, one, live, [*people, *programs])
    return found


def _find_live_match(course: Course, one: Participant) -> LiveMatch | None:
    try:
        return course.seating.live_match(one)
    except ValueError:  # it cannot be played on; its page says so
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
    """Changes with what there is to see, but for the seconds that pass."""
    everybody, course = followed.store.participants(), followed.course
    away = [is_page_open(course, one) for one in everybody]
    playing = [
        one._replace(seconds_asked=one.seconds_asked is not None) for one in current_matches(course, everybody).values()
    ]
    told = everybody, away, playing, followed.own_page, followed.store.is_paused
    return str(crc32(repr(told).encode("utf-8", "replace")))
