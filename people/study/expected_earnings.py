"""What participants may be expected to earn, from records, from a mean that is given, or from trial matches."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from econzoo.baselines.factory import filter_by_seat, is_person
from econzoo.baselines.pools import pool
from econzoo.envs.core.files import read_csv_rows
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import split_name
from econzoo.envs.core.record.values import to_plain
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.folder import read_folder, record_files
from econzoo.evaluate.run.match import PlayerCache, play_matches
from econzoo.evaluate.run.table import Match, new_match
from econzoo.people.study.bonus import payable_payoffs
from econzoo.people.study.declaration import HUMAN, PERSON, Arm, Study
from econzoo.people.study.payment import NO_RATES, Payment, Unit
from econzoo.people.study.roster import has_no_absence
from econzoo.people.study.stages import GAME, Stage

SEATS = "seats.csv"
"""Beside the records of an unpacked export: which match belongs to which independent group."""


def load_groups(folder: str | Path) -> dict[str, str]:
    """Match to its independent group, where exports of studies lie in a file's folder, or a folder."""
    found: dict[str, str] = {}
    for place in {path.parent for path in record_files(folder)}:
        if (path := place / SEATS).is_file():
            heads, *rows = [row for _, row in read_csv_rows(path)]
            told = [dict(zip(heads, row, strict=True)) for row in rows]
            found |= {row["match"]: f"{place}/{row['group']}" for row in told}
    return found


MAX_TRIALS = 24
"""Settings of an arm that are tried in a stage; of more of them every n-th one."""


PayoffPool = Sequence[Sequence[float]]
"""The payoffs of each of some matches that may be paid by themselves: one, or that of each round."""


class ArmTrial(NamedTuple):
    """What came of the trial matches of an arm.

    Attributes:
        moves: Setting to the number of answers of all participants of its match.
        payoffs: Of participants' seats, one after the other.
        matches: That were played.
        payable_payoffs: Game to the payoffs of each of these seats that may be paid by themselves: of its match, or of
            each round.
    """

    moves: Mapping[int, int]
    payoffs: tuple[float, ...]
    matches: int
    payable_payoffs: Mapping[str, PayoffPool]


@cache
def choose_stand_in(game: str, seat: int) -> str:
    """A script for a seat: the second of the game's standard pool that fits, since the first is often an optimum."""
    fit = filter_by_seat(game, pool(game, "standard"), seat) or ["random"]
    return fit[min(1, len(fit) - 1)]


def play_trials(study: Study, arm: Arm) -> ArmTrial:
    """Plays an arm once in its settings. Models and files are not asked: scripts stand in for them too.

    Raises:
        MissingLibraryError: The game needs a library that is not installed.
    """
    parts = [
        stage.setting_indices[:: -(-len(stage.setting_indices) // MAX_TRIALS)]
        for stage in study.stages
        if stage.kind == GAME
    ]
    chosen = sorted({setting for part in parts for setting in part})
    seats = {one: study.seats(arm, one) for one in chosen}
    records: dict[int, Record] = {}
    for game in study.games:
        own = [one for one in chosen if study.settings[one].game == game]
        matches = [_build_match(game, seats[one], study.settings[one].params, one) for one in own]
        records |= zip(own, play_matches(matches, PlayerCache(game)), strict=True)
    people = {one: [seat for seat, who in enumerate(seats[one]) if who == PERSON] for one in chosen}
    taken = [(records[one], seat) for one in chosen for seat in people[one]]
    paid: dict[str, list[list[float]]] = {game: [] for game in study.games}
    for record, seat in taken:
        paid[record.game].append(payable_payoffs(study, record, seat))
    moves = {one: _count_moves(records[one], people[one]) for one in chosen}
    return ArmTrial(moves, tuple(record.payoffs[seat] for record, seat in taken), len(records), paid)


def _count_moves(record: Record, seats: Sequence[int]) -> int:
    return sum(turn.seat in seats for turn in record.turns)


def count_practice_moves(study: Study, stage: Stage) -> int:
    """Answers of a participant in a match of practice.

    Raises:
        MissingLibraryError: The game needs a library that is not installed.
    """
    players, params = study.practice_match(stage)
    seat = players.index(HUMAN)
    match = _build_match(stage.game, [*players[:seat], PERSON, *players[seat + 1 :]], params, 0)
    (record,) = play_matches([match], PlayerCache(stage.game))
    return _count_moves(record, [seat])


def _build_match(game: str, seats: Sequence[str], params: dict[str, Any], seed: int) -> Match:
    plays = [
        choose_stand_in(game, seat) if who == PERSON or ":" in split_name(who).spec else who
        for seat, who in enumerate(seats)
    ]
    return new_match(game, plays, seed, **params)


BONUS_DRAWS = 2_000
"""Bonuses that are drawn from recorded payoffs."""


MIN_GROUPS = 10
"""Groups with two settings that tell a correlation at least."""


MAX_CORRELATION = 0.99
"""Correlation at most: with 1 any effect would be found."""


class PairedCorrelation(NamedTuple):
    """How alike a group's mean payoffs in two settings are.

    Attributes:
        correlation: Over groups, of what differs from the mean of the setting; pooled over pairs of settings.
        groups: That played in two settings or more.
    """

    correlation: float
    groups: int


class PilotRecords(NamedTuple):
    """What records say about the matches of a game.

    Attributes:
        payoffs: By setting (as text): of people, if any played, else of all seats.
        median_seconds: Median time of a person's answer; None: nobody's is recorded.
        moves: Mean number of answers of a seat in a match.
        matches: That were read.
        has_people: Whether the payoffs are those of people.
        has_study_settings: Whether only matches in the study's own settings were taken; else there are none.
        payable_payoffs: The payoffs of each seat that may be paid by themselves: of its match, or of each round.
        paired_correlation: Of groups of an exported study; None: too few of them are known.
    """

    payoffs: Mapping[str, tuple[float, ...]]
    median_seconds: float | None
    moves: float
    matches: int
    has_people: bool
    has_study_settings: bool
    payable_payoffs: tuple[tuple[float, ...], ...]
    paired_correlation: PairedCorrelation | None = None

    @property
    def deviation(self) -> float:
        """Standard deviation of a payoff within its setting, pooled over settings; 0 if no setting has two.

        Settings are balanced over arms and can be controlled for, so that what differs between them is no noise.
        """
        groups = [some for some in self.payoffs.values() if len(some) > 1]
        freedom = sum(len(some) - 1 for some in groups)
        squares = sum((payoff - fmean(some)) ** 2 for some in groups for payoff in some)
        return (squares / freedom) ** 0.5 if freedom else 0.0


def read_pilot(study: Study, game: str, folder: str | Path) -> PilotRecords:
    """What a file or folder of records says about a game of a study.

    Raises:
        FileNotFoundError: There is no such file or folder.
        ValueError: It has no match of the game that has ended with a result.
    """
    found = [one for one in read_folder(folder)[0] if one.game == game and one.has_result]
    if not found:
        raise ValueError(f"{folder} has no match of {game} that has ended; allowed: records of {game}")
    own = {_setting_key(find_game(game).params(**params)[0]) for params in study.params(game)}
    same = [one for one in found if _setting_key(one.params) in own]
    used = same or found
    people = any(is_person(spec) for one in used for spec in one.players)
    used = [one for one in used if any(_is_informative(one, seat, people) for seat in range(len(one.players)))]
    if not used:
        raise ValueError(f"nobody in {folder} made all of their moves; allowed: a pilot with matches played through")
    return _summarize_records(study, used, people, bool(same))._replace(
        paired_correlation=correlate_settings(used, load_groups(folder))
    )


def _summarize_records(study: Study, records: Sequence[Record], people: bool, same: bool) -> PilotRecords:
    payoffs: dict[str, list[float]] = defaultdict(list)
    paid: list[tuple[float, ...]] = []
    seconds: list[float] = []
    answers = seats = 0
    for one in records:
        taken = [seat for seat, spec in enumerate(one.players) if _is_informative(one, seat, people)]
        payoffs[_setting_key(one.params)] += [one.payoffs[seat] for seat in taken]
        paid += [tuple(payable_payoffs(study, one, seat)) for seat in taken]
        own = [turn for turn in one.turns if turn.seat in taken]
        answers, seats = answers + len(own), seats + len(taken)
        seconds += [turn.seconds for turn in own if people]
    told = {key: tuple(some) for key, some in payoffs.items()}
    pace = median(seconds) if seconds else None
    return PilotRecords(told, pace, answers / seats, len(records), people, same, tuple(paid))


def _is_informative(record: Record, seat: int, people: bool) -> bool:
    """Whether a seat tells something: of people those who made all of their moves."""
    return not people or (is_person(record.players[seat]) and has_no_absence(record, seat))


def correlate_settings(records: Sequence[Record], groups: Mapping[str, str]) -> PairedCorrelation | None:
    """How alike people's mean payoffs in two settings are, over groups; None: fewer than `MIN_GROUPS` have two.

    It is the correlation of pairs in no order (Fisher 1925, Statistical methods for research workers, section 38), of
    what differs from the means of the settings.

    Args:
        records: Of matches.
        groups: Id of a match to its independent group.
    """
    told: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in records:
        if one.id in groups:
            people = [one.payoffs[seat] for seat in range(len(one.players)) if _is_informative(one, seat, True)]
            told[groups[one.id]][_setting_key(one.params)] += people
    means = [{key: fmean(some) for key, some in group.items() if some} for group in told.values()]
    several = [group for group in means if len(group) > 1]
    if len(several) < MIN_GROUPS:
        return None
    settings = {key: fmean(group[key] for group in several if key in group) for group in several for key in group}
    left = [{key: mean - settings[key] for key, mean in group.items()} for group in several]
    pairs = [pair for group in left for pair in combinations(group.values(), 2)]
    scale = sum(a * a + b * b for a, b in pairs) / 2
    return (
        PairedCorrelation(min(sum(a * b for a, b in pairs) / scale, MAX_CORRELATION), len(several)) if scale else None
    )


def _setting_key(params: Mapping[str, object]) -> str:
    return repr(sorted(to_plain(params).items()))


def expected_bonus(pools: Sequence[PayoffPool], payment: Payment, rates: Mapping[int, float] = NO_RATES) -> float:
    """The mean bonus, in hundredths, of participants whose matches are drawn from some, with floor and cap.

    Args:
        pools: From which each match of a participant is drawn, in order.
        payment: The study's.
        rates: Number of a match, from 0, to money for one unit of its payoff; of others as the payment says.
    """
    rng = random.Random(0)

    def draw_payment(seed: int) -> int:
        own = enumerate(rng.choices(pool)[0] for pool in pools)
        payoffs: dict[Unit, float] = {
            (match, round): payoff for match, parts in own for round, payoff in enumerate(parts)
        }
        return payment.bonus(payoffs, str(seed), rates).cents

    certain = len({payoff for pool in pools for parts in pool for payoff in parts}) == 1
    certain = certain and len(set(rates.values())) < 2
    return fmean(draw_payment(seed) for seed in range(1 if certain else BONUS_DRAWS))
