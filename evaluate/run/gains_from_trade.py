"""Markets in which nothing can be gained, and what tables that show them say about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.registry import game as find_game


def has_no_gains(game: str, params: Mapping[str, Any]) -> bool:
    """Whether no trade in a market creates anything, by the `surplus` of the game's solution, if it has one.

    Args:
        game: Name.
        params: Public parameters.

    Raises:
        ValueError: They are not allowed.
    """
    surplus = getattr(find_game(game).solution, "surplus", None)
    return surplus is not None and surplus(find_game(game).params(**params)[1]) == 0


def describe_no_gains(game: str, settings: Iterable[Mapping[str, Any]]) -> str:
    """A sentence on how many of some markets leave nothing to gain; empty if none does.

    Args:
        game: Of all markets.
        settings: Public parameters; equal ones count once.
    """
    distinct = {repr(sorted(params.items())): params for params in settings}
    without = sum(has_no_gains(game, params) for params in distinct.values())
    return no_gains_sentence(without, len(distinct))


def no_gains_sentence(without: int, setting_count: int) -> str:
    """What is said of markets of which some leave nothing to gain; empty if none does."""
    leave = "leaves" if without == 1 else "leave"
    told = (
        f"{without} of {format_count(setting_count, 'market')} {leave} no gains from trade: what one wins "
        "there, the other loses."
    )
    return told if without else ""
