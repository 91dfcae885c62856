"""What trainings earn over their seeds, beside all scripts and the ceiling, in the same matches.

Two things are drawn: settings, and seeds of the training. An interval *over training seeds* speaks of the same training
with other seeds, in just these settings and against just these opponents: that of Student's t for the means of the
seeds. An interval *over settings* speaks of other settings for just these policies
(`econzoo.evaluate.stats.estimates`). A training is better than a script for sure where both leave out 0.
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
from econzoo.evaluate.stats.students_t import mean_of_draws

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.exploitability.results import Exploitability
    from econzoo.evaluate.analyses.learning.trainings import Training
    from econzoo.evaluate.run.design import Design

EMPTY: Mapping[str, Any] = MappingProxyType({})

BAYES_ADAPTIVE, FULL_INFORMATION = "ceiling, not told", "best scripts, told"
"""Names of the number: of the best plan of somebody who is not told whom it meets; of the best script against each."""

SCRIPTS_NOTE = (
    "best scripts, told: mean over the opponents of what the best script against each earns: what somebody can earn "
    "who is told whom it meets. Nobody knows how much more is possible."
)


class CeilingLine(NamedTuple):
    """The most that can be earned, as far as it is known.

    Attributes:
        name: `BAYES_ADAPTIVE` or `FULL_INFORMATION`.
        gain: The number.
        told: What somebody earns who is told whom it meets.
        how: How sure both are.
        counted: Labels of the opponents over whom it is the mean.
        left_out: Specs of those to whom no best reply is known.
        reader: What somebody is taken to know who earns it.
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
        """What is to be known of it."""
        left = f" Shares do not count {', '.join(self.left_out)}, to which no best reply is known." * bool(
            self.left_out
        )
        return self.reader + left


def ceiling_line(
    design: Design, rows: Columns, scripts: Sequence[str], labels: Mapping[str, str], value: str
) -> CeilingLine | None:
    """The ceiling of the settings and opponents of a design; None if there is neither a solution nor a script.

    Args:
        design: The design.
        rows: One for each match and player, against opponents that all players met.
        scripts: Specs.
        labels: Of specs.
        value: Column of what was earned.
    """
    game, met = find_game(design.game), set(values_of(rows["opponent"]))
    if answered := solvable_opponents(game, design.opponents):
        seats = sorted(set(values_of(rows["seat"])))
        known = cells(game, answered, design.settings, seats)
        found = Ceiling(game.name, "", answered, len(design.settings), known, None)
        answered = found.solved_opponents
        left = [one for one in design.opponents if one not in answered and labels[one] in met]
        counted = [labels[one] for one in answered]
        gains, certainty = (found.bayes_adaptive, found.full_information), found.bayes_adaptive_certainty
        return CeilingLine(BAYES_ADAPTIVE, *gains, certainty, counted, left, CEILING_NOTE)
    best = _best_script_gains(rows[is_in(rows["player"], [labels[one] for one in scripts])], value)
    told = fmean(best.values()) if best else 0.0
    return CeilingLine(FULL_INFORMATION, told, told, BEST_KNOWN, list(best), [], SCRIPTS_NOTE) if best else None


def _best_script_gains(rows: Columns, value: str) -> dict[str, float]:
    """Mean of the best script against each opponent."""
    gains: dict[str, dict[str, list[float]]] = {}
    for other, who, gain in zip(
        values_of(rows["opponent"]), values_of(rows["player"]), values_of(rows[value]), strict=True
    ):
        gains.setdefault(other, {}).setdefault(who, []).append(gain)
    return {other: max(map(fmean, found.values())) for other, found in gains.items()}


VALUE = "value"
"""The column of what is compared."""


class PlayerGain(NamedTuple):
    """What a player earns.

    Attributes:
        spec: Of the player.
        seed: Of its training; None: not known, or a script.
        gain: Mean, with its interval over settings.
        counted_gain: Mean against those whom the ceiling counts; NaN without one.
        exploitability: Mean over the settings; NaN where it was not measured.
    """

    spec: str
    seed: int | None
    gain: Interval
    counted_gain: float
    exploitability: float


class Gap(NamedTuple):
    """How far a training is above a script in the same matches.

    Attributes:
        script: Its spec.
        settings: With the interval over settings; Holm counts all scripts.
        seeds: With the interval over training seeds.
    """

    script: str
    settings: Difference
    seeds: Interval


class TrainingGain(NamedTuple):
    """What a training earns.

    Attributes:
        name: See `Training`.
        policies: One for each seed.
        settings: Mean over all seeds, with its interval over settings.
        seeds: The same, with its interval over training seeds.
        counted_gain: Mean against those whom the ceiling counts, with its interval over training seeds.
        exploitability: Mean over all seeds, with its interval over training seeds.
        gaps: To every script, the best one first.
    """

    name: str
    policies: list[PlayerGain]
    settings: Interval
    seeds: Interval
    counted_gain: Interval
    exploitability: Interval
    gaps: list[Gap]


class SeatComparison(NamedTuple):
    """Players in the same seats.

    Attributes:
        role: The seat that all of them have here; empty: all seats together.
        ceiling: What can be earned at most; None: not asked for.
        trainings: In the order in which they were given.
        scripts: The highest mean first.
    """

    role: str
    ceiling: CeilingLine | None
    trainings: list[TrainingGain]
    scripts: list[PlayerGain]

    def share(self, found: Interval) -> Interval:
        """An interval of a gain in parts of the ceiling, a number that does not hang on chance."""
        most = self.ceiling.gain if self.ceiling and self.ceiling.gain > 0 else math.nan
        return found._replace(mean=found.mean / most, low=found.low / most, high=found.high / most)

    def share_of(self, one: PlayerGain) -> float:
        """The share of the ceiling that a player earns; NaN without one."""
        return self.share(Interval(one.counted_gain, math.nan, math.nan, 0)).mean


class LearningTable(NamedTuple):
    """All of it.

    Attributes:
        game: Name.
        pool: Name of the pool of opponents.
        opponents: Their specs.
        settings: How many.
        objective: What is compared.
        comparisons: All seats together, then each by itself if asked for; only the latter where players take different
            seats.
        population_note: Of what the intervals over settings speak.
        no_result_note: How many matches have no result and are left out, in a sentence; empty: none.
        lower_bounds: Players whose exploitability is a lower bound.
        unmeasured_players: Players whose exploitability is not known, and why.
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
    """The table of matches that were played.

    Args:
        design: Its players are the policies and the scripts.
        records: Its matches.
        trainings: Those of the policies.
        pool: Name of the pool of opponents.
        objective: Spec of what is compared.
        ceiling: Whether to find what can be earned at most.
        by_seat: Whether each seat has a part of its own too, without a ceiling.
        exploitability: Of specs, where it was measured.
        unmeasured_players: Why it was not, of other specs.

    Raises:
        ValueError: No match has a result.
    """
    labels = label_players(records, design.names())
    rows = _rows(remove_repeats(matches_with_result(records))[0], design, objective)
    rows = rows[is_in(rows["player"], [labels[one] for one in design.players])]
    apart = has_different_seats(rows)
    alike = select_common_opponents(rows, apart)
    learned = {spec for one in trainings for spec in one.seeds}
    scripts = [one for one in design.players if one not in learned]
    compared = []
    for role in [*([] if apart else [""]), *(sorted_roles(alike) if apart or by_seat else [])]:
        part = alike[alike["role"] == role] if role else alike
        if {labels[spec] for spec in learned} & set(values_of(part["player"])):
            line = ceiling_line(design, part, scripts, labels, VALUE) if ceiling and (apart or not role) else None
            found = _SeatRows(part, population(alike), labels, line, exploitability)
            compared.append(found.comparison(role, trainings, scripts))
    over = describe_population(len(set(values_of(alike["market"]))), population(alike))
    unpaid = describe_no_result(split_by_result(records)[1])
    bounds = [spec for spec, one in exploitability.items() if one.certainty == LOWER_BOUND]
    met = design.game, pool, list(design.opponents), len(design.settings)
    return LearningTable(*met, objective, compared, over, unpaid, bounds, unmeasured_players)


def _rows(records: Iterable[Record], design: Design, objective: str) -> Columns:
    """A row for each seat of every match: who sat where against whom, and the value of the objective."""
    table = columns(records, design, [objective], theory=False)
    table[VALUE] = table[objective]
    return table


class _SeatRows:
    """Rows of players in the same seats, against opponents that all of them met."""

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
        """By label."""
        found = estimate(rows, ["player"], [VALUE], over=self.over, signed=[VALUE])
        return {who: one[VALUE] for who, one in found.items()}

    def comparison(self, role: str, trainings: Sequence[Training], scripts: Sequence[str]) -> SeatComparison:
        earned = [self.player_gain(one) for one in scripts if self.labels[one] in self.gains]
        ranked = sorted(earned, key=lambda one: -one.gain.mean)
        able = [one for one in trainings if all(self.labels[spec] in self.gains for spec in one.seeds)]
        return SeatComparison(role, self.line, [self.training_gain(one, ranked) for one in able], ranked)

    def player_gain(self, spec: str, seed: int | None = None) -> PlayerGain:
        label = self.labels[spec]
        counted = self.counted_gains[label].mean if label in self.counted_gains else math.nan
        taken = self.exploitability[spec].mean if spec in self.exploitability else math.nan
        return PlayerGain(spec, seed, self.gains[label], counted, taken)

    def training_gain(self, training: Training, scripts: Sequence[PlayerGain]) -> TrainingGain:
        policies = [self.player_gain(*one) for one in training.seeds.items()]
        own = {self.labels[spec] for spec in training.seeds}
        others = [self.labels[one.spec] for one in scripts]
        together = self.rows[is_in(self.rows["player"], [*own, *others])]
        together["player"] = ["" if who in own else who for who in values_of(together["player"])]
        seeds = mean_of_draws([one.gain.mean for one in policies])
        apart = differences(together, [("", other) for other in others], VALUE, over=self.over)
        gaps = [
            Gap(one.spec, apart["", other], _subtract(seeds, one.gain.mean))
            for one, other in zip(scripts, others, strict=True)
        ]
        counted = mean_of_draws([one.counted_gain for one in policies])
        taken = mean_of_draws([one.exploitability for one in policies])
        return TrainingGain(training.name, policies, self._means(together)[""], seeds, counted, taken, gaps)


def _subtract(found: Interval, what: float) -> Interval:
    """An interval of a mean, less a number that is known."""
    return found._replace(mean=found.mean - what, low=found.low - what, high=found.high - what)
