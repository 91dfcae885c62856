"""What the pages of a study tell of money: what is paid for what, and what a payoff is worth."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from econzoo.envs.core.contract.validation import exact
from econzoo.envs.core.registry import game as find_game
from econzoo.people.server.site import texts
from econzoo.people.study.declaration import Study
from econzoo.people.study.payment import ALL, BEST, RANDOM, ROUND
from econzoo.people.study.study_data import Participant
from econzoo.people.table.move_words import paid
from econzoo.people.texts.points import NBSP, amount_in

CENT, MOST_UNITS = Decimal("0.01"), 10**9
"""Least amount of money that is told, and most units of payoff that it is told for."""

COUNTED = {
    ALL: "study.pays_all",
    RANDOM: "study.pays_random",
    BEST: "study.pays_best",
    ROUND: "study.pays_round",
}
"""Which payoffs are paid, to the text that says it."""

EXAMPLES = {
    ALL: "study.example_all",
    RANDOM: "study.example_random",
    BEST: "study.example_best",
    ROUND: "study.example_round",
}
"""Likewise to an example."""

AFTER_MATCH = {
    ALL: "study.end_all",
    RANDOM: "study.end_random",
    BEST: "study.end_best",
    ROUND: "study.end_round",
}
"""Likewise to what the payoff of a match may be worth."""

STEPS = (1, 2, 5)
"""Payoffs of examples are these times a power of ten."""


class PayTexts:
    """What is told of the payment of a study.

    Args:
        study: The study.
    """

    def __init__(self, study: Study) -> None:
        self.study, self._game = study, find_game(study.game)

    # -- amounts -----------------------------------------------------------------------------------------------

    def money(self, amount: float | Decimal) -> str:
        """An amount of the real currency, which no line parts: ``"USD 1.50"``."""
        return texts().numbers(f"{self.study.payment.money}{NBSP}{amount:,.2f}")

    def cents(self, cents: int | None) -> str:
        """An amount in hundredths."""
        return self.money((cents or 0) / 100)

    def payoff(self, amount: float | Decimal) -> str:
        """A payoff as participants know it: ``"446 points"``, or in the game's own unit."""
        name, amount = self.study.payment.points, float(amount)
        if not name:
            return texts().numbers(paid(self._game, amount))
        return texts().numbers(amount_in(name, amount))

    def worth(self, points: float | Decimal) -> str:
        """What payoffs are worth: ``"446 points = USD 0.61"``."""
        sum_of = points if isinstance(points, Decimal) else exact(points)
        worth = self.study.payment.worth(sum_of)
        rounded = worth.quantize(CENT, ROUND_HALF_UP)
        money = texts().say("study.below", least=self.money(CENT)) if worth > 0 and not rounded else self.money(rounded)
        return texts().say("study.worth", payoff=self.payoff(sum_of), money=money)

    @property
    def fee(self) -> str:
        """What everybody is paid."""
        return self.cents(self.study.payment.fee_cents)

    def total(self, one: Participant) -> str:
        """Fee and bonus of somebody."""
        return self.cents(self.study.payment.fee_cents + (one.bonus_cents or 0))

    # -- beforehand --------------------------------------------------------------------------------------------

    @property
    def pay(self) -> list[str]:
        """What is paid, sentence by sentence."""
        pay, say = self.study.payment, texts().say
        said = [say("study.pay_fee", fee=self.fee)] if pay.fee else []
        if pay.cap > 0:
            said += [self._rate, *self._what_counts]
            said.append(self.limits)
            said.append(self._example)
        if pay.fee:
            said.append(say("study.pay_partial" if pay.partial else "study.pay_whole"))
        if said and self.study.may_fail:
            said.append(say("study.pay_tested"))
        return [one for one in said if one]

    @property
    def limits(self) -> str:
        """What a bonus is at least and at most."""
        pay = self.study.payment
        return texts().say("study.pay_bounds", floor=self.money(pay.floor), cap=self.money(pay.cap))

    @property
    def _rate(self) -> str:
        """What a payoff is worth: a cent or more, for as many dollars or points as it takes."""
        pay, units = self.study.payment, 1
        while 0 < pay.worth(Decimal(units)) < CENT and units < MOST_UNITS:
            units *= 10
        told = float(pay.worth(Decimal(units)))
        whole = f"{told:,.2f}" if round(told, 2) == told else f"{told:,.10g}"
        rate, number = texts().numbers(f"{pay.money}{NBSP}{whole}"), texts().numbers(f"{units:,}")
        if not pay.points:
            said = "study.pay_dollars" if self._game.facts.money else "study.pay_points"
            return texts().say(said, rate=rate, units=number, count=units)
        return texts().say("study.pay_currency", points=pay.points, worth=self.payoff(units), rate=rate)

    @property
    def pays(self) -> str:
        """Which payoffs are paid: all of them, where as many are drawn as there are."""
        pay = self.study.payment
        few = pay.pays == ROUND or pay.matches < self.study.matching.repetitions
        return pay.pays if few else ALL

    @property
    def _what_counts(self) -> Iterator[str]:
        """Which of several matches, or rounds, are paid."""
        if self.pays != ALL or self.study.matching.repetitions > 1:
            yield texts().say(COUNTED[self.pays], count=self.study.payment.matches)

    @property
    def _example(self) -> str:
        """A payoff in round numbers, the bonus for it, and what is paid then; empty: there is no such payoff."""
        pay, say = self.study.payment, texts().say
        floor, cap = exact(pay.floor), exact(pay.cap)
        powers = [Decimal(step).scaleb(power) for power in range(10) for step in STEPS]
        fitting = [points for points in powers if floor < pay.worth(points) < cap]
        if not fitting:
            return ""
        points = min(fitting, key=lambda one: abs(pay.worth(one) - (floor + cap) / 2))
        cents = pay.bonus_cents(points)
        single = self.pays == ALL and self.study.matching.repetitions == 1
        example = "study.example_match" if single else EXAMPLES[self.pays]
        said = say(example, payoff=self.payoff(points), money=self.cents(cents), count=pay.matches)
        total = say("study.example_total", total=self.cents(pay.fee_cents + cents)) if pay.fee else ""
        return f"{said} {total}".strip()

    # -- at the end of a match ---------------------------------------------------------------------------------

    def match_worth(self, payoff: float) -> str:
        """What the payoff of a match is worth, if it is paid; empty: there is no bonus."""
        if not self.study.payment.rate or not self.study.payment.cap:
            return ""
        return texts().say(AFTER_MATCH[self.pays], worth=self.worth(payoff), count=self.study.payment.matches)
