"""What participants are paid: a fee, and a bonus for all of their payoffs, for some that are drawn, or for the best."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Flag, Integer, OneOf, Real
from econzoo.envs.core.contract.validation import exact_decimal
from econzoo.people.study.toml_reading import MAX_MONEY, MONEY, TomlTable, make_domain, pattern_domain

ALL, RANDOM, BEST, ROUND = PAYS = ("all", "random", "best", "round")
"""Which payoffs are paid: those of all matches, of some drawn at random, of the best ones, or of one random round."""

MAX_MATCHES = 10_000
"""Of a participant."""

MAX_CURRENCY_LENGTH = 20
"""Characters of the name of points."""

CODE = "[A-Z]{3}"
"""Form of the codes of real currencies."""

NO_RATES: Mapping[int, float] = MappingProxyType({})

Unit = tuple[int, ...]
"""What is paid or not: a match by its number in the randomisation table, from 1, or (match, round)."""


def _is_currency(it: Any) -> bool:
    plain = isinstance(it, str) and 0 < len(it) <= MAX_CURRENCY_LENGTH and it == it.strip()
    return plain and all(one.isalpha() or one in " -" for one in it)


CURRENCY = make_domain(
    _is_currency, f"three capital letters, as in USD, or with paid_in 1 to {MAX_CURRENCY_LENGTH} letters, as in points"
)


class Bonus(NamedTuple):
    """A bonus, and what it is for.

    Attributes:
        paid_units: The matches or rounds whose payoffs are paid, in order.
        points: Sum of their payoffs.
        worth: Money for them, each at its rate, in units of the real currency and not rounded.
        cents: The bonus in hundredths of the real currency.
    """

    paid_units: tuple[Unit, ...]
    points: Decimal
    worth: Decimal
    cents: int


@dataclass(frozen=True, kw_only=True)
class Payment:
    """What participants earn. Fee, floor and cap are in units of the real currency.

    Attributes:
        currency: Three letters; or with `paid_in` the name of points, such as ``points`` or ``ECU``.
        fee: For taking part.
        rate: Money for one unit of the payoffs that are paid.
        floor: Least bonus.
        cap: Greatest bonus.
        partial: Whether who leaves, or is left, keeps the fee.
        paid_in: Three letters of the real currency; empty: it is `currency`, and payoffs have no name of their own.
        pays: One of `PAYS`.
        matches: How many are drawn, or how many of the best are paid.
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
        """The real currency."""
        return self.paid_in or self.currency

    @property
    def points_name(self) -> str:
        """What a payoff is counted in; empty: it has no name of its own."""
        return self.currency if self.paid_in else ""

    @property
    def has_draw(self) -> bool:
        """Whether chance decides what is paid."""
        return self.pays in (RANDOM, ROUND)

    def bonus(self, payoffs: Mapping[Unit, float], seed: str = "", rates: Mapping[int, float] = NO_RATES) -> Bonus:
        """The bonus for the payoffs that count.

        Args:
            payoffs: Of matches, or of rounds where one of them is paid; none: the floor.
            seed: Of the draw, where there is one.
            rates: Number of a match to money for one unit of its payoff; of others it is `rate`.

        Raises:
            ValueError: A payoff is not finite.
        """
        for payoff in payoffs.values():
            if not math.isfinite(payoff):
                raise ValueError(f"payoff {payoff} is not allowed; allowed: finite numbers")
        earned = {one: exact_decimal(payoff) for one, payoff in payoffs.items()}
        worth = {one: amount * exact_decimal(rates.get(one[0], self.rate)) for one, amount in earned.items()}
        paid = tuple(sorted(self._select_units({one: (-worth[one], -earned[one]) for one in earned}, seed)))
        points, money = (sum((some[one] for one in paid), Decimal(0)) for some in (earned, worth))
        return Bonus(paid, points, money, self.bonus_cents(money))

    def _select_units(self, order: Mapping[Unit, tuple[Decimal, Decimal]], seed: str) -> list[Unit]:
        """Which payoffs are paid, by where each stands from the best one on."""
        if self.pays == ALL:
            return list(order)
        if self.pays == BEST:
            return sorted(order, key=lambda one: (order[one], one))[: self.matches]
        return sorted(order, key=lambda one: draw_key(seed, one))[: self.matches]

    def bonus_cents(self, worth: Decimal) -> int:
        """The bonus for what payoffs are worth at their rates, in hundredths of the real currency.

        It is no less than the floor and no more than the cap, and rounded to the nearest hundredth, halves up. It is
        worked out in decimals, so that 0.285 is 0.29 and not the 0.28 of binary fractions.
        """
        return _cents(min(max(worth, exact_decimal(self.floor)), exact_decimal(self.cap)))

    @property
    def fee_cents(self) -> int:
        """The fee in hundredths of the real currency."""
        return _cents(exact_decimal(self.fee))


def draw_key(seed: str, unit: Unit) -> str:
    """What a draw goes by: those with the least keys are drawn.

    It is the SHA-256 of ``SEED/MATCH`` or ``SEED/MATCH/ROUND`` in hexadecimal digits. It does not depend on how many
    matches there are, so that a match which does not count leaves the order of the others as it was.
    """
    return hashlib.sha256("/".join([seed, *map(str, unit)]).encode()).hexdigest()


def _cents(amount: Decimal) -> int:
    """An amount in hundredths, halves up."""
    return int((amount * 100).quantize(Decimal(1), ROUND_HALF_UP))


def read_payment(file: TomlTable, matches: int, game_without_rounds: str) -> Payment:
    """What is paid.

    Args:
        file: The file.
        matches: Of each participant.
        game_without_rounds: A game that has no payoff for each round; empty: there is none.

    Raises:
        ValueError: Something is not allowed, by itself or with the rest.
    """
    part = file.table("payment", required=True)
    given = part.read(Payment)
    if not given.paid_in and not re.fullmatch(CODE, given.currency):
        part.refuse("currency", 'three capital letters, as in USD; or with paid_in = "USD" a name of points')
    if given.paid_in == given.currency:
        part.refuse("paid_in", f"another currency than {given.currency}, or none")
    if given.cap < given.floor:
        part.refuse("cap", f"a number from the floor, {given.floor:g}, up")
    if given.pays == ROUND and game_without_rounds:
        part.refuse("pays", f"{ALL}, {RANDOM} or {BEST}, as {game_without_rounds} has no payoff for each round")
    if "matches" in part and given.pays not in (RANDOM, BEST):
        part.refuse("matches", f'none, as pays = "{given.pays}"; a number of matches with {RANDOM} or {BEST}')
    if given.matches > matches:
        part.refuse("matches", f"at most {matches}, which each participant plays")
    return given
