"""The analysis on the terminal, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.telling import elided
from econzoo.evaluate.analyses.regression.observations import words
from econzoo.evaluate.analyses.regression.prediction import missing
from econzoo.evaluate.analyses.regression.regression import ALONE, ROUGH, WEAK, Effect
from econzoo.evaluate.analyses.regression.tables import Group, parts, points
from econzoo.evaluate.analyses.regression.wording import equilibrium_line, labels, meta_sentences
from econzoo.evaluate.show.console import table
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.numbers import NOTHING, number

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import FamilyStudy, Study

WIDE = 33
"""Characters of the first column."""

LISTED = 8
"""Equilibria that the terminal shows."""

LEGEND = (
    "Percentage points against the baseline, all else equal. *: differs from 0 by intervals by clusters of "
    "configurations and of pairs of players, all effects of the metric counted (Holm). "
    f"{ROUGH}: rough, fewer than {WEAK:g} degrees of freedom. {ALONE}: over seeds only. Intervals are in effects.csv."
)


def summary(study: Study) -> Iterator[Any]:
    """What `econzoo.evaluate.show.console.show` prints, part by part."""
    for family in study.families:
        yield from _family(family)
    if study.settings.splits and missing():
        yield f"Not installed, so not compared: {' and '.join(missing())} (pip install 'econzoo[predict]')"
    if study.unreadable:
        yield f"Not read: {many(len(study.unreadable), 'line')}, the first: {visible(str(study.unreadable[0]))}"


def _family(family: FamilyStudy) -> Iterator[Any]:
    yield Text(f"\n{words(family.name).upper()}", style="bold")
    yield Text(" ".join(map(visible, family.notes)))
    for caution in family.cautions:
        yield Text(f"! {visible(caution)}", style="yellow")
    for part, found in parts(family).items():
        if found:
            yield effects_table(family, f"\nEffects of {part}", found)
            yield from map(Text, numbers_told(found))
    if any(parts(family).values()):
        yield Text(LEGEND, style="dim")
    yield fits_table(family)
    yield from _meta(family)


def _meta(family: FamilyStudy) -> Iterator[Any]:
    if family.meta is None:
        return
    yield Text("\n" + " ".join(map(visible, meta_sentences(family.meta))))
    shown = range(min(LISTED, len(family.meta.equilibria)))
    for place in shown:
        yield Text("  " + visible(equilibrium_line(family.meta, place, family.observations.roles)))
    if len(family.meta.equilibria) > LISTED:
        yield Text(f"  and {len(family.meta.equilibria) - LISTED} more, in equilibria.csv")


def effects_table(family: FamilyStudy, title: str, found: list[Group]) -> Any:
    """Effects of features: one row for each level, one column for each metric."""
    metrics = [fit.metric for fit in family.fits]
    rows = []
    for group in found:
        rows += [[line, *("" for _ in metrics)] for line in _heads(group)]
        names = _names(group)
        for value, row in group.rows.items():
            cells = [_cell(row.get(metric)) for metric in metrics]
            rows.append([f"  {visible(names[value])}", *cells])
    return table(title, ["", *map(heading, metrics)], rows)


def _names(group: Group) -> dict[str, str]:
    """What the levels of a feature are called in the first column, the baseline's among them."""
    return labels([group.baseline, *group.rows], WIDE - 2)


def numbers_told(found: Iterable[Group]) -> Iterator[str]:
    """What the numbers stand for that took the place of levels."""
    for group in found:
        for level, name in _names(group).items():
            if name != elided(level, WIDE - 2):
                yield visible(f"{words(group.parameter)} {name}: {level}")


def _heads(group: Group) -> list[str]:
    """The feature and its baseline, in one line if they fit."""
    name, baseline = words(group.parameter), f"vs {visible(elided(_names(group)[group.baseline], WIDE - 5))}"
    line = f"{name} ({baseline})"
    return [line] if len(line) <= WIDE else [elided(name, WIDE), f"  {baseline}"]


def heading(metric: str) -> str:
    """A metric as a narrow column."""
    return words(metric).replace("'s gain", " gain")


def _cell(effect: Effect | None) -> str:
    if effect is None or effect.effect != effect.effect:
        return NOTHING + " "
    return f"{points(effect.effect)}{'*' if effect.clear else ''}{effect.marks}".ljust(len(points(effect.effect)) + 1)


def fits_table(family: FamilyStudy) -> Any:
    """How well the regressions fit, and how well models predict."""
    models = list(dict.fromkeys(score.model for score in family.scores))
    errors = {(score.metric, score.model): score.rmse for score in family.scores}
    rows = [
        [
            heading(fit.metric),
            f"{fit.n:,}",
            number(fit.mean),
            number(fit.r2, 2),
            *(number(errors.get((fit.metric, model), float("nan"))) for model in models),
        ]
        for fit in family.fits
    ]
    title = "\nFit, and root mean square errors on held-out matches" if models else "\nFit"
    return table(title, ["metric", "matches", "mean", "R2", *models], rows)
