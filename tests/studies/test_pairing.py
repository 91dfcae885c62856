"""Who plays whom when people come, wait, close pages, leave and come back: random courses of studies."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import hypothesis
import pytest
from given import FILE, TEXT
from hypothesis import strategies as st

from econzoo.people.study import ALONE, BEGIN, SKIP, Pairing, ParticipantProgress, PlannedMatch, Roster, Step, Study
from econzoo.people.study import Waiter, arms_by_place, block_size, plan_matches
from econzoo.people.study.pairing import FULL, order_first_matches
from econzoo.people.study.study_file import parse_study

LIMIT = 60
"""Seconds in the waiting room of these studies."""

GONE, PLAYS, WAITS, AWAY, OVER = "gone", "plays", "waits", "away", "over"

HEAD = TEXT[: TEXT.index("[[arms]]")]

PAIR, ALONE_ARM = '["person", "person"]', '["person", "fair"]'


def study(
    seats: list[str], participants: int, repetitions: int, partners: str, alone: str = "pay", seed: int = 1
) -> Study:
    """A study of bargaining, or of water allocation where five sit at a table."""
    arms = "".join(f'[[arms]]\nname = "a{number}"\nseats = {one}\n' for number, one in enumerate(seats))
    file = HEAD + arms + TEXT[TEXT.index("[matching]") :]
    lines = {"participants": participants, "repetitions": repetitions, "partners": f'"{partners}"', "seed": seed}
    for key, value in {**lines, "waiting": LIMIT, "alone": f'"{alone}"'}.items():
        file = re.sub(rf"^{key} = .*$", f"{key} = {value}", file, flags=re.MULTILINE)
    if max(one.count(",") for one in seats) > 1:
        file = file.replace('"bargaining"', '"public_goods"').replace(
            "[settings]\nmoney = [100, 10000]\nhorizon = 12\n", ""
        )
    return parse_study(file, FILE)


@dataclass
class Person:
    """Somebody of a simulated study."""

    name: str
    does: str = WAITS
    place: int | None = None
    repetition: int = 0
    since: float = 0.0
    waited_longest: float = 0.0
    ended: str = ""


class Course:
    """A study without pages: time passes, people do as they like.

    Args:
        given: The study.
        seed: Of what people do.
    """

    def __init__(self, given: Study, seed: int) -> None:
        self.study, self.random = given, random.Random(seed)
        self.added: tuple[int, ...] = ()
        self.pairing = Pairing(given)
        self.people: list[Person] = []
        self.now = 0.0
        self.seats: dict[int, dict[int, int]] = {}
        self.playing: dict[int, list[Person]] = {}

    @property
    def begun(self) -> dict[int, PlannedMatch]:
        return Roster(self.pairing.table, self.pairing.own_matches, self.seats).begun

    def settle(self) -> None:
        """What the server does whenever somebody moves, and four times a second."""
        while steps := self.pairing.steps(self.begun, self._placed(), self._waiters()):
            before = {one.name: one for one in self._waiters()}
            for step in steps:
                self._take(step, before)

    def _placed(self) -> dict[int, ParticipantProgress]:
        return {
            one.place: ParticipantProgress(one.repetition, one.does in (GONE, OVER))
            for one in self.people
            if one.place is not None
        }

    def _waiters(self) -> list[Waiter]:
        waits = [one for one in self.people if one.does in (WAITS, AWAY)]
        found = [Waiter(one.name, one.place, one.repetition, self.now - one.since, one.does == WAITS) for one in waits]
        return sorted(found, key=lambda one: -one.seconds_waited)

    def _take(self, step: Step, before: dict[str, Waiter]) -> None:
        by_name = {one.name: one for one in self.people}
        if step.kind == BEGIN:
            assert step.match is not None
            self._begin(step.match, {seat: by_name[name] for seat, name in step.names.items()})
            return
        one = by_name[step.name]
        if step.kind == SKIP:
            one.repetition, one.since = one.repetition + 1, self.now
            self._go_on(one)
        else:
            self._check_end(step, before)
            one.does, one.ended = OVER, step.kind

    def _check_end(self, step: Step, before: dict[str, Waiter]) -> None:
        """Nobody is sent away whom those who wait could have played with."""
        own = before[step.name]
        assert own.seconds_waited >= LIMIT or step.kind == FULL
        if own.place is None and step.kind == ALONE and own.is_here:
            pool = [one for one in before.values() if one.place is None and one.is_here]
            free = self.pairing.free_matches(self.begun, self._placed())
            assert not free or len(pool) < len(free[0].places)
        elif step.kind == ALONE and own.is_here and self.study.matching.partners != "partner":
            playing = {place for one in self.begun.values() for place in one.places if one.repetition == own.repetition}
            waits = [one for one in before.values() if one.is_here and one.place not in (None, own.place, *playing)]
            alike = [one.place or 0 for one in waits if self._group(one) == self._group(own)]
            met = {pair for one in self.begun.values() for pair in combinations(sorted(one.places), 2)}
            strange = self.study.matching.partners == "stranger"
            size = len(self.pairing.own_matches[own.place or 0][0].places)
            for some in combinations(alike, size - 1):
                known = strange and met.intersection(combinations(sorted((own.place or 0, *some)), 2))
                assert known, f"{own.name} could have played with {some}"

    def _group(self, one: Waiter) -> tuple[int, int]:
        return self.pairing.own_matches[one.place or 0][0].group, one.repetition

    def _begin(self, match: PlannedMatch, seats: dict[int, Person]) -> None:
        planned = self.pairing.table[match.number]
        assert match.number not in self.seats
        assert len(set(map(id, seats.values()))) == len(seats)
        for seat, one in seats.items():
            assert one.does == WAITS, "only who is there plays, and never in two matches at a time"
            assert one.repetition == match.repetition
            place = match.players[seat]
            assert isinstance(place, int)
            assert one.place in (None, place)
            one.place, one.does = place, PLAYS
        self.seats[match.number] = {seat: one.place for seat, one in seats.items() if one.place is not None}
        free = sum(isinstance(who, int) for who in planned.players) - len(seats)
        assert free == 0 or self.study.time.alone != "pay"
        self.playing[match.number] = list(seats.values())

    def _go_on(self, one: Person) -> None:
        one.does = WAITS if one.repetition < self.study.matching.repetitions else OVER
        one.ended = "" if one.does == WAITS else "played"
        one.since = self.now

    def step(self) -> None:
        """Somebody comes, ends a match, closes the page, opens it, leaves; some seconds pass."""
        self.now += self.random.choice((0.0, 1.0, 5.0, 20.0))
        for one in self.people:
            if one.does == WAITS:
                one.waited_longest = max(one.waited_longest, self.now - one.since)
        what = self.random.random()
        if what < 0.35 and len(self.people) < 40:
            self.people.append(Person(f"p{len(self.people)}", since=self.now))
        elif what < 0.6 and self.playing:
            self._end(self.random.choice([*self.playing]))
        elif self.people:
            one = self.random.choice(self.people)
            change = {WAITS: (AWAY, GONE, WAITS, WAITS), AWAY: (WAITS, WAITS, GONE), PLAYS: (PLAYS, PLAYS, PLAYS, GONE)}
            one.does = self.random.choice(change.get(one.does, (one.does,)))
        self.settle()

    def _end(self, number: int) -> None:
        for one in self.playing.pop(number):
            if one.does == PLAYS:
                one.repetition += 1
                self._go_on(one)

    def top_up(self, count: int) -> None:
        """More places."""
        self.added = (*self.added, count)
        before = self.pairing.table
        self.pairing = Pairing(self.study, self.added)
        assert self.pairing.table[: len(before)] == before, "what has been planned stays"


def check(course: Course) -> None:
    """What must hold at any moment."""
    begun = course.begun.values()
    seats = Counter((place, one.repetition) for one in begun for place in one.places)
    assert set(seats.values()) <= {1}, "nobody plays twice in a repetition"
    for one in begun:
        arms = {course.pairing.own_matches[place][0].arm for place in one.places}
        groups = {course.pairing.own_matches[place][0].group for place in one.places}
        assert arms <= {one.arm}
        assert groups <= {one.group}, "matches stay within independent groups"
    met = Counter(pair for one in begun for pair in combinations(sorted(one.places), 2))
    if course.study.matching.partners == "stranger":
        assert set(met.values()) <= {1}
    if course.study.matching.partners == "partner":
        partners = {place: {other for pair in met if place in pair for other in pair} for pair in met for place in pair}
        assert all(len(some) <= course.study.match_sizes(course.study.arms[0])[0] for some in partners.values())
    first = [
        one.number in course.begun for one in order_first_matches(course.study, course.pairing.table, course.added)
    ]
    assert first == sorted(first, reverse=True), "first matches are filled in the order of the table"
    for one in course.people:
        assert one.does != WAITS or course.now - one.since < LIMIT, "nobody waits beyond the limit with an open page"
    pool = [one for one in course.people if one.does == WAITS and one.place is None]
    free = course.pairing.free_matches(course.begun, course._placed())
    assert not free or len(pool) < len(free[0].places), "who waits could play with nobody there"


STUDIES = [
    ([PAIR], 8, 1, "partner"),
    ([PAIR], 8, 3, "partner"),
    ([PAIR], 8, 3, "stranger"),
    ([PAIR], 12, 4, "random"),
    ([PAIR, ALONE_ARM], 12, 2, "stranger"),
    (['["person", "person", "person", "person"]'], 32, 2, "stranger"),
    (['["person", "person", "person", "person"]'], 16, 3, "random"),
]


@pytest.mark.parametrize("number", range(len(STUDIES)))
@hypothesis.given(seed=st.integers(0, 2**32))
def test_whoever_is_there_is_matched(number: int, seed: int) -> None:
    course = Course(study(*STUDIES[number]), seed)
    for _ in range(80):
        course.step()
        check(course)
    course.now += LIMIT
    course.settle()
    assert [one.name for one in course.people if one.does in (WAITS, AWAY)] == []


@hypothesis.given(seed=st.integers(0, 2**32))
def test_a_script_takes_the_seats_of_who_does_not_come(seed: int) -> None:
    course = Course(study([PAIR], 8, 3, "stranger", "fair"), seed)
    for _ in range(80):
        course.step()
    for one in course.people:
        one.does = WAITS if one.does == AWAY else one.does
    course.now += LIMIT
    course.settle()
    assert ALONE not in {one.ended for one in course.people}
    assert [one.name for one in course.people if one.does == WAITS] == []


@hypothesis.given(seed=st.integers(0, 2**32))
def test_places_that_are_added_are_filled_as_the_others_are(seed: int) -> None:
    course = Course(study([PAIR, ALONE_ARM], 4, 1, "partner"), seed)
    for _ in range(60):
        course.step()
    course.top_up(2 * block_size(course.study))
    for _ in range(60):
        course.step()
        check(course)


def test_without_leavers_everybody_plays_the_matches_of_the_table() -> None:
    for partners in ("partner", "stranger", "random"):
        course = Course(study([PAIR, ALONE_ARM], 16, 3, partners), 1)
        course.people = [Person(f"p{number}") for number in range(16)]
        course.settle()
        while course.playing:
            course._end(min(course.playing))
            course.settle()
        assert {one.ended for one in course.people} == {"played"}
        assert len(course.begun) == len(course.pairing.table)
        assert all(course.begun[one.number] == one for one in plan_matches(course.study))


def test_who_left_before_a_match_takes_nobodys_place() -> None:
    """The worst finding of a check: H leaves the waiting room, then I, J and K come."""
    for participants, waits in ((8, ["K"]), (2, [])):
        course = Course(study([PAIR], participants, 1, "partner"), 1)
        course.people = [Person("H", GONE), Person("I"), Person("J"), Person("K")]
        course.settle()
        assert [one.name for one in course.people if one.does == PLAYS] == ["I", "J"]
        assert [one.name for one in course.people if one.does == WAITS] == waits
        assert course.people[3].ended == ("" if waits else FULL)


def test_orphans_of_a_repetition_play_together() -> None:
    """Four in a group of random partners: one of each pair of the second repetition leaves; the two others play."""
    course = Course(study([PAIR], 4, 2, "random"), 1)
    course.people = [Person(name) for name in "ABCD"]
    course.settle()
    second = [one for one in course.pairing.table if one.repetition == 1]
    leavers = {match.places[0] for match in second}
    for number in list(course.playing):
        course._end(number)
    for one in course.people:
        one.does = GONE if one.place in leavers else one.does
    course.settle()
    (played,) = [one for one in course.begun.values() if one.repetition == 1]
    assert set(played.places) == {match.places[1] for match in second}


def test_added_places_have_seeds_of_their_own() -> None:
    given = study([PAIR, ALONE_ARM], 8, 2, "partner")
    table = plan_matches(given, (4, 8))
    assert table[: len(plan_matches(given))] == plan_matches(given)
    assert Counter(arms_by_place(given, (4, 8))) == {"a0": 10, "a1": 10}
    ids = [(one.arm, one.setting, one.seed) for one in table]
    assert len(set(ids)) == len(ids)
    assert sorted({place for one in table for place in one.places}) == list(range(20))
