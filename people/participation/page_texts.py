"""Texts of a study's pages: payment, earnings, rules, dropout rules, and opponents revealed afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import exact_decimal
from econzoo.envs.core.faces import role_names
from econzoo.evaluate.run import EnvPool, MatchTable, new_match
from econzoo.people.participation.answers import describe_bounds, format_number
from econzoo.people.server import texts
from econzoo.people.study import ALL, BEST, HUMAN, PAY, PERSON, RANDOM, ROUND, SURVEY, Bonus, Item, Participant
from econzoo.people.study import PlannedMatch, Result, ResultStore, Study, bonus_payoffs, bonus_so_far, has_common_unit
from econzoo.people.study import participant_results
from econzoo.people.table import Person, format_payoff, join_paragraphs
from econzoo.people.texts import Texts, format_clock
from econzoo.people.texts.points import NBSP, format_points, with_points

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

RULES_SEED = 0
"""Seed of the unplayed match whose rules are shown beforehand."""


LEAVE_TEXTS = {"default": "study.leave_default", "forfeit": "study.leave_forfeit"}
"""Dropout policy to its text; other policies name a substitute."""


def adapt_texts(study: Study, given: Texts) -> Texts:
    """Return texts with neutral player names and, if the study has them, points instead of dollars."""
    for game in study.games:
        named = given.with_neutral_names(game, study.params(game))
        given = with_points(named, game, study.payment.points_name)
    return given


def match_options(study: Study, given: Texts) -> dict[str, dict[str, Any]]:
    """Return game to the options of its matches."""
    return {game: given.match_options(game, *study.params(game)) for game in study.games}


class OtherPlayer(NamedTuple):
    """Another seat of a match.

    Attributes:
        programs: Specs of the programs that played there, in order.
        is_person: Whether a participant played there first.
    """

    role: str
    programs: Sequence[str]
    is_person: bool


class MatchOpponents(NamedTuple):
    """Other players of a finished match.

    Attributes:
        number: Number of the match, from 1.
    """

    number: int
    others: Sequence[OtherPlayer]


class Earnings(NamedTuple):
    """Earnings of a participant, as text.

    Attributes:
        bonus_bounds: Bounds of the bonus, if they changed it; else empty.
        lines: (number from 1, payoff and whether it is paid) of each finished match.
    """

    worth: str
    bonus_bounds: str
    lines: Sequence[tuple[int, str]]


class StudyTexts:
    def __init__(self, study: Study, store: ResultStore, options: Mapping[str, Mapping[str, Any]]) -> None:
        self.study, self._store, self._options, self._rules = study, store, options, dict[str, list[str]]()

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
        # Matches in a row with one rate share a sentence.
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
        # In the middle of floor and cap, where neither matters.
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

    # -- earnings -------------------------------------------------------------------------------------------------

    def earnings(self, own: Sequence[PlannedMatch], one: Participant) -> Earnings:
        """Return the earnings from a participant's finished matches."""
        bonus = bonus_so_far(self.study, self._store, own, one)
        results = [] if one.place is None else participant_results(self._store, own, one.place)
        lines = [(own.index(each.planned_match) + 1, self._match_line(each, bonus)) for each in results]
        # Rounding changes less than a cent; more is the floor or the cap.
        bound = self.bonus_limits if abs(bonus.worth * 100 - bonus.cents) >= 1 else ""
        return Earnings(self._total_worth(bonus), bound, lines)

    def _total_worth(self, bonus: Bonus) -> str:
        """Return the paid payoffs and their value, or the value alone if units differ."""
        if has_common_unit(self.study):
            return self.format_worth(bonus.points, self.study.settings_by_match[0])
        return self.round_money(bonus.worth)

    def _match_line(self, each: Result, bonus: Bonus) -> str:
        """Return the payoff of a match and whether it is paid, as text."""
        say, pays = texts().say, self.paid_payoffs
        if each.payoff is None:
            return say("study.no_count")
        payoff = self._match_payoff(each.payoff, each.planned_match)
        # Paid units count matches from 1.
        paid = [unit for unit in bonus.paid_units if unit[0] == each.planned_match.number + 1]
        if pays == ALL:
            return payoff
        if pays == ROUND:
            rounds = bonus_payoffs(self.study, [each])
            drawn = [(unit[1], self._match_payoff(rounds[unit], each.planned_match)) for unit in paid]
            return "; ".join([payoff, *(say("study.paid_round", round=one, payoff=worth) for one, worth in drawn)])
        if pays == BEST:
            return say("study.paid_best" if paid else "study.unpaid_best", payoff=payoff)
        return say("study.paid_random" if paid else "study.unpaid_random", payoff=payoff)

    def _match_payoff(self, payoff: float, match: PlannedMatch) -> str:
        """Return a payoff, with its value if rates differ between matches."""
        if has_common_unit(self.study):
            return self.format_payoff(payoff, self._game(match.setting))
        return self.format_worth(payoff, match.setting)

    @property
    def alone_text(self) -> str:
        """Rule after the waiting limit."""
        if self.study.time.alone == PAY:
            return texts().say("study.alone_pay", fee=self.fee)
        blinded = any(arm.blinded for arm in self.study.arms)
        return texts().say("study.alone_begin" if blinded else "study.alone_program")

    # -- questions --------------------------------------------------------------------------------------------

    @staticmethod
    def bounds(item: Item) -> str:
        """Return the range of a question; empty: unbounded."""
        return describe_bounds(item)

    @staticmethod
    def number(number: float) -> str:
        """Return a localised number."""
        return format_number(number)

    def quiz_lead(self, left: int) -> str:
        """Return the introduction of the quiz with `left` attempts."""
        counted = self.study.quiz_attempts
        return texts().say("study.quiz_lead", count=left) if counted else texts().say("survey.quiz_free")

    def quiz_problem(self, left: int) -> str:
        """Return the notice after wrong answers with `left` attempts."""
        counted = self.study.quiz_attempts
        return texts().say("study.quiz_wrong", count=left) if counted else texts().say("survey.quiz_again")

    # -- leaving -----------------------------------------------------------------------------------------------

    @property
    def leaving_rules(self) -> list[str]:
        """Sentences about time limits and dropout."""
        move, rule, say = self.study.time.move, self.study.leaving, texts().say
        sentences = [say("study.leave_time", seconds=move)] if move else []
        if move and rule.missed:
            sentences.append(say("study.leave_missed", count=rule.missed))
        if rule.away:
            sentences.append(say("study.leave_away", seconds=rule.away))
        if sentences[bool(move) :]:
            sentences += [say(LEAVE_TEXTS.get(rule.policy, "study.leave_replace")), say("study.leave_unpaid")]
        return sentences

    def missing_match_reasons(self, skipped: int, alone: bool) -> list[str]:
        """Return the reasons for missing matches; `alone`: no partner arrived in time."""
        reasons = [texts().say("study.unmatched", count=skipped)] if skipped else []
        clock = format_clock(self.study.time.waiting)
        return [*reasons, texts().say("study.unmatched_alone", clock=clock)] if alone else reasons

    # -- the rules ---------------------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> list[str]:
        """Rules of the first game."""
        return self.game_rules(next(stage.game for stage in self.study.stages if stage.kind != SURVEY))

    def game_rules(self, game: str) -> list[str]:
        """Return the rules of a game as a participant reads them in its first setting."""
        if game not in self._rules:
            study, first = self.study, self.study.first_setting(game)
            seats = study.seats(study.arms[0], first)
            params = {**self._options[game], **study.settings[first].params}
            people = [Person(HUMAN) for _ in seats]
            # Seating people tells them the rules; nothing is played.
            MatchTable(new_match(game, [HUMAN] * len(seats), RULES_SEED, **params), people, EnvPool())
            info = people[seats.index(PERSON)].info
            self._rules[game] = join_paragraphs(info.teller.brief(info.view) if info.teller else [info.rules])
        return self._rules[game]

    @property
    def has_programs(self) -> bool:
        """Whether programs play, and participants may know it from the beginning."""
        return any(map(self.study.other_players, self.study.arms)) and not any(arm.blinded for arm in self.study.arms)

    # -- afterwards --------------------------------------------------------------------------------------------

    def matches(self, own: Sequence[PlannedMatch], place: int | None) -> Iterator[MatchOpponents]:
        """Yield the participant's matches that have begun, with the other players."""
        begun = self._store.matches()
        for count, match in enumerate(own, start=1):
            if match.number in begun and place is not None and place in match.places:
                others = enumerate(self._find_players(match, begun[match.number]))
                yield MatchOpponents(count, [one for seat, one in others if match.players[seat] != place])

    def _find_players(self, match: PlannedMatch, id: str) -> Iterator[OtherPlayer]:
        setting, seats = self.study.settings[match.setting], self._store.players_by_seat(id)
        game = find_game(setting.game)
        names = role_names(game, len(seats), game.params(**setting.params)[0])
        for name, specs in zip(names, seats, strict=True):
            programs = [spec for spec in specs if spec != HUMAN]
            yield OtherPlayer(texts().word(name), programs, specs[0] == HUMAN)
