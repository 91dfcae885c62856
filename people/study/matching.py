"""Randomisation table of a study: arms, partners, settings, seats and seeds, a pure function of the study file.

Arms. Places are numbered from 0 and assigned by permuted blocks, the shortest that full matches allow, with equal
numbers per arm. Participants receive a place when their first match begins (`econzoo.people.study.pairing`).

Partners. Within an arm, fixed partners have consecutive places; random partners are drawn from the whole arm; strangers
from matching groups, the smallest in which no pair meets twice, so that groups are independent observations.

Settings. A match gets the setting that is least frequent in its arm so far, then least frequent for its participants;
ties are broken at random. Within an arm, the numbers of matches of two settings differ by at most one.

Seats. A seat goes to the participant who had it least often in the game; ties are broken at random.

Seeds. Matches of different arms in the same setting share a sequence of seeds and so the same chance moves; matches of
the same players have different seeds.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import lcm
from typing import NamedTuple

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import check_arguments
from econzoo.people.study.declaration import PARTNER, PERSON, STRANGER, Arm, Study
from econzoo.people.study.partners import Match, Round, neighbours, random_partners, strangers

__all__ = ["PlannedMatch", "arms_by_place", "check_matching", "plan_matches", "block_size"]

SEEDS = 2**48
"""Exclusive upper bound of match seeds."""


class PlannedMatch(NamedTuple):
    """A match of the randomisation table.

    Attributes:
        number: Number in the table, from 0.
        setting: Index of the setting, from 0.
        repetition: Index among the matches of its participants, from 0.
        players: A place, from 0, or a player spec for each seat.
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
        """Places of its participants, in order of seats."""
        return tuple(who for who in self.players if isinstance(who, int))


@check_arguments
def plan_matches(study: Study, added: Sequence[int] = ()) -> list[PlannedMatch]:
    """Return the randomisation table: every match of a study.

    Ordered by arm, then repetition, then matching group; matches of added places follow.

    Args:
        study: The study.
        added: Numbers of places added to those of the file, in order; they change no other matches.

    Raises:
        ValueError: The number of participants does not fill the matches, or is too small for strangers; the message
            has valid numbers.
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
    planned: Sequence[PlannedMatch],
    used: Counter[tuple[tuple[str, ...], int]],
) -> list[PlannedMatch]:
    """Plan the matches of `count` places from `first` on, after the matches `planned`."""
    places = _assign_arms(study, suffix, count)
    rng = _random_generator(study, "matches" + suffix)
    table: list[PlannedMatch] = []
    first_group = max((one.group + 1 for one in planned), default=0)
    for arm in study.arms:
        people = [first + place for place, name in enumerate(places) if name == arm.name]
        groups = list(_group_rounds(study, arm, people, rng))
        for match, setting, repetition, group in _assign_settings(study, groups, rng):
            seats = study.seats(arm, setting)
            # Counted by seats: arms with other seats share the sequence of a setting, arms with the same ones go on
            # in it.
            used[seats, setting] += 1
            seed = _match_seed(study, setting, used[seats, setting])
            number = len(planned) + len(table)
            table.append(_build_match(number, arm.name, setting, repetition, seats, match, seed, first_group + group))
        first_group += len(groups)
    return _balance_seats(study, table, rng)


def matches_by_place(table: Sequence[PlannedMatch]) -> dict[int, list[PlannedMatch]]:
    """Return the matches of every place, in order."""
    own: dict[int, list[PlannedMatch]] = {}
    for one in sorted(table, key=lambda one: one.repetition):
        for place in one.places:
            own.setdefault(place, []).append(one)
    return own


def arms_by_place(study: Study, added: Sequence[int] = ()) -> list[str]:
    """Return the arm of every place; `added`: see `plan_matches`."""
    counts = (study.matching.participants, *added)
    return list(
        chain.from_iterable(_assign_arms(study, f"/{part}" * bool(part), count) for part, count in enumerate(counts))
    )


def _assign_arms(study: Study, suffix: str, count: int) -> list[str]:
    rng = _random_generator(study, "arms" + suffix)
    names = [arm.name for arm in study.arms for _ in range(block_size(study) // len(study.arms))]
    return list(chain.from_iterable(rng.sample(names, len(names)) for _ in range(count // len(names))))


def check_matching(study: Study, participants: int | None = None) -> None:
    """Raise `ValueError` for a number of participants (default: that of the file) that does not fill the matches."""
    count, block = participants or study.matching.participants, block_size(study)
    if count % block:
        near = [wanted for wanted in (count // block * block, (count // block + 1) * block) if wanted]
        raise ValueError(
            f"{study.file_location('matching', 'participants')}: {format_count(count, 'participant')} do not fill "
            f"the matches of {format_count(len(study.arms), 'arm')}: "
            f"expected a multiple of {block}, such as {' or '.join(map(str, near))}"
        )


def block_size(study: Study) -> int:
    """Return the smallest number of participants that fills matches equally in all arms."""
    return len(study.arms) * lcm(*(size for arm in study.arms for size in study.match_sizes(arm)))


def _random_generator(study: Study, what: str) -> random.Random:
    """Return an independent random generator for one purpose."""
    # Python seeds by a hash of the text (SHA-512), which is the same in every process. The table may have been
    # published, so purposes, texts and the order of draws must not change.
    return random.Random(f"{study.name}/{study.matching.seed}/{what}")


def _match_seed(study: Study, setting: int, number: int) -> int:
    text = f"{study.name}/{study.matching.seed}/{setting}/{number}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % SEEDS


# Partners


def _group_rounds(study: Study, arm: Arm, people: Sequence[int], rng: random.Random) -> Iterator[list[Round]]:
    """Yield the rounds of each matching group of an arm."""
    sizes, partners = study.match_sizes(arm), study.matching.partners
    if max(sizes) == 1 or partners == PARTNER:
        for group in neighbours(people, lcm(*sizes)):
            yield [neighbours(group, size) for size in sizes]
    elif partners == STRANGER:
        yield from (_add_solo_rounds(rounds, sizes) for rounds in _stranger_groups(study, arm, people, rng))
    else:
        yield random_partners(people, sizes, rng)


def _add_solo_rounds(rounds: list[Round], sizes: Sequence[int]) -> list[Round]:
    """Insert the rounds in which each participant is alone in a match."""
    left, alone = iter(rounds), neighbours(sorted(chain.from_iterable(rounds[0])), 1)
    return [alone if size == 1 else next(left) for size in sizes]


def _stranger_groups(study: Study, arm: Arm, people: Sequence[int], rng: random.Random) -> Iterator[list[Round]]:
    several = [size for size in study.match_sizes(arm) if size > 1]
    size, rounds = several[0], len(several)
    if len(set(several)) > 1:
        raise ValueError(
            f"{study.file_location('matching', 'partners')}: matches of arm {arm.name!r} have "
            f"{' and '.join(map(str, sorted({*several})))} participants: "
            "expected the same number, or 1, in all of them for strangers, or other partners"
        )
    # The smallest groups that have a schedule: the most independent observations.
    for least in range(rounds * (size - 1) + 1, len(people) + 1):
        if least % size == 0 and (found := _split_groups(people, least, size, rounds, rng)):
            yield from found
            return
    needed = rounds * (size - 1) + 1
    fewest = -(-needed // size) * size
    why = f"at least {fewest} are needed" if len(people) < needed else "no schedule was found"
    raise ValueError(
        f"{study.file_location('matching', 'partners')}: {format_count(len(people), 'participant')} in arm "
        f"{arm.name!r} cannot play {format_count(rounds, 'match')} of "
        f"{size} with strangers only, {why}: expected more participants, fewer repetitions, or other partners"
    )


def _split_groups(
    people: Sequence[int], least: int, size: int, rounds: int, rng: random.Random
) -> list[list[Round]] | None:
    """Return the rounds of near-equal matching groups of at least `least`; None: a group has no schedule."""
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
    """Yield (participants, setting, repetition, matching group) of every match of an arm."""
    in_arm: Counter[int] = Counter()
    had: Counter[tuple[int, int]] = Counter()
    for repetition in range(study.matching.repetitions):
        among = study.stages[study.stage_of(repetition)].setting_indices
        for group, rounds in enumerate(groups):
            for match in rounds[repetition]:
                # A random order decides ties, as min() takes the first.
                setting = _choose_setting(match, in_arm, had, rng.sample(among, len(among)))
                in_arm[setting] += 1
                had.update((one, setting) for one in match)
                yield match, setting, repetition, group


def _choose_setting(match: Match, in_arm: Counter[int], had: Counter[tuple[int, int]], order: Sequence[int]) -> int:
    """Return the setting least frequent in the arm, then among the participants, then first in `order`."""
    return min(order, key=lambda setting: (in_arm[setting], sum(had[one, setting] for one in match)))


def _build_match(
    number: int, arm: str, setting: int, repetition: int, seats: Sequence[str], match: Match, seed: int, group: int
) -> PlannedMatch:
    people = iter(match)
    players = tuple(next(people) if who == PERSON else who for who in seats)
    return PlannedMatch(number, arm, setting, repetition, players, seed, group)


def _balance_seats(study: Study, table: Sequence[PlannedMatch], rng: random.Random) -> list[PlannedMatch]:
    """Permute the seats so that each participant has all seats of a game about equally often."""
    had: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    return [_assign_seats(one, had[study.settings[one.setting].game], rng) for one in table]


def _assign_seats(one: PlannedMatch, had: Counter[tuple[int, int]], rng: random.Random) -> PlannedMatch:
    # In random order, for ties.
    left = rng.sample(one.places, len(one.places))
    players = list(one.players)
    for seat, who in enumerate(players):
        if isinstance(who, int):
            times = {person: had[person, seat] for person in left}
            players[seat] = taken = min(left, key=times.__getitem__)
            left.remove(taken)
            had[taken, seat] += 1
    return one._replace(players=tuple(players))
