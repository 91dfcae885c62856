"""Shares of the strategies that judges saw, and how far the judges agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.envs.core.extras import MissingLibraryError, need
from econzoo.evaluate.programs.categories import Categories
from econzoo.evaluate.programs.labels import LABELLED, MISSING, UNPARSED, Label
from econzoo.evaluate.programs.play import Share

TOO_FEW = "no program has labels of two judges"
NO_VARIATION = "all labels are the same, so chance expects no disagreement"


class Strategies(NamedTuple):
    """How one judge labelled the programs of one player.

    Attributes:
        game: Name.
        player: Spec.
        judge: Spec.
        first: Whether these are the programs of the first meta-round, which had nothing to answer.
        shares: Category to its share among the labelled programs.
        unparsed: Programs whose answers were no category.
        missing: Meta-rounds without a program.
    """

    game: str
    player: str
    judge: str
    first: bool
    shares: dict[str, Share]
    unparsed: int
    missing: int


def strategies(labels: Iterable[Label], rubric: Categories) -> list[Strategies]:
    """Shares for every game, player and judge, the first meta-round apart from the later ones.

    Args:
        labels: See `econzoo.evaluate.programs.classifying.classified`.
        rubric: Its categories give the order.
    """
    groups: dict[tuple[str, str, str, bool], list[Label]] = {}
    for one in labels:
        groups.setdefault((one.game, one.player, one.judge, one.round == 1), []).append(one)
    return [_of(key, groups[key], rubric) for key in sorted(groups)]


def _of(key: tuple[str, str, str, bool], labels: Sequence[Label], rubric: Categories) -> Strategies:
    said = [one.category for one in labels if one.status == LABELLED]
    status = [one.status for one in labels]
    shares = {category: Share(said.count(category), len(said)) for category in rubric.keys}
    return Strategies(*key, shares, status.count(UNPARSED), status.count(MISSING))


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
    paired = given[:, np.isfinite(given).sum(axis=0) >= 2]
    why = TOO_FEW if not paired.size else NO_VARIATION if len(np.unique(paired[np.isfinite(paired)])) < 2 else ""
    if not why:
        try:
            need("alpha", "krippendorff")
            import krippendorff

            alpha = float(krippendorff.alpha(reliability_data=paired, level_of_measurement="nominal"))
            return Agreement(paired.shape[1], alpha, "")
        except MissingLibraryError as error:
            why = str(error)
    return Agreement(paired.shape[1], math.nan, why)


def _places(names: Iterable[str]) -> dict[str, int]:
    """Each name once, with its place in the order of the alphabet."""
    return {name: at for at, name in enumerate(sorted(set(names)))}
