"""What judges say of the strategies of programs: shares by player and by opponent, and how far the judges agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from pandas import DataFrame

from econzoo.evaluate.analyses.judging.agreement import alpha
from econzoo.evaluate.analyses.programs.estimates import Mean, means
from econzoo.evaluate.analyses.programs.labels import LABELLED, MISSING, UNPARSED, Categories, Label
from econzoo.evaluate.analyses.programs.play import Share
from econzoo.evaluate.analyses.programs.rows import Measure
from econzoo.evaluate.analyses.programs.submissions import Submission
from econzoo.evaluate.analyses.seat_columns import PLACE_COLUMNS


class Strategies(NamedTuple):
    """How one judge labelled the programs of one player.

    Attributes:
        game: Name.
        player: Spec.
        judge: Spec.
        is_first_round: Whether these are the programs of the first meta-round, which had nothing to answer.
        shares: Category to its share among the labelled programs.
        unparsed: Programs whose answers were no category.
        missing: Meta-rounds without a program.
    """

    game: str
    player: str
    judge: str
    is_first_round: bool
    shares: dict[str, Share]
    unparsed: int
    missing: int


def strategies(labels: Iterable[Label], rubric: Categories) -> list[Strategies]:
    """Shares for every game, player and judge, the first meta-round apart from the later ones.

    Args:
        labels: See `econzoo.evaluate.analyses.programs.classification.classify_all`.
        rubric: Its categories give the order.
    """
    groups: dict[tuple[str, str, str, bool], list[Label]] = {}
    for one in labels:
        groups.setdefault((one.game, one.player, one.judge, one.round == 1), []).append(one)
    return [_count_labels(key, groups[key], rubric) for key in sorted(groups, key=lambda key: (*key[:3], not key[3]))]


def _count_labels(key: tuple[str, str, str, bool], labels: Sequence[Label], rubric: Categories) -> Strategies:
    said = [one.category for one in labels if one.status == LABELLED]
    status = [one.status for one in labels]
    shares = {category: Share(said.count(category), len(said)) for category in rubric.keys}
    return Strategies(*key, shares, status.count(UNPARSED), status.count(MISSING))


def shares(labels: Sequence[Label], submissions: Iterable[Submission], rubric: Categories) -> dict[str, list[Mean]]:
    """Judge to the share of every category, with intervals: by player, by opponent and by meta-round.

    The first meta-round is left out: it has nothing to answer.

    Args:
        labels: See `econzoo.evaluate.analyses.programs.classification.classify_all`.
        submissions: The programs that were labelled.
        rubric: Its categories are the measures.
    """
    measures = [Measure(one.key, one.name, one.short, True) for one in rubric.categories]
    at = {one.id: one for one in submissions}
    found = {}
    for judge in dict.fromkeys(one.judge for one in labels):
        made = [_row(one, at[one.submission], rubric) for one in labels if one.judge == judge and one.round > 1]
        found[judge] = means(DataFrame(made), measures) if made else []
    return found


def _row(label: Label, one: Submission, rubric: Categories) -> dict[str, Any]:
    """A label as cases of shares: a program that has none is a case of nothing."""
    known = label.status == LABELLED
    hits = {f"{key}_hits": float(known and label.category == key) for key in rubric.keys}
    cases = {f"{key}_cases": float(known) for key in rubric.keys}
    return {**{name: one.place[name] for name in PLACE_COLUMNS}, "round": one.round, **hits, **cases}


class Agreement(NamedTuple):
    """Of the judges on categories.

    Attributes:
        programs: Labelled by two judges or more.
        alpha: Krippendorff's, with the nominal metric; NaN where there is none.
        undefined: Why there is none; empty if there is one.
    """

    programs: int
    alpha: float
    undefined: str


def agreement(labels: Iterable[Label], rubric: Categories) -> Agreement:
    """Krippendorff's alpha (2019, Content Analysis, chapter 12) of all judges on all programs.

    Args:
        labels: Those that are no category are missing ratings.
        rubric: The categories.
    """
    known = [one for one in labels if one.status == LABELLED]
    judges, programs = (_places(getattr(one, name) for one in known) for name in ("judge", "submission"))
    categories = _places(rubric.keys)
    given = np.full((len(judges), len(programs)), np.nan)
    for one in known:
        given[judges[one.judge], programs[one.submission]] = categories[str(one.category)]
    paired, (found,), why = alpha(given, ("nominal",), "program", "labels")
    return Agreement(paired.shape[1], found, why)


def _places(names: Iterable[str]) -> dict[str, int]:
    """Each name once, with its place in the order of the alphabet."""
    return {name: at for at, name in enumerate(sorted(set(names)))}


class StrategyJudgements(NamedTuple):
    """What judges said.

    Attributes:
        rubric: Of the categories.
        overall: See `strategies`.
        shares: See `shares`.
        agreement: How far the judges agree, where there are several.
    """

    rubric: Categories
    overall: Sequence[Strategies]
    shares: dict[str, list[Mean]]
    agreement: Agreement | None = None

    @property
    def places(self) -> list[tuple[str, str]]:
        """Games and judges."""
        return list(dict.fromkeys((one.game, one.judge) for one in self.overall))
