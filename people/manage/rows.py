"""The rows of a study's page for its operator: who is where, in which match, since when, and what may be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote
from zlib import crc32

from econzoo.people.participation.page_names import ENDS, PLAY, WAITING
from econzoo.people.participation.page_texts import Telling
from econzoo.people.study.declaration import HUMAN, Study
from econzoo.people.study.matching import arms_of_places
from econzoo.people.study.study_data import Participant

if TYPE_CHECKING:
    from econzoo.people.participation.course import Course
    from econzoo.people.participation.participants import Participants
    from econzoo.people.table.live import LiveMatch


def home_of(name: str) -> str:
    """Path of the page of a study."""
    return f"/manage/study/{quote(name, safe='')}"


class Followed(NamedTuple):
    """A study as its operator follows it.

    Attributes:
        study: The study.
        store: Its participants.
        folder: Where it is kept.
        base: Address of the pages of participants, without a slash at the end; empty: no server shows them now.
        exclude: Excludes a participant for a reason.
        course: Of the participants, where their server is this one; None: nobody plays here.
        elsewhere: Address of the study's own page, where its server runs: only that one writes. Empty: this one may.
        command: That runs the study; empty: it runs.
    """

    study: Study
    store: Participants
    folder: Path
    base: str
    exclude: Callable[[Participant, str], bool]
    course: Course | None = None
    elsewhere: str = ""
    command: str = ""


class Playing(NamedTuple):
    """The match of a participant.

    Attributes:
        match: Which one of theirs, from 1.
        matches: How many they have.
        round: That is played, from 1; 0: the match is over.
        deserted: Whether somebody has left it, so that the others may go on.
        others: Numbers of the participants (``#2``) and specs of the programs in the other seats.
        asked: Seconds since they were asked for a move; None: they are not.
    """

    match: int
    matches: int
    round: int
    deserted: bool
    others: Sequence[str]
    asked: int | None


class Line(NamedTuple):
    """A participant in the table.

    Attributes:
        number: In the order in which they came, from 1.
        one: Who.
        arm: Where they were admitted to; empty: nowhere yet.
        since: When they came to their page (UTC).
        here: Whether their page is open; None: that is not known, or of no interest any more.
        playing: Their match; None: they play none, or their server is not this one.
        waited: Seconds in the waiting room; None: they are elsewhere, or likewise.
        timed: Whether their time can be ended: they wait, are asked, or look at the end of a match.
        bonus: So far.
        total: That they are paid; empty: nothing yet.
        link: Their personal one; empty: no server shows it now.
    """

    number: int
    one: Participant
    arm: str
    since: str
    here: bool | None
    playing: Playing | None
    waited: int | None
    timed: bool
    bonus: str
    total: str
    link: str


def lines_of(followed: Followed) -> Iterator[Line]:
    """The table, in the order in which participants came."""
    study, store = followed.study, followed.store
    arms, telling, reached = arms_of_places(study, store.added), Telling(study, store, {}), store.reached()
    everybody = store.participants()
    playing, paused = playing_of(followed.course, everybody), store.paused
    for number, one in enumerate(everybody, start=1):
        now, waited = playing.get(one.token), _waited(followed.course, one)
        timed = waited is not None or (now is not None and (now.asked is not None or now.deserted or not now.round))
        yield Line(
            number=number,
            one=one,
            arm="" if one.place is None else arms[one.place],
            since=reached.get(one.token, one.created),
            here=here(followed.course, one),
            playing=now,
            waited=waited,
            timed=timed and not paused,
            bonus="" if one.bonus_cents is None else telling.cents(one.bonus_cents),
            total=telling.total(one) if one.is_paid else "",
            link=f"{followed.base}/p/{one.token}" if followed.base else "",
        )


def here(course: Course | None, one: Participant) -> bool | None:
    """Whether somebody's page is open; None: that is not known, or of no interest any more."""
    return None if course is None or one.page in ENDS else course.seating.presence.here(one.token)


def _waited(course: Course | None, one: Participant) -> int | None:
    return None if course is None or one.page != WAITING else max(0, round(course.seating.now() - one.waits_since))


def playing_of(course: Course | None, everybody: Sequence[Participant]) -> Mapping[str, Playing]:
    """The matches of those who play, by their tokens."""
    if course is None:
        return {}
    players = [(number, one, _live(course, one)) for number, one in enumerate(everybody, start=1) if one.page == PLAY]
    found = {}
    for number, one, live in players:
        if live is not None:
            people = [f"#{other}" for other, _, there in players if there is live and other != number]
            programs = [spec for spec in live.match.players if spec != HUMAN]
            found[one.token] = _playing(course, one, live, [*people, *programs])
    return found


def _live(course: Course, one: Participant) -> LiveMatch | None:
    try:
        return course.seating.live(one)
    except ValueError:  # it cannot be played on; its page says so
        return None


def _playing(course: Course, one: Participant, live: LiveMatch, others: Sequence[str]) -> Playing:
    seat, own = course.seating.seat(one), course.seating.own(one)
    over = live.over or bool(live.trouble)
    asked = None if seat is None or over else live.asked_for(seat.seat)
    seconds = None if asked is None else round(asked)
    return Playing(one.repetition + 1, len(own), 0 if over else live.round, bool(live.deserted), others, seconds)


def state_of(followed: Followed) -> str:
    """Changes with what there is to see, but for the seconds that pass."""
    everybody, course = followed.store.participants(), followed.course
    away = [here(course, one) for one in everybody]
    playing = [one._replace(asked=one.asked is not None) for one in playing_of(course, everybody).values()]
    told = everybody, away, playing, followed.elsewhere, followed.store.paused
    return str(crc32(repr(told).encode("utf-8", "replace")))
