"""What participants may be expected to earn, from records, from a mean that is given, or from trial matches."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.values import plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.folder import read_folder
from econzoo.evaluate.studies.declared import Payment, Study
from econzoo.evaluate.studies.payment import bonus_cents

DRAWS = 2_000
"""Bonuses that are drawn from recorded payoffs."""


class Recorded(NamedTuple):
    """What records say about the matches of a study.

    Attributes:
        payoffs: By setting (as text): of people, if any played, else of all seats.
        seconds: Median time of a person's answer; None: nobody's is recorded.
        moves: Mean number of answers of a seat in a match.
        matches: That were read.
        people: Whether the payoffs are those of people.
        same: Whether only matches in the study's own settings were taken; else there are none.
    """

    payoffs: Mapping[str, tuple[float, ...]]
    seconds: float | None
    moves: float
    matches: int
    people: bool
    same: bool

    @property
    def all(self) -> tuple[float, ...]:
        """The payoffs of all settings."""
        return tuple(payoff for some in self.payoffs.values() for payoff in some)

    @property
    def deviation(self) -> float:
        """Standard deviation of a payoff within its setting, pooled over settings; 0 if no setting has two.

        Settings are balanced over arms and can be controlled for, so that what differs between them is no noise.
        """
        groups = [some for some in self.payoffs.values() if len(some) > 1]
        freedom = sum(len(some) - 1 for some in groups)
        squares = sum((payoff - fmean(some)) ** 2 for some in groups for payoff in some)
        return (squares / freedom) ** 0.5 if freedom else 0.0


def recorded(study: Study, folder: str | Path) -> Recorded:
    """What a file or folder of records says about the game of a study.

    Raises:
        FileNotFoundError: There is no such file or folder.
        ValueError: It has no match of the game that has ended.
    """
    found = [one for one in read_folder(folder)[0] if one.game == study.game and one.status != "paused"]
    if not found:
        raise ValueError(f"{folder} has no match of {study.game} that has ended; allowed: records of {study.game}")
    game = find_game(study.game)
    own = {_key(game.params(**params)[0]) for params in study.settings}
    same = [one for one in found if _key(one.params) in own]
    used = same or found
    people = any(is_person(spec) for one in used for spec in one.players)
    return _summed(used, people, bool(same))


def _summed(records: Sequence[Record], people: bool, same: bool) -> Recorded:
    payoffs: dict[str, list[float]] = defaultdict(list)
    seconds: list[float] = []
    answers = seats = 0
    for one in records:
        taken = [seat for seat, spec in enumerate(one.players) if is_person(spec) or not people]
        payoffs[_key(one.params)] += [one.payoffs[seat] for seat in taken]
        own = [turn for turn in one.turns if turn.seat in taken]
        answers, seats = answers + len(own), seats + len(taken)
        seconds += [turn.seconds for turn in own if people]
    told = {key: tuple(some) for key, some in payoffs.items()}
    return Recorded(told, median(seconds) if seconds else None, answers / seats, len(records), people, same)


def _key(params: Mapping[str, object]) -> str:
    return repr(sorted(plain(params).items()))


def expected_bonus(payoffs: Sequence[float], payment: Payment, repetitions: int) -> float:
    """The mean bonus, in hundredths, of participants whose payoffs are drawn from these, with floor and cap.

    Args:
        payoffs: That a match may have; a single one is no draw.
        payment: The study's.
        repetitions: Matches of a participant.
    """
    if len(set(payoffs)) == 1:
        return bonus_cents([payoffs[0]] * repetitions, payment)
    rng = random.Random(0)
    return fmean(bonus_cents(rng.choices(payoffs, k=repetitions), payment) for _ in range(DRAWS))
