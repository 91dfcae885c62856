"""The analysis ``regression``: what settings and players change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Each, Flag, OneOf, Text, Whole
from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.description import describe, played_of
from econzoo.evaluate.analyses.regression.features import MODES
from econzoo.evaluate.analyses.regression.figures import effects_figure, heat_figure
from econzoo.evaluate.analyses.regression.observations import Observations, observe, seat, words
from econzoo.evaluate.analyses.regression.prediction import missing
from econzoo.evaluate.analyses.regression.sentences import largest_effects, meta_sentences
from econzoo.evaluate.analyses.regression.study import FamilyStudy, study
from econzoo.evaluate.analyses.regression.tables import all_numbers, choice_table, effects_table, fits_table
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import HEADING, PAGE, SUBHEADING, WARNING, Figure, Part
from econzoo.evaluate.show.parts import Text as Words

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
            "Parameters of the game as features: market merges what GLEE merges, plain takes each by itself, "
            "all merges all.",
        ),
    ] = MODES[0],
    pairs: Annotated[
        bool, Option(Flag(), "Take ordered pairs of players as one feature, instead of one feature for each seat.")
    ] = False,
    baseline_player: Annotated[
        list[str],
        Option(
            Each(Text()),
            "Player that the others are compared with: one for all seats, or one for each seat in order.",
            default="GLEE's where it plays, else the first in the data",
        ),
    ] = [],  # noqa: B006  never changed
    splits: Annotated[
        int, Option(Whole(0, 1000), "Random train/test splits to compare predictions with (0 = none).")
    ] = 10,
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
    observed = observe(records, records.repeats)
    _check_known(baseline_player, observed)
    total = splits * sum(len(one.metrics) for one in observed)
    with progress_bar("splits", total, shown=splits > 0) as advance:
        families = [study(one, features, pairs, baseline_player, splits, advance) for one in observed]
    matches = sum(len(one.observations.table) for one in families)
    facts = [many(matches, "match"), *(one.name for one in families), f"features: {features}"]
    parts: list[Part] = [
        *map(Words, map(largest_effects, families)),
        *all_numbers(families),
        *describe(played_of(records), [records.folder]),
    ]
    for family in families:
        parts += _family(family)
    if splits and missing():
        parts.append(
            Words(f"Not installed, so not compared: {' and '.join(missing())} (pip install 'econzoo[predict]')")
        )
    parts += [Words("Method", HEADING, places=(PAGE,)), *(Words(one, places=(PAGE,)) for one in METHOD)]
    return Page("regression", f"Regression: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _check_known(players: Sequence[str], observed: Sequence[Observations]) -> None:
    """Raises `ValueError` for a player that plays in no match."""
    known = dict.fromkeys(str(name) for one in observed for column in one.seats for name in one.table[column].unique())
    for name in players:
        if name not in known:
            shown = ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")
            raise ValueError(f"no match has the player {name!r}; there are: {shown}")


def _family(family: FamilyStudy) -> Iterator[Part]:
    yield Words(words(family.name).capitalize(), HEADING)
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
    first, second = map(seat, family.observations.roles)
    how = ", parameters being equal" if family.heats[0].adjusted else ", plain means"
    text = f"Row: {first}. Column: {second}. Percentage points above or below the mean of all pairs{how}."
    yield Words("Who plays whom", SUBHEADING, places=(PAGE,))
    yield Words(text, places=(PAGE,))
    for heat in family.heats:
        figure = heat_figure(heat, family.observations.roles)
        yield Figure(f"{heat.family}_{heat.metric}_pairs", words(heat.metric), "", figure, small=True)
