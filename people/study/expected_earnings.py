"""Expected earnings of participants, from pilot records, a given mean, or trial matches of scripts."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from econzoo.baselines import filter_by_seat, is_person, pool
from econzoo.envs.core import game as find_game
from econzoo.envs.core import read_csv_rows
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.record import Record, split_name
from econzoo.evaluate.run import Match, PlayerCache, new_match, play_matches, read_folder, record_files
from econzoo.people.study.bonus import payable_payoffs
from econzoo.people.study.declaration import HUMAN, PERSON, Arm, Study
from econzoo.people.study.payment import NO_RATES, Payment, Unit
from econzoo.people.study.roster import has_no_absence
from econzoo.people.study.stages import GAME, Stage

SEATS = "seats.csv"
"""File beside the records of an unpacked export, with the independent group of each match."""


def load_groups(folder: str | Path) -> dict[str, str]:
    """Return match id to independent group for the study exports among `folder`."""
    groups: dict[str, str] = {}
    for place in {path.parent for path in record_files(folder)}:
        if (path := place / SEATS).is_file():
            heads, *rows = [row for _, row in read_csv_rows(path)]
            seats = [dict(zip(heads, row, strict=True)) for row in rows]
            groups |= {row["match"]: f"{place}/{row['group']}" for row in seats}
    return groups


MAX_TRIALS = 24
"""Maximum number of trial settings per arm and stage; of more settings every n-th is used."""


PayoffPool = Sequence[Sequence[float]]
"""Payable payoffs of each of several matches: one per match, or one per round."""


class ArmTrial(NamedTuple):
    """Result of the trial matches of an arm.

    Attributes:
        moves: Setting to the number of moves of all participants in its match.
        payoffs: Payoffs of the participants' seats.
        matches: Number of matches.
        payable_payoffs: Game to the payable payoffs of each of these seats.
    """

    moves: Mapping[int, int]
    payoffs: tuple[float, ...]
    matches: int
    payable_payoffs: Mapping[str, PayoffPool]


@cache
def choose_stand_in(game: str, seat: int) -> str:
    """Return a script for a seat: the second suitable one of the standard pool, since the first is often optimal."""
    fit = filter_by_seat(game, pool(game, "standard"), seat) or ["random"]
    return fit[min(1, len(fit) - 1)]


def play_trials(study: Study, arm: Arm) -> ArmTrial:
    """Play an arm once in its settings; scripts also replace models and policies."""
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
    """Return the number of moves of a participant in a practice match."""
    players, params = study.practice_match(stage)
    seat = players.index(HUMAN)
    match = _build_match(stage.game, [*players[:seat], PERSON, *players[seat + 1 :]], params, 0)
    (record,) = play_matches([match], PlayerCache(stage.game))
    return _count_moves(record, [seat])


def _build_match(game: str, seats: Sequence[str], params: dict[str, Any], seed: int) -> Match:
    plays = [
        # Specs with a colon are models, policies or files.
        choose_stand_in(game, seat) if who == PERSON or ":" in split_name(who).spec else who
        for seat, who in enumerate(seats)
    ]
    return new_match(game, plays, seed, **params)


BONUS_DRAWS = 2_000
"""Simulated bonuses; their mean has a standard error of 2% of the standard deviation of a bonus."""


MIN_GROUPS = 10
"""Minimum number of groups with two settings for a correlation."""


MAX_CORRELATION = 0.99
"""Upper bound of the correlation: at 1 any effect would be detectable."""


class PairedCorrelation(NamedTuple):
    """Correlation of a group's mean payoffs between two settings.

    Attributes:
        correlation: Correlation over groups of deviations from setting means, pooled over pairs of settings.
        groups: Number of groups in two or more settings.
    """

    correlation: float
    groups: int


class PilotRecords(NamedTuple):
    """Summary of recorded matches of a game.

    Attributes:
        payoffs: Payoffs by setting (as text): of people if any played, else of all seats.
        median_seconds: Median seconds per move of people; None: no people.
        moves: Mean number of moves per seat and match.
        has_study_settings: Whether the matches are in the study's settings; False: none were.
        paired_correlation: Correlation between settings over groups of an exported study; None: too few groups.
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
        """Standard deviation of payoffs within settings, pooled; 0: no setting has two payoffs.

        Settings are balanced over arms and can be controlled for, so that variation between them is not noise.
        """
        groups = [some for some in self.payoffs.values() if len(some) > 1]
        freedom = sum(len(some) - 1 for some in groups)
        squares = sum((payoff - fmean(some)) ** 2 for some in groups for payoff in some)
        return (squares / freedom) ** 0.5 if freedom else 0.0


def read_pilot(study: Study, game: str, folder: str | Path) -> PilotRecords:
    """Summarise a file or folder of records of one game of a study."""
    records = [one for one in read_folder(folder)[0] if one.game == game and one.has_result]
    if not records:
        raise ValueError(f"{folder} has no finished match of {game}")
    own = {_setting_key(find_game(game).params(**params)[0]) for params in study.params(game)}
    same = [one for one in records if _setting_key(one.params) in own]
    used = same or records
    people = any(is_person(spec) for one in used for spec in one.players)
    used = [one for one in used if any(_is_informative(one, seat, people) for seat in range(len(one.players)))]
    if not used:
        raise ValueError(f"no person in {folder} made all moves of a match: expected a pilot with complete matches")
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
    by_setting = {key: tuple(some) for key, some in payoffs.items()}
    pace = median(seconds) if seconds else None
    return PilotRecords(by_setting, pace, answers / seats, len(records), people, same, tuple(paid))


def _is_informative(record: Record, seat: int, people: bool) -> bool:
    """Whether a seat counts: with people, only those who made all of their moves."""
    return not people or (is_person(record.players[seat]) and has_no_absence(record, seat))


def correlate_settings(records: Sequence[Record], groups: Mapping[str, str]) -> PairedCorrelation | None:
    """Return the correlation of people's mean payoffs between two settings, over groups; None: under `MIN_GROUPS`.

    It is the intraclass correlation of unordered pairs (Fisher 1925, Statistical methods for research workers, section
    38) of deviations from the setting means.
    """
    payoffs: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in records:
        if one.id in groups:
            people = [one.payoffs[seat] for seat in range(len(one.players)) if _is_informative(one, seat, True)]
            payoffs[groups[one.id]][_setting_key(one.params)] += people
    # One mean for each group and setting, since groups are the independent observations.
    means = [{key: fmean(some) for key, some in group.items() if some} for group in payoffs.values()]
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
    """Return the expected bonus in hundredths, with floor and cap, for matches sampled from pools.

    Args:
        rates: Match number, from 0, to money per unit of payoff; default: the rate of the payment.
    """
    # A fixed seed: the same file has the same plan.
    rng = random.Random(0)

    def sample_bonus(seed: int) -> int:
        own = enumerate(rng.choices(pool)[0] for pool in pools)
        payoffs: dict[Unit, float] = {
            (match, round): payoff for match, parts in own for round, payoff in enumerate(parts)
        }
        return payment.bonus(payoffs, str(seed), rates).cents

    # One payoff and one rate: all draws are equal.
    certain = len({payoff for pool in pools for parts in pool for payoff in parts}) == 1
    certain = certain and len(set(rates.values())) < 2
    return fmean(sample_bonus(seed) for seed in range(1 if certain else BONUS_DRAWS))
