"""The analysis ``regression``: effects of settings and players on outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Flag, Integer, ListOf, OneOf, Option, Text
from econzoo.envs.core.record import elide
from econzoo.evaluate.analyses import describe, played_games
from econzoo.evaluate.analyses.regression.features import MODES
from econzoo.evaluate.analyses.regression.figures import effects_figure, heat_figure
from econzoo.evaluate.analyses.regression.metagame import Equilibrium
from econzoo.evaluate.analyses.regression.observations import Observations, format_column, format_role, observe
from econzoo.evaluate.analyses.regression.prediction import Score, missing_models
from econzoo.evaluate.analyses.regression.regression import MIN_FREEDOM, POINT, ROUGH_MARK, SEEDS_MARK, Effect
from econzoo.evaluate.analyses.regression.sentences import meta_sentences
from econzoo.evaluate.analyses.regression.study import FamilyStudy, FeatureEffects, regression_study
from econzoo.evaluate.run import Records, progress_bar
from econzoo.evaluate.show import COUNT, FILES, HEADING, PAGE, POINTS, RAW, READER_PLACES, SUBHEADING, TEXT, WARNING
from econzoo.evaluate.show import Cell, Column, Divider, Figure, Page, Part, Row, Table, file_table, format_percent
from econzoo.evaluate.show import method_section, write_interval, write_number
from econzoo.evaluate.show import Text as Words
from econzoo.evaluate.stats import Interval

MAX_LEVEL_LENGTH = 60
"""Maximum characters of a level in a sentence."""

METHOD = (
    "One ordinary least squares regression per game and metric, as in GLEE (arXiv:2410.05254), with one dummy per "
    "feature level except the baseline. Effects are differences of coefficients. Classical intervals assume "
    "independent matches, although matches of one configuration are dependent and deterministic players repeat "
    "themselves. The main intervals are therefore clustered by configuration and by player pair, with CR2 small-sample "
    "adjustment and Satterthwaite degrees of freedom; the widest of the two one-way and the two-way intervals is "
    "reported. Pairs are fixed if there are fewer than six. With fewer than six configurations, or where a level "
    "occurs in only one configuration or pair, intervals are over seeds.",
    "Fairness and efficiency are clipped to [0, 1]. Matches with an undefined metric are excluded from that metric "
    "only. Collinear columns are listed above; effects that are not identified are left empty.",
    "The meta-game: each side chooses a player and receives its mean gain. Its Nash equilibria are the players worth "
    "choosing. A pure equilibrium is clear if every deviation of a side gains significantly less (Holm's correction).",
)


def regression(
    records: Records,
    *,
    features: Annotated[
        str,
        Option(
            OneOf(*MODES),
            "Game parameters as features: setting (merged as in GLEE), plain (each separately), or all (all merged).",
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
    """Effects of settings and players: the regressions of GLEE (arXiv:2410.05254), for any game."""
    if not records:
        raise ValueError(f"no records in {records.folder}")
    observed = observe(records, records.duplicates)
    # Over all games: in a game that the player is not in, another baseline is used, and the page says so.
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
            Words(f"Models skipped, not installed: {' and '.join(missing_models())} (pip install 'econzoo[predict]')")
        )
    parts += method_section(*METHOD)
    return Page("regression", f"Regression: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _check_known(players: Sequence[str], observed: Sequence[Observations]) -> None:
    """Raise `ValueError` for a player that is in no match."""
    known = dict.fromkeys(str(name) for one in observed for column in one.seats for name in one.table[column].unique())
    for name in players:
        if name not in known:
            shown = ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")
            raise ValueError(f"unknown player {name!r}: expected {shown}")


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
        yield Words("Meta-game of choosing players", SUBHEADING)
        yield Words(" ".join(meta_sentences(family.meta)))
        yield choice_table(family)


def _maps(family: FamilyStudy) -> Iterator[Part]:
    if not family.heats:
        return
    first, second = map(format_role, family.observations.roles)
    how = "adjusted for parameters" if family.heats[0].is_adjusted else "unadjusted means"
    text = f"Row: {first}. Column: {second}. Deviation from the mean of all pairs in percentage points, {how}."
    yield Words("Player pairs", SUBHEADING, places=(PAGE,))
    yield Words(text, places=(PAGE,))
    for heat in family.heats:
        figure = heat_figure(heat, family.observations.roles)
        yield Figure(f"{heat.family}_{heat.metric}_pairs", format_column(heat.metric), "", figure, small=True)


# Tables; those of effects are like tables 5 and 6 of the paper

MAX_EQUILIBRIA = 20
"""Maximum number of equilibria shown in terminals and pages."""

LEGEND = (
    "Difference to the baseline in percentage points, other features held constant, with 95% intervals clustered by "
    "configuration and player pair. *: differs from 0 (Holm's correction over all effects of the metric). "
    f"{ROUGH_MARK}: approximate, fewer than {MIN_FREEDOM:g} degrees of freedom. {SEEDS_MARK}: over seeds only."
)


def effects_table(family: FamilyStudy, players: bool) -> Table:
    """Return the effects of features: one row per level, one column per metric."""
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
            # One count for the line, that of the first metric; others may exclude more matches as undefined.
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
    """Return the fit of the regressions, and prediction errors of models."""
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
        "RMSE: root mean square error on a held-out fifth of the matches, mean and central 95% of "
        f"{family.scores[0].splits} random splits; \u201cmean\u201d predicts the training mean."
        if models
        else ""
    )
    return Table(f"table_fit_{family.name}", "Fit and prediction error", columns, rows, note, places=READER_PLACES)


def _error(score: Score) -> Interval:
    return Interval(score.rmse, score.rmse_2_5, score.rmse_97_5, score.n_test)


def choice_table(family: FamilyStudy) -> Table:
    """Return the Nash equilibria of the meta-game; at most `MAX_EQUILIBRIA`."""
    roles, found = family.observations.roles, _equilibria_of(family)
    columns = [
        Column("equilibrium", kind=TEXT),
        *(Column(f"{role}_sends", f"{format_role(role)} chooses", TEXT) for role in roles),
        *(Column(f"{role}_gain", f"{format_role(role)}'s gain") for role in roles),
        Column("clear"),
    ]
    rows = [
        ["pure" if one.is_pure else "mixed", _mixture(one.first), _mixture(one.second), *one.gains, one.is_clear]
        for one in found[:MAX_EQUILIBRIA]
    ]
    note = f"All {len(found)} are in equilibria.csv." if len(found) > MAX_EQUILIBRIA else ""
    return Table(
        f"table_choice_{family.name}", "Nash equilibria of the meta-game", columns, rows, note, places=READER_PLACES
    )


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
    """Yield all numbers as file tables, over all families, and the observations of each family."""
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


def largest_effects(family: FamilyStudy) -> str:
    """Return the size of the sample and the largest significant effects."""
    table, seats = family.observations.table, family.observations.seats
    count = len({name for seat in seats for name in table[seat]})
    text = (
        f"{format_column(family.name).capitalize()}: {format_count(len(table), 'match')} of "
        f"{format_count(count, 'player')} "
        f"in {format_count(table['configuration'].nunique(), 'configuration')}."
    )
    largest = [
        _largest_effect(family.groups(players=False), "parameter"),
        _largest_effect(family.groups(players=True), "player"),
    ]
    return " ".join(filter(None, [text, *largest]))


def _largest_effect(groups: Sequence[FeatureEffects], kind: str) -> str:
    effects = [e for group in groups for row in group.rows.values() for e in row.values() if not math.isnan(e.effect)]
    if not effects:
        return ""
    significant = [effect for effect in effects if effect.clear]
    if not significant:
        return f"No {kind} effect is significant."
    largest = max(significant, key=lambda effect: abs(effect.effect))
    change = write_number(POINT, largest.effect)
    return (
        f"Largest significant {kind} effect: {format_column(largest.parameter)} = "
        f"{elide(largest.value, MAX_LEVEL_LENGTH)} against "
        f"{elide(largest.baseline, MAX_LEVEL_LENGTH)}, {change} points of {format_column(largest.metric)}."
    )
