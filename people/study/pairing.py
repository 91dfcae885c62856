"""Matching of waiting participants: those with an open page fill the matches of the randomisation table.

First matches are filled in the order of the arms in the table, first come, first served; the seat determines the place
and so the later matches.

A later match begins when all participants with its places are present. If one has left, has already played another
match of the repetition, or keeps the others waiting too long, the remaining participants of the same repetition and
matching group play together in an unused match of the table: strangers only if they have not met, fixed partners never.
A participant without possible partners skips the match at once. After the waiting limit a participant is also matched
with those who wait for others; if there is none, their study ends.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from econzoo.people.study.declaration import PARTNER, PAY, STRANGER, Study
from econzoo.people.study.matching import PlannedMatch, arms_by_place, matches_by_place, plan_matches

MAX_CANDIDATES = 12
"""Remaining participants in the search for a match without repeated pairs: at most 924 choices of one size."""

WAIT, BEGIN, SKIP, ALONE, FULL = "wait", "begin", "skip", "alone", "full"
"""Decisions: keep waiting, begin a match, skip it, end the study after the waiting limit, or no place left."""

MINIMUM_WAIT = (4.0, 12.0)
"""Range of the minimum wait in seconds in blinded studies, where no wait would reveal that others are programs."""


class Waiter(NamedTuple):
    """A participant in the waiting room.

    Attributes:
        place: Place in the randomisation table; None: not played yet.
        repetition: Index of the awaited match, from 0.
        seconds_waited: Seconds in the waiting room.
    """

    name: str
    place: int | None
    repetition: int
    seconds_waited: float
    is_here: bool
    is_ready: bool = True


class ParticipantProgress(NamedTuple):
    """Progress of a participant with a place.

    Attributes:
        repetition: Index of the awaited or current match, from 0.
    """

    repetition: int
    has_left: bool = False


class Step(NamedTuple):
    """A step of the matching.

    Attributes:
        kind: `BEGIN`, `SKIP`, `ALONE` or `FULL`.
        names: Names of the participants, by seat if a match begins.
        match: Match that begins, with the places of its participants and the specs of other players.
    """

    kind: str
    names: dict[int, str]
    match: PlannedMatch | None = None

    @property
    def name(self) -> str:
        """Name of the only participant."""
        return self.names[0]


def stand_in_player(study: Study) -> str:
    """Return the spec of the player for the seats of missing participants; empty: none."""
    alone, leaving = study.time.alone, study.leaving
    return alone if alone != PAY else leaving.policy if leaving.is_replaced else ""


def order_first_matches(study: Study, table: Sequence[PlannedMatch], added: Sequence[int] = ()) -> list[PlannedMatch]:
    """Return first matches in the order in which they are filled, following the arms of the places."""
    left = defaultdict(list)
    for one in table:
        if one.repetition == 0:
            left[one.arm].append(one)
    sizes, counted = {arm.name: study.match_sizes(arm)[0] for arm in study.arms}, Counter[str]()
    found = []
    for arm in arms_by_place(study, added):
        counted[arm] += 1
        if counted[arm] % sizes[arm] == 0:
            found.append(left[arm][counted[arm] // sizes[arm] - 1])
    return found


class Pairing:
    """The matching of a study."""

    def __init__(self, study: Study, added: Sequence[int] = ()) -> None:
        self.study, self.table = study, plan_matches(study, added)
        self.own_matches = matches_by_place(self.table)
        self._first = order_first_matches(study, self.table, added)
        self._members: dict[int, set[int]] = defaultdict(set)
        self._group_matches: dict[tuple[int, int], list[PlannedMatch]] = defaultdict(list)
        for one in self.table:
            self._members[one.group].update(one.places)
            self._group_matches[one.group, one.repetition].append(one)

    def members(self, group: int) -> set[int]:
        """Return the places of a matching group."""
        return self._members[group]

    def group_matches(self, group: int, repetition: int) -> Sequence[PlannedMatch]:
        return self._group_matches[group, repetition]

    def free_matches(
        self, begun: Mapping[int, PlannedMatch], placed: Mapping[int, ParticipantProgress]
    ) -> list[PlannedMatch]:
        """Return the first matches that are still open, in order."""
        return [one for one in self._first if one.number not in begun and not any(who in placed for who in one.places)]

    def steps(
        self, begun: Mapping[int, PlannedMatch], placed: Mapping[int, ParticipantProgress], waiters: Sequence[Waiter]
    ) -> list[Step]:
        """Return the possible steps, at most one for each waiting participant.

        Args:
            begun: Number to each match that has begun, with the places of its participants.
            placed: Place to the progress of its participant.
            waiters: Waiting participants, in order of arrival.
        """
        return [*_PairingState(self, begun, placed, waiters).steps()]


class _PairingState:
    """State of one matching run."""

    def __init__(
        self,
        pairing: Pairing,
        begun: Mapping[int, PlannedMatch],
        placed: Mapping[int, ParticipantProgress],
        waiters: Sequence[Waiter],
    ) -> None:
        self._pairing, self._study = pairing, pairing.study
        self._begun, self._placed, self._waiters = dict(begun), placed, waiters
        self._limit, self._stand_in = self._study.time.waiting, stand_in_player(self._study)
        self._free_matches = pairing.free_matches(begun, placed)

    def steps(self) -> Iterator[Step]:
        yield from self._first_matches([one for one in self._waiters if one.place is None])
        left: dict[tuple[int, int], list[Waiter]] = defaultdict(list)
        awaiting: dict[tuple[int, int], list[Waiter]] = defaultdict(list)
        for match, waiting in self._awaited_matches().values():
            decision = self._decide(match, waiting)
            if decision == BEGIN:
                yield self._begin_match(match, {one.place: one for one in waiting if one.is_here})
            else:
                (awaiting if decision == WAIT else left)[match.group, match.repetition] += waiting
        for (group, repetition), some in left.items():
            yield from self._match_remaining(group, repetition, some, awaiting[group, repetition])

    # -- first matches -----------------------------------------------------------------------------------------

    def _first_matches(self, pool: list[Waiter]) -> Iterator[Step]:
        for match in self._free_matches:
            here = [one for one in pool if one.is_here][: len(match.places)]
            # Later matches wait too, since the random order of the arms must not depend on who comes when.
            if not self._may_begin(here, len(match.places)):
                break
            yield self._begin_match(match, dict(zip(match.places, here, strict=False)))
            pool = [one for one in pool if one not in here]
        full = not any(one.number not in self._begun for one in self._free_matches)
        for one in pool:
            if full:
                yield Step(FULL, {0: one.name})
            elif self._study.time.alone == PAY and one.seconds_waited >= self._limit:
                yield Step(ALONE, {0: one.name})

    def _may_begin(self, here: Sequence[Waiter], size: int) -> bool:
        """Whether a match can begin with those present: all seats, or some if stand-ins take the rest."""
        late = any(one.seconds_waited >= self._limit for one in here)
        if len(here) == size:
            # After the limit nobody waits for the minimum of others.
            return late or all(one.is_ready for one in here)
        return late and self._study.time.alone != PAY

    def _begin_match(self, match: PlannedMatch, players: Mapping[int | None, Waiter]) -> Step:
        """Begin a match; `players`: planned place to the participant who takes its seat."""
        seated = list[int | str](match.players)
        names: dict[int, str] = {}
        for seat, planned in enumerate(match.players):
            if isinstance(planned, int):
                who = players.get(planned)
                seated[seat] = self._stand_in if who is None else planned if who.place is None else who.place
                names |= {seat: who.name} if who is not None else {}
        self._begun[match.number] = begun = match._replace(players=tuple(seated))
        return Step(BEGIN, names, begun)

    # -- later matches -----------------------------------------------------------------------------------------

    def _awaited_matches(self) -> dict[int, tuple[PlannedMatch, list[Waiter]]]:
        """Return the awaited matches of the table with their waiting participants."""
        found: dict[int, tuple[PlannedMatch, list[Waiter]]] = {}
        for one in self._waiters:
            if one.place is not None:
                match = self._pairing.own_matches[one.place][one.repetition]
                found.setdefault(match.number, (match, []))[1].append(one)
        return found

    def _decide(self, match: PlannedMatch, waiting: Sequence[Waiter]) -> str:
        if match.number in self._begun or self._has_repeated_pair(match.places):
            return SKIP
        absent = {place for place in match.places if self._is_absent(place, match)}
        if absent and not self._stand_in:
            return SKIP
        here = [one for one in waiting if one.is_here]
        if {*match.places} <= absent.union(one.place for one in here if one.place is not None):
            return BEGIN if all(one.is_ready or one.seconds_waited >= self._limit for one in here) else WAIT
        if self._study.time.alone == PAY:
            return ALONE if any(one.seconds_waited >= self._limit for one in waiting) else WAIT
        return BEGIN if any(one.seconds_waited >= self._limit for one in here) else WAIT

    def _is_absent(self, place: int, match: PlannedMatch) -> bool:
        """Whether nobody with this place will come to the match."""
        one = self._placed.get(place)
        if one is None:
            return not any(place in free.places for free in self._free_matches)
        return one.has_left or one.repetition > match.repetition or (place, match.repetition) in self._places_in_matches

    @cached_property
    def _places_in_matches(self) -> set[tuple[int, int]]:
        """(place, repetition) of all participants in matches that have begun."""
        # Kept for the run: whoever begins a match in it takes no other step in it.
        return {(place, one.repetition) for one in self._begun.values() for place in one.places}

    @cached_property
    def _earlier_pairs(self) -> set[tuple[int, int]]:
        return {pair for one in self._begun.values() for pair in combinations(sorted(one.places), 2)}

    def _has_repeated_pair(self, places: Sequence[int]) -> bool:
        """Whether two strangers have already met."""
        strange = self._study.matching.partners == STRANGER
        return strange and any(pair in self._earlier_pairs for pair in combinations(sorted(places), 2))

    # -- remaining participants --------------------------------------------------------------------------------

    def _match_remaining(
        self, group: int, repetition: int, some: list[Waiter], awaiting: Sequence[Waiter]
    ) -> Iterator[Step]:
        # Who has waited longest comes first in all choices.
        some = sorted(some, key=lambda one: -one.seconds_waited)
        if self._study.matching.partners != PARTNER:
            while found := self._find_match(group, repetition, some, awaiting):
                match, players = found
                yield self._begin_match(match, players)
                some = [one for one in some if one not in players.values()]
                awaiting = [one for one in awaiting if one not in players.values()]
        for one in some:
            if one.seconds_waited >= self._limit and self._study.time.alone == PAY:
                yield Step(ALONE, {0: one.name})
            elif not self._has_enough_others(group, repetition, one):
                yield Step(SKIP, {0: one.name})

    def _find_match(
        self, group: int, repetition: int, some: Sequence[Waiter], awaiting: Sequence[Waiter]
    ) -> tuple[PlannedMatch, dict[int | None, Waiter]] | None:
        """Return a match of remaining participants, after the limit also with those awaiting others, and its seats."""
        free = [one for one in self._pairing.group_matches(group, repetition) if one.number not in self._begun]
        here = [one for one in (*some, *awaiting) if one.is_here][:MAX_CANDIDATES]
        size = len(self._pairing.group_matches(group, repetition)[0].places)
        # As many people as possible; stand-ins may take the other seats.
        for count in range(min(size, len(here)), 0, -1):
            for chosen in combinations(here, count):
                late = any(one.seconds_waited >= self._limit for one in chosen)
                places = [one.place for one in chosen if one.place is not None]
                if not late and any(one in awaiting for one in chosen):
                    continue
                if (
                    self._may_begin(chosen, size)
                    and not self._has_repeated_pair(places)
                    and (match := self._find_free_match(free, chosen))
                ):
                    return match, self._assign_seats(match, chosen)
        return None

    def _find_free_match(self, free: Sequence[PlannedMatch], chosen: Sequence[Waiter]) -> PlannedMatch | None:
        """Return the first open match of the participants, or else an abandoned one."""
        own = [self._pairing.own_matches[one.place][one.repetition].number for one in chosen if one.place is not None]
        # Not the matches that others can still play as planned.
        dead = [one for one in free if one.number in own or any(self._is_absent(place, one) for place in one.places)]
        return min(dead, key=lambda one: own.index(one.number) if one.number in own else len(own), default=None)

    def _assign_seats(self, match: PlannedMatch, chosen: Sequence[Waiter]) -> dict[int | None, Waiter]:
        """Return planned place to participant; participants keep their own seats."""
        players: dict[int | None, Waiter] = {one.place: one for one in chosen if one.place in match.places}
        seats = [place for place in match.places if place not in players]
        others = [one for one in chosen if one.place not in players]
        return players | dict(zip(seats, others, strict=False))

    def _has_enough_others(self, group: int, repetition: int, one: Waiter) -> bool:
        """Whether enough others of a matching group may still become available in a repetition to fill a match."""
        others = 0
        for place in self._pairing.members(group) - {one.place}:
            match = self._pairing.own_matches[place][repetition]
            waits = self._placed.get(place)
            left = match.number in self._begun or any(self._is_absent(each, match) for each in match.places)
            comes = waits is not None and not self._is_absent(place, match) and left
            others += comes and one.place is not None and not self._has_repeated_pair([one.place, place])
        size = len(self._pairing.group_matches(group, repetition)[0].places)
        return self._study.matching.partners != PARTNER and size > 1 and others >= size - 1
