"""What a study takes and what it can find, before anybody has come: counts, money, time, detectable effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, isnan
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.show.parts import COUNT, TEXT, Column, Table
from econzoo.people.study.declaration import Study
from econzoo.people.study.expected_earnings import PayoffPool, PilotRecords, expected_bonus, play_trials
from econzoo.people.study.expected_time import ArmTrials, BotTimes, match_seconds, other_page_minutes
from econzoo.people.study.matching import PlannedMatch, plan_matches
from econzoo.people.study.payment import ROUND
from econzoo.people.study.power import (
    ALPHA,
    POWER,
    Contrast,
    WithinContrast,
    contrasts,
    detectable_effect,
    detectable_effect_within,
    within_contrasts,
)
from econzoo.people.study.tables import setting_labels

LARGE_EFFECT = 1.0
"""Standard deviations: Cohen (1988, section 2.2.3) calls 0.8 a large effect."""

MAX_ROWS = 24
"""Settings that are listed one by one."""


class Assumptions(NamedTuple):
    """What is known before the study, from its command.

    Attributes:
        payoff: Mean payoff of a match; None: not given.
        records: What records say of games, by name; none: there are no records.
        deviation: Standard deviation of a payoff; None: not given.
        correlation: Between payoffs of a matching group, from 0 to 1.
        setting_correlation: Between a group's mean payoffs in two settings, from -1 to below 1; None: not given.
        bot_times: How long bots took, as people; None: they have not been let in.
    """

    payoff: float | None = None
    records: Mapping[str, PilotRecords] = MappingProxyType({})
    deviation: float | None = None
    correlation: float = 1.0
    setting_correlation: float | None = None
    bot_times: BotTimes | None = None

    def correlation_in(self, game: str) -> float:
        """The correlation between two settings of a game that is given or recorded; 0: none is known."""
        if self.setting_correlation is not None:
            return self.setting_correlation
        found = self.records.get(game)
        return found.paired_correlation.correlation if found and found.paired_correlation else 0.0

    def deviation_in(self, game: str) -> float | None:
        """The standard deviation in a game that is given or recorded; None: none is known."""
        if self.deviation is not None:
            return self.deviation
        return (self.records[game].deviation or None) if game in self.records else None


class Effects(NamedTuple):
    """What can be found in a game.

    Attributes:
        game: The game.
        between_groups: What is compared, and the smallest detectable effect: in payoffs, or in standard deviations.
        within_groups: Likewise for settings that are compared within groups.
    """

    game: str
    between_groups: list[tuple[Contrast, float]]
    within_groups: list[tuple[WithinContrast, float]]


class StudyPlan(NamedTuple):
    """A study, worked out.

    Attributes:
        study: The study.
        table: Its matches.
        bonus: Expected bonus of a participant in hundredths; None: nothing is known.
        bonus_basis: What the bonus was worked out from, in words.
        minutes: Of a participant, about; None: nothing is known.
        effects: What can be found in each game.
        assumptions: What was known.
    """

    study: Study
    table: list[PlannedMatch]
    bonus: float | None
    bonus_basis: str
    minutes: float | None
    effects: list[Effects]
    assumptions: Assumptions


def build_plan(study: Study, assumptions: Assumptions) -> StudyPlan:
    """Works a study out.

    Raises:
        ValueError: It cannot be matched (see `plan_matches`), or something known is not allowed.
    """
    for name, given in (("--payoff", assumptions.payoff), ("--sd", assumptions.deviation)):
        if given is not None and len(study.games) > 1:
            raise ValueError(f"{name}={given:g} is not allowed with several games; allowed: --records of all of them")
    table = plan_matches(study)
    trials = _run_trials(study)
    paid = {game: _payoff_pool(study, trials, game, assumptions) for game in study.games}
    pools = [paid[study.settings[setting].game][0] for setting in study.settings_by_match]
    rates = dict(enumerate(map(study.rate, study.settings_by_match)))
    bonus = expected_bonus(pools, study.payment, rates) if all(pools) else None
    seconds = match_seconds(study, trials, assumptions.records)
    minutes = None if seconds is None else other_page_minutes(study) + seconds / 60
    minutes = assumptions.bot_times.minutes if assumptions.bot_times else minutes
    basis = "; ".join(dict.fromkeys(basis for _, basis in paid.values()))
    effects = [_effects(study, table, game, assumptions) for game in study.games]
    return StudyPlan(study, table, bonus, basis, minutes, effects, assumptions)


def _run_trials(study: Study) -> ArmTrials:
    """Trial matches of all arms; none: a game needs a library that is not installed."""
    try:
        return [(arm, play_trials(study, arm)) for arm in study.arms]
    except MissingLibraryError:
        return []


def _effects(study: Study, table: Sequence[PlannedMatch], game: str, known: Assumptions) -> Effects:
    unit, alike, together = known.deviation_in(game) or 1.0, known.correlation, known.correlation_in(game)
    between = [(one, detectable_effect(one, unit, alike)) for one in contrasts(study, table, game)]
    within = [
        (one, detectable_effect_within(one, unit, alike, together)) for one in within_contrasts(study, table, game)
    ]
    return Effects(game, between, within)


def _payoff_pool(study: Study, trials: ArmTrials, game: str, known: Assumptions) -> tuple[PayoffPool, str]:
    """Payoffs of matches of a game that may be paid, and where they are from."""
    if records := known.records.get(game):
        whose = "people" if records.has_people else "all players"
        where = "" if records.has_study_settings else ", none of them in the study's settings"
        return records.payable_payoffs, f"the payoffs of {whose} in {format_count(records.matches, 'match')}{where}"
    if known.payoff is not None:
        each = "round" if study.payment.pays == ROUND else "match"
        return [[known.payoff]], f"a payoff of {known.payoff:,g} a {each}"
    return [
        parts for _, trial in trials for parts in trial.payable_payoffs[game]
    ], "scripts in the seats of participants"


# In words


def format_money(cents: float, study: Study) -> str:
    """An amount in the currency of a study: ``USD 12.50``."""
    return f"{study.payment.real_currency} {cents / 100:,.2f}"


def counts_table(plan: StudyPlan) -> Table:
    """Matches by setting and arm, and participants by arm."""
    study = plan.study
    found = Counter((one.setting, one.arm) for one in plan.table)
    arms = [arm.name for arm in study.arms]
    rows: list[list[Any]]
    if len(study.settings) > MAX_ROWS:
        counts = {arm: [found[place, arm] for place in range(len(study.settings))] for arm in arms}
        few = [str(min(some)) if min(some) == max(some) else f"{min(some)}-{max(some)}" for some in counts.values()]
        rows = [[f"each of {len(study.settings):,} settings", *few]]
    else:
        rows = [[name, *(found[place, arm] for arm in arms)] for place, name in enumerate(setting_labels(study))]
    people = {arm: len({who for one in plan.table if one.arm == arm for who in one.places}) for arm in arms}
    groups = {arm: len({one.group for one in plan.table if one.arm == arm}) for arm in arms}
    rows += [
        ["participants", *(people[arm] for arm in arms)],
        ["independent groups", *(groups[arm] for arm in arms)],
    ]
    columns = [Column("matches_in", kind=TEXT), *(Column(arm, arm, COUNT) for arm in arms)]
    return Table("matches", f"{study.name}: {format_count(len(plan.table), 'match')}", columns, rows)


def cost_lines(plan: StudyPlan) -> Iterator[str]:
    """What the study costs."""
    study, count = plan.study, plan.study.matching.participants
    fee, payment = study.payment.fee_cents, study.payment
    most, least = (format_money((fee + 100 * bound) * count, study) for bound in (payment.cap, payment.floor))
    yield f"Cost: at most {most}, at least {least}, for {format_count(count, 'participant')} who finish"
    if plan.bonus is not None:
        total = (fee + plan.bonus) * count
        each = f"{format_money(fee, study)} and a bonus of {format_money(plan.bonus, study)}"
        yield f"  expected {format_money(total, study)}: {each} each, from {plan.bonus_basis}"
    yield "  without fees of a platform and taxes, and without those who are paid though they do not finish"


def time_line(plan: StudyPlan) -> str:
    """How long a participant takes."""
    if plan.minutes is None:
        return "Time: not known"
    if tested := plan.assumptions.bot_times:
        waits = f"{tested.waiting_minutes:,.0f} of them waiting for others"
        return f"Time: about {tested.minutes:,.0f} minutes a participant, {waits}, as bots took in the test"
    other = f"{other_page_minutes(plan.study):,.3g} of them for other pages than the game"
    return f"Time: about {plan.minutes:,.0f} minutes a participant, {other}, and waiting for others"


def effect_lines(plan: StudyPlan) -> Iterator[str]:
    """What the study can find."""
    if not any(one.between_groups or one.within_groups for one in plan.effects):
        yield "Smallest detectable effect: none, as nothing is compared between or within independent groups"
        return
    yield f"Smallest detectable effect on a participant's payoff (two-sided test at {ALPHA:g}, power {POWER:g}):"
    known, of = plan.assumptions, {one.game: f"{one.game}: " * (len(plan.effects) > 1) for one in plan.effects}
    for one in plan.effects:
        yield from _comparison_lines(one, known.deviation_in(one.game), of[one.game])
    spreads = {game: spread for game in of if (spread := known.deviation_in(game)) is not None}
    deviations = [f"{of[game]}standard deviation {_format_size(spread)}, " for game, spread in spreads.items()]
    yield f"  {''.join(deviations)}intraclass correlation {known.correlation:g} within groups"
    for game in [one.game for one in plan.effects if one.within_groups]:
        together = f"{known.correlation_in(game):.2g}"
        source = _correlation_source(known, game)
        yield f"  {of[game]}correlation {together} of a group's means in two settings, {source}"


def _comparison_lines(found: Effects, spread: float | None, of: str) -> Iterator[str]:
    """What can be found in a game."""
    for contrast, effect in found.between_groups:
        first, second = contrast.clusters
        told = _format_effect(effect, spread)
        yield f"  {of}{contrast.first} and {contrast.second}, {first} and {second} independent groups: {told}"
    for within, effect in found.within_groups:
        groups = format_count(len(within.sizes), "independent group")
        told = _format_effect(effect, spread)
        yield f"  {of}{within.first} and {within.second} within {groups} that play in both: {told}"


def warning_lines(plan: StudyPlan) -> list[str]:
    """What the study can find only if it is larger than a standard deviation, which few effects are."""
    found: list[tuple[str, float]] = []
    for one in plan.effects:
        unit = plan.assumptions.deviation_in(one.game) or 1.0
        found += [(f"{each.first} and {each.second}", effect / unit) for each, effect in one.between_groups]
        found += [(f"{each.first} and {each.second}", effect / unit) for each, effect in one.within_groups]
    large = [(names, size) for names, size in found if size > LARGE_EFFECT]
    if not large:
        return []
    told = "; ".join(f"{names}: {_format_size(size)} standard deviations" for names, size in large)
    times = ceil(max(size for _, size in large) ** 2)
    return [
        f"warning: an effect of {LARGE_EFFECT:g} standard deviation, which is a large one, would probably be missed "
        f"({told})",
        f"  it takes about {times} times as many independent groups; more matches in a group help less, or not at all",
    ]


def _format_effect(effect: float, spread: float | None) -> str:
    if isnan(effect):
        return "too few independent groups"
    return _format_size(effect) + ("" if spread is not None else " standard deviations")


def _correlation_source(known: Assumptions, game: str) -> str:
    """Where the correlation of two settings is from."""
    if known.setting_correlation is not None:
        return "as given"
    found = known.records[game].paired_correlation if game in known.records else None
    return f"from {format_count(found.groups, 'group')} in the records" if found else "as none is known"


def _format_size(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def plan_lines(plan: StudyPlan) -> list[str]:
    """All but the counts."""
    return [*cost_lines(plan), time_line(plan), *effect_lines(plan)]
