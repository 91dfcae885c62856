"""Settings without gains from trade, and notes on them for tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game


def has_no_gains(game: str, params: Mapping[str, Any]) -> bool:
    """Whether a setting has no gains from trade, by the `surplus` of the game's solution, if it has one."""
    surplus = getattr(find_game(game).solution, "surplus", None)
    return surplus is not None and surplus(find_game(game).params(**params)[1]) == 0


def describe_no_gains(game: str, settings: Iterable[Mapping[str, Any]]) -> str:
    """Return a sentence on the number of settings without gains from trade; empty if there are none."""
    distinct = {repr(sorted(params.items())): params for params in settings}
    without = sum(has_no_gains(game, params) for params in distinct.values())
    return no_gains_sentence(without, len(distinct))


def no_gains_sentence(without: int, setting_count: int) -> str:
    """Return a sentence on the number of settings without gains from trade; empty if there are none."""
    verb = "has" if without == 1 else "have"
    sentence = (
        f"{without} of {format_count(setting_count, 'setting')} {verb} no gains from trade: what one player wins "
        "there, the other loses."
    )
    return sentence if without else ""
