"""Tables of effects (like tables 5 and 6 of the paper) and of everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from econzoo.evaluate.analyses.regression.metagame import Equilibrium
from econzoo.evaluate.analyses.regression.observations import seat, words
from econzoo.evaluate.analyses.regression.prediction import Score
from econzoo.evaluate.analyses.regression.regression import ALONE, POINT, ROUGH, WEAK, Effect
from econzoo.evaluate.show.numbers import percent
from econzoo.evaluate.show.parts import (
    COUNT,
    FILES,
    PAGE,
    POINTS,
    RAW,
    TERMINAL,
    TEXT,
    Cell,
    Column,
    Divider,
    Row,
    Table,
    write_interval,
)
from econzoo.evaluate.stats.intervals import Interval

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import FamilyStudy

SHOWN = (TERMINAL, PAGE)

LISTED = 20
"""Equilibria that terminals and pages show."""

LEGEND = (
    "Percentage points against the baseline, all else equal, with 95% intervals by clusters of configurations and of "
    "pairs of players. *: differs from 0, all effects of the metric counted (Holm). "
    f"{ROUGH}: rough, fewer than {WEAK:g} degrees of freedom. {ALONE}: over seeds only."
)


def effects_table(family: FamilyStudy, players: bool) -> Table:
    """Effects of features: one row for each level, one column for each metric.

    Args:
        family: The family.
        players: Whether of those that say who plays, or of the others.
    """
    metrics = [fit.metric for fit in family.fits]
    columns = [
        Column("level", kind=TEXT),
        *(Column(metric, words(metric), POINTS) for metric in metrics),
        Column("n", "matches", COUNT, places=(PAGE, FILES)),
    ]
    rows: list[Row | Divider] = []
    for group in family.groups(players):
        rows.append(Divider(words(group.parameter), f"baseline {group.baseline}"))
        for value, row in group.rows.items():
            rows.append([value, *(_effect(row.get(metric)) for metric in metrics), next(iter(row.values())).n])
    part = "players" if players else "parameters"
    return Table(f"table_{part}_{family.name}", f"Effects of {part}", columns, rows, LEGEND, places=SHOWN)


def _effect(effect: Effect | None) -> Cell:
    if effect is None or math.isnan(effect.effect):
        return Cell(None)
    classical = write_interval(POINT, Interval(effect.effect, effect.ci_low, effect.ci_high, effect.n))
    tip = "; ".join(filter(None, [effect.caution, classical and f"classical interval {classical}"]))
    value = Interval(effect.effect, effect.ci_low_clustered, effect.ci_high_clustered, effect.n)
    return Cell(value, ("*" if effect.clear else "") + effect.marks, tip)


def fits_table(family: FamilyStudy) -> Table:
    """How well the regressions fit, and how well models predict."""
    models = list(dict.fromkeys(score.model for score in family.scores))
    columns = [
        Column("metric", kind=TEXT),
        Column("n", "matches", COUNT),
        Column("mean"),
        Column("constant", "at all baselines", places=(PAGE, FILES)),
        Column("r2", "R\u00b2", digits=2),
        *(Column(model, f"RMSE {model}") for model in models),
    ]
    errors = {(score.metric, score.model): _error(score) for score in family.scores}
    rows = [
        [words(fit.metric), fit.n, fit.mean, fit.constant, fit.r2, *(errors.get((fit.metric, one)) for one in models)]
        for fit in family.fits
    ]
    note = (
        "RMSE: root mean square error on the fifth of the matches that a model did not see, mean and middle 95% of "
        f"{family.scores[0].splits} random splits; \u201cmean\u201d predicts the mean of the others."
        if models
        else ""
    )
    return Table(f"table_fit_{family.name}", "How well the regressions fit", columns, rows, note, places=SHOWN)


def _error(score: Score) -> Interval:
    return Interval(score.rmse, score.rmse_2_5, score.rmse_97_5, score.n_test)


def choice_table(family: FamilyStudy) -> Table:
    """The equilibria of the game of choosing players; of many the first ones."""
    roles, found = family.observations.roles, _equilibria_of(family)
    columns = [
        Column("equilibrium", kind=TEXT),
        *(Column(f"{role}_sends", f"{seat(role)} sends", TEXT) for role in roles),
        *(Column(f"{role}_gain", f"{seat(role)}'s gain") for role in roles),
        Column("clear"),
    ]
    rows = [
        ["pure" if one.pure else "mixed", _mixture(one.first), _mixture(one.second), *one.gains, one.clear]
        for one in found[:LISTED]
    ]
    note = f"All {len(found)} are in equilibria.csv." if len(found) > LISTED else ""
    return Table(f"table_choice_{family.name}", "Nash equilibria", columns, rows, note, places=SHOWN)


def _equilibria_of(family: FamilyStudy) -> Sequence[Equilibrium]:
    return family.meta.equilibria if family.meta else ()


def _mixture(mixture: Mapping[str, float]) -> str:
    if len(mixture) == 1:
        return next(iter(mixture))
    return ", ".join(f"{player} {percent(probability)}" for player, probability in mixture.items())


# Files


FITS = ("family", "metric", "n", "dropped", "clusters", "mean", "constant", "r2", "residual", "freedom")
PAIRS = ("family", "metric", "first_player", "second_player", "n", "mean", "effect", "adjusted")
EQUILIBRIA = ("family", "equilibrium", "kind", "seat", "player", "probability", "gain", "clear")


def all_numbers(families: Sequence[FamilyStudy]) -> Iterator[Table]:
    """Every number, all families in one file each, and the observations of each family."""
    fits = [fit for family in families for fit in family.fits]
    effects = [(*effect, effect.caution) for fit in fits for effect in fit.effects]
    yield _table("effects", (*Effect._fields, "caution"), effects)
    yield _table("fits", FITS, [[getattr(fit, name) for name in FITS] for fit in fits])
    yield _table("pairs", PAIRS, [row for family in families for row in _pairs(family)])
    yield _table("equilibria", EQUILIBRIA, [row for family in families for row in _equilibria(family)])
    yield _table("prediction", Score._fields, [score for family in families for score in family.scores])
    for family in families:
        table = family.observations.table
        yield _table(f"observations_{family.name}", list(table), list(table.itertuples(index=False, name=None)), RAW)


def _table(key: str, heads: Sequence[str], rows: Sequence[Row], place: str = FILES) -> Table:
    return Table(key, key.replace("_", " ").capitalize(), [Column(head) for head in heads], rows, places=(place,))


def _pairs(family: FamilyStudy) -> Iterator[Row]:
    for heat in family.heats:
        for pair, cell in heat.cells.items():
            yield heat.family, heat.metric, *pair, cell.n, cell.mean, cell.effect, heat.adjusted


def _equilibria(family: FamilyStudy) -> Iterator[Sequence[Any]]:
    for number, one in enumerate(_equilibria_of(family), start=1):
        for role, mixture, gain in zip(family.observations.roles, (one.first, one.second), one.gains, strict=True):
            for player, probability in mixture.items():
                kind = "pure" if one.pure else "mixed"
                yield family.name, number, kind, role, player, probability, gain, one.clear
