"""The studies of "Evaluating LLMs in Open-Source Games" (arXiv:2512.00371) with any authors."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.evaluate.analyses.programs.replication import designs
from econzoo.evaluate.suites.suite import Asked, Suite

OBJECTIVES = ("PM=exploiter", "CPM=tit-for-tat", "DPM=late-defector")
"""Scripted authors in the places of the paper's: payoff, cooperative and deceptive."""

ALIKE = "similarity"
"""A scripted author who cooperates with programs that are like its own."""


def open_source(
    asked: Asked,
    *,
    alike: Annotated[str, Option(meaning="Both authors of the study of programs that look for likeness.")] = ALIKE,
) -> Suite:
    """The dyadic study of authors with different objectives, and the study of similarity.

    Args:
        asked: Authors of the dyadic study, NAME=SPEC; none: `OBJECTIVES`.
        alike: Spec.

    Raises:
        ValueError: A spec is unknown or not allowed.
    """
    asked.refuse("open-source", "opponents", "pool", "settings", "param", "lineups", "reader")
    return Suite(designs(asked.players or list(OBJECTIVES), alike, asked.seeds or 1), "replicate-open-source")
