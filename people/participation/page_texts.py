"""What the pages of a study tell: what was earned, the rules before a match, and afterwards who the others were."""

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
"""Seed of the match whose rules are shown beforehand: none that is played."""


LEAVE_TEXTS = {"default": "study.leave_default", "forfeit": "study.leave_forfeit"}
"""Policy to the text that says what follows for who leaves; of another player's name: it takes the seat."""


def adapt_texts(study: Study, given: Texts) -> Texts:
    """Texts as a study has them: nobody reads whether Alice or Bob decides, or dollars where they are points."""
    for game in study.games:
        named = given.with_neutral_names(game, study.params(game))
        given = with_points(named, game, study.payment.points_name)
    return given


def match_options(study: Study, given: Texts) -> dict[str, dict[str, Any]]:
    """Game to the options of its matches, in such texts."""
    return {game: given.match_options(game, *study.params(game)) for game in study.games}


class OtherPlayer(NamedTuple):
    """Somebody in another seat.

    Attributes:
        role: What the seat is called.
        programs: Specs of the programs that played there, one after the other.
        is_person: Whether a participant played there, first.
    """

    role: str
    programs: Sequence[str]
    is_person: bool


class MatchOpponents(NamedTuple):
    """A match as it is told afterwards.

    Attributes:
        number: Which one it was, from 1.
        others: Who the others were.
    """

    number: int
    others: Sequence[OtherPlayer]


class Earnings(NamedTuple):
    """What somebody has earned, in words.

    Attributes:
        worth: The payoffs that are paid, and what they are worth.
        bonus_bounds: What the bonus is at least and at most, where it is another one for that reason; else empty.
        lines: Number of each match that is over, from 1, with its payoff and whether that is paid.
    """

    worth: str
    bonus_bounds: str
    lines: Sequence[tuple[int, str]]


class MatchStore(PaymentStore, Protocol):
    """Keeps matches of a study, and how they stand."""

    def match(self, id: str) -> MatchState:
        """What is kept of a match."""


class StudyTexts(PayTexts):
    """What is told of a study.

    Args:
        study: The study.
        store: Its matches.
        options: Of the matches of each game.
    """

    def __init__(self, study: Study, store: MatchStore, options: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(study)
        self._store, self._options, self._rules = store, options, dict[str, list[str]]()

    # -- money -------------------------------------------------------------------------------------------------

    def earnings(self, own: Sequence[PlannedMatch], one: Participant) -> Earnings:
        """What somebody has earned in the matches that are over, and what of it is paid."""
        bonus = bonus_so_far(self.study, self._store, own, one)
        found = [] if one.place is None else participant_results(self._store, own, one.place)
        lines = [(own.index(each.planned_match) + 1, self._match_line(each, bonus)) for each in found]
        bound = self.bonus_limits if abs(bonus.worth * 100 - bonus.cents) >= 1 else ""
        return Earnings(self._total_worth(bonus), bound, lines)

    def _total_worth(self, bonus: Bonus) -> str:
        """The payoffs that are paid, and what they are worth; where they do not add up, that alone."""
        if has_common_unit(self.study):
            return self.format_worth(bonus.points, self.study.settings_by_match[0])
        return self.round_money(bonus.worth)

    def _match_line(self, each: Result, bonus: Bonus) -> str:
        """The payoff of a match, and whether it is paid."""
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
        """A payoff, and what it is worth where that is not the same in all matches."""
        if has_common_unit(self.study):
            return self.format_payoff(payoff, self._game(match.setting))
        return self.format_worth(payoff, match.setting)

    @property
    def alone_text(self) -> str:
        """What follows a wait in vain."""
        if self.study.time.alone == PAY:
            return texts().say("study.alone_pay", fee=self.fee)
        blinded = any(arm.blinded for arm in self.study.arms)
        return texts().say("study.alone_begin" if blinded else "study.alone_program")

    # -- questions --------------------------------------------------------------------------------------------

    @staticmethod
    def bounds(item: Item) -> str:
        """Which numbers a question takes; empty: all of them."""
        return describe_bounds(item)

    @staticmethod
    def number(number: float) -> str:
        """A number of a question."""
        return format_number(number)

    def quiz_lead(self, left: int) -> str:
        """What follows wrong answers to the quiz, with so many attempts left."""
        counted = self.study.quiz_attempts
        return texts().say("study.quiz_lead", count=left) if counted else texts().say("survey.quiz_free")

    def quiz_problem(self, left: int) -> str:
        """That answers were wrong, and how often they may be tried again."""
        counted = self.study.quiz_attempts
        return texts().say("study.quiz_wrong", count=left) if counted else texts().say("survey.quiz_again")

    # -- leaving -----------------------------------------------------------------------------------------------

    @property
    def leaving_rules(self) -> list[str]:
        """When somebody has left a match, and what follows, sentence by sentence."""
        move, rule, say = self.study.time.move, self.study.leaving, texts().say
        said = [say("study.leave_time", seconds=move)] if move else []
        if move and rule.missed:
            said.append(say("study.leave_missed", count=rule.missed))
        if rule.away:
            said.append(say("study.leave_away", seconds=rule.away))
        if said[bool(move) :]:
            said += [say(LEAVE_TEXTS.get(rule.policy, "study.leave_replace")), say("study.leave_unpaid")]
        return said

    def missing_match_reasons(self, skipped: int, alone: bool) -> list[str]:
        """Why somebody did not play as many matches as they might have; `alone` if nobody else came in time."""
        said = [texts().say("study.unmatched", count=skipped)] if skipped else []
        clock = told_clock(self.study.time.waiting)
        return [*said, texts().say("study.unmatched_alone", clock=clock)] if alone else said

    # -- the rules ---------------------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> list[str]:
        """The rules of the first game that is played."""
        return self.game_rules(next(stage.game for stage in self.study.stages if stage.kind != SURVEY))

    def game_rules(self, game: str) -> list[str]:
        """The rules of a game, as a participant reads them in a match of its first setting."""
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
        """Whether programs play in this study, and everybody may know it from the beginning."""
        return any(map(self.study.other_players, self.study.arms)) and not any(arm.blinded for arm in self.study.arms)

    # -- afterwards --------------------------------------------------------------------------------------------

    def matches(self, own: Sequence[PlannedMatch], place: int | None) -> Iterator[MatchOpponents]:
        """The matches of somebody that have begun, and who the others were."""
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
