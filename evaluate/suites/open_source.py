"""The studies of "Evaluating LLMs in Open-Source Games" (arXiv:2512.00371) with any authors."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract import Option
from econzoo.evaluate.analyses.programs import NAME, designs
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

OBJECTIVES = {
    "program_matrix": ("PM=exploiter", "CPM=tit-for-tat", "DPM=late-defector"),
    "program_coin": ("PM=greedy", "CPM=cooperative", "DPM=late-taker"),
}
"""Scripted stand-ins for the paper's authors by game: payoff, cooperative and deceptive objective."""

ALIKE = "similarity"
"""Scripted author whose programs cooperate with similar programs."""


def open_source(
    request: SuiteRequest,
    *,
    alike: Annotated[str, Option(meaning="Author spec for both seats of the similarity study.")] = ALIKE,
) -> Suite:
    """The paper's studies: dyads of authors with different objectives, their evolution, and program similarity.

    Args:
        request: Authors as NAME=SPEC; none: `OBJECTIVES`. Authors that do not support the coin game skip it.
    """
    request.refuse_options("open-source", "opponents", "pool", "settings", "param", "lineups", "reader")
    authors = {game: request.players or list(one) for game, one in OBJECTIVES.items()}
    return Suite(designs(authors, alike, request.seeds or 1), NAME)
