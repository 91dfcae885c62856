"""The markets of GLEE by readable ids, and the parts of its grid that a benchmark can play.

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

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.gains_from_trade import nothing_to_gain
from econzoo.evaluate.run.settings import Market

FAMILIES = ("bargaining", "negotiation", "persuasion")
SMALL = 12
"""Configurations of a family in the subset ``small``."""


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


TRADE = "main-trade"
"""Name of the subset around `TRADE_BASELINE`."""

TRADE_BASELINE = {**BASELINE, "negotiation": "negotiation/v0.8-1.5_m10000_t10_ci_nm"}
"""The same where there is something to gain: GLEE's baseline of negotiation has equal values."""


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


# Parts of the grid


def values_of(market: Market) -> dict[str, Any]:
    """What GLEE varies independently of each other: the parameters, each discount factor by itself."""
    given = dict(market.params)
    if "delta" in given:
        given["delta_A"], given["delta_B"] = given.pop("delta")
    return given


@cache
def main(family: str) -> tuple[Market, ...]:
    """GLEE's `BASELINE` and every market of the grid that differs from it in the value of one parameter."""
    base = values_of(market_of(BASELINE[family]))
    return tuple(market for market in grid(family) if len(values_of(market).items() - base.items()) <= 1)


@cache
def main_trade(family: str) -> tuple[Market, ...]:
    """`TRADE_BASELINE` and every market with gains from trade that differs from it in the value of one parameter."""
    base = values_of(market_of(TRADE_BASELINE[family]))
    near = (market for market in grid(family) if len(values_of(market).items() - base.items()) <= 1)
    return tuple(market for market in near if not nothing_to_gain(family, market.params))


@cache
def small(family: str) -> tuple[Market, ...]:
    """`SMALL` markets in which all values of all parameters come up about equally often, and in many combinations.

    Chosen one after the other, the `BASELINE` first: always the market whose values have come up least, each measured
    by how often it should have; of several such the one whose pairs of values have come up least, then the first id.
    """
    markets = {market.name: market for market in grid(family)}
    chosen = [markets[BASELINE[family]]]
    levels = {name: len({values_of(m)[name] for m in markets.values()}) for name in values_of(chosen[0])}
    while len(chosen) < SMALL:
        singles = Counter(item for market in chosen for item in values_of(market).items())
        pairs = Counter(pair for market in chosen for pair in combinations(sorted_values(market), 2))
        rest = [market for market in markets.values() if market not in chosen]
        chosen.append(min(rest, key=lambda market: (*_crowded(market, singles, pairs, levels), market.name)))
    return tuple(sorted(chosen))


def sorted_values(market: Market) -> list[tuple[str, Any]]:
    """(name, value) of everything that varies, by name."""
    return sorted(values_of(market).items(), key=lambda item: item[0])


def _crowded(market: Market, singles: Counter, pairs: Counter, levels: dict[str, int]) -> tuple[float, int]:
    """How often the values of a market have come up, by how often they should; and its pairs of values."""
    values = sorted_values(market)
    alone = sum(singles[item] * levels[item[0]] for item in values)
    return alone, sum(pairs[pair] for pair in combinations(values, 2))


SUBSETS: dict[str, Callable[[str], tuple[Market, ...]]] = {
    "full": grid,
    "main": main,
    TRADE: main_trade,
    "small": small,
}
"""Name to the function that gives the configurations of a family. What a name gives never changes."""


def configurations(subset: str, families: Iterable[str] = FAMILIES) -> dict[str, tuple[Market, ...]]:
    """The configurations of a subset by family.

    Args:
        subset: One of `SUBSETS`, or a family, which stands for all of its grid.
        families: Which to give.

    Raises:
        ValueError: Unknown subset or family, or a subset of other families; the message lists those that exist.
    """
    families = list(families)
    for family in families:
        if family not in FAMILIES:
            raise ValueError(f"unknown family {family!r}; allowed: {', '.join(FAMILIES)}")
    if subset in FAMILIES and subset not in families:
        raise ValueError(f"subset {subset!r} has no configuration of {', '.join(families)}; allowed: family {subset}")
    if subset in FAMILIES:
        return {subset: grid(subset)}
    if subset not in SUBSETS:
        raise ValueError(f"unknown subset {subset!r}; allowed: {', '.join([*SUBSETS, *FAMILIES])}")
    return {family: SUBSETS[subset](family) for family in families}
