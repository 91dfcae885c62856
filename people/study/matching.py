"""Who plays whom in what: the randomisation table of a study, a pure function of its file.

Arms. Places are numbered from 0. Each block of them, as short as full matches allow, has as many in each arm, in random
order (permuted-block randomisation), so that arms never differ by more than a block. Matches are filled in that order
with whoever is there (`econzoo.people.study.pairing`): who has a place is known when their first match begins.

Partners. Within an arm, partners have places one after the other; random others are drawn from all of the arm;
strangers from matching groups, the smallest in which nobody meets anybody twice, so that nobody waits for others of
another group and groups are independent of each other.

Settings. Every match of an arm has one of those that came least so far in the arm, of these one that its participants
had least, of these any: within an arm no two settings differ by more than one match.

Seats. Who had a seat of a game less often takes it, else chance decides.

Seeds. Matches of different arms in the same setting have the same seeds, in order, and so the same draws of nature; two
matches of the same players have different ones.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import lcm
from typing import NamedTuple

from econzoo.envs.core.plurals import format_count
from econzoo.people.study.declaration import PARTNER, PERSON, STRANGER, Arm, Study
from econzoo.people.study.partners import Match, Round, neighbours, random_partners, strangers

__all__ = ["PlannedMatch", "arms_by_place", "check_matching", "plan_matches", "block_size"]

SEEDS = 2**48
"""Seeds of matches are below."""


class PlannedMatch(NamedTuple):
    """A match of a study.

    Attributes:
        number: In the table, from 0.
        arm: Name of the arm.
        setting: Which of the study's settings, from 0.
        repetition: Which match it is of its participants, from 0.
        players: For each seat a place, from 0, or the spec of a player.
        seed: Of the match.
        group: Matching group, from 0; participants of different groups never meet.
    """

    number: int
    arm: str
    setting: int
    repetition: int
    players: tuple[int | str, ...]
    seed: int
    group: int

    @property
    def places(self) -> tuple[int, ...]:
        """Its places, in order of seats."""
        return tuple(who for who in self.players if isinstance(who, int))


def plan_matches(study: Study, added: Sequence[int] = ()) -> list[PlannedMatch]:
    """The randomisation table: every match of a study.

    Ordered by arm, then repetition, then matching group; places that were added have matches of their own behind it.

    Args:
        study: The study.
        added: Numbers of places that were added to those of the file, in order. What stands before them stays.

    Raises:
        ValueError: The participants do not fill the matches, or do not suffice for strangers; the message says which
            numbers do.
    """
    table: list[PlannedMatch] = []
    used: Counter[tuple[tuple[str, ...], int]] = Counter()
    first = 0
    for part, count in enumerate((study.matching.participants, *added)):
        check_matching(study, count)
        table += _plan_part(study, f"/{part}" * bool(part), count, first, table, used)
        first += count
    return table


def _plan_part(
    study: Study,
    suffix: str,
    count: int,
    first: int,
    before: Sequence[PlannedMatch],
    used: Counter[tuple[tuple[str, ...], int]],
) -> list[PlannedMatch]:
    """The matches of so many places from the first one on, behind those of the places before."""
    places = _assign_arms(study, suffix, count)
    rng = _random_generator(study, "matches" + suffix)
    table: list[PlannedMatch] = []
    groups_before = max((one.group + 1 for one in before), default=0)
    for arm in study.arms:
        people = [first + place for place, name in enumerate(places) if name == arm.name]
        groups = list(_group_rounds(study, arm, people, rng))
        for match, setting, repetition, group in _assign_settings(study, groups, rng):
            seats = study.seats(arm, setting)
            used[seats, setting] += 1
            seed = _match_seed(study, setting, used[seats, setting])
            number = len(before) + len(table)
            table.append(_build_match(number, arm.name, setting, repetition, seats, match, seed, groups_before + group))
        groups_before += len(groups)
    return _balance_seats(study, table, rng)


def matches_by_place(table: Sequence[PlannedMatch]) -> dict[int, list[PlannedMatch]]:
    """The matches of every place, in order."""
    own: dict[int, list[PlannedMatch]] = {}
    for one in sorted(table, key=lambda one: one.repetition):
        for place in one.places:
            own.setdefault(place, []).append(one)
    return own


def arms_by_place(study: Study, added: Sequence[int] = ()) -> list[str]:
    """The name of the arm of every place; `added` as in `plan_matches`."""
    counts = (study.matching.participants, *added)
    return list(
        chain.from_iterable(_assign_arms(study, f"/{part}" * bool(part), count) for part, count in enumerate(counts))
    )


def _assign_arms(study: Study, suffix: str, count: int) -> list[str]:
    rng = _random_generator(study, "arms" + suffix)
    names = [arm.name for arm in study.arms for _ in range(block_size(study) // len(study.arms))]
    return list(chain.from_iterable(rng.sample(names, len(names)) for _ in range(count // len(names))))


def check_matching(study: Study, participants: int | None = None) -> None:
    """Refuses a number of participants, by default that of the file, with which there is no table.

    Raises:
        ValueError: See `plan_matches`.
    """
    count, block = participants or study.matching.participants, block_size(study)
    if count % block:
        near = [wanted for wanted in (count // block * block, (count // block + 1) * block) if wanted]
        told = " or ".join(map(str, near))
        raise ValueError(
            f"{study.file_location('matching', 'participants')}: {format_count(count, 'participant')} do not fill "
            f"the matches of {format_count(len(study.arms), 'arm')}; "
            f"allowed: a multiple of {block}, such as {told}"
        )


def block_size(study: Study) -> int:
    """The fewest participants that fill matches in all arms with as many in each."""
    return len(study.arms) * lcm(*(size for arm in study.arms for size in study.match_sizes(arm)))


def _random_generator(study: Study, what: str) -> random.Random:
    """Random draws for one purpose, which do not depend on how many were made for another."""
    return random.Random(f"{study.name}/{study.matching.seed}/{what}")


def _match_seed(study: Study, setting: int, number: int) -> int:
    text = f"{study.name}/{study.matching.seed}/{setting}/{number}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % SEEDS


# Partners


def _group_rounds(study: Study, arm: Arm, people: Sequence[int], rng: random.Random) -> Iterator[list[Round]]:
    """The rounds of each matching group of an arm."""
    sizes, partners = study.match_sizes(arm), study.matching.partners
    if max(sizes) == 1 or partners == PARTNER:
        for group in neighbours(people, lcm(*sizes)):
            yield [neighbours(group, size) for size in sizes]
    elif partners == STRANGER:
        yield from (_add_solo_rounds(rounds, sizes) for rounds in _stranger_groups(study, arm, people, rng))
    else:
        yield random_partners(people, sizes, rng)


def _add_solo_rounds(rounds: list[Round], sizes: Sequence[int]) -> list[Round]:
    """The rounds of a matching group, with those between them in which everybody is in a match alone."""
    left, alone = iter(rounds), neighbours(sorted(chain.from_iterable(rounds[0])), 1)
    return [alone if size == 1 else next(left) for size in sizes]


def _stranger_groups(study: Study, arm: Arm, people: Sequence[int], rng: random.Random) -> Iterator[list[Round]]:
    several = [size for size in study.match_sizes(arm) if size > 1]
    size, rounds = several[0], len(several)
    if len(set(several)) > 1:
        raise ValueError(
            f"{study.file_location('matching', 'partners')}: matches of arm {arm.name!r} with "
            f"{' and '.join(map(str, sorted({*several})))} participants are not allowed with strangers only; "
            "allowed: the same number in all of them, or 1; or other partners"
        )
    for least in range(rounds * (size - 1) + 1, len(people) + 1):
        if least % size == 0 and (found := _split_groups(people, least, size, rounds, rng)):
            yield from found
            return
    needed = rounds * (size - 1) + 1
    fewest = -(-needed // size) * size
    why = f"at least {fewest} are needed" if len(people) < needed else "none was found with so few"
    raise ValueError(
        f"{study.file_location('matching', 'partners')}: {format_count(len(people), 'participant')} in arm "
        f"{arm.name!r} cannot play {format_count(rounds, 'match')} of "
        f"{size} with strangers only: {why}; allowed: more participants, fewer repetitions, or other partners"
    )


def _split_groups(
    people: Sequence[int], least: int, size: int, rounds: int, rng: random.Random
) -> list[list[Round]] | None:
    """Matching groups of so many or more, as equal as full matches allow, with their rounds; None: one has none."""
    count = len(people) // least
    matches, more = divmod(len(people) // size, count)
    sizes = [(matches + (place < more)) * size for place in range(count)]
    starts = [sum(sizes[:place]) for place in range(count)]
    found = [strangers(people[at : at + long], size, rounds, rng) for at, long in zip(starts, sizes, strict=True)]
    return [one for one in found if one is not None] if None not in found else None


# Settings and seats


def _assign_settings(
    study: Study, groups: Sequence[list[Round]], rng: random.Random
) -> Iterator[tuple[Match, int, int, int]]:
    """(participants, setting, repetition, matching group) of every match of an arm."""
    in_arm: Counter[int] = Counter()
    had: Counter[tuple[int, int]] = Counter()
    for repetition in range(study.matching.repetitions):
        among = study.stages[study.stage_of(repetition)].setting_indices
        for group, rounds in enumerate(groups):
            for match in rounds[repetition]:
                setting = _choose_setting(match, in_arm, had, rng.sample(among, len(among)))
                in_arm[setting] += 1
                had.update((one, setting) for one in match)
                yield match, setting, repetition, group


def _choose_setting(match: Match, in_arm: Counter[int], had: Counter[tuple[int, int]], order: Sequence[int]) -> int:
    """What came least in the arm; of several what the participants had least; of these the first."""
    return min(order, key=lambda setting: (in_arm[setting], sum(had[one, setting] for one in match)))


def _build_match(
    number: int, arm: str, setting: int, repetition: int, seats: Sequence[str], match: Match, seed: int, group: int
) -> PlannedMatch:
    """A match whose participants take their seats in the order in which they are told."""
    people = iter(match)
    players = tuple(next(people) if who == PERSON else who for who in seats)
    return PlannedMatch(number, arm, setting, repetition, players, seed, group)


def _balance_seats(study: Study, table: Sequence[PlannedMatch], rng: random.Random) -> list[PlannedMatch]:
    """The same matches, in which participants change seats so that each has had all of a game about as often."""
    had: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    return [_assign_seats(one, had[study.settings[one.setting].game], rng) for one in table]


def _assign_seats(one: PlannedMatch, had: Counter[tuple[int, int]], rng: random.Random) -> PlannedMatch:
    left = rng.sample(one.places, len(one.places))
    players = list(one.players)
    for seat, who in enumerate(players):
        if isinstance(who, int):
            times = {person: had[person, seat] for person in left}
            players[seat] = taken = min(left, key=times.__getitem__)
            left.remove(taken)
            had[taken, seat] += 1
    return one._replace(players=tuple(players))
