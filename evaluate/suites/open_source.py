"""The studies of "Evaluating LLMs in Open-Source Games" (arXiv:2512.00371) with any authors."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.evaluate.analyses.programs.replication import NAME, designs
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

OBJECTIVES = {
    "program_matrix": ("PM=exploiter", "CPM=tit-for-tat", "DPM=late-defector"),
    "program_coin": ("PM=greedy", "CPM=cooperative", "DPM=late-taker"),
}
"""Game to scripted authors in the places of the paper's: payoff, cooperative and deceptive."""

ALIKE = "similarity"
"""A scripted author who cooperates with programs that are like its own."""


def open_source(
    request: SuiteRequest,
    *,
    alike: Annotated[str, Option(meaning="Both authors of the study of programs that look for likeness.")] = ALIKE,
) -> Suite:
    """The dyadic studies of authors with different objectives, evolution among them, and the study of similarity.

    Args:
        request: Authors, NAME=SPEC; none: `OBJECTIVES`. The coin game is played by those that know it.
        alike: Spec.

    Raises:
        ValueError: A spec is unknown or not allowed.
    """
    request.refuse_options("open-source", "opponents", "pool", "settings", "param", "lineups", "reader")
    authors = {game: request.players or list(one) for game, one in OBJECTIVES.items()}
    return Suite(designs(authors, alike, request.seeds or 1), NAME)
