"""What the page of a seat shows: only what that seat may know, until the match is over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.record.provenance import without_addresses
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.stories import story
from econzoo.evaluate.web.forms import Form, MoveForms
from econzoo.evaluate.web.person import Person
from econzoo.evaluate.web.site import at, texts
from econzoo.evaluate.web.store import Seat

if TYPE_CHECKING:
    from econzoo.evaluate.web.table import LiveMatch


class Part(NamedTuple):
    """Some lines of a text.

    Attributes:
        text: With its line breaks.
        drawn: Whether blanks in it mean something: a board, a program.
    """

    text: str
    drawn: bool


def title_of(game: str) -> str:
    """A game as a heading has it."""
    return texts().of_game(game, "title", game.replace("_", " ").capitalize())


def summary_of(game: str) -> str:
    """A game in a sentence."""
    return texts().of_game(game, "summary", find_game(game).summary)


def gain_of(game: str) -> str:
    """What the gain of a game is."""
    return texts().of_game(game, "gain", find_game(game).facts.gain)


def prompts_of(game: str) -> dict[str, Any]:
    """The option of a match that gives its players other texts, if the language of the pages has some."""
    own = texts().prompts.get(game)
    return {"prompts": dict(own)} if own else {}


def parts(lines: Sequence[str]) -> list[Part]:
    """Lines in parts: drawn are those from the first to the last that is indented, and the rows of a board below."""
    indented = [at for at, line in enumerate(lines) if line.startswith(" ")]
    first, last = (indented[0], indented[-1] + 1) if indented else (len(lines), len(lines))
    while 0 < last < len(lines) and len(lines[last]) == len(lines[last - 1]):
        last += 1
    cut = [(lines[:first], False), (lines[first:last], True), (lines[last:], False)]
    return [Part("\n".join(some).strip("\n"), is_drawn) for some, is_drawn in cut if any(some)]


def who_moves(live: LiveMatch, roles: Sequence[str]) -> str:
    """Who thinks, or whose moves are awaited, in a match that goes on."""
    say = texts().say
    if (thinking := live.thinking) is not None:
        return say("table.thinking", who=roles[thinking[0]], seconds=f"{time.monotonic() - thinking[1]:.0f}")
    who = [roles[seat] for seat in live.waits_for]
    return say("table.to_move", who=say("table.and").join(who), count=len(who)) if who else say("table.moment")


class Shown:
    """The page of a seat.

    Args:
        live: The match.
        seat: The seat.
    """

    def __init__(self, live: LiveMatch, seat: Seat) -> None:
        self._live, self._seat = live, seat
        self.person: Person = live.people[seat.seat]
        self.asked, self.record = self.person.asked, live.record  # once: a thread may go on meanwhile
        self.state = f"{live.turns}.{int(self.asked is not None)}.{int(self.record is not None)}"

    @cached_property
    def game(self) -> Game:
        """What is played."""
        return find_game(self._live.match.game)

    @property
    def title(self) -> str:
        """Name of the game."""
        return title_of(self.game.name)

    @cached_property
    def roles(self) -> list[str]:
        """What the seats are called."""
        names = role_names(self.game, len(self._live.match.players), self._live.match.params)
        return [texts().word(name) for name in names]

    @property
    def role(self) -> str:
        """What this seat is called."""
        return self.game.facts.called(self.roles[self._seat.seat])

    @property
    def rules(self) -> str:
        """As this seat reads them."""
        return self.person.info.rules

    @property
    def talk(self) -> list[tuple[list[Part], tuple[str, str] | None]]:
        """What was read, each time with the answer, if there was something to answer."""
        return [(parts(one.lines), one.answer) for one in list(self.person.read)]

    @property
    def news(self) -> list[Part]:
        """What is new with the question."""
        return parts(self.asked.lines) if self.asked else []

    @property
    def number(self) -> int:
        """How many answers this seat has given."""
        return self.person.answers

    @cached_property
    def forms(self) -> list[Form]:
        """Of the moves that are legal now."""
        return MoveForms(self.person.words, self.asked.legal).forms if self.asked else []

    @property
    def waiting(self) -> str:
        """Who is to move, if this seat is not."""
        if self.asked or self.record or self.trouble:
            return ""
        return who_moves(self._live, self.roles)

    @property
    def trouble(self) -> str:
        """Why the match cannot go on; empty if it can."""
        if self.record is not None and self.record.status == "failed":
            return without_addresses(self.record.reason or texts().say("table.failed"))
        return without_addresses(self._live.trouble)

    @property
    def again(self) -> str:
        """The address that offers the game once more."""
        return at(f"/?game={self.game.name}")

    @property
    def payoff(self) -> str:
        """This seat's own, if its game is over."""
        return "" if self.person.payoff is None else dollars(self.person.payoff, cents=True)

    @property
    def end(self) -> dict[str, Any] | None:
        """How the match ended for all, when it is over and nothing is secret any more."""
        record: Record | None = self.record
        if record is None or record.status == "failed":
            return None
        told = in_own_words(record, story(record, ""))
        return {**told, "own": self._seat.seat, "gain_of": gain_of(record.game)}


def in_own_words(record: Record, told: dict[str, Any]) -> dict[str, Any]:
    """A story with its roles, its ending and its kinds of move in the language of the pages."""
    word, game = texts().word, find_game(record.game)
    agreement = word(game.facts.agreement)
    ended = {True: agreement, False: texts().say("end.no", agreement=agreement)}
    agreed = record.metrics.get("agreed") if record.status == "finished" else None
    seats = [{**one, "role": word(one["role"])} for one in told["seats"]]
    turns = [{**one, "role": word(one["role"]), "move": _named(game, one["move"])} for one in told.get("turns", [])]
    ending = word(told["ending"]) if agreed is None else ended[bool(agreed)]
    return {**told, "seats": seats, "turns": turns, "ending": ending, "by": told["by"] and word(told["by"])}


def _named(game: Game, move: str | None) -> str | None:
    """A move with the first word, its kind, in the language of the pages."""
    kind, blank, rest = (move or "").partition(" ")
    return f"{texts().word(kind)}{blank}{rest}" if move and kind in game.actions.names else move
