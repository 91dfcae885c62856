"""Texts of a study's pages: earnings, rules, dropout rules, and opponents revealed afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.table import EnvPool, MatchTable, new_match
from econzoo.people.participation.answers import describe_bounds, format_number
from econzoo.people.participation.pay_texts import PayTexts
from econzoo.people.server.site import texts
from econzoo.people.study.bonus import PaymentStore, bonus_payoffs, bonus_so_far, has_common_unit
from econzoo.people.study.declaration import HUMAN, PAY, PERSON, Study
from econzoo.people.study.items import Item
from econzoo.people.study.matching import PlannedMatch
from econzoo.people.study.payment import ALL, BEST, ROUND, Bonus
from econzoo.people.study.stages import SURVEY
from econzoo.people.study.study_data import Participant, Result, participant_results
from econzoo.people.table.move_words import join_paragraphs
from econzoo.people.table.person import Person
from econzoo.people.texts import Texts
from econzoo.people.texts import format_clock as told_clock
from econzoo.people.texts.points import with_points

if TYPE_CHECKING:
    from econzoo.people.table.store import MatchState

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
        role: Name of the seat.
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
        others: The other seats.
    """

    number: int
    others: Sequence[OtherPlayer]


class Earnings(NamedTuple):
    """Earnings of a participant, as text.

    Attributes:
        worth: Paid payoffs and their value.
        bonus_bounds: Bounds of the bonus, if they changed it; else empty.
        lines: (number from 1, payoff and whether it is paid) of each finished match.
    """

    worth: str
    bonus_bounds: str
    lines: Sequence[tuple[int, str]]


class MatchStore(PaymentStore, Protocol):
    """Store of a study's matches and their states."""

    def match(self, id: str) -> MatchState:
        """Return the stored state of a match."""


class StudyTexts(PayTexts):
    """Texts of a study.

    Args:
        study: The study.
        store: Its matches.
        options: Game to the options of its matches.
    """

    def __init__(self, study: Study, store: MatchStore, options: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(study)
        self._store, self._options, self._rules = store, options, dict[str, list[str]]()

    # -- money -------------------------------------------------------------------------------------------------

    def earnings(self, own: Sequence[PlannedMatch], one: Participant) -> Earnings:
        """Return the earnings from a participant's finished matches."""
        bonus = bonus_so_far(self.study, self._store, own, one)
        results = [] if one.place is None else participant_results(self._store, own, one.place)
        lines = [(own.index(each.planned_match) + 1, self._match_line(each, bonus)) for each in results]
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
        clock = told_clock(self.study.time.waiting)
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
                seat = match.players.index(place)
                yield MatchOpponents(count, [each for at, each in self._find_others(begun[match.number]) if at != seat])

    def _find_others(self, match: str) -> Iterator[tuple[int, OtherPlayer]]:
        kept = self._store.match(match)
        players = kept.match.players
        names = role_names(find_game(kept.match.game), len(players), kept.match.params)
        for seat, player in enumerate(players):
            taken = [one.by for one in kept.absences if one.seat == seat and one.by]
            first = [] if player == HUMAN else [player]
            yield seat, OtherPlayer(texts().word(names[seat]), [*first, *taken], player == HUMAN)
