"""Ablation of a game's message channel: the same matches with messages on, off and scrambled."""

from __future__ import annotations

from typing import Annotated

from econzoo.envs.core.contract import Option
from econzoo.evaluate.analyses.behaviour import channel_designs
from econzoo.evaluate.run import DEFAULT
from econzoo.evaluate.suites.suite import Suite, SuiteRequest

SEEDS = 20


def channel(
    request: SuiteRequest, *, game: Annotated[str, Option(meaning="Game with messages.")] = "bargaining"
) -> Suite:
    """Three arms of the same matches: messages on, off, and with words in random order."""
    request.refuse_options("channel", "opponents", "pool", "lineups")
    wanted = request.with_readers(game)
    settings, (options, _) = wanted.resolve_settings(game), wanted.params()
    designs = channel_designs(game, wanted.players, settings or (DEFAULT,), wanted.seeds or SEEDS, **options)
    return Suite(designs, "channel")
