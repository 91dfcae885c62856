"""The markets of GLEE by readable ids.

An id says the values of all parameters that GLEE varies, so it stays what it is whatever else changes:

    bargaining/d0.8-0.9_m10000_t12_ci_ma      discount factors of Alice and Bob, money, horizon
    negotiation/v1-1.2_m100_tinf_ii_nm        values of seller and buyer, scale, horizon
    persuasion/p1of3_v1.25_m10000_ci_text_long    prior, worth of high quality, price

``ci`` and ``ii`` are complete and incomplete information (in persuasion: whether the seller knows what the products are
worth to the buyer), ``ma`` and ``nm`` messages allowed and none, ``tinf`` a horizon that the players do not know.

Source: the grid of arXiv:2410.05254, appendix, and of the public code's lists of values: 384 markets of bargaining,
576 of negotiation and 360 of persuasion, 1,320 in all.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.settings import Setting


class Part(NamedTuple):
    """One part of an id.

    Attributes:
        names: Parameters that it says.
        write: Their values as text.
    """

    names: tuple[str, ...]
    write: Callable[..., str]


def _numbers(prefix: str, *names: str) -> Part:
    """``v1-1.2``: numbers with hyphens between, each a parameter of its own."""
    return Part(names, lambda *values: prefix + "-".join(f"{value:.12g}" for value in values))


def _words(name: str, words: dict[Any, str]) -> Part:
    """One word for each value."""
    return Part((name,), words.__getitem__)


def _share(prefix: str, name: str) -> Part:
    """``p0.5`` or, where no short decimal says it, ``p1of3``."""

    def write(value: float) -> str:
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
"""What an id of each family says, in order."""

BASELINE = {
    "bargaining": "bargaining/d0.9-0.9_m10000_t12_ci_nm",
    "negotiation": "negotiation/v1-1_m10000_t1_ci_nm",
    "persuasion": "persuasion/p0.5_v1.25_m10000_ci_binary_long",
}
"""The markets that the effects of GLEE's regressions are measured from (its `analyze/ML.py`)."""


def id_of(family: str, params: dict[str, Any]) -> str:
    """The id of a market of GLEE's form."""
    parts = [part.write(*(params[name] for name in part.names)) for part in PARTS[family]]
    return f"{family}/{'_'.join(parts)}"


@cache
def grid(family: str) -> tuple[Setting, ...]:
    """All configurations of a family, in the order of their ids."""
    found = [Setting(id_of(family, params), dict(params)) for params in find_game(family).scenarios.GLEE]
    return tuple(sorted(found))
