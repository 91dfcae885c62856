"""Gains of trainings over seeds, compared with scripts and the ceiling in the same matches.

There are two sources of randomness: settings and training seeds. An interval *over training seeds* covers the same
training with other seeds, in these settings and against these opponents: Student's t for the means of the seeds. An
interval *over settings* covers other settings for these policies (`econzoo.evaluate.stats.estimates`). A training is
better than a script if it is so over seeds, and over settings after Holm's correction over all trainings and scripts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.objectives import SELF_GAIN
from econzoo.envs.core.record.player_labels import label_players
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.ceilings.ceiling import BEST_KNOWN, CEILING_NOTE, Ceiling, cells, solvable_opponents
from econzoo.evaluate.analyses.exploitability.results import LOWER_BOUND
from econzoo.evaluate.analyses.frame import columns
from econzoo.evaluate.analyses.missing_results import describe_no_result, matches_with_result, split_by_result
from econzoo.evaluate.stats.columns import (
    Columns,
    has_different_seats,
    is_in,
    select_common_opponents,
    sorted_roles,
    values_of,
)
from econzoo.evaluate.stats.estimates import (
    Difference,
    Population,
    describe_population,
    differences,
    estimate,
    population,
)
from econzoo.evaluate.stats.intervals import Interval
from econzoo.evaluate.stats.repeats import remove_repeats
from econzoo.evaluate.stats.students_t import mean_of_draws, predict_draw

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.exploitability.results import Exploitability
    from econzoo.evaluate.analyses.learning.trainings import Training
    from econzoo.evaluate.run.design import Design

EMPTY: Mapping[str, Any] = MappingProxyType({})

BAYES_ADAPTIVE, FULL_INFORMATION = "ceiling, not told", "best scripts, told"
"""Names of the ceiling: Bayes-adaptive best response; best script against each opponent, with full information."""

SCRIPTS_NOTE = (
    "best scripts, told: mean over opponents of the best script against each, a lower bound on the best response with "
    "full information."
)


class CeilingLine(NamedTuple):
    """Best known gain.

    Attributes:
        name: `BAYES_ADAPTIVE` or `FULL_INFORMATION`.
        gain: Value of the ceiling.
        told: Value with full information.
        how: Certainty of both values.
        counted: Labels of the opponents averaged over.
        left_out: Specs of opponents without a known best response.
        reader: Note on the information that the ceiling assumes.
    """

    name: str
    gain: float
    told: float
    how: str
    counted: list[str]
    left_out: list[str]
    reader: str

    @property
    def note(self) -> str:
        """Note below the table."""
        excluded = f" Shares exclude {', '.join(self.left_out)}: no known best response."
        return self.reader + excluded * bool(self.left_out)


def ceiling_line(
    design: Design, rows: Columns, scripts: Sequence[str], labels: Mapping[str, str], value: str
) -> CeilingLine | None:
    """Return the ceiling for the settings and opponents of a design; None without a solution or script.

    Args:
        design: Design of the matches.
        rows: One row per match and player, against opponents common to all players.
        scripts: Specs of scripted players.
        labels: Labels by spec.
        value: Column of gains.
    """
    game, opponents = find_game(design.game), set(values_of(rows["opponent"]))
    if answered := solvable_opponents(game, design.opponents):
        seats = sorted(set(values_of(rows["seat"])))
        known = cells(game, answered, design.settings, seats)
        found = Ceiling(game.name, "", answered, len(design.settings), known, None)
        answered = found.solved_opponents
        unsolved = [one for one in design.opponents if one not in answered and labels[one] in opponents]
        counted = [labels[one] for one in answered]
        gains, certainty = (found.bayes_adaptive, found.full_information), found.bayes_adaptive_certainty
        return CeilingLine(BAYES_ADAPTIVE, *gains, certainty, counted, unsolved, CEILING_NOTE)
    best = _best_script_gains(rows[is_in(rows["player"], [labels[one] for one in scripts])], value)
    gain = fmean(best.values()) if best else 0.0
    return CeilingLine(FULL_INFORMATION, gain, gain, BEST_KNOWN, list(best), [], SCRIPTS_NOTE) if best else None


def _best_script_gains(rows: Columns, value: str) -> dict[str, float]:
    """Return the mean gain of the best script against each opponent."""
    gains: dict[str, dict[str, list[float]]] = {}
    for other, who, gain in zip(
        values_of(rows["opponent"]), values_of(rows["player"]), values_of(rows[value]), strict=True
    ):
        gains.setdefault(other, {}).setdefault(who, []).append(gain)
    return {other: max(map(fmean, found.values())) for other, found in gains.items()}


VALUE = "value"
"""Column of the compared objective."""


class PlayerGain(NamedTuple):
    """Gain of a player.

    Attributes:
        spec: Spec of the player.
        seed: Training seed; None if unknown or for a script.
        gain: Mean gain with its interval over settings.
        counted_gain: Mean gain against the opponents of the ceiling; NaN without one.
        exploitability: Mean over settings; NaN if not computed.
    """

    spec: str
    seed: int | None
    gain: Interval
    counted_gain: float
    exploitability: float


class Gap(NamedTuple):
    """Difference between a training and a script in the same matches.

    Attributes:
        script: Spec of the script.
        settings: Difference with its interval over settings; Holm's correction is over all trainings and scripts.
        seeds: Difference with its interval over training seeds.
    """

    script: str
    settings: Difference
    seeds: Interval


class TrainingGain(NamedTuple):
    """Gain of a training.

    Attributes:
        name: See `Training`.
        policies: Gains of the policies, one per seed.
        settings: Mean over seeds with its interval over settings.
        seeds: Mean over seeds with its interval over training seeds.
        new_seed: The same with the interval of one further seed.
        counted_gain: Mean against the opponents of the ceiling, with its interval over training seeds.
        exploitability: Mean over seeds with its interval over training seeds.
        gaps: Differences from the scripts, the best script first.
    """

    name: str
    policies: list[PlayerGain]
    settings: Interval
    seeds: Interval
    new_seed: Interval
    counted_gain: Interval
    exploitability: Interval
    gaps: list[Gap]


class SeatComparison(NamedTuple):
    """Comparison of players in the same seats.

    Attributes:
        role: Role of all players; empty: all seats together.
        ceiling: Ceiling; None if not requested.
        trainings: Trainings in the given order.
        scripts: Scripts, the highest mean first.
    """

    role: str
    ceiling: CeilingLine | None
    trainings: list[TrainingGain]
    scripts: list[PlayerGain]

    def share(self, found: Interval) -> Interval:
        """Divide a gain by the ceiling, a constant."""
        ceiling = self.ceiling.gain if self.ceiling and self.ceiling.gain > 0 else math.nan
        return found._replace(mean=found.mean / ceiling, low=found.low / ceiling, high=found.high / ceiling)

    def share_of(self, one: PlayerGain) -> float:
        """Return a player's gain as a share of the ceiling; NaN without one."""
        return self.share(Interval(one.counted_gain, math.nan, math.nan, 0)).mean


class LearningTable(NamedTuple):
    """Learning table of a game.

    Attributes:
        game: Name of the game.
        pool: Name of the opponent pool.
        opponents: Specs of the opponents.
        settings: Number of settings.
        objective: Compared objective.
        comparisons: All seats together, then by seat if requested; only the latter if players take different seats.
        population_note: Population of the intervals over settings.
        no_result_note: Note on matches without a result; empty if there are none.
        lower_bounds: Players whose exploitability is a lower bound.
        unmeasured_players: Players without exploitability, and why.
    """

    game: str
    pool: str
    opponents: list[str]
    settings: int
    objective: str
    comparisons: list[SeatComparison]
    population_note: str
    no_result_note: str = ""
    lower_bounds: Sequence[str] = ()
    unmeasured_players: Mapping[str, str] = EMPTY


def learning_table(
    design: Design,
    records: Sequence[Record],
    trainings: Sequence[Training],
    pool: str,
    objective: str = SELF_GAIN,
    ceiling: bool = False,
    by_seat: bool = False,
    exploitability: Mapping[str, Exploitability] = EMPTY,
    unmeasured_players: Mapping[str, str] = EMPTY,
) -> LearningTable:
    """Compute the learning table of recorded matches.

    Args:
        design: Design whose players are the policies and scripts.
        records: Records of its matches.
        trainings: Trainings of the policies.
        pool: Name of the opponent pool.
        objective: Spec of the compared objective.
        ceiling: Whether to compute the ceiling.
        by_seat: Whether to add a comparison per seat, without a ceiling.
        exploitability: Exploitability by spec.
        unmeasured_players: Reasons for missing exploitability, by spec.

    Raises:
        ValueError: No match has a result.
    """
    labels = label_players(records, design.names())
    rows = _rows(remove_repeats(matches_with_result(records))[0], design, objective)
    rows = rows[is_in(rows["player"], [labels[one] for one in design.players])]
    apart = has_different_seats(rows)
    comparable = select_common_opponents(rows, apart)
    learned = {spec for one in trainings for spec in one.seeds}
    scripts = [one for one in design.players if one not in learned]
    compared = []
    for role in [*([] if apart else [""]), *(sorted_roles(comparable) if apart or by_seat else [])]:
        part = comparable[comparable["role"] == role] if role else comparable
        if {labels[spec] for spec in learned} & set(values_of(part["player"])):
            line = ceiling_line(design, part, scripts, labels, VALUE) if ceiling and (apart or not role) else None
            found = _SeatRows(part, population(comparable), labels, line, exploitability)
            compared.append(found.comparison(role, trainings, scripts))
    over = describe_population(len(set(values_of(comparable["market"]))), population(comparable))
    no_result = describe_no_result(split_by_result(records)[1])
    bounds = [spec for spec, one in exploitability.items() if one.certainty == LOWER_BOUND]
    head = design.game, pool, list(design.opponents), len(design.settings)
    return LearningTable(*head, objective, compared, over, no_result, bounds, unmeasured_players)


def _rows(records: Iterable[Record], design: Design, objective: str) -> Columns:
    """Return one row per match and seat, with the value of the objective."""
    table = columns(records, design, [objective], theory=False)
    table[VALUE] = table[objective]
    return table


class _SeatRows:
    """Rows of players in the same seats, against opponents common to all."""

    def __init__(
        self,
        rows: Columns,
        over: Population,
        labels: Mapping[str, str],
        line: CeilingLine | None,
        exploitability: Mapping[str, Exploitability],
    ) -> None:
        self.rows, self.over, self.labels, self.line = rows, over, labels, line
        self.exploitability = exploitability
        self.gains = self._means(rows)
        self.counted_gains = self._means(rows[is_in(rows["opponent"], line.counted)]) if line else {}

    def _means(self, rows: Columns) -> dict[str, Interval]:
        """Return means by label."""
        found = estimate(rows, ["player"], [VALUE], over=self.over, signed=[VALUE])
        return {who: one[VALUE] for who, one in found.items()}

    def comparison(self, role: str, trainings: Sequence[Training], scripts: Sequence[str]) -> SeatComparison:
        earned = [self.player_gain(one) for one in scripts if self.labels[one] in self.gains]
        ranked = sorted(earned, key=lambda one: -one.gain.mean)
        able = [one for one in trainings if all(self.labels[spec] in self.gains for spec in one.seeds)]
        own = {self.labels[spec]: f"\0{at}" for at, one in enumerate(able) for spec in one.seeds}  # like no label
        others = [self.labels[one.spec] for one in ranked]
        together = self.rows[is_in(self.rows["player"], [*own, *others])]
        together["player"] = [own.get(who, who) for who in values_of(together["player"])]
        means, keys = self._means(together), dict.fromkeys(own.values())
        apart = differences(together, [(key, other) for key in keys for other in others], VALUE, over=self.over)
        gains = [
            self.training_gain(one, means[key], [apart[key, other] for other in others], ranked)
            for one, key in zip(able, keys, strict=True)
        ]
        return SeatComparison(role, self.line, gains, ranked)

    def player_gain(self, spec: str, seed: int | None = None) -> PlayerGain:
        label = self.labels[spec]
        counted = self.counted_gains[label].mean if label in self.counted_gains else math.nan
        taken = self.exploitability[spec].mean if spec in self.exploitability else math.nan
        return PlayerGain(spec, seed, self.gains[label], counted, taken)

    def training_gain(
        self, training: Training, settings: Interval, apart: Sequence[Difference], scripts: Sequence[PlayerGain]
    ) -> TrainingGain:
        policies = [self.player_gain(*one) for one in training.seeds.items()]
        seeds, new_seed = (over([one.gain.mean for one in policies]) for over in (mean_of_draws, predict_draw))
        gaps = [Gap(s.spec, gap, _subtract(seeds, s.gain.mean)) for s, gap in zip(scripts, apart, strict=True)]
        counted = mean_of_draws([one.counted_gain for one in policies])
        taken = mean_of_draws([one.exploitability for one in policies])
        return TrainingGain(training.name, policies, settings, seeds, new_seed, counted, taken, gaps)


def _subtract(found: Interval, constant: float) -> Interval:
    """Subtract a constant from an interval."""
    return found._replace(mean=found.mean - constant, low=found.low - constant, high=found.high - constant)
