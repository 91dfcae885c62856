"""Gains of trainings over seeds, compared with scripts and the ceiling in the same matches.

There are two sources of randomness: settings and training seeds. An interval *over training seeds* covers the same
training with other seeds, in these settings and against these opponents: Student's t for the means of the seeds. An
interval *over settings* covers other settings for these policies (`econzoo.evaluate.stats.estimates`). A training is
better than a script if it is so over seeds, and over settings after Holm's correction over all trainings and scripts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract import SELF_GAIN
from econzoo.envs.core.record import Record, label_players
from econzoo.evaluate.analyses import COUNTED, Estimates, add_counted, case_rows, columns, comparable_rows
from econzoo.evaluate.analyses import describe_missing, describe_no_result, established_gap, least_values
from econzoo.evaluate.analyses import matches_with_result, split_by_result
from econzoo.evaluate.analyses.exploitability import LOWER_BOUND
from econzoo.evaluate.analyses.learning.ceiling_line import CeilingLine, ceiling_line
from econzoo.evaluate.run import Records, lost_matches
from econzoo.evaluate.stats import Columns, Difference, Interval, Population, cases_of, count_established
from econzoo.evaluate.stats import describe_population, differences, estimate, gap_cases, has_different_seats, is_in
from econzoo.evaluate.stats import mean_of_draws, population, predict_draw, remove_repeats, sorted_roles, values_of

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.exploitability import Exploitability
    from econzoo.evaluate.analyses.learning.trainings import Training
    from econzoo.evaluate.run import Design

EMPTY: Mapping[str, Any] = MappingProxyType({})
UNKNOWN = Interval(math.nan, math.nan, math.nan, 0)

VALUE, RANKED = "value", "ranked"
"""Columns: compared objective, and the value by which players are ordered."""


class PlayerGain(NamedTuple):
    """Gain of a player.

    Attributes:
        seed: Training seed; None if unknown or for a script.
        counted_gain: Mean gain against the opponents of the ceiling; NaN without one.
        exploitability: Mean over settings; NaN if not computed.
        ranked: Mean by which players are ordered: the gain, unless a seat defaulted (`COUNTED`).
        more: Further estimates: `COUNTED` if it differs from the gain, and the cases of missing matches.
    """

    spec: str
    seed: int | None
    gain: Interval
    counted_gain: float
    exploitability: float
    ranked: Interval = UNKNOWN
    more: Mapping[str, Interval] = EMPTY


class Gap(NamedTuple):
    """Difference between a training and a script in the same matches.

    Attributes:
        settings: Difference with its interval over settings; Holm's correction is over all trainings and scripts.
        seeds: Difference with its interval over training seeds.
        cases: Least and greatest difference with missing matches; NaN without any.
    """

    script: str
    settings: Difference
    seeds: Interval
    cases: tuple[float, float] = (math.nan, math.nan)


class TrainingGain(NamedTuple):
    """Gain of a training.

    Attributes:
        policies: Gains of the policies, one per seed.
        settings: Mean over seeds with its interval over settings.
        seeds: Mean over seeds with its interval over training seeds.
        new_seed: The same with the interval of one further seed.
        counted_gain: Mean against the opponents of the ceiling, with its interval over training seeds.
        exploitability: Mean over seeds with its interval over training seeds.
        gaps: Differences from the scripts, the best script first.
        more: See `PlayerGain`.
    """

    name: str
    policies: list[PlayerGain]
    settings: Interval
    seeds: Interval
    new_seed: Interval
    counted_gain: Interval
    exploitability: Interval
    gaps: list[Gap]
    more: Mapping[str, Interval] = EMPTY


class SeatComparison(NamedTuple):
    """Comparison of players in the same seats.

    Attributes:
        role: Role of all players; empty: all seats together.
        ceiling: Ceiling; None if not requested.
        scripts: Scripts, the highest mean first.
        is_ordered: Whether the order of the scripts holds whatever the missing matches are.
    """

    role: str
    ceiling: CeilingLine | None
    trainings: list[TrainingGain]
    scripts: list[PlayerGain]
    is_ordered: bool = True

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
        comparisons: All seats together, then by seat if requested; only the latter if players take different seats.
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
        by_seat: Whether to add a comparison per seat, without a ceiling.
        exploitability: Exploitability by spec.
        unmeasured_players: Reasons for missing exploitability, by spec.
    """
    ended, without_result = matches_with_result(records), split_by_result(records)[1]
    lost = lost_matches(records, records.unreadable) if isinstance(records, Records) else []
    labels = label_players([*records, *lost], design.names())
    kept, repeats = remove_repeats(ended)
    rows = _rows(ended, design, objective)
    # Before repeats are left out: a missing match may be the repeat of another, and weighs with it as one.
    cases = case_rows(rows, RANKED, objective, [*lost, *without_result], design, ended if repeats else ())
    rows = rows[is_in(rows["match"], [record.id for record in kept])] if repeats else rows
    compared = [labels[one] for one in design.players]
    rows, cases = (table[is_in(table["player"], compared)] for table in (rows, cases))
    apart = has_different_seats(rows)
    comparable, cases = comparable_rows(rows, cases, apart)
    learned = {spec for one in trainings for spec in one.seeds}
    scripts = [one for one in design.players if one not in learned]
    comparisons = []
    for role in [*([] if apart else [""]), *(sorted_roles(comparable) if apart or by_seat else [])]:
        part = comparable[comparable["role"] == role] if role else comparable
        if {labels[spec] for spec in learned} & set(values_of(part["player"])):  # else no training takes this seat
            line = ceiling_line(design, part, scripts, labels, VALUE) if ceiling and (apart or not role) else None
            own = cases[cases["role"] == role] if role else cases
            found = _SeatRows(part, own, population(comparable), labels, line, exploitability)
            comparisons.append(found.comparison(role, trainings, scripts))
    over = describe_population(len(set(values_of(comparable["setting"]))), population(comparable))
    no_result = describe_missing([*lost, *without_result], len(ended)) if len(cases) else ""
    no_result = no_result or describe_no_result(without_result)
    bounds = [spec for spec, one in exploitability.items() if one.certainty == LOWER_BOUND]
    head = design.game, pool, list(design.opponents), len(design.settings)
    return LearningTable(*head, objective, comparisons, over, no_result, bounds, unmeasured_players)


def _rows(records: Sequence[Record], design: Design, objective: str) -> Columns:
    """Return one row per match and seat, with the value of the objective, and that by which players are ordered."""
    table = columns(records, design, [objective], theory=False)
    table[VALUE] = table[objective]
    table[RANKED] = table[add_counted(table, objective, least_values(records, objective))]
    return table


class _SeatRows:
    """Rows of players in the same seats, against opponents common to all."""

    def __init__(
        self,
        rows: Columns,
        cases: Columns,
        over: Population,
        labels: Mapping[str, str],
        line: CeilingLine | None,
        exploitability: Mapping[str, Exploitability],
    ) -> None:
        self.rows, self.cases, self.over, self.labels, self.line = rows, cases, over, labels, line
        self.exploitability = exploitability
        self.gains, self.ranked = self._means(rows), self._means(rows, RANKED)
        self.more = self._more_estimates(rows, cases)
        self.counted_gains = self._means(rows[is_in(rows["opponent"], line.opponents)]) if line else {}

    def _means(self, rows: Columns, column: str = VALUE) -> dict[str, Interval]:
        """Return means by label."""
        found = estimate(rows, ["player"], [column], over=self.over, signed=[column])
        return {who: one[column] for who, one in found.items()}

    def _more_estimates(self, rows: Columns, cases: Columns) -> dict[str, Estimates]:
        """Return `PlayerGain.more` by label."""
        counted = self._means(rows, RANKED) if COUNTED in rows else {}
        known = cases_of(cases, ["player"])
        return {
            who: {
                **({COUNTED: counted[who]} if who in counted else {}),
                **(known[who].estimates if who in known else {}),
            }
            for who in set(values_of(rows["player"]))
        }

    def comparison(self, role: str, trainings: Sequence[Training], scripts: Sequence[str]) -> SeatComparison:
        earned = [self.player_gain(one) for one in scripts if self.labels[one] in self.gains]
        ranked = sorted(earned, key=lambda one: -one.ranked.mean)
        able = [one for one in trainings if all(self.labels[spec] in self.gains for spec in one.seeds)]
        own = {self.labels[spec]: f"\0{at}" for at, one in enumerate(able) for spec in one.seeds}  # like no label
        others = [self.labels[one.spec] for one in ranked]
        together, cases = (_join_seeds(table, own, others) for table in (self.rows, self.cases))
        means, more, keys = self._means(together), self._more_estimates(together, cases), dict.fromkeys(own.values())
        apart = differences(together, [(key, other) for key in keys for other in others], RANKED, over=self.over)
        gains = [
            self.training_gain(one, means[key], more[key], [apart[key, other] for other in others], ranked)
            for one, key in zip(able, keys, strict=True)
        ]
        is_ordered = count_established([one.more for one in ranked]) == len(ranked)
        return SeatComparison(role, self.line, gains, ranked, is_ordered)

    def player_gain(self, spec: str, seed: int | None = None) -> PlayerGain:
        label = self.labels[spec]
        counted = self.counted_gains[label].mean if label in self.counted_gains else math.nan
        taken = self.exploitability[spec].mean if spec in self.exploitability else math.nan
        return PlayerGain(spec, seed, self.gains[label], counted, taken, self.ranked[label], self.more[label])

    def training_gain(
        self,
        training: Training,
        settings: Interval,
        more: Estimates,
        apart: Sequence[Difference],
        scripts: Sequence[PlayerGain],
    ) -> TrainingGain:
        policies = [self.player_gain(*one) for one in training.seeds.items()]
        seeds, new_seed = (over([one.gain.mean for one in policies]) for over in (mean_of_draws, predict_draw))
        ranked = mean_of_draws([one.ranked.mean for one in policies])
        gaps = []
        for one, gap in zip(scripts, apart, strict=True):
            # Over training seeds the script's mean is a constant: it plays the same matches beside every seed.
            found, seeds_gap = established_gap(gap, more, one.more), _subtract(ranked, one.ranked.mean)
            gaps.append(Gap(one.spec, found, seeds_gap, gap_cases(more, one.more)))
        counted = mean_of_draws([one.counted_gain for one in policies])
        taken = mean_of_draws([one.exploitability for one in policies])
        return TrainingGain(training.name, policies, settings, seeds, new_seed, counted, taken, gaps, more)


def _join_seeds(table: Columns, own: Mapping[str, str], others: Sequence[str]) -> Columns:
    """Return the rows of some players, with the key of its training in place of each policy."""
    found = table[is_in(table["player"], [*own, *others])]
    found["player"] = [own.get(who, who) for who in values_of(found["player"])]
    return found


def _subtract(found: Interval, constant: float) -> Interval:
    return found._replace(mean=found.mean - constant, low=found.low - constant, high=found.high - constant)
