"""Trial matches of a study, with scripts in the seats of its participants, for a rough idea of lengths and payoffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from econzoo.baselines.factory import fitting
from econzoo.baselines.pools import pool
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import named
from econzoo.evaluate.run.match import Cast, play_matches
from econzoo.evaluate.run.table import Match, new_match
from econzoo.people.study.declaration import PERSON, Arm, Study

MOST_TRIALS = 24
"""Settings of an arm that are tried; of more of them every n-th one."""


class Trial(NamedTuple):
    """What came of the trial matches of an arm.

    Attributes:
        moves: Mean number of answers of all participants of a match.
        payoffs: Of participants' seats, one after the other.
        matches: That were played.
    """

    moves: float
    payoffs: tuple[float, ...]
    matches: int


@cache
def stand_in(game: str, seat: int) -> str:
    """A script for a seat: the second of the game's standard pool that fits, since the first is often an optimum."""
    fit = fitting(game, pool(game, "standard"), seat) or ["random"]
    return fit[min(1, len(fit) - 1)]


def tried(study: Study, arm: Arm) -> Trial:
    """Plays an arm once in its settings. Models and files are not asked: scripts stand in for them too.

    Raises:
        MissingLibraryError: The game needs a library that is not installed.
    """
    every = -(-len(study.settings) // MOST_TRIALS)
    chosen = range(0, len(study.settings), every)
    people = [[seat for seat, who in enumerate(study.seats(arm, one)) if who == PERSON] for one in chosen]
    matches = [_match(study.game, study.seats(arm, one), study.settings[one], one) for one in chosen]
    records = list(play_matches(matches, Cast(study.game)))
    moves = sum(sum(turn.seat in seats for turn in one.turns) for one, seats in zip(records, people, strict=True))
    return Trial(moves / len(records), tuple(_payoffs(records, people)), len(records))


def _match(game: str, seats: Sequence[str], params: dict[str, Any], seed: int) -> Match:
    plays = [stand_in(game, seat) if who == PERSON or ":" in named(who).spec else who for seat, who in enumerate(seats)]
    return new_match(game, plays, seed, **params)


def _payoffs(records: Sequence[Record], people: Sequence[Sequence[int]]) -> Iterator[float]:
    for record, seats in zip(records, people, strict=True):
        yield from (record.payoffs[seat] for seat in seats)
