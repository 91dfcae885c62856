"""GLEE's configurations, with readable ids.

An id encodes the values of all parameters that GLEE varies, so ids are stable:

    bargaining/d0.8-0.9_m10000_t12_ci_ma      discount factors of Alice and Bob, money, horizon
    negotiation/v1-1.2_m100_tinf_ii_nm        values of seller and buyer, scale, horizon
    persuasion/p1of3_v1.25_m10000_ci_text_long    prior, worth of high quality, price

``ci`` and ``ii``: complete and incomplete information (in persuasion: whether the seller knows the buyer's value of the
products); ``ma`` and ``nm``: messages allowed or not; ``tinf``: a horizon unknown to the players.

Source: the grid of arXiv:2410.05254, appendix, and the lists of values in the public code: 384 configurations of
bargaining, 576 of negotiation and 360 of persuasion, 1,320 in total.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.evaluate.run import Setting


class Part(NamedTuple):
    """One part of an id."""

    names: tuple[str, ...]
    write: Callable[..., str]


def _numbers(prefix: str, *names: str) -> Part:
    """Part such as ``v1-1.2``: one number per parameter, joined by hyphens."""
    return Part(names, lambda *values: prefix + "-".join(f"{value:.12g}" for value in values))


def _words(name: str, words: dict[Any, str]) -> Part:
    """Part with one word per value."""
    return Part((name,), words.__getitem__)


def _share(prefix: str, name: str) -> Part:
    """Part such as ``p0.5``, or ``p1of3`` without a short decimal."""

    def write(value: float) -> str:
        # A third is 1of3, not 0.333333.
        ratio = Fraction(value).limit_denominator(100)
        short = f"{value:g}"
        return prefix + (short if float(short) == value else f"{ratio.numerator}of{ratio.denominator}")

    return Part((name,), write)


_HORIZON = Part(("horizon",), lambda value: "tinf" if value is None else f"t{value}")
_INFORMATION = {True: "ci", False: "ii"}
_MESSAGES = _words("messages", {True: "ma", False: "nm"})
_DELTAS = Part(("delta",), lambda pair: f"d{pair[0]:.12g}-{pair[1]:.12g}")

PARTS: dict[str, tuple[Part, ...]] = {
    "bargaining": (
        _DELTAS,
        _numbers("m", "money"),
        _HORIZON,
        _words("complete_information", _INFORMATION),
        _MESSAGES,
    ),
    "negotiation": (
        _numbers("v", "seller_value", "buyer_value"),
        _numbers("m", "money"),
        _HORIZON,
        _words("complete_information", _INFORMATION),
        _MESSAGES,
    ),
    "persuasion": (
        _share("p", "prior"),
        _numbers("v", "high_value"),
        _numbers("m", "price"),
        _words("seller_knows_value", _INFORMATION),
        _words("message_type", {"text": "text", "binary": "binary"}),
        _words("buyer", {"long-living": "long", "myopic": "myopic"}),
    ),
}
"""Parts of the ids by family, in order."""

BASELINE = {
    "bargaining": "bargaining/d0.9-0.9_m10000_t12_ci_nm",
    "negotiation": "negotiation/v1-1_m10000_t1_ci_nm",
    "persuasion": "persuasion/p0.5_v1.25_m10000_ci_binary_long",
}
"""Baseline configurations of GLEE's regressions (its `analyze/ML.py`)."""


def id_of(family: str, params: dict[str, Any]) -> str:
    parts = [part.write(*(params[name] for name in part.names)) for part in PARTS[family]]
    return f"{family}/{'_'.join(parts)}"


@cache
def grid(family: str) -> tuple[Setting, ...]:
    """All configurations of a family, sorted by id."""
    found = [Setting(id_of(family, params), dict(params)) for params in find_game(family).scenarios.GLEE]
    return tuple(sorted(found))
