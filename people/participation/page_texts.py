"""What the pages of a study tell: money, the rules before a match, and afterwards who the others were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from econzoo.envs.core.contract.validation import exact
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import EnvPool, Table, new_match
from econzoo.people.participation.answers import bounds, shown
from econzoo.people.server.site import texts
from econzoo.people.study.declaration import HUMAN, PAY, Study
from econzoo.people.study.items import Item
from econzoo.people.study.matching import Planned
from econzoo.people.study.study_data import Begun, Participant, results
from econzoo.people.table.move_words import paid, paragraphs
from econzoo.people.table.person import Person

if TYPE_CHECKING:
    from econzoo.people.table.store import Kept

SAMPLE = 0
"""Seed of the match whose rules are shown beforehand: none that is played."""


CENT, MOST_UNITS = 0.01, 10**9
"""Least amount of money that is told, and most units of payoff that it is told for."""


class Other(NamedTuple):
    """Somebody in another seat.

    Attributes:
        role: What the seat is called.
        programs: Specs of the programs that played there, one after the other.
        person: Whether a participant played there, first.
    """

    role: str
    programs: Sequence[str]
    person: bool


class Told(NamedTuple):
    """A match as it is told afterwards.

    Attributes:
        number: Which one it was, from 1.
        others: Who the others were.
        payoff: Of the participant, in words; empty: it is not over.
        counts: Whether it counts for the bonus.
    """

    number: int
    others: Sequence[Other]
    payoff: str
    counts: bool


class MatchStore(Begun, Protocol):
    """Keeps matches of a study, and how they stand."""

    def match(self, id: str) -> Kept:
        """What is kept of a match."""


class Telling:
    """What is told of a study.

    Args:
        study: The study.
        store: Its matches.
        options: Of all matches.
    """

    def __init__(self, study: Study, store: MatchStore, options: Mapping[str, Any]) -> None:
        self.study, self._store, self._options = study, store, options

    # -- money -------------------------------------------------------------------------------------------------

    def money(self, amount: float) -> str:
        """An amount of the study's currency: ``"USD 1.50"``."""
        return texts().numbers(f"{self.study.payment.currency} {amount:,.2f}")

    def cents(self, cents: int | None) -> str:
        """An amount in hundredths."""
        return self.money((cents or 0) / 100)

    @property
    def fee(self) -> str:
        """What everybody is paid."""
        return self.cents(self.study.payment.fee_cents)

    def total(self, one: Participant) -> str:
        """Fee and bonus of somebody."""
        return self.cents(self.study.payment.fee_cents + (one.bonus_cents or 0))

    @property
    def pay(self) -> list[str]:
        """What is paid, sentence by sentence."""
        pay, say = self.study.payment, texts().say
        said = [say("study.pay_fee", fee=self.fee)] if pay.fee else []
        if pay.cap > 0:
            said.append(self._rate)
            said.append(say("study.pay_bounds", floor=self.money(pay.floor), cap=self.money(pay.cap)))
        if pay.fee:
            said.append(say("study.pay_partial" if pay.partial else "study.pay_whole"))
        if said and self.study.may_fail:
            said.append(say("study.pay_tested"))
        return said

    @property
    def _rate(self) -> str:
        """What a payoff is worth: a cent or more, for as many dollars or points as it takes."""
        pay, units = self.study.payment, 1
        while 0 < pay.rate * units < CENT and units < MOST_UNITS:
            units *= 10
        told = float(exact(pay.rate) * units)
        whole = f"{told:,.2f}" if round(told, 2) == told else f"{told:,.10g}"
        rate = texts().numbers(f"{pay.currency} {whole}")
        said = "study.pay_dollars" if find_game(self.study.game).facts.money else "study.pay_points"
        return texts().say(said, rate=rate, units=texts().numbers(f"{units:,}"), count=units)

    @property
    def alone(self) -> str:
        """What follows a wait in vain."""
        if self.study.time.alone == PAY:
            return texts().say("study.alone_pay", fee=self.fee)
        blinded = any(arm.blinded for arm in self.study.arms)
        return texts().say("study.alone_begin" if blinded else "study.alone_program")

    # -- questions --------------------------------------------------------------------------------------------

    @staticmethod
    def bounds(item: Item) -> str:
        """Which numbers a question takes; empty: all of them."""
        return bounds(item)

    @staticmethod
    def number(number: float) -> str:
        """A number of a question."""
        return shown(number)

    def quiz_lead(self, left: int) -> str:
        """What follows wrong answers to the quiz, with so many attempts left."""
        counted = self.study.quiz_attempts
        return texts().say("study.quiz_lead", count=left) if counted else texts().say("survey.quiz_free")

    def quiz_wrong(self, left: int) -> str:
        """That answers were wrong, and how often they may be tried again."""
        counted = self.study.quiz_attempts
        return texts().say("study.quiz_wrong", count=left) if counted else texts().say("survey.quiz_again")

    # -- the rules ---------------------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> list[str]:
        """The rules as a participant reads them in a match of the first setting."""
        study = self.study
        seats = study.seats(study.arms[0], 0)
        params = {**self._options, **study.settings[0]}
        people = [Person(HUMAN) for _ in seats]
        Table(new_match(study.game, [HUMAN] * len(seats), SAMPLE, **params), people, EnvPool())
        reader = next(person for person, who in zip(people, seats, strict=True) if who == "person")
        info = reader.info
        return paragraphs(info.teller.brief(info.view) if info.teller else [info.rules])

    @property
    def programs(self) -> bool:
        """Whether programs play in this study, and everybody may know it from the beginning."""
        return any(arm.others for arm in self.study.arms) and not any(arm.blinded for arm in self.study.arms)

    # -- afterwards --------------------------------------------------------------------------------------------

    def matches(self, own: Sequence[Planned], place: int | None) -> Iterator[Told]:
        """The matches of somebody that have begun, and who the others were."""
        game, begun = find_game(self.study.game), self._store.matches()
        ended = {} if place is None else {each.planned.number: each for each in results(self._store, own, place)}
        for count, match in enumerate(own, start=1):
            if match.number not in begun or place is None:
                continue
            result, seat = ended.get(match.number), match.players.index(place)
            others = [each for at, each in self._others(begun[match.number]) if at != seat]
            payoff = paid(game, result.record.payoffs[seat]) if result and result.record.payoffs else ""
            yield Told(count, others, payoff, result is not None and result.payoff is not None)

    def _others(self, match: str) -> Iterator[tuple[int, Other]]:
        kept = self._store.match(match)
        players = kept.match.players
        names = role_names(find_game(self.study.game), len(players), kept.match.params)
        for seat, player in enumerate(players):
            taken = [one.by for one in kept.absences if one.seat == seat and one.by]
            first = [] if player == HUMAN else [player]
            yield seat, Other(texts().word(names[seat]), [*first, *taken], player == HUMAN)
