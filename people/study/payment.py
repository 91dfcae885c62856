"""Payment of participants: a fee, and a bonus for all, random or the best payoffs."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import Flag, Integer, OneOf, Option, Real, exact_decimal
from econzoo.people.study.toml_reading import MAX_MONEY, MONEY, TomlTable, make_domain, pattern_domain

ALL, RANDOM, BEST, ROUND = PAYS = ("all", "random", "best", "round")
"""Paid payoffs: all matches, random matches, the best matches, or one random round."""

MAX_MATCHES = 10_000
"""Maximum number of paid matches of a participant."""

MAX_CURRENCY_LENGTH = 20
"""Maximum characters of the name of points."""

CODE = "[A-Z]{3}"
"""Pattern of codes of real currencies."""

NO_RATES: Mapping[int, float] = MappingProxyType({})

Unit = tuple[int, ...]
"""Unit of payment: (match,) by its number in the randomisation table, from 1, or (match, round)."""


def _is_currency(it: Any) -> bool:
    plain = isinstance(it, str) and 0 < len(it) <= MAX_CURRENCY_LENGTH and it == it.strip()
    return plain and all(one.isalpha() or one in " -" for one in it)


CURRENCY = make_domain(
    _is_currency, f"three capital letters, as in USD, or with paid_in 1 to {MAX_CURRENCY_LENGTH} letters, as in points"
)


class Bonus(NamedTuple):
    """A bonus.

    Attributes:
        paid_units: Paid matches or rounds, in order.
        points: Sum of their payoffs.
        worth: Their value in the real currency, each at its rate, not rounded.
        cents: Bonus in hundredths of the real currency.
    """

    paid_units: tuple[Unit, ...]
    points: Decimal
    worth: Decimal
    cents: int


@dataclass(frozen=True, kw_only=True)
class Payment:
    """Payment rule. Fee, floor and cap are in units of the real currency.

    Attributes:
        currency: Three letters, or with `paid_in` the name of points, such as ``points`` or ``ECU``.
        fee: Participation fee.
        rate: Money per unit of paid payoff.
        floor: Minimum bonus.
        cap: Maximum bonus.
        partial: Whether participants who leave, or find no partners, keep the fee.
        paid_in: Code of the real currency; empty: `currency`.
        pays: One of `PAYS`.
        matches: Number of random or best matches paid.
    """

    currency: Annotated[str, Option(CURRENCY)] = "USD"
    fee: Annotated[float, Option(MONEY)]
    rate: Annotated[float, Option(Real(0, MAX_MONEY))] = 0.0
    floor: Annotated[float, Option(MONEY)] = 0.0
    cap: Annotated[float, Option(MONEY)]
    partial: Annotated[bool, Option(Flag())] = True
    paid_in: Annotated[str, Option(pattern_domain(f"({CODE})?", "three capital letters, as in USD"))] = ""
    pays: Annotated[str, Option(OneOf(*PAYS))] = ALL
    matches: Annotated[int, Option(Integer(1, MAX_MATCHES))] = 1

    @property
    def real_currency(self) -> str:
        """Code of the real currency."""
        return self.paid_in or self.currency

    @property
    def points_name(self) -> str:
        """Name of points; empty: payoffs are in the game's unit."""
        return self.currency if self.paid_in else ""

    @property
    def has_draw(self) -> bool:
        """Whether paid matches or rounds are drawn at random."""
        return self.pays in (RANDOM, ROUND)

    def bonus(self, payoffs: Mapping[Unit, float], seed: str = "", rates: Mapping[int, float] = NO_RATES) -> Bonus:
        """Return the bonus.

        Args:
            payoffs: Unit (match or round) to its payoff; empty: the floor is paid.
            rates: Match number to money per unit of payoff; default: `rate`.
        """
        for payoff in payoffs.values():
            if not math.isfinite(payoff):
                raise ValueError(f"invalid payoff {payoff}: expected a finite number")
        earned = {one: exact_decimal(payoff) for one, payoff in payoffs.items()}
        worth = {one: amount * exact_decimal(rates.get(one[0], self.rate)) for one, amount in earned.items()}
        paid = tuple(sorted(self._select_units({one: (-worth[one], -earned[one]) for one in earned}, seed)))
        points, money = (sum((some[one] for one in paid), Decimal(0)) for some in (earned, worth))
        return Bonus(paid, points, money, self.bonus_cents(money))

    def _select_units(self, order: Mapping[Unit, tuple[Decimal, Decimal]], seed: str) -> list[Unit]:
        """Return the paid units; `order`: unit to its sort key, best first."""
        if self.pays == ALL:
            return list(order)
        if self.pays == BEST:
            # Of equal ones the earlier, so that the choice does not depend on the order of the mapping.
            return sorted(order, key=lambda one: (order[one], one))[: self.matches]
        return sorted(order, key=lambda one: draw_key(seed, one))[: self.matches]

    def bonus_cents(self, worth: Decimal) -> int:
        """Return the bonus in hundredths for a value of payoffs: clipped to floor and cap, rounded half up.

        Decimal arithmetic rounds 0.285 to 0.29, where binary fractions give 0.28.
        """
        return _cents(min(max(worth, exact_decimal(self.floor)), exact_decimal(self.cap)))

    @property
    def fee_cents(self) -> int:
        """The fee in hundredths of the real currency."""
        return _cents(exact_decimal(self.fee))


def draw_key(seed: str, unit: Unit) -> str:
    """Return the sort key of a unit in the draw, which takes the smallest keys.

    It is the hexadecimal SHA-256 of ``SEED/MATCH`` or ``SEED/MATCH/ROUND``, independent of the number of matches, so
    that a match which does not count leaves the order of the others unchanged.
    """
    return hashlib.sha256("/".join([seed, *map(str, unit)]).encode()).hexdigest()


def _cents(amount: Decimal) -> int:
    return int((amount * 100).quantize(Decimal(1), ROUND_HALF_UP))


def read_payment(file: TomlTable, matches: int, game_without_rounds: str) -> Payment:
    """Read the payment rule.

    Args:
        game_without_rounds: A played game without round payoffs; empty: none.
    """
    part = file.table("payment", required=True)
    given = part.read(Payment)
    if not given.paid_in and not re.fullmatch(CODE, given.currency):
        part.refuse("currency", 'three capital letters, such as USD, or with paid_in = "USD" a name of points')
    if given.paid_in == given.currency:
        part.refuse("paid_in", f"a currency other than {given.currency}, or none")
    if given.cap < given.floor:
        part.refuse("cap", f"a number of at least the floor, {given.floor:g}")
    if given.pays == ROUND and game_without_rounds:
        part.refuse("pays", f"{ALL}, {RANDOM} or {BEST}, as {game_without_rounds} has no round payoffs")
    if "matches" in part and given.pays not in (RANDOM, BEST):
        part.refuse("matches", f'no such key with pays = "{given.pays}", only with {RANDOM} or {BEST}')
    if given.matches > matches:
        part.refuse("matches", f"at most {matches}, the number of matches per participant")
    return given
