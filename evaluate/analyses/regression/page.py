"""The analysis ``regression``: what settings and players change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Integer, ListOf, OneOf, Text
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.description import describe, played_games
from econzoo.evaluate.analyses.regression.features import MODES
from econzoo.evaluate.analyses.regression.figures import effects_figure, heat_figure
from econzoo.evaluate.analyses.regression.metagame import Equilibrium
from econzoo.evaluate.analyses.regression.observations import Observations, format_column, format_role, observe
from econzoo.evaluate.analyses.regression.prediction import Score, missing_models
from econzoo.evaluate.analyses.regression.regression import MIN_FREEDOM, POINT, ROUGH_MARK, SEEDS_MARK, Effect
from econzoo.evaluate.analyses.regression.sentences import largest_effects, meta_sentences
from econzoo.evaluate.analyses.regression.study import FamilyStudy, regression_study
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.numbers import format_percent
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import (
    COUNT,
    FILES,
    HEADING,
    PAGE,
    POINTS,
    RAW,
    READER_PLACES,
    SUBHEADING,
    TEXT,
    WARNING,
    Cell,
    Column,
    Divider,
    Figure,
    Part,
    Row,
    Table,
    file_table,
    method_section,
    write_interval,
)
from econzoo.evaluate.show.parts import Text as Words
from econzoo.evaluate.stats.intervals import Interval

METHOD = (
    "One ordinary least squares regression for each game and metric, as in GLEE (arXiv:2410.05254): every level of a "
    "feature but the baseline has a column. Effects are differences of coefficients. Classical intervals take all "
    "matches for independent. They are not: matches of one configuration share its peculiarities, and players that "
    "never vary repeat themselves. The other intervals allow for that, by clusters of configurations and of pairs of "
    "players, each adjusted for few clusters (CR2) and with Satterthwaite's degrees of freedom; the widest of the two "
    "and of both together counts. With fewer than six pairs these stay as they are; with fewer than six "
    "configurations, and where a level stands in one of them or with one pair only, intervals speak of other seeds.",
    "Fairness and efficiency are clipped to [0, 1]. A match in which a metric is not defined is left out of that "
    "metric only. Columns that are combinations of others are named above, and effects that the data cannot tell apart "
    "are left empty.",
    "Choosing a player is a game of its own: each side sends a player, and gains what that player gains on average. "
    "Its Nash equilibria say which players are worth sending. A pure one is clear if whoever else a side may send "
    "gains less, all of them counted (Holm).",
)


def regression(
    records: Records,
    *,
    features: Annotated[
        str,
        Option(
            OneOf(*MODES),
            "Game parameters as features: market (merged as in GLEE), plain (each separately), or all (all merged).",
        ),
    ] = MODES[0],
    pairs: Annotated[
        bool, Option(Flag(), "Use ordered player pairs as one feature instead of one feature per seat.")
    ] = False,
    baseline_player: Annotated[
        list[str],
        Option(
            ListOf(Text()),
            "Baseline player: one for all seats, or one per seat in order.",
            default="GLEE's if it plays, else the first in the data",
        ),
    ] = [],  # noqa: B006  never changed
    splits: Annotated[int, Option(Integer(0, 1000), "Random train/test splits for prediction error (0 = none).")] = 10,
) -> Page:
    """What settings and players change: the regressions of GLEE (arXiv:2410.05254) on records of any games.

    Args:
        records: Of one game, or of several, which are analysed one by one.
        features: One of `econzoo.evaluate.analyses.regression.features.MODES`.
        pairs: Ordered pairs of players as one feature.
        baseline_player: Names of players.
        splits: Of the comparison of predictions.

    Raises:
        ValueError: There are no records, no match has such a player, or there are other than one or as many baseline
            players as seats.
    """
    if not records:
        raise ValueError(f"no records in {records.folder}")
    observed = observe(records, records.duplicates)
    _check_known(baseline_player, observed)
    total = splits * sum(len(one.metrics) for one in observed)
    with progress_bar("splits", total, enabled=splits > 0) as advance:
        families = [regression_study(one, features, pairs, baseline_player, splits, advance) for one in observed]
    matches = sum(len(one.observations.table) for one in families)
    facts = [format_count(matches, "match"), *(one.name for one in families), f"features: {features}"]
    parts: list[Part] = [
        *map(Words, map(largest_effects, families)),
        *number_tables(families),
        *describe(played_games(records), [records.folder]),
    ]
    for family in families:
        parts += _family(family)
    if splits and missing_models():
        parts.append(
            Words(f"Not installed, so not compared: {' and '.join(missing_models())} (pip install 'econzoo[predict]')")
        )
    parts += method_section(*METHOD)
    return Page("regression", f"Regression: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _check_known(players: Sequence[str], observed: Sequence[Observations]) -> None:
    """Raises `ValueError` for a player that plays in no match."""
    known = dict.fromkeys(str(name) for one in observed for column in one.seats for name in one.table[column].unique())
    for name in players:
        if name not in known:
            shown = ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")
            raise ValueError(f"no match has the player {name!r}; there are: {shown}")


def _family(family: FamilyStudy) -> Iterator[Part]:
    yield Words(format_column(family.name).capitalize(), HEADING)
    yield Words(" ".join(family.notes))
    for caution in family.cautions:
        yield Words(caution, WARNING)
    for players in (False, True):
        yield effects_table(family, players)
        if figure := effects_figure(family, players):
            part = "players" if players else "parameters"
            yield Figure(f"{family.name}_{part}", "", "", figure, f"{family.name}: effects of {part}")
    yield fits_table(family)
    yield from _maps(family)
    if family.meta:
        yield Words("Choosing a player", SUBHEADING)
        yield Words(" ".join(meta_sentences(family.meta)))
        yield choice_table(family)


def _maps(family: FamilyStudy) -> Iterator[Part]:
    if not family.heats:
        return
    first, second = map(format_role, family.observations.roles)
    how = ", parameters being equal" if family.heats[0].is_adjusted else ", plain means"
    text = f"Row: {first}. Column: {second}. Percentage points above or below the mean of all pairs{how}."
    yield Words("Who plays whom", SUBHEADING, places=(PAGE,))
    yield Words(text, places=(PAGE,))
    for heat in family.heats:
        figure = heat_figure(heat, family.observations.roles)
        yield Figure(f"{heat.family}_{heat.metric}_pairs", format_column(heat.metric), "", figure, small=True)


# Tables of effects, like tables 5 and 6 of the paper, and of everything else
MAX_EQUILIBRIA = 20
"""Equilibria that terminals and pages show."""

LEGEND = (
    "Percentage points against the baseline, all else equal, with 95% intervals by clusters of configurations and of "
    "pairs of players. *: differs from 0, all effects of the metric counted (Holm). "
    f"{ROUGH_MARK}: rough, fewer than {MIN_FREEDOM:g} degrees of freedom. {SEEDS_MARK}: over seeds only."
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
        *(Column(metric, format_column(metric), POINTS) for metric in metrics),
        Column("n", "matches", COUNT, places=(PAGE, FILES)),
    ]
    rows: list[Row | Divider] = []
    for group in family.groups(players):
        rows.append(Divider(format_column(group.parameter), f"baseline {group.baseline}"))
        for value, row in group.rows.items():
            rows.append([value, *(_effect(row.get(metric)) for metric in metrics), next(iter(row.values())).n])
    part = "players" if players else "parameters"
    return Table(f"table_{part}_{family.name}", f"Effects of {part}", columns, rows, LEGEND, places=READER_PLACES)


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
        [
            format_column(fit.metric),
            fit.n,
            fit.mean,
            fit.constant,
            fit.r2,
            *(errors.get((fit.metric, one)) for one in models),
        ]
        for fit in family.fits
    ]
    note = (
        "RMSE: root mean square error on the fifth of the matches that a model did not see, mean and middle 95% of "
        f"{family.scores[0].splits} random splits; \u201cmean\u201d predicts the mean of the others."
        if models
        else ""
    )
    return Table(f"table_fit_{family.name}", "How well the regressions fit", columns, rows, note, places=READER_PLACES)


def _error(score: Score) -> Interval:
    return Interval(score.rmse, score.rmse_2_5, score.rmse_97_5, score.n_test)


def choice_table(family: FamilyStudy) -> Table:
    """The equilibria of the game of choosing players; of many the first ones."""
    roles, found = family.observations.roles, _equilibria_of(family)
    columns = [
        Column("equilibrium", kind=TEXT),
        *(Column(f"{role}_sends", f"{format_role(role)} sends", TEXT) for role in roles),
        *(Column(f"{role}_gain", f"{format_role(role)}'s gain") for role in roles),
        Column("clear"),
    ]
    rows = [
        ["pure" if one.is_pure else "mixed", _mixture(one.first), _mixture(one.second), *one.gains, one.is_clear]
        for one in found[:MAX_EQUILIBRIA]
    ]
    note = f"All {len(found)} are in equilibria.csv." if len(found) > MAX_EQUILIBRIA else ""
    return Table(f"table_choice_{family.name}", "Nash equilibria", columns, rows, note, places=READER_PLACES)


def _equilibria_of(family: FamilyStudy) -> Sequence[Equilibrium]:
    return family.meta.equilibria if family.meta else ()


def _mixture(mixture: Mapping[str, float]) -> str:
    if len(mixture) == 1:
        return next(iter(mixture))
    return ", ".join(f"{player} {format_percent(probability)}" for player, probability in mixture.items())


# Files


FITS = ("family", "metric", "n", "dropped", "clusters", "mean", "constant", "r2", "residual", "freedom")
PAIRS = ("family", "metric", "first_player", "second_player", "n", "mean", "effect", "adjusted")
EQUILIBRIA = ("family", "equilibrium", "kind", "seat", "player", "probability", "gain", "clear")


def number_tables(families: Sequence[FamilyStudy]) -> Iterator[Table]:
    """Every number, all families in one file each, and the observations of each family."""
    fits = [fit for family in families for fit in family.fits]
    effects = [(*effect, effect.caution) for fit in fits for effect in fit.effects]
    yield file_table("effects", (*Effect._fields, "caution"), effects)
    yield file_table("fits", FITS, [[getattr(fit, name) for name in FITS] for fit in fits])
    yield file_table("pairs", PAIRS, [row for family in families for row in _pairs(family)])
    yield file_table("equilibria", EQUILIBRIA, [row for family in families for row in _equilibria(family)])
    yield file_table("prediction", Score._fields, [score for family in families for score in family.scores])
    for family in families:
        table = family.observations.table
        yield file_table(
            f"observations_{family.name}", list(table), list(table.itertuples(index=False, name=None)), RAW
        )


def _pairs(family: FamilyStudy) -> Iterator[Row]:
    for heat in family.heats:
        for pair, cell in heat.cells.items():
            yield heat.family, heat.metric, *pair, cell.n, cell.mean, cell.effect, heat.is_adjusted


def _equilibria(family: FamilyStudy) -> Iterator[Sequence[Any]]:
    for number, one in enumerate(_equilibria_of(family), start=1):
        for role, mixture, gain in zip(family.observations.roles, (one.first, one.second), one.gains, strict=True):
            for player, probability in mixture.items():
                kind = "pure" if one.is_pure else "mixed"
                yield family.name, number, kind, role, player, probability, gain, one.is_clear
