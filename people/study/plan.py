"""Plan of a study before it runs: counts, cost, duration and detectable effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, isnan
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.envs.core import MissingLibraryError, format_count
from econzoo.evaluate.show import COUNT, TEXT, Column, Table
from econzoo.people.study.declaration import Study
from econzoo.people.study.expected_earnings import PayoffPool, PilotRecords, expected_bonus, play_trials
from econzoo.people.study.expected_time import ArmTrials, BotTimes, match_seconds, other_page_minutes
from econzoo.people.study.matching import PlannedMatch, plan_matches
from econzoo.people.study.payment import ROUND
from econzoo.people.study.power import ALPHA, POWER, Contrast, WithinContrast, contrasts, detectable_effect
from econzoo.people.study.power import detectable_effect_within, within_contrasts
from econzoo.people.study.tables import setting_labels

LARGE_EFFECT = 1.0
"""Threshold of the warning, in standard deviations; Cohen (1988, section 2.2.3) calls 0.8 a large effect."""

MAX_ROWS = 24
"""Maximum number of settings listed individually."""


class Assumptions(NamedTuple):
    """Assumptions of a plan.

    Attributes:
        payoff: Mean payoff per match; None: unknown.
        records: Game to its pilot records; empty: none.
        deviation: Standard deviation of payoffs; None: unknown.
        correlation: Intraclass correlation of payoffs within matching groups, in [0, 1].
        setting_correlation: Correlation of a group's mean payoffs between two settings, in [-1, 1); None: unknown.
        bot_times: Duration from a test with bots; None: none.
    """

    payoff: float | None = None
    records: Mapping[str, PilotRecords] = MappingProxyType({})
    deviation: float | None = None
    correlation: float = 1.0
    setting_correlation: float | None = None
    bot_times: BotTimes | None = None

    def correlation_in(self, game: str) -> float:
        """Return the given or recorded correlation between two settings of a game; 0: unknown."""
        if self.setting_correlation is not None:
            return self.setting_correlation
        pilot = self.records.get(game)
        return pilot.paired_correlation.correlation if pilot and pilot.paired_correlation else 0.0

    def deviation_in(self, game: str) -> float | None:
        """Return the given or recorded standard deviation of payoffs in a game; None: unknown."""
        if self.deviation is not None:
            return self.deviation
        return (self.records[game].deviation or None) if game in self.records else None


class Effects(NamedTuple):
    """Minimum detectable effects in a game, in payoffs or standard deviations, each with its contrast."""

    game: str
    between_groups: list[tuple[Contrast, float]]
    within_groups: list[tuple[WithinContrast, float]]


class StudyPlan(NamedTuple):
    """Plan of a study.

    Attributes:
        bonus: Expected bonus per participant in hundredths; None: unknown.
        minutes: Approximate minutes per participant; None: unknown.
    """

    study: Study
    table: list[PlannedMatch]
    bonus: float | None
    bonus_basis: str
    minutes: float | None
    effects: list[Effects]
    assumptions: Assumptions


def build_plan(study: Study, assumptions: Assumptions) -> StudyPlan:
    for name, given in (("--payoff", assumptions.payoff), ("--sd", assumptions.deviation)):
        if given is not None and len(study.games) > 1:
            raise ValueError(f"{name}={given:g} cannot be used with several games: expected --records of all of them")
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
    """Play trial matches of all arms; empty: a game needs a library that is not installed."""
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
    """Return the payable payoffs of a game, and their source as text."""
    if records := known.records.get(game):
        whose = "people" if records.has_people else "all players"
        where = "" if records.has_study_settings else ", none in the study's settings"
        return records.payable_payoffs, f"the payoffs of {whose} in {format_count(records.matches, 'match')}{where}"
    if known.payoff is not None:
        each = "round" if study.payment.pays == ROUND else "match"
        return [[known.payoff]], f"a payoff of {known.payoff:,g} per {each}"
    return [
        parts for _, trial in trials for parts in trial.payable_payoffs[game]
    ], "scripts in the seats of participants"


# Formatting


def format_money(cents: float, study: Study) -> str:
    """Return an amount in the currency of a study: ``USD 12.50``."""
    return f"{study.payment.real_currency} {cents / 100:,.2f}"


def counts_table(plan: StudyPlan) -> Table:
    """Return the table of matches by setting and arm, with participants and groups by arm."""
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
    study, count = plan.study, plan.study.matching.participants
    fee, payment = study.payment.fee_cents, study.payment
    most, least = (format_money((fee + 100 * bound) * count, study) for bound in (payment.cap, payment.floor))
    yield f"Cost: at most {most}, at least {least}, for {format_count(count, 'participant')} who complete"
    if plan.bonus is not None:
        total = (fee + plan.bonus) * count
        each = f"{format_money(fee, study)} and a bonus of {format_money(plan.bonus, study)}"
        yield f"  expected {format_money(total, study)}: {each} each, from {plan.bonus_basis}"
    yield "  excluding platform fees, taxes, and payments to participants who do not complete"


def time_line(plan: StudyPlan) -> str:
    if plan.minutes is None:
        return "Time: unknown"
    if tested := plan.assumptions.bot_times:
        waits = f"{tested.waiting_minutes:,.0f} of them waiting for others"
        return f"Time: about {tested.minutes:,.0f} minutes per participant, {waits}, from the test with bots"
    other = f"{other_page_minutes(plan.study):,.3g} of them on pages outside the game"
    return f"Time: about {plan.minutes:,.0f} minutes per participant, {other}, plus waiting for others"


def effect_lines(plan: StudyPlan) -> Iterator[str]:
    """Yield the lines about detectable effects."""
    if not any(one.between_groups or one.within_groups for one in plan.effects):
        yield "Minimum detectable effect: none, as no arms or settings are compared"
        return
    yield f"Minimum detectable effect on a participant's payoff (two-sided test at {ALPHA:g}, power {POWER:g}):"
    known, of = plan.assumptions, {one.game: f"{one.game}: " * (len(plan.effects) > 1) for one in plan.effects}
    for one in plan.effects:
        yield from _comparison_lines(one, known.deviation_in(one.game), of[one.game])
    spreads = {game: spread for game in of if (spread := known.deviation_in(game)) is not None}
    deviations = [f"{of[game]}standard deviation {_format_size(spread)}, " for game, spread in spreads.items()]
    yield f"  {''.join(deviations)}intraclass correlation {known.correlation:g} within groups"
    for game in [one.game for one in plan.effects if one.within_groups]:
        together = f"{known.correlation_in(game):.2g}"
        source = _correlation_source(known, game)
        yield f"  {of[game]}correlation {together} of a group's means between two settings, {source}"


def _comparison_lines(found: Effects, spread: float | None, of: str) -> Iterator[str]:
    for contrast, effect in found.between_groups:
        first, second = contrast.clusters
        size = _format_effect(effect, spread)
        yield f"  {of}{contrast.first} vs. {contrast.second}, {first} and {second} independent groups: {size}"
    for within, effect in found.within_groups:
        groups = format_count(len(within.sizes), "independent group")
        size = _format_effect(effect, spread)
        yield f"  {of}{within.first} vs. {within.second} within {groups} that play in both: {size}"


def warning_lines(plan: StudyPlan) -> list[str]:
    """Return a warning if effects below `LARGE_EFFECT` standard deviations are not detectable."""
    effects: list[tuple[str, float]] = []
    for one in plan.effects:
        unit = plan.assumptions.deviation_in(one.game) or 1.0
        effects += [(f"{each.first} vs. {each.second}", effect / unit) for each, effect in one.between_groups]
        effects += [(f"{each.first} vs. {each.second}", effect / unit) for each, effect in one.within_groups]
    large = [(names, size) for names, size in effects if size > LARGE_EFFECT]
    if not large:
        return []
    sizes = "; ".join(f"{names}: {_format_size(size)} standard deviations" for names, size in large)
    # The effect falls with the square root of the number of groups.
    times = ceil(max(size for _, size in large) ** 2)
    return [
        f"warning: underpowered: even a large effect of {LARGE_EFFECT:g} standard deviation may be missed ({sizes})",
        f"  about {times} times as many independent groups are needed; more matches per group help little",
    ]


def _format_effect(effect: float, spread: float | None) -> str:
    if isnan(effect):
        return "too few independent groups"
    return _format_size(effect) + ("" if spread is not None else " standard deviations")


def _correlation_source(known: Assumptions, game: str) -> str:
    """Return the source of the correlation between settings, as text."""
    if known.setting_correlation is not None:
        return "as given"
    paired = known.records[game].paired_correlation if game in known.records else None
    return f"from {format_count(paired.groups, 'group')} in the records" if paired else "assumed"


def _format_size(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def plan_lines(plan: StudyPlan) -> list[str]:
    """Return all lines below the table of counts."""
    return [*cost_lines(plan), time_line(plan), *effect_lines(plan)]
