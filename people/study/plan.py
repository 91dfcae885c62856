"""What a study takes and what it can find, before anybody has come: counts, money, time, detectable effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil, isnan
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.files import name_damage, text_of
from econzoo.envs.core.plurals import many
from econzoo.evaluate.show.parts import COUNT, TEXT, Column, Table
from econzoo.people.study.declaration import Arm, Study
from econzoo.people.study.expected_earnings import Recorded, Trial, expected_bonus, play_trials, practice_moves
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
from econzoo.people.study.stages import PRACTICE, SURVEY, Stage
from econzoo.people.study.tables import settings_of

SECONDS = 30.0
"""Of a move, where nothing is recorded, and of a question on a page of `[[stages]]`."""

OTHER_PAGES = 5.0
"""Minutes for consent, instructions, quiz, questionnaire and debriefing, about."""

Trials = Sequence[tuple[Arm, Trial]]
"""Arms and what came of their trial matches."""

TEST = "test.json"
"""What a test of the study has found, in the folder of the test."""

LARGE = 1.0
"""Standard deviations: Cohen (1988, section 2.2.3) calls 0.8 a large effect."""

MOST_ROWS = 24
"""Settings that are listed one by one."""


class Tested(NamedTuple):
    """How long bots took, as people.

    Attributes:
        minutes: Of a participant who comes to the end.
        waiting: Those of them that are spent in the waiting room.
    """

    minutes: float
    waiting: float


def read_test(folder: str | Path) -> Tested:
    """What `study test` has found.

    Args:
        folder: That it was told to write.

    Raises:
        FileNotFoundError: There is no such test.
        ValueError: In it nobody came to the end, or it is none.
    """
    path = Path(folder) / TEST
    if not path.is_file():
        raise FileNotFoundError(f"no study was tested in {folder}: there is no {path}")
    with name_damage(path, ValueError, KeyError, TypeError):
        told = from_json(text_of(path))
        if "minutes" in told:
            return Tested(float(told["minutes"]), float(told["waiting"]))
    raise ValueError(f"nobody came to the end in {path}; allowed: a test in which somebody does")


class Known(NamedTuple):
    """What is known before the study, from its command.

    Attributes:
        payoff: Mean payoff of a match; None: not given.
        records: What records say; None: there are none.
        deviation: Standard deviation of a payoff; None: not given.
        correlation: Between payoffs of a matching group, from 0 to 1.
        paired: Between a group's mean payoffs in two settings, from -1 to below 1; None: not given.
        tested: How long bots took, as people; None: they have not been let in.
    """

    payoff: float | None = None
    records: Recorded | None = None
    deviation: float | None = None
    correlation: float = 1.0
    paired: float | None = None
    tested: Tested | None = None

    @property
    def together(self) -> float:
        """The correlation between two settings that is given or recorded; 0: none is known."""
        if self.paired is not None:
            return self.paired
        return self.records.paired.correlation if self.records and self.records.paired else 0.0

    @property
    def spread(self) -> float | None:
        """The standard deviation that is given or recorded; None: none is known."""
        if self.deviation is not None:
            return self.deviation
        return (self.records.deviation or None) if self.records else None


class StudyPlan(NamedTuple):
    """A study, worked out.

    Attributes:
        study: The study.
        table: Its matches.
        bonus: Expected bonus of a participant in hundredths; None: nothing is known.
        basis: What the bonus was worked out from, in words.
        minutes: Of a participant, about; None: nothing is known.
        effects: What is compared, and the smallest detectable effect: in payoffs, or in standard deviations.
        within: Likewise for settings that are compared within groups.
        known: What was known.
    """

    study: Study
    table: list[Planned]
    bonus: float | None
    basis: str
    minutes: float | None
    effects: list[tuple[Contrast, float]]
    within: list[tuple[Within, float]]
    known: Known


def study_plan(study: Study, known: Known) -> StudyPlan:
    """Works a study out.

    Raises:
        ValueError: It cannot be matched (see `plan_matches`), or something known is not allowed.
    """
    table = plan_matches(study)
    trials = _trials(study)
    paid, basis = _paid(study, trials, known)
    moves = _moves(study, trials, known.records.moves if known.records else None)
    bonus = expected_bonus(paid, study.payment, study.matching.repetitions) if paid else None
    pace = (known.records.seconds if known.records else None) or SECONDS
    minutes = None if moves is None else other_pages(study) + moves * pace / 60
    minutes = known.tested.minutes if known.tested else minutes
    unit = known.spread or 1.0
    effects = [(one, detectable(one, unit, known.correlation)) for one in contrasts(study, table)]
    within = [(one, detectable_within(one, unit, known.correlation, known.together)) for one in withins(study, table)]
    return StudyPlan(study, table, bonus, basis, minutes, effects, within, known)


def other_pages(study: Study) -> float:
    """Minutes for all pages but those of matches, about; a page without questions is read as if it had one."""
    questions = sum(max(1, len(stage.items)) for stage in study.stages if stage.kind == SURVEY)
    return OTHER_PAGES + questions * SECONDS / 60


def _trials(study: Study) -> Trials:
    """Trial matches of all arms; none: the game needs a library that is not installed."""
    try:
        return [(arm, play_trials(study, arm)) for arm in study.arms]
    except MissingLibraryError:
        return []


def _moves(study: Study, trials: Trials, recorded: float | None) -> float | None:
    """Moves of a participant in all matches, those of practice too; None: nothing is known.

    Args:
        study: The study.
        trials: See `_trials`.
        recorded: In a match, as records say; None: there are none.
    """

    def in_match(stage: Stage) -> float:
        if stage.kind == PRACTICE and trials:
            return practice_moves(study, stage)
        if recorded is not None:
            return recorded
        tried = [
            [trial.moves[one] / len(arm.people) for one in stage.among if one in trial.moves] for arm, trial in trials
        ]
        return fmean(map(fmean, tried))

    if recorded is None and not trials:
        return None
    return sum(in_match(one) * (one.repetitions or 1) for one in study.stages if one.kind != SURVEY)


def _paid(study: Study, trials: Trials, known: Known) -> tuple[Sequence[Sequence[float]], str]:
    """Payoffs of matches that may be paid, and where they are from."""
    records = known.records
    if records:
        whose = "people" if records.people else "all players"
        where = "" if records.same else ", none of them in the study's settings"
        return records.paid, f"the payoffs of {whose} in {many(records.matches, 'match')}{where}"
    if known.payoff is not None:
        each = "round" if study.payment.pays == ROUND else "match"
        return [[known.payoff]], f"a payoff of {known.payoff:,g} a {each}"
    return [parts for _, trial in trials for parts in trial.paid], "scripts in the seats of participants"


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
    if not (plan.effects or plan.within):
        yield "Smallest detectable effect: none, as nothing is compared between or within independent groups"
        return
    yield f"Smallest detectable effect on a participant's payoff (two-sided test at {ALPHA:g}, power {POWER:g}):"
    spread = plan.known.spread
    for contrast, effect in plan.effects:
        first, second = contrast.clusters
        told = _effect(effect, spread)
        yield f"  {contrast.first} and {contrast.second}, {first} and {second} independent groups: {told}"
    for within, effect in plan.within:
        groups = many(len(within.sizes), "independent group")
        yield f"  {within.first} and {within.second} within {groups} that play in both: {_effect(effect, spread)}"
    deviation = "" if spread is None else f"standard deviation {_size(spread)}, "
    yield f"  {deviation}intraclass correlation {plan.known.correlation:g} within groups"
    if plan.within:
        yield f"  correlation {plan.known.together:.2g} of a group's means in two settings, {_whence(plan.known)}"


def warning_lines(plan: StudyPlan) -> list[str]:
    """What the study can find only if it is larger than a standard deviation, which few effects are."""
    unit = plan.known.spread or 1.0
    between = [(f"{one.first} and {one.second}", effect / unit) for one, effect in plan.effects]
    within = [(f"{one.first} and {one.second}", effect / unit) for one, effect in plan.within]
    large = [(names, size) for names, size in (*between, *within) if size > LARGE]
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


def _whence(known: Known) -> str:
    """Where the correlation of two settings is from."""
    if known.paired is not None:
        return "as given"
    found = known.records.paired if known.records else None
    return f"from {many(found.groups, 'group')} in the records" if found else "as none is known"


def _size(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def lines(plan: StudyPlan) -> list[str]:
    """All but the counts."""
    return [*cost_lines(plan), time_line(plan), *effect_lines(plan)]
