"""Who plays whom now: whoever waits with an open page fills the matches of the randomisation table.

Who has not played yet has no place. First matches are filled in the order in which the table takes its arms, by who
came first and is there; with the seat comes the place, and with it the later matches.

A later match begins when those are there who have its places. Where one of them has left, or has played with somebody
else meanwhile, or lets the others wait too long, those who are left over in the same repetition and matching group
play together in a match of the table that is left over too: strangers only with whom they have not met, fixed partners
never. Whoever nobody is left for goes on to the next match at once. Whoever has waited too long takes the next one of
the group who waits, also for somebody else; if nobody does, they end.
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
"""Of who is left over, among so many a match is sought in which no strangers have met."""

WAIT, BEGIN, SKIP, ALONE, FULL = "wait", "begin", "skip", "alone", "full"
"""Go on waiting; a match begins; it is left out; the study ends for who has waited too long; no place is left."""

MINIMUM_WAIT = (4.0, 12.0)
"""Seconds that everybody waits at least, where a match without a wait would tell that all others are programs."""


class Waiter(NamedTuple):
    """Somebody in the waiting room.

    Attributes:
        name: Any text of their own.
        place: In the randomisation table; None: they have not played yet.
        repetition: Which match they wait for, from 0.
        seconds_waited: Seconds in the waiting room.
        is_here: Whether their page is open.
        is_ready: Whether they have waited long enough for a match to begin.
    """

    name: str
    place: int | None
    repetition: int
    seconds_waited: float
    is_here: bool
    is_ready: bool = True


class ParticipantProgress(NamedTuple):
    """Where somebody is who has a place.

    Attributes:
        repetition: Which match they wait for or play, from 0.
        has_left: Whether they do not come to another match.
    """

    repetition: int
    has_left: bool = False


class Step(NamedTuple):
    """What happens now.

    Attributes:
        kind: `BEGIN`, `SKIP`, `ALONE` or `FULL`.
        names: To whom; of a match that begins by seat.
        match: That begins, with the places of who plays and the specs of all others.
    """

    kind: str
    names: dict[int, str]
    match: PlannedMatch | None = None

    @property
    def name(self) -> str:
        """To whom, where it is one."""
        return self.names[0]


def stand_in_player(study: Study) -> str:
    """Who takes the seats of participants who do not come; empty: nobody."""
    alone, leaving = study.time.alone, study.leaving
    return alone if alone != PAY else leaving.policy if leaving.is_replaced else ""


def order_first_matches(study: Study, table: Sequence[PlannedMatch], added: Sequence[int] = ()) -> list[PlannedMatch]:
    """First matches in the order in which they are filled: arms take turns as places do, block by block."""
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
    """The matching of a study.

    Args:
        study: The study.
        added: See `plan_matches`.

    Attributes:
        table: The randomisation table.
        own_matches: The matches of every place, in order.
    """

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
        """The places of a matching group."""
        return self._members[group]

    def group_matches(self, group: int, repetition: int) -> Sequence[PlannedMatch]:
        """The matches of a matching group in a repetition."""
        return self._group_matches[group, repetition]

    def free_matches(
        self, begun: Mapping[int, PlannedMatch], placed: Mapping[int, ParticipantProgress]
    ) -> list[PlannedMatch]:
        """First matches that are still to be filled, in order."""
        return [one for one in self._first if one.number not in begun and not any(who in placed for who in one.places)]

    def steps(
        self, begun: Mapping[int, PlannedMatch], placed: Mapping[int, ParticipantProgress], waiters: Sequence[Waiter]
    ) -> list[Step]:
        """What happens now; at most one thing to each of those who wait.

        Args:
            begun: Matches that have begun, by number, with the places of who plays.
            placed: Everybody who has a place, by place.
            waiters: Who waits, in the order in which they came.
        """
        return [*_PairingState(self, begun, placed, waiters).steps()]


class _PairingState:
    """A moment of the matching."""

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
            what = self._decide(match, waiting)
            if what == BEGIN:
                yield self._begin_match(match, {one.place: one for one in waiting if one.is_here})
            else:
                (awaiting if what == WAIT else left)[match.group, match.repetition] += waiting
        for (group, repetition), some in left.items():
            yield from self._match_remaining(group, repetition, some, awaiting[group, repetition])

    # -- first matches -----------------------------------------------------------------------------------------

    def _first_matches(self, pool: list[Waiter]) -> Iterator[Step]:
        for match in self._free_matches:
            here = [one for one in pool if one.is_here][: len(match.places)]
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
        """Whether a match begins with those who are there: all of them, or some, where others may take the rest."""
        late = any(one.seconds_waited >= self._limit for one in here)
        if len(here) == size:
            return late or all(one.is_ready for one in here)
        return late and self._study.time.alone != PAY

    def _begin_match(self, match: PlannedMatch, players: Mapping[int | None, Waiter]) -> Step:
        """A match begins: who sits in it by the place whose seat it was, with places of their own."""
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
        """The matches of the table that somebody waits for, with who does."""
        found: dict[int, tuple[PlannedMatch, list[Waiter]]] = {}
        for one in self._waiters:
            if one.place is not None:
                match = self._pairing.own_matches[one.place][one.repetition]
                found.setdefault(match.number, (match, []))[1].append(one)
        return found

    def _decide(self, match: PlannedMatch, waiting: Sequence[Waiter]) -> str:
        """What follows now for who waits for a match of the table."""
        if match.number in self._begun or self._has_repeated_pair(match.places):
            return SKIP
        gone = {place for place in match.places if self._is_absent(place, match)}
        if gone and not self._stand_in:
            return SKIP
        here = [one for one in waiting if one.is_here]
        if {*match.places} <= gone.union(one.place for one in here if one.place is not None):
            return BEGIN if all(one.is_ready or one.seconds_waited >= self._limit for one in here) else WAIT
        if self._study.time.alone == PAY:
            return ALONE if any(one.seconds_waited >= self._limit for one in waiting) else WAIT
        return BEGIN if any(one.seconds_waited >= self._limit for one in here) else WAIT

    def _is_absent(self, place: int, match: PlannedMatch) -> bool:
        """Whether who has a place does not come to a match of theirs any more; nobody has it, and nobody will."""
        one = self._placed.get(place)
        if one is None:
            return not any(place in free.places for free in self._free_matches)
        return one.has_left or one.repetition > match.repetition or (place, match.repetition) in self._places_in_matches

    @cached_property
    def _places_in_matches(self) -> set[tuple[int, int]]:
        """(place, repetition) of everybody in a match that has begun."""
        return {(place, one.repetition) for one in self._begun.values() for place in one.places}

    @cached_property
    def _earlier_pairs(self) -> set[tuple[int, int]]:
        return {pair for one in self._begun.values() for pair in combinations(sorted(one.places), 2)}

    def _has_repeated_pair(self, places: Sequence[int]) -> bool:
        """Whether two have met who must not meet again."""
        strange = self._study.matching.partners == STRANGER
        return strange and any(pair in self._earlier_pairs for pair in combinations(sorted(places), 2))

    # -- who is left over --------------------------------------------------------------------------------------

    def _match_remaining(
        self, group: int, repetition: int, some: list[Waiter], awaiting: Sequence[Waiter]
    ) -> Iterator[Step]:
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
        """A match of who is left over, or too late and then with who awaits others, by the place whose seat it was."""
        free = [one for one in self._pairing.group_matches(group, repetition) if one.number not in self._begun]
        here = [one for one in (*some, *awaiting) if one.is_here][:MAX_CANDIDATES]
        size = len(self._pairing.group_matches(group, repetition)[0].places)
        for count in range(size, 0, -1):
            for chosen in combinations(here, min(count, len(here))):
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
        """The first match of those who play that has not begun, or else one to which nobody comes any more."""
        own = [self._pairing.own_matches[one.place][one.repetition].number for one in chosen if one.place is not None]
        dead = [one for one in free if one.number in own or any(self._is_absent(place, one) for place in one.places)]
        return min(dead, key=lambda one: own.index(one.number) if one.number in own else len(own), default=None)

    def _assign_seats(self, match: PlannedMatch, chosen: Sequence[Waiter]) -> dict[int | None, Waiter]:
        """Who sits in a match by the place whose seat it was: their own, where they have one in it."""
        players: dict[int | None, Waiter] = {one.place: one for one in chosen if one.place in match.places}
        seats = [place for place in match.places if place not in players]
        others = [one for one in chosen if one.place not in players]
        return players | dict(zip(seats, others, strict=False))

    def _has_enough_others(self, group: int, repetition: int, one: Waiter) -> bool:
        """Whether so many others of a matching group may be left over in a repetition that they fill a match."""
        others = 0
        for place in self._pairing.members(group) - {one.place}:
            match = self._pairing.own_matches[place][repetition]
            waits = self._placed.get(place)
            left = match.number in self._begun or any(self._is_absent(each, match) for each in match.places)
            comes = waits is not None and not self._is_absent(place, match) and left
            others += comes and one.place is not None and not self._has_repeated_pair([one.place, place])
        size = len(self._pairing.group_matches(group, repetition)[0].places)
        return self._study.matching.partners != PARTNER and size > 1 and others >= size - 1
