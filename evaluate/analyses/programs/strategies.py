"""Judged strategies of programs: shares by player and by opponent, and inter-judge agreement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from pandas import DataFrame

from econzoo.evaluate.analyses import PLACE_COLUMNS
from econzoo.evaluate.analyses.judging import alpha
from econzoo.evaluate.analyses.programs.estimates import Mean, means
from econzoo.evaluate.analyses.programs.labels import LABELLED, MISSING, UNPARSED, Categories, Label
from econzoo.evaluate.analyses.programs.play import Share
from econzoo.evaluate.analyses.programs.rows import Measure
from econzoo.evaluate.analyses.programs.submissions import Submission


class Strategies(NamedTuple):
    """Labels of the programs of one player by one judge.

    Attributes:
        shares: Share of each category among labelled programs.
    """

    game: str
    player: str
    judge: str
    is_first_round: bool
    shares: dict[str, Share]
    unparsed: int
    missing: int


def strategies(labels: Iterable[Label], rubric: Categories) -> list[Strategies]:
    """Compute shares by game, player and judge, separately for the first and later meta-rounds."""
    groups: dict[tuple[str, str, str, bool], list[Label]] = {}
    for one in labels:
        groups.setdefault((one.game, one.player, one.judge, one.round == 1), []).append(one)
    return [_count_labels(key, groups[key], rubric) for key in sorted(groups, key=lambda key: (*key[:3], not key[3]))]


def _count_labels(key: tuple[str, str, str, bool], labels: Sequence[Label], rubric: Categories) -> Strategies:
    categories = [one.category for one in labels if one.status == LABELLED]
    status = [one.status for one in labels]
    shares = {category: Share(categories.count(category), len(categories)) for category in rubric.keys}
    return Strategies(*key, shares, status.count(UNPARSED), status.count(MISSING))


def shares(labels: Sequence[Label], submissions: Iterable[Submission], rubric: Categories) -> dict[str, list[Mean]]:
    """Compute the shares of categories with intervals for each judge, by player, opponent and meta-round.

    The first meta-round is excluded: its programs respond to nothing.
    """
    measures = [Measure(one.key, one.name, one.short, True) for one in rubric.categories]
    at = {one.id: one for one in submissions}
    by_judge = {}
    for judge in dict.fromkeys(one.judge for one in labels):
        rows = [_row(one, at[one.submission], rubric) for one in labels if one.judge == judge and one.round > 1]
        by_judge[judge] = means(DataFrame(rows), measures) if rows else []
    return by_judge


def _row(label: Label, one: Submission, rubric: Categories) -> dict[str, Any]:
    """Return the hits and cases of a label; programs without a category are no cases."""
    known = label.status == LABELLED
    hits = {f"{key}_hits": float(known and label.category == key) for key in rubric.keys}
    cases = {f"{key}_cases": float(known) for key in rubric.keys}
    return {**{name: one.place[name] for name in PLACE_COLUMNS}, "round": one.round, **hits, **cases}


class Agreement(NamedTuple):
    """Inter-judge agreement.

    Attributes:
        alpha: Krippendorff's alpha, nominal; NaN if undefined.
        undefined: Why alpha is undefined; empty if it is defined.
    """

    programs: int
    alpha: float
    undefined: str


def agreement(labels: Iterable[Label], rubric: Categories) -> Agreement:
    """Compute Krippendorff's alpha (2019, Content Analysis, chapter 12) of all judges on all programs."""
    known = [one for one in labels if one.status == LABELLED]  # the others are missing ratings
    judges, programs = (_places(getattr(one, name) for one in known) for name in ("judge", "submission"))
    categories = _places(rubric.keys)  # numbers are names: the nominal alpha compares them for equality only
    given = np.full((len(judges), len(programs)), np.nan)
    for one in known:
        given[judges[one.judge], programs[one.submission]] = categories[str(one.category)]
    paired, (found,), why = alpha(given, ("nominal",), "program", "labels")
    return Agreement(paired.shape[1], found, why)


def _places(names: Iterable[str]) -> dict[str, int]:
    """Number the distinct names in alphabetical order."""
    return {name: at for at, name in enumerate(sorted(set(names)))}


class StrategyJudgements(NamedTuple):
    """Judgements of strategies.

    Attributes:
        agreement: Inter-judge agreement; None with one judge.
    """

    rubric: Categories
    overall: Sequence[Strategies]
    shares: dict[str, list[Mean]]
    agreement: Agreement | None = None

    @property
    def places(self) -> list[tuple[str, str]]:
        """Pairs of game and judge."""
        return list(dict.fromkeys((one.game, one.judge) for one in self.overall))
