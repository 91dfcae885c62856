"""What a study takes and what it can find, before anybody has come: counts, money, time, detectable effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, isnan
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.plurals import many
from econzoo.evaluate.show.parts import COUNT, TEXT, Column, Table
from econzoo.people.study.declaration import Study
from econzoo.people.study.expected_earnings import Pool, Recorded, expected_bonus, play_trials
from econzoo.people.study.expected_time import Tested, Trials, other_pages, seconds_of_matches
from econzoo.people.study.matching import Planned, plan_matches
from econzoo.people.study.payment import ROUND
from econzoo.people.study.power import (
    ALPHA,
    POWER,
    Contrast,
    Within,
    contrasts,
    detectable,
    detectable_within,
    withins,
)
from econzoo.people.study.tables import settings_of

LARGE = 1.0
"""Standard deviations: Cohen (1988, section 2.2.3) calls 0.8 a large effect."""

MOST_ROWS = 24
"""Settings that are listed one by one."""


class Known(NamedTuple):
    """What is known before the study, from its command.

    Attributes:
        payoff: Mean payoff of a match; None: not given.
        records: What records say of games, by name; none: there are no records.
        deviation: Standard deviation of a payoff; None: not given.
        correlation: Between payoffs of a matching group, from 0 to 1.
        paired: Between a group's mean payoffs in two settings, from -1 to below 1; None: not given.
        tested: How long bots took, as people; None: they have not been let in.
    """

    payoff: float | None = None
    records: Mapping[str, Recorded] = MappingProxyType({})
    deviation: float | None = None
    correlation: float = 1.0
    paired: float | None = None
    tested: Tested | None = None

    def together(self, game: str) -> float:
        """The correlation between two settings of a game that is given or recorded; 0: none is known."""
        if self.paired is not None:
            return self.paired
        found = self.records.get(game)
        return found.paired.correlation if found and found.paired else 0.0

    def spread(self, game: str) -> float | None:
        """The standard deviation in a game that is given or recorded; None: none is known."""
        if self.deviation is not None:
            return self.deviation
        return (self.records[game].deviation or None) if game in self.records else None


class Effects(NamedTuple):
    """What can be found in a game.

    Attributes:
        game: The game.
        between: What is compared, and the smallest detectable effect: in payoffs, or in standard deviations.
        within: Likewise for settings that are compared within groups.
    """

    game: str
    between: list[tuple[Contrast, float]]
    within: list[tuple[Within, float]]


class StudyPlan(NamedTuple):
    """A study, worked out.

    Attributes:
        study: The study.
        table: Its matches.
        bonus: Expected bonus of a participant in hundredths; None: nothing is known.
        basis: What the bonus was worked out from, in words.
        minutes: Of a participant, about; None: nothing is known.
        effects: What can be found in each game.
        known: What was known.
    """

    study: Study
    table: list[Planned]
    bonus: float | None
    basis: str
    minutes: float | None
    effects: list[Effects]
    known: Known


def study_plan(study: Study, known: Known) -> StudyPlan:
    """Works a study out.

    Raises:
        ValueError: It cannot be matched (see `plan_matches`), or something known is not allowed.
    """
    for name, given in (("--payoff", known.payoff), ("--sd", known.deviation)):
        if given is not None and len(study.games) > 1:
            raise ValueError(f"{name}={given:g} is not allowed with several games; allowed: --records of all of them")
    table = plan_matches(study)
    trials = _trials(study)
    paid = {game: _paid(study, trials, game, known) for game in study.games}
    pools = [paid[study.settings[setting].game][0] for setting in study.of_matches]
    rates = dict(enumerate(map(study.rate, study.of_matches)))
    bonus = expected_bonus(pools, study.payment, rates) if all(pools) else None
    seconds = seconds_of_matches(study, trials, known.records)
    minutes = None if seconds is None else other_pages(study) + seconds / 60
    minutes = known.tested.minutes if known.tested else minutes
    basis = "; ".join(dict.fromkeys(basis for _, basis in paid.values()))
    effects = [_effects(study, table, game, known) for game in study.games]
    return StudyPlan(study, table, bonus, basis, minutes, effects, known)


def _trials(study: Study) -> Trials:
    """Trial matches of all arms; none: a game needs a library that is not installed."""
    try:
        return [(arm, play_trials(study, arm)) for arm in study.arms]
    except MissingLibraryError:
        return []


def _effects(study: Study, table: Sequence[Planned], game: str, known: Known) -> Effects:
    unit, alike, together = known.spread(game) or 1.0, known.correlation, known.together(game)
    between = [(one, detectable(one, unit, alike)) for one in contrasts(study, table, game)]
    within = [(one, detectable_within(one, unit, alike, together)) for one in withins(study, table, game)]
    return Effects(game, between, within)


def _paid(study: Study, trials: Trials, game: str, known: Known) -> tuple[Pool, str]:
    """Payoffs of matches of a game that may be paid, and where they are from."""
    if records := known.records.get(game):
        whose = "people" if records.people else "all players"
        where = "" if records.same else ", none of them in the study's settings"
        return records.paid, f"the payoffs of {whose} in {many(records.matches, 'match')}{where}"
    if known.payoff is not None:
        each = "round" if study.payment.pays == ROUND else "match"
        return [[known.payoff]], f"a payoff of {known.payoff:,g} a {each}"
    return [parts for _, trial in trials for parts in trial.paid[game]], "scripts in the seats of participants"


# In words


def money(cents: float, study: Study) -> str:
    """An amount in the currency of a study: ``USD 12.50``."""
    return f"{study.payment.money} {cents / 100:,.2f}"


def counts_table(plan: StudyPlan) -> Table:
    """Matches by setting and arm, and participants by arm."""
    study = plan.study
    found = Counter((one.setting, one.arm) for one in plan.table)
    arms = [arm.name for arm in study.arms]
    rows: list[list[Any]]
    if len(study.settings) > MOST_ROWS:
        counts = {arm: [found[place, arm] for place in range(len(study.settings))] for arm in arms}
        few = [str(min(some)) if min(some) == max(some) else f"{min(some)}-{max(some)}" for some in counts.values()]
        rows = [[f"each of {len(study.settings):,} settings", *few]]
    else:
        rows = [[name, *(found[place, arm] for arm in arms)] for place, name in enumerate(settings_of(study))]
    people = {arm: len({who for one in plan.table if one.arm == arm for who in one.people}) for arm in arms}
    groups = {arm: len({one.group for one in plan.table if one.arm == arm}) for arm in arms}
    rows += [
        ["participants", *(people[arm] for arm in arms)],
        ["independent groups", *(groups[arm] for arm in arms)],
    ]
    columns = [Column("matches_in", kind=TEXT), *(Column(arm, arm, COUNT) for arm in arms)]
    return Table("matches", f"{study.name}: {many(len(plan.table), 'match')}", columns, rows)


def cost_lines(plan: StudyPlan) -> Iterator[str]:
    """What the study costs."""
    study, count = plan.study, plan.study.matching.participants
    fee, payment = study.payment.fee_cents, study.payment
    most, least = (money((fee + 100 * bound) * count, study) for bound in (payment.cap, payment.floor))
    yield f"Cost: at most {most}, at least {least}, for {many(count, 'participant')} who finish"
    if plan.bonus is not None:
        total = (fee + plan.bonus) * count
        each = f"{money(fee, study)} and a bonus of {money(plan.bonus, study)}"
        yield f"  expected {money(total, study)}: {each} each, from {plan.basis}"
    yield "  without fees of a platform and taxes, and without those who are paid though they do not finish"


def time_line(plan: StudyPlan) -> str:
    """How long a participant takes."""
    if plan.minutes is None:
        return "Time: not known"
    if tested := plan.known.tested:
        waits = f"{tested.waiting:,.0f} of them waiting for others"
        return f"Time: about {tested.minutes:,.0f} minutes a participant, {waits}, as bots took in the test"
    other = f"{other_pages(plan.study):,.3g} of them for other pages than the game"
    return f"Time: about {plan.minutes:,.0f} minutes a participant, {other}, and waiting for others"


def effect_lines(plan: StudyPlan) -> Iterator[str]:
    """What the study can find."""
    if not any(one.between or one.within for one in plan.effects):
        yield "Smallest detectable effect: none, as nothing is compared between or within independent groups"
        return
    yield f"Smallest detectable effect on a participant's payoff (two-sided test at {ALPHA:g}, power {POWER:g}):"
    known, of = plan.known, {one.game: f"{one.game}: " * (len(plan.effects) > 1) for one in plan.effects}
    for one in plan.effects:
        yield from _compared(one, known.spread(one.game), of[one.game])
    spreads = {game: spread for game in of if (spread := known.spread(game)) is not None}
    deviations = [f"{of[game]}standard deviation {_size(spread)}, " for game, spread in spreads.items()]
    yield f"  {''.join(deviations)}intraclass correlation {known.correlation:g} within groups"
    for game in [one.game for one in plan.effects if one.within]:
        together = f"{known.together(game):.2g}"
        yield f"  {of[game]}correlation {together} of a group's means in two settings, {_whence(known, game)}"


def _compared(found: Effects, spread: float | None, of: str) -> Iterator[str]:
    """What can be found in a game."""
    for contrast, effect in found.between:
        first, second = contrast.clusters
        told = _effect(effect, spread)
        yield f"  {of}{contrast.first} and {contrast.second}, {first} and {second} independent groups: {told}"
    for within, effect in found.within:
        groups = many(len(within.sizes), "independent group")
        yield f"  {of}{within.first} and {within.second} within {groups} that play in both: {_effect(effect, spread)}"


def warning_lines(plan: StudyPlan) -> list[str]:
    """What the study can find only if it is larger than a standard deviation, which few effects are."""
    found: list[tuple[str, float]] = []
    for one in plan.effects:
        unit = plan.known.spread(one.game) or 1.0
        found += [(f"{each.first} and {each.second}", effect / unit) for each, effect in one.between]
        found += [(f"{each.first} and {each.second}", effect / unit) for each, effect in one.within]
    large = [(names, size) for names, size in found if size > LARGE]
    if not large:
        return []
    told = "; ".join(f"{names}: {_size(size)} standard deviations" for names, size in large)
    times = ceil(max(size for _, size in large) ** 2)
    return [
        f"warning: an effect of {LARGE:g} standard deviation, which is a large one, would probably be missed ({told})",
        f"  it takes about {times} times as many independent groups; more matches in a group help less, or not at all",
    ]


def _effect(effect: float, spread: float | None) -> str:
    if isnan(effect):
        return "too few independent groups"
    return _size(effect) + ("" if spread is not None else " standard deviations")


def _whence(known: Known, game: str) -> str:
    """Where the correlation of two settings is from."""
    if known.paired is not None:
        return "as given"
    found = known.records[game].paired if game in known.records else None
    return f"from {many(found.groups, 'group')} in the records" if found else "as none is known"


def _size(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def lines(plan: StudyPlan) -> list[str]:
    """All but the counts."""
    return [*cost_lines(plan), time_line(plan), *effect_lines(plan)]
