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

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.formats.glee.folders import FAMILIES
from econzoo.evaluate.run.settings import Market


class Part(NamedTuple):
    """One part of an id.

    Attributes:
        names: Parameters that it says.
        write: Their values as text.
        read: The values of a text; raises `ValueError` if it says none.
    """

    names: tuple[str, ...]
    write: Callable[..., str]
    read: Callable[[str], tuple[Any, ...]]


def _after(prefix: str, text: str) -> str:
    if not text.startswith(prefix):
        raise ValueError
    return text.removeprefix(prefix)


def _numbers(prefix: str, *names: str) -> Part:
    """``d0.8-0.9``: numbers with hyphens between, each a parameter of its own."""
    return Part(
        names,
        lambda *values: prefix + "-".join(f"{value:.12g}" for value in values),
        lambda text: tuple(map(float, _after(prefix, text).split("-"))),
    )


def _words(name: str, words: dict[Any, str]) -> Part:
    """One word for each value."""
    values = {word: value for value, word in words.items()}

    def read(text: str) -> tuple[Any, ...]:
        if text not in values:
            raise ValueError
        return (values[text],)

    return Part((name,), words.__getitem__, read)


def _share(prefix: str, name: str) -> Part:
    """``p0.5`` or, where no short decimal says it, ``p1of3``."""

    def write(value: float) -> str:
        ratio = Fraction(value).limit_denominator(100)
        short = f"{value:g}"
        return prefix + (short if float(short) == value else f"{ratio.numerator}of{ratio.denominator}")

    def read(text: str) -> tuple[Any, ...]:
        above, of, below = _after(prefix, text).partition("of")
        return (int(above) / int(below) if of else float(above),)

    return Part((name,), write, read)


_HORIZON = Part(
    ("horizon",),
    lambda value: "tinf" if value is None else f"t{value}",
    lambda text: (None if text == "tinf" else int(_after("t", text)),),
)
_INFORMATION = {True: "ci", False: "ii"}
_MESSAGES = _words("messages", {True: "ma", False: "nm"})
_DELTAS = Part(
    ("delta",),
    lambda pair: f"d{pair[0]:.12g}-{pair[1]:.12g}",
    lambda text: (_pair(_after("d", text)),),
)


def _pair(text: str) -> tuple[float, float]:
    first, second = map(float, text.split("-"))
    return first, second


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


def market_of(id: str) -> Market:
    """The market that an id says, also one that is not in GLEE's grid.

    Raises:
        ValueError: It is no id; the message shows one.
    """
    family, _, rest = id.partition("/")
    texts = rest.split("_")
    if family in PARTS and len(texts) == len(PARTS[family]):
        try:
            params = _read(family, texts)
            if id_of(family, params) == id:
                return Market(id, params)
        except (ValueError, ZeroDivisionError, OverflowError):
            pass
    shown = BASELINE.get(family)
    known = f"one like {shown}" if shown else f"one that begins with {', '.join(f + '/' for f in FAMILIES)}"
    raise ValueError(f"configuration {id[:80]!r} is not allowed; allowed: {known}")


def _read(family: str, texts: Sequence[str]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    for part, text in zip(PARTS[family], texts, strict=True):
        params.update(zip(part.names, part.read(text), strict=True))
    return params


@cache
def grid(family: str) -> tuple[Market, ...]:
    """All configurations of a family, in the order of their ids."""
    found = [Market(id_of(family, params), dict(params)) for params in find_game(family).scenarios.GLEE]
    return tuple(sorted(found))
