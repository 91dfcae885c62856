"""Texts about payment: rules, rates, examples, and values of payoffs."""

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
"""Smallest amount of money shown, and largest number of payoff units it is shown for."""

PAYS_TEXTS = {
    ALL: "study.pays_all",
    RANDOM: "study.pays_random",
    BEST: "study.pays_best",
    ROUND: "study.pays_round",
}
"""Payment rule to its text."""

WORTH_TEXTS = {ALL: "study.worth_all", BEST: "study.worth_best"}
"""Payment rule to its text if rates differ between matches."""

DOLLARS, POINTS, CURRENCY = "dollars", "points", "currency"
"""Units of payoffs: those of games, or a named currency."""

RATE_TEXTS = {DOLLARS: "study.pay_dollars", POINTS: "study.pay_points", CURRENCY: "study.pay_currency"}
MATCH_RATE_TEXTS = {DOLLARS: "study.rates_dollars", POINTS: "study.rates_points", CURRENCY: "study.worth_in"}
"""Unit to the text of its rate, for all matches and for some."""

EXAMPLE_TEXTS = {
    ALL: "study.example_all",
    RANDOM: "study.example_random",
    BEST: "study.example_best",
    ROUND: "study.example_round",
}
"""Payment rule to the text of an example."""

AFTER_MATCH_TEXTS = {
    ALL: "study.end_all",
    RANDOM: "study.end_random",
    BEST: "study.end_best",
    ROUND: "study.end_round",
}
"""Payment rule to the text about the value of a match's payoff."""

STEPS = (1, 2, 5)
"""Example payoffs are these times a power of ten."""


class PayTexts:
    """Texts about the payment of a study."""

    def __init__(self, study: Study) -> None:
        self.study = study

    # -- amounts -----------------------------------------------------------------------------------------------

    def format_money(self, amount: float | Decimal) -> str:
        """Return an amount of the real currency, without line break: ``"USD 1.50"``."""
        return texts().localize_numbers(f"{self.study.payment.real_currency}{NBSP}{amount:,.2f}")

    def format_cents(self, cents: int | None) -> str:
        """Return an amount given in hundredths."""
        return self.format_money((cents or 0) / 100)

    def format_payoff(self, amount: float | Decimal, game: str) -> str:
        """Return a payoff: ``"446 points"``, or in the game's unit."""
        name, amount = self.study.payment.points_name, float(amount)
        if not name:
            return texts().localize_numbers(format_payoff(find_game(game), amount))
        return texts().localize_numbers(format_points(name, amount))

    def format_worth(self, payoff: float | Decimal, setting: int) -> str:
        """Return payoffs in a setting with their value: ``"446 points = USD 0.61"``."""
        amount = payoff if isinstance(payoff, Decimal) else exact_decimal(payoff)
        money = self.round_money(amount * self._rate(setting))
        return texts().say("study.worth", payoff=self.format_payoff(amount, self._game(setting)), money=money)

    def round_money(self, worth: Decimal) -> str:
        """Return an amount of the real currency, rounded to hundredths."""
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
        """Participation fee."""
        return self.format_cents(self.study.payment.fee_cents)

    def format_total(self, one: Participant) -> str:
        """Return fee plus bonus of a participant."""
        return self.format_cents(self.study.payment.fee_cents + (one.bonus_cents or 0))

    # -- payment rules -----------------------------------------------------------------------------------------

    @property
    def pay_sentences(self) -> list[str]:
        """Sentences about fee and bonus."""
        pay, say = self.study.payment, texts().say
        sentences = [say("study.pay_fee", fee=self.fee)] if pay.fee else []
        if pay.cap > 0:
            sentences += [*self._rate_sentences, *self._payment_rule, self.bonus_limits, self._example]
        if pay.fee:
            sentences.append(say("study.pay_partial" if pay.partial else "study.pay_whole"))
        if sentences and self.study.may_fail:
            sentences.append(say("study.pay_tested"))
        return [one for one in sentences if one]

    @property
    def bonus_limits(self) -> str:
        """Bounds of the bonus."""
        pay = self.study.payment
        return texts().say("study.pay_bounds", floor=self.format_money(pay.floor), cap=self.format_money(pay.cap))

    @property
    def _rate_sentences(self) -> Iterator[str]:
        """Sentences about the value of payoffs, by match if rates differ."""
        of_matches = self.study.settings_by_match
        if has_common_unit(self.study):
            yield self._describe_rate(of_matches[0])
            return
        yield texts().say("study.rates")
        for _, run in groupby(enumerate(of_matches, start=1), lambda one: self._rate_key(one[1])):
            (first, setting), *more = run
            matches = texts().say("study.rates_matches", first=first, last=more[-1][0]) if more else ""
            rate = self._describe_rate(setting, MATCH_RATE_TEXTS)
            yield f"{matches or texts().say('study.which', match=first)} {rate}"

    def _rate_key(self, setting: int) -> tuple[float, bool]:
        """Return what distinguishes settings with different values of payoffs."""
        return self.study.rate(setting), find_game(self._game(setting)).facts.money

    def _describe_rate(self, setting: int, keys: Mapping[str, str] = RATE_TEXTS) -> str:
        """Return the rate per smallest power of ten of units that is worth at least a cent."""
        pay, rate, units = self.study.payment, self._rate(setting), 1
        while 0 < rate * units < CENT and units < MAX_UNITS:
            units *= 10
        amount = float(rate * units)
        digits = f"{amount:,.2f}" if round(amount, 2) == amount else f"{amount:,.10g}"
        money, number = (
            texts().localize_numbers(f"{pay.real_currency}{NBSP}{digits}"),
            texts().localize_numbers(f"{units:,}"),
        )
        if not pay.points_name:
            unit = DOLLARS if self._rate_key(setting)[1] else POINTS
            return texts().say(keys[unit], rate=money, units=number, count=units)
        worth = self.format_payoff(units, self._game(setting))
        return texts().say(keys[CURRENCY], points=pay.points_name, worth=worth, rate=money)

    @property
    def paid_payoffs(self) -> str:
        """Effective payment rule: all, if as many matches are paid as there are."""
        pay = self.study.payment
        few = pay.pays == ROUND or pay.matches < self.study.matching.repetitions
        return pay.pays if few else ALL

    @property
    def _payment_rule(self) -> Iterator[str]:
        """Sentence about which matches or rounds are paid, if there are several."""
        if self.paid_payoffs != ALL or self.study.matching.repetitions > 1:
            counted = PAYS_TEXTS if has_common_unit(self.study) else {**PAYS_TEXTS, **WORTH_TEXTS}
            yield texts().say(counted[self.paid_payoffs], count=self.study.payment.matches)

    @property
    def _example(self) -> str:
        """Example with a round payoff, its bonus and the total; empty: no round payoff fits."""
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
        sentence = say(
            example,
            payoff=self.format_payoff(points, self._game(setting)),
            money=self.format_cents(cents),
            count=pay.matches,
        )
        total = say("study.example_total", total=self.format_cents(pay.fee_cents + cents)) if pay.fee else ""
        return f"{sentence} {total}".strip()

    # -- at the end of a match ---------------------------------------------------------------------------------

    def match_worth(self, payoff: float, setting: int) -> str:
        """Return the value of a match's payoff if it is paid; empty: no bonus."""
        if not self.study.rate(setting) or not self.study.payment.cap:
            return ""
        worth = self.format_worth(payoff, setting)
        return texts().say(AFTER_MATCH_TEXTS[self.paid_payoffs], worth=worth, count=self.study.payment.matches)
