"""A table of learning for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Iterator

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.spec import labels
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.frame import SELF_GAIN
from econzoo.evaluate.analyses.learning.learning_table import Compared, Earned, Learned, LearningTable
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.numbers import NOTHING, number, percent, percent_span, span
from econzoo.evaluate.stats.intervals import Interval

SEEDS, SETTINGS = "95% seeds", "95% settings"

NOTE = (
    "seeds: interval over training seeds (Student's t): the same training with other seeds, in these settings and "
    "against these opponents. settings: for just these policies, an interval {}."
)
SCRIPTS = "Scripts play the same matches; the best one stands first."
GAPS = (
    "Differences in the same matches; Holm: not by chance over settings, all scripts counted. A training is better for "
    "sure where both intervals are above 0."
)


def text_tables(found: LearningTable) -> list[TextTable]:
    """What was earned, role by role, and below how far each training is above scripts."""
    return [made for one in found.compared for made in (_earned(found, one), *_gaps(found, one))]


def _earned(found: LearningTable, one: Compared) -> TextTable:
    measure = "gain" if found.objective == SELF_GAIN else found.objective
    size = many(next((own.gain.rows for own in _players(one)), 0), "match")
    role = f" as {find_game(found.game).facts.called(one.role)}" if one.role else ""
    title = f"{found.game}{role}, {found.pool} pool, {many(found.markets, 'market')}: {size} of each player"
    heads = ["player", measure, SEEDS, SETTINGS, *(["share", SEEDS] if one.ceiling else [])]
    told = [NOTE.format(found.told), SCRIPTS if one.scripts else "", one.ceiling.note if one.ceiling else ""]
    notes = [*told, found.unpaid]
    return TextTable(title, heads, [*_rows(one)], " ".join(filter(None, notes)))


def _players(one: Compared) -> list[Earned]:
    return [*(own for training in one.trainings for own in training.policies), *one.scripts]


def _rows(one: Compared) -> Iterator[list[str]]:
    told = labels([own.spec for own in _players(one)])
    for training in one.trainings:
        if len(training.policies) > 1:
            yield _mean(one, training)
        yield from (_row(one, name, own) for name, own in _named(training, told))
    if one.ceiling:
        yield from _ceiling(one)
    yield from (_row(one, told[own.spec], own) for own in one.scripts)


def _named(training: Learned, told: dict[str, str]) -> list[tuple[str, Earned]]:
    several = len(training.policies) > 1
    return [
        (f"  seed {own.seed}" if several and own.seed is not None else told[own.spec], own) for own in training.policies
    ]


def _mean(one: Compared, training: Learned) -> list[str]:
    name = f"{training.name}: mean of {many(len(training.policies), 'seed')}"
    row = [name, number(training.seeds.mean), span(training.seeds), span(training.settings)]
    share = one.share(training.counted)
    return [*row, *([percent(share.mean), _percents(share)] if one.ceiling else [])]


def _row(one: Compared, name: str, own: Earned) -> list[str]:
    row = [name, number(own.gain.mean), "", span(own.gain)]
    return [*row, *([percent(one.share_of(own)), ""] if one.ceiling else [])]


def _ceiling(one: Compared) -> Iterator[list[str]]:
    assert one.ceiling is not None
    line = one.ceiling
    yield [f"{line.name} ({line.how})", number(line.gain), "", "", percent(1.0), ""]
    if line.told != line.gain:
        yield [f"ceiling, told ({line.how})", number(line.told), "", "", percent(line.told / line.gain), ""]


def _percents(found: Interval) -> str:
    return NOTHING if math.isnan(found.low) else percent_span(found)


def _gaps(found: LearningTable, one: Compared) -> list[TextTable]:
    heads, told = (
        ["script", "its mean", "difference", SETTINGS, "Holm", SEEDS],
        labels([own.spec for own in one.scripts]),
    )
    role = f" as {find_game(found.game).facts.called(one.role)}" if one.role else ""
    return [
        TextTable(f"{training.name}{role}, less scripts", heads, _gap_rows(one, training, told), GAPS)
        for training in one.trainings
        if training.gaps
    ]


def _gap_rows(one: Compared, training: Learned, told: dict[str, str]) -> list[list[str]]:
    return [
        [
            told[gap.script],
            number(own.gain.mean),
            f"{gap.seeds.mean:+.3f}",
            span(gap.settings),
            "yes" if gap.settings.distinct else "no",
            span(gap.seeds),
        ]
        for own, gap in zip(one.scripts, training.gaps, strict=True)
    ]
