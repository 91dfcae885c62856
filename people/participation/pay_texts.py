"""What the pages of a study tell of money: what is paid for what, and what a payoff is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby

from econzoo.envs.core.contract.validation import exact_decimal
from econzoo.envs.core.registry import game as find_game
from econzoo.people.server.site import texts
from econzoo.people.study.bonus import has_common_unit
from econzoo.people.study.declaration import Study
from econzoo.people.study.payment import ALL, BEST, RANDOM, ROUND
from econzoo.people.study.study_data import Participant
from econzoo.people.table.move_words import format_payoff
from econzoo.people.texts.points import NBSP, format_points

CENT, MAX_UNITS = Decimal("0.01"), 10**9
"""Least amount of money that is told, and most units of payoff that it is told for."""

PAYS_TEXTS = {
    ALL: "study.pays_all",
    RANDOM: "study.pays_random",
    BEST: "study.pays_best",
    ROUND: "study.pays_round",
}
"""Which payoffs are paid, to the text that says it."""

WORTH_TEXTS = {ALL: "study.worth_all", BEST: "study.worth_best"}
"""Likewise where payoffs are not worth the same in all matches."""

DOLLARS, POINTS, CURRENCY = "dollars", "points", "currency"
"""What payoffs are counted in: the units of a game, or a currency with a name."""

RATE_TEXTS = {DOLLARS: "study.pay_dollars", POINTS: "study.pay_points", CURRENCY: "study.pay_currency"}
MATCH_RATE_TEXTS = {DOLLARS: "study.rates_dollars", POINTS: "study.rates_points", CURRENCY: "study.worth_in"}
"""What one of them is worth, in all matches and in some, to the text that says it."""

EXAMPLE_TEXTS = {
    ALL: "study.example_all",
    RANDOM: "study.example_random",
    BEST: "study.example_best",
    ROUND: "study.example_round",
}
"""Likewise to an example."""

AFTER_MATCH_TEXTS = {
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
        self.study = study

    # -- amounts -----------------------------------------------------------------------------------------------

    def format_money(self, amount: float | Decimal) -> str:
        """An amount of the real currency, which no line parts: ``"USD 1.50"``."""
        return texts().localize_numbers(f"{self.study.payment.real_currency}{NBSP}{amount:,.2f}")

    def format_cents(self, cents: int | None) -> str:
        """An amount in hundredths."""
        return self.format_money((cents or 0) / 100)

    def format_payoff(self, amount: float | Decimal, game: str) -> str:
        """A payoff of a game as participants know it: ``"446 points"``, or in the game's own unit."""
        name, amount = self.study.payment.points_name, float(amount)
        if not name:
            return texts().localize_numbers(format_payoff(find_game(game), amount))
        return texts().localize_numbers(format_points(name, amount))

    def format_worth(self, payoff: float | Decimal, setting: int) -> str:
        """What payoffs in a setting are worth: ``"446 points = USD 0.61"``."""
        amount = payoff if isinstance(payoff, Decimal) else exact_decimal(payoff)
        money = self.round_money(amount * self._rate(setting))
        return texts().say("study.worth", payoff=self.format_payoff(amount, self._game(setting)), money=money)

    def round_money(self, worth: Decimal) -> str:
        """An amount of the real currency to the nearest hundredth."""
        rounded = worth.quantize(CENT, ROUND_HALF_UP)
        return (
            texts().say("study.below", least=self.format_money(CENT))
            if worth > 0 and not rounded
            else self.format_money(rounded)
        )

    def _rate(self, setting: int) -> Decimal:
        return exact_decimal(self.study.rate(setting))

    def _game(self, setting: int) -> str:
        return self.study.settings[setting].game

    @property
    def fee(self) -> str:
        """What everybody is paid."""
        return self.format_cents(self.study.payment.fee_cents)

    def format_total(self, one: Participant) -> str:
        """Fee and bonus of somebody."""
        return self.format_cents(self.study.payment.fee_cents + (one.bonus_cents or 0))

    # -- beforehand --------------------------------------------------------------------------------------------

    @property
    def pay_sentences(self) -> list[str]:
        """What is paid, sentence by sentence."""
        pay, say = self.study.payment, texts().say
        said = [say("study.pay_fee", fee=self.fee)] if pay.fee else []
        if pay.cap > 0:
            said += [*self._rate_sentences, *self._payment_rule]
            said.append(self.bonus_limits)
            said.append(self._example)
        if pay.fee:
            said.append(say("study.pay_partial" if pay.partial else "study.pay_whole"))
        if said and self.study.may_fail:
            said.append(say("study.pay_tested"))
        return [one for one in said if one]

    @property
    def bonus_limits(self) -> str:
        """What a bonus is at least and at most."""
        pay = self.study.payment
        return texts().say("study.pay_bounds", floor=self.format_money(pay.floor), cap=self.format_money(pay.cap))

    @property
    def _rate_sentences(self) -> Iterator[str]:
        """What a payoff is worth; where that is not the same in all matches, in each of them."""
        of_matches = self.study.settings_by_match
        if has_common_unit(self.study):
            yield self._describe_rate(of_matches[0])
            return
        yield texts().say("study.rates")
        for _, run in groupby(enumerate(of_matches, start=1), lambda one: self._rate_key(one[1])):
            (first, setting), *more = run
            matches = texts().say("study.rates_matches", first=first, last=more[-1][0]) if more else ""
            told = self._describe_rate(setting, MATCH_RATE_TEXTS)
            yield f"{matches or texts().say('study.which', match=first)} {told}"

    def _rate_key(self, setting: int) -> tuple[float, bool]:
        """What tells payoffs apart that are not worth the same."""
        return self.study.rate(setting), find_game(self._game(setting)).facts.money

    def _describe_rate(self, setting: int, said: Mapping[str, str] = RATE_TEXTS) -> str:
        """What a payoff is worth: a cent or more, for as many dollars or points as it takes."""
        pay, rate, units = self.study.payment, self._rate(setting), 1
        while 0 < rate * units < CENT and units < MAX_UNITS:
            units *= 10
        told = float(rate * units)
        whole = f"{told:,.2f}" if round(told, 2) == told else f"{told:,.10g}"
        shown, number = (
            texts().localize_numbers(f"{pay.real_currency}{NBSP}{whole}"),
            texts().localize_numbers(f"{units:,}"),
        )
        if not pay.points_name:
            unit = DOLLARS if self._rate_key(setting)[1] else POINTS
            return texts().say(said[unit], rate=shown, units=number, count=units)
        worth = self.format_payoff(units, self._game(setting))
        return texts().say(said[CURRENCY], points=pay.points_name, worth=worth, rate=shown)

    @property
    def paid_payoffs(self) -> str:
        """Which payoffs are paid: all of them, where as many are drawn as there are."""
        pay = self.study.payment
        few = pay.pays == ROUND or pay.matches < self.study.matching.repetitions
        return pay.pays if few else ALL

    @property
    def _payment_rule(self) -> Iterator[str]:
        """Which of several matches, or rounds, are paid."""
        if self.paid_payoffs != ALL or self.study.matching.repetitions > 1:
            counted = PAYS_TEXTS if has_common_unit(self.study) else {**PAYS_TEXTS, **WORTH_TEXTS}
            yield texts().say(counted[self.paid_payoffs], count=self.study.payment.matches)

    @property
    def _example(self) -> str:
        """A payoff in round numbers, the bonus for it, and what is paid then; empty: there is no such payoff."""
        pay, say, setting = self.study.payment, texts().say, self.study.settings_by_match[0]
        floor, cap, rate = exact_decimal(pay.floor), exact_decimal(pay.cap), self._rate(setting)
        powers = [Decimal(step).scaleb(power) for power in range(10) for step in STEPS]
        fitting = [points for points in powers if floor < points * rate < cap]
        if not (fitting and has_common_unit(self.study)):
            return ""
        points = min(fitting, key=lambda one: abs(one * rate - (floor + cap) / 2))
        cents = pay.bonus_cents(points * rate)
        single = self.paid_payoffs == ALL and self.study.matching.repetitions == 1
        example = "study.example_match" if single else EXAMPLE_TEXTS[self.paid_payoffs]
        said = say(
            example,
            payoff=self.format_payoff(points, self._game(setting)),
            money=self.format_cents(cents),
            count=pay.matches,
        )
        total = say("study.example_total", total=self.format_cents(pay.fee_cents + cents)) if pay.fee else ""
        return f"{said} {total}".strip()

    # -- at the end of a match ---------------------------------------------------------------------------------

    def match_worth(self, payoff: float, setting: int) -> str:
        """What the payoff of a match is worth, if it is paid; empty: there is no bonus."""
        if not self.study.rate(setting) or not self.study.payment.cap:
            return ""
        worth = self.format_worth(payoff, setting)
        return texts().say(AFTER_MATCH_TEXTS[self.paid_payoffs], worth=worth, count=self.study.payment.matches)
