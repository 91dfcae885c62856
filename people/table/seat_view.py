"""View of a seat's page: only the seat's own information until the match is over."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlencode

from econzoo.baselines import capitalise
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game
from econzoo.envs.core.faces import BROKEN, LEFT, NO_REPLY_REASONS, TIMEOUT
from econzoo.envs.core.record import Turn, strip_addresses
from econzoo.evaluate.run import Match, format_value
from econzoo.people.server import site_path, texts
from econzoo.people.table.drawing import Board, Day, Matrix, build_board, build_day, build_matrix, point_costs
from econzoo.people.table.forms import Form, build_forms, move_template
from econzoo.people.table.hindsight import find_search
from econzoo.people.table.live import LiveMatch
from econzoo.people.table.move_words import describe_move, format_payoff, join_paragraphs
from econzoo.people.table.person import HistoryEntry, Person, wording_names
from econzoo.people.table.store import Seat
from econzoo.people.table.terms import DEFAULT, FORFEIT, REPLACE, Absence, Terms
from econzoo.people.texts.points import singularize


def rematch_path(match: Match, seat: int, terms: Terms) -> str:
    """Path of the form of a rematch, with all choices but the seed."""
    defaults = {one.name: one.default for one in find_game(match.game).parameters}
    params = {f"param.{name}": format_value(value) for name, value in match.params.items() if value != defaults[name]}
    players = {f"player.{other}": spec for other, spec in enumerate(match.players) if other != seat}
    limits = {f"terms.{name}": str(value or "") for name, value in terms._asdict().items()}
    return f"/?{urlencode({'game': match.game, 'seat': seat, **players, **params, **limits})}"


BOARD_ROW = re.compile(r"\d+(?: +\S{1,4})+")
"""A row of a printed board: its number and its cells."""

MAX_NOTES = 3
"""Maximum notes on missing answers."""

MAX_NEWS = 3
"""Maximum lines of news shown above the move form."""

STATE_TEMPLATES = ("moves_board.html", "moves_day.html")
"""Templates that show the state of the game, so that the text leaves it out."""

POLICY_TEXTS = {FORFEIT: "absent.forfeit", REPLACE: "absent.replace"}
"""Policy to the text key of its description, where it is the same for every question."""

ABSENCE_TEXTS = {TIMEOUT: "absent.timeout", LEFT: "absent.left", BROKEN: "absent.broken"}
"""Reason of a missing answer to its text key."""


class TextPart(NamedTuple):
    """Consecutive lines of a text."""

    text: str
    is_drawn: bool


def game_title(game: str, params: Mapping[str, Any] | None = None) -> str:
    """Title of a game, under given parameters or in general."""
    known = find_game(game)
    name = known.title(params)
    return texts().game_text(game, "title", name) if name == known.title() else texts().word(name)


def game_summary(game: str) -> str:
    """One-sentence summary of a game."""
    return texts().game_text(game, "summary", find_game(game).summary)


def describe_gain(game: str) -> str:
    return texts().game_text(game, "gain", find_game(game).facts.gain)


def split_parts(lines: Sequence[str]) -> list[TextPart]:
    """Split lines into parts; the drawn part spans indented lines, the start of a program and the rows of a board."""
    indented = [at for at, line in enumerate(lines) if line.startswith(" ")]
    first, last = (indented[0], indented[-1] + 1) if indented else (len(lines), len(lines))
    first = next((at for at in range(2, first) if not lines[at - 1] and lines[at - 2].endswith(":")), first)
    while 0 < last < len(lines) and (len(lines[last]) == len(lines[last - 1]) or BOARD_ROW.fullmatch(lines[last])):
        last += 1
    parts = [(lines[:first], False), (lines[first:last], True), (lines[last:], False)]
    points = texts().points
    return [TextPart(singularize("\n".join(part).strip("\n"), points), drawn) for part, drawn in parts if any(part)]


def describe_movers(live: LiveMatch, roles: Sequence[str]) -> str:
    """Describe who is thinking or to move in a running match."""
    say = texts().say
    if (thinking := live.thinking) is not None:
        return say("table.thinking", who=roles[thinking[0]], seconds=f"{time.monotonic() - thinking[1]:.0f}")
    who = [roles[seat] for seat in live.awaited_seats]
    return say("table.to_move", who=say("table.and").join(who), count=len(who)) if who else say("table.moment")


class SeatView:
    def __init__(self, live: LiveMatch, seat: Seat) -> None:
        self._live, self._seat = live, seat
        self.person: Person = live.people[seat.seat]
        # Read once, since threads may play on, and the number first: the form of an answered question is then late.
        self.number = self.person.answer_count
        self.open_question, self.record = self.person.open_question, live.record
        self.thinking = live.thinking
        # A page with an open question is not updated, since that would clear what is typed.
        self.state = f"asked.{self.number}" if self.open_question else self._state

    @property
    def _state(self) -> str:
        """State of a page without inputs, which can be updated on any change."""
        who = "" if self.thinking is None else self.thinking[0]
        ended = int(self.record is not None) + int(self._is_search_done)
        return f"{self._live.turn_count}.{len(self._live.awaited_seats)}.{who}.{ended}"

    @property
    def _is_search_done(self) -> bool:
        """Whether the search after the match is finished."""
        search = None if self.record is None else find_search(self.record, self._seat.seat)
        return search is not None and search.done()

    @cached_property
    def game(self) -> Game:
        return find_game(self._live.match.game)

    @property
    def title(self) -> str:
        """Name of the game."""
        return game_title(self.game.name, self._live.match.params)

    @cached_property
    def roles(self) -> list[str]:
        return self.person.names

    @property
    def role(self) -> str:
        """Name of this seat, with its part in the game."""
        name, parts = self.roles[self._seat.seat], self.game.facts.parts
        return f"{name} ({texts().word(parts[self._seat.seat])})" if parts else name

    @property
    def rules(self) -> list[str]:
        """Rules of this seat, in paragraphs."""
        info = self.person.info
        return join_paragraphs(info.teller.brief(info.view) if info.teller else [info.rules])

    @property
    def history(self) -> list[tuple[list[TextPart], tuple[str, str] | None]]:
        """(text read, description of the answer) in order; None: no answer was expected."""
        # A copy, since threads may append.
        return [(split_parts(one.lines), self._describe_answer(one)) for one in list(self.person.history)]

    def _describe_answer(self, read: HistoryEntry) -> tuple[str, str] | None:
        """Describe an answer, or why it is missing, as (move, message)."""
        if read.missed_reply is not None:
            why = "absent.you_left" if read.missed_reply.finish == LEFT else ABSENCE_TEXTS[read.missed_reply.finish]
            return capitalise(texts().say(why, seconds=read.missed_reply.limit)), ""
        if read.answer is None:
            return None
        action, words = read.answer
        names = wording_names(self.person.wording)
        return describe_move(self.game, action, names, self.person.names) if action else "", words

    @property
    def news(self) -> list[TextPart]:
        """All new text of the question."""
        return split_parts(self.open_question.lines) if self.open_question else []

    @property
    def question(self) -> list[TextPart]:
        """The question, preceded by short news."""
        return self._split_question[0]

    @property
    def situation(self) -> list[TextPart]:
        """The rest of the new text, shown below the move form: state of the game and long news."""
        return self._split_question[1]

    @cached_property
    def _split_question(self) -> tuple[list[TextPart], list[TextPart]]:
        if self.open_question is None:
            return [], []
        count = self.open_question.news_count
        news, lines = self.open_question.lines[:count], self.open_question.lines[count:]
        first = [] if lines[0].endswith(":") else lines[:1]
        rest = lines[len(first) : -1]
        shown = [] if self.own_template in STATE_TEMPLATES else split_parts(rest)
        is_short = len(news) <= MAX_NEWS and not any(line.startswith(" ") for line in news)
        asked = [*first, *lines[-1:]] if len(lines) > 1 else lines
        return (split_parts([*news, *asked]), shown) if is_short else (split_parts(asked), [*shown, *split_parts(news)])

    @cached_property
    def forms(self) -> list[Form]:
        return build_forms(self.person, self.open_question).forms if self.open_question else []

    @cached_property
    def own_template(self) -> str:
        """Template of this game's moves."""
        return move_template(self.game)

    @cached_property
    def view(self) -> Any:
        """Information state of the seat at the open question."""
        return self.open_question.seen.view if self.open_question else None

    @property
    def board(self) -> Board:
        """Board of the coin game."""
        return build_board(self.view, self.roles[1 - self._seat.seat], texts())

    @property
    def day(self) -> Day:
        """Day of water allocation."""
        return build_day(self.view, tuple(self.roles))

    @property
    def matrix(self) -> Matrix:
        """Payoff matrix of a 2x2 game, with the labels of its buttons."""
        return build_matrix(self.view, [label for form in self.forms for _, label in form.buttons])

    @property
    def costs(self) -> list[float]:
        """Cost of points in public goods."""
        return point_costs(self.view)

    @property
    def seconds_left(self) -> int | None:
        """Remaining seconds for the move; None: no limit."""
        left = self._live.seconds_left(self._seat.seat)
        return None if left is None else max(0, round(left))

    @property
    def policy(self) -> str:
        """Description of the absence policy."""
        terms = self._live.terms
        if terms.policy == DEFAULT:
            return self._describe_default
        return texts().say(POLICY_TEXTS[terms.policy], who=terms.substitute)

    @property
    def _describe_default(self) -> str:
        """Description of the default policy, with the current default action."""
        if self.open_question is None or self.game.actions.source:
            return texts().say("absent.default")
        action = self.game.actions.to_plain(self.game.default_action(self.view))
        move = describe_move(self.game, action, wording_names(self.person.wording), self.person.names)
        return texts().say("absent.default_move", move=texts().localize_numbers(capitalise(move)))

    @property
    def leave_notice(self) -> str:
        """Notice that this person has left or was replaced, with the reason; empty: neither."""
        absences = [one for one in self._live.absences if one.seat == self._seat.seat and one.is_permanent]
        if not absences or self.person.is_leaving:
            return ""
        absence, say = absences[-1], texts().say
        why = say(ABSENCE_TEXTS[absence.reason], seconds=self._live.terms.person_seconds)
        return (
            say("absent.you_replaced", why=why, who=absence.player)
            if absence.player
            else say("absent.you_gone", why=why)
        )

    @property
    def notes(self) -> list[str]:
        """The latest notes on missing answers and substitutions."""
        own = self._seat.seat  # covered by `leave_notice`
        replaced = [self._replacement_note(one) for one in self._live.absences if one.player and one.seat != own]
        unanswered = [turn for turn in self._live.visible_turns if turn.finish in NO_REPLY_REASONS]
        missed = [self._no_answer_note(turn) for turn in unanswered if turn.seat not in self.absent_seats]
        return [*replaced, *missed][-MAX_NOTES:]

    @property
    def absent_seats(self) -> set[int]:
        """Seats whose absence is shown elsewhere on the page."""
        return set()

    def _replacement_note(self, absence: Absence) -> str:
        why = texts().say(ABSENCE_TEXTS[absence.reason], seconds=self._live.terms.person_seconds)
        fields = {"role": self.roles[absence.seat], "why": why + _error_suffix(absence.error), "who": absence.player}
        return texts().say("absent.replaced", **fields)

    def _no_answer_note(self, turn: Turn) -> str:
        errors = [one.error for one in self._live.absences if one.seat == turn.seat and one.reason == turn.finish]
        suffix = _error_suffix(errors[-1] if errors else "")
        why = texts().say(ABSENCE_TEXTS[turn.finish], seconds=turn.limit) + suffix
        fields = {"round": turn.round, "role": self.roles[turn.seat], "why": why}
        return texts().say("absent.default_played" if turn.default else "absent.forfeited", **fields)

    @property
    def waiting_text(self) -> str:
        """Description of who is to move; empty if this seat is."""
        return "" if self.open_question or self.record or self.trouble else describe_movers(self._live, self.roles)

    @property
    def thinking_time(self) -> tuple[str, int] | None:
        """(role, seconds) of a thinking player; None: only people are to move."""
        return self.thinking and (self.roles[self.thinking[0]], int(time.monotonic() - self.thinking[1]))

    @property
    def trouble(self) -> str:
        """Why the match is stuck; empty: it is not."""
        if self.record is not None and self.record.status == "failed":
            return strip_addresses(self.record.reason or texts().say("table.failed"))
        return strip_addresses(self._live.trouble)

    @property
    def rematch_link(self) -> str:
        """Path of the form of a rematch with the same choices."""
        return site_path(rematch_path(self._live.match, self._seat.seat, self._live.terms))

    @property
    def payoff(self) -> str:
        """This seat's payoff once its own game is over; empty before."""
        if self.record is not None and self.record.payoffs:
            return format_payoff(self.game, self.record.payoffs[self._seat.seat])
        return "" if self.person.payoff is None else format_payoff(self.game, self.person.payoff)


def _error_suffix(error: str) -> str:
    return f" ({strip_addresses(error)})" if error else ""
