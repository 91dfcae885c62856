"""What is chosen before a match: the game, a seat, the others, the parameters; and the pages of it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.baselines.descriptions import description
from econzoo.baselines.factory import fitting, is_person, knows, scripted
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.options import Declared, Option, declared_in
from econzoo.envs.core.contract.parameters import Parameter, Whole
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.registry import UnusableError, all_games, games
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.settings import parse_value, shown
from econzoo.evaluate.show.numbers import capitalized
from econzoo.people.server.fields import Field, Fields, checked, count_in, options_of
from econzoo.people.server.rendering import page
from econzoo.people.server.security import check_player, read_form
from econzoo.people.server.site import at, texts
from econzoo.people.table.seat_view import summary_of, title_of
from econzoo.people.table.terms import DEFAULT, FORFEIT, REPLACE, USUAL, Terms

if TYPE_CHECKING:
    from econzoo.people.table.tables import Tables

MOST_SEEDS = 2**31
"""Seeds that are drawn for matches without one."""

PERSON = "human"

WATCH = "none"
"""The seat of a person who takes none."""


STARTERS = ("matrix", "bargaining", "guess_average", "public_goods")
"""Games to begin with: known to many, with rules that are read in a minute."""

LENGTHS = ("rounds", "days", "horizon")
"""Parameters that say how long a match is."""

SEED = Declared("seed", int, Option(Whole(0), "Of chance and of the other players. Empty: one is drawn."), None)

LIMITS = {"person": "terms.person", "player": "terms.player", "policy": "terms.policy", "by": "terms.by"}
"""Term to the text that it is called by."""


class Place(NamedTuple):
    """A seat and who sits there.

    Attributes:
        role: What it is called.
        player: As it is typed now.
        suggested: Specs that fit.
    """

    role: str
    player: str
    suggested: Sequence[str]


class Card(NamedTuple):
    """A game in the list of all.

    Attributes:
        game: The game.
        title: What it is called.
        summary: It in a sentence.
    """

    game: Game
    title: str
    summary: str

    @property
    def starts(self) -> bool:
        """Whether it is one to begin with."""
        return self.game.name in STARTERS

    @property
    def rounds(self) -> int:
        """How many a match has at most, unless other parameters are chosen."""
        return next((int(self.game.defaults[name]) for name in LENGTHS if self.game.defaults.get(name)), 1)


class Choices:
    """What was chosen so far; what was not is as the game has it.

    Args:
        game: The game.
        given: What was typed, by the name of the input.
        offered: Players that can be chosen besides the game's scripts.
        usual: The terms where nothing else is typed.
    """

    def __init__(self, game: Game, given: Mapping[str, str], offered: Sequence[str], usual: Terms = USUAL) -> None:
        self.game, self._given, self.offered, self._usual = game, given, offered, usual.of(game)

    @property
    def seat(self) -> int:
        """The person's own."""
        return count_in(self._given.get("seat", ""), 0)

    @property
    def watching(self) -> bool:
        """Whether the person takes no seat."""
        return self._given.get("seat") == WATCH

    @property
    def more(self) -> Fields:
        """What is asked besides the parameters: the seed."""
        return Fields([SEED], {"seed": "choose.seed"}, self._given)

    @property
    def _substitute(self) -> str:
        """Who usually takes a seat, in a game that knows it; elsewhere chance."""
        return self._usual.by if knows(self._usual.by, self.game.name) else "random"

    @property
    def limits(self) -> Fields:
        """The terms as they are typed now."""
        usual = {name: value or "" for name, value in self._usual._asdict().items()} | {"by": self._substitute}
        return Fields([one for one in declared_in(Terms) if one.name in LIMITS], LIMITS, self._given, usual, "terms.")

    @property
    def terms(self) -> Terms:
        """How long moves may take, and what follows.

        Raises:
            ValueError: A text cannot be read, or a player is not offered.
        """
        by = check_player(self.limits.text("by") or self._substitute, self.game.name, self.offered)
        return Terms(**{**self.limits.values(), "by": by})

    @property
    def substitutes(self) -> list[str]:
        """Specs of who can take a seat during a match."""
        return [*dict.fromkeys([*pool(self.game.name, "standard"), "random"])]

    @property
    def agreed(self) -> list[Field]:
        """The terms as the form asks for them, with what may follow if no answer comes in words."""
        said = {DEFAULT: "terms.default", FORFEIT: "terms.forfeit", REPLACE: "terms.replace"}
        words = {name: texts().say(text) for name, text in said.items()}
        return [one._replace(options=words) if one.options else one for one in self.limits]

    @property
    def settings(self) -> list[Field]:
        """All parameters."""
        return [self._setting(one) for one in self.game.parameters]

    def _setting(self, one: Parameter) -> Field:
        doc = meaning_of(self.game.name, one)
        allowed = texts().of_game(self.game.name, f"allowed.{one.name}", texts().phrase(one.allowed))
        named = texts().phrase(capitalized(one.name.replace("_", " ")))
        label = texts().of_game(self.game.name, f"labels.{one.name}", named)
        return Field(f"param.{one.name}", label, doc, allowed, self._typed(one), options_of(one.domain))

    def _typed(self, one: Parameter) -> str:
        return self._given.get(f"param.{one.name}", "").strip() or shown(one.default)

    @property
    def changed(self) -> bool:
        """Whether a parameter, the seed or a term is not as usual."""
        given = {name: value.strip() for name, value in self._given.items() if value.strip()}
        usual = {f"param.{one.name}": shown(one.default) for one in self.game.parameters}
        usual |= {f"terms.{name}": str(value or "") for name, value in self._usual._asdict().items()}
        usual["terms.by"] = self._substitute
        return any(given.get(name, value) != value for name, value in usual.items()) or "seed" in given

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that are not as the game has them.

        Raises:
            ValueError: A value is not allowed; the message names the parameter as the page does.
        """
        return {one.name: self.value(one) for one in self.game.parameters if self._typed(one) != shown(one.default)}

    def value(self, one: Parameter) -> Any:
        """What was typed for a parameter.

        Raises:
            ValueError: It is not allowed; the message names the parameter as the page does.
        """
        told = self._setting(one)
        return checked(told.label, told.value, parse_value, one.domain, told.allowed)

    @property
    def seats(self) -> int:
        """How many there are with these parameters, or with the game's own if these are not allowed."""
        try:
            return self.game.seats(self.game.params(**self.params)[1])
        except ValueError:
            return self.game.facts.seats

    @property
    def complete(self) -> bool:
        """Whether every seat was asked for: with other parameters there may be more of them."""
        return all(f"player.{seat}" in self._given for seat in range(self.seats))

    @property
    def places(self) -> list[Place]:
        """All seats."""
        roles = role_names(self.game, self.seats)
        return [self._place(seat, texts().word(self.game.facts.called(roles[seat]))) for seat in range(self.seats)]

    def _place(self, seat: int, role: str) -> Place:
        known = suggestions(self.game.name, seat)
        usual = known[min(1, len(known) - 1)]
        return Place(role, self._given.get(f"player.{seat}", "").strip() or usual, [*known, *self.offered, PERSON])

    @property
    def described(self) -> list[tuple[str, str]]:
        """(spec, one line) of everybody who can be chosen."""
        return [*lines_of(self.game.name), *[(spec, description(spec, self.game.name)) for spec in self.offered]]

    def match(self) -> tuple[list[str], int, dict[str, Any]]:
        """Players, seed and parameters of the match.

        Raises:
            ValueError: Something is not allowed; the message names it.
        """
        if self.watching and any(is_person(place.player) for place in self.places):
            raise ValueError("human is not allowed in a match that you only watch; take a seat, and invite the others")
        if not 0 <= self.seat < self.seats:
            raise ValueError(f"seat={self.seat} is not allowed; allowed: a seat from 0 to {self.seats - 1}")
        seed = self.more.value("seed")
        typed = [place.player for place in self.places]
        players = [check_player(spec, self.game.name, self.offered) for spec in typed]
        if not self.watching:
            players[self.seat] = PERSON
        return players, secrets.randbelow(MOST_SEEDS) if seed is None else seed, self.params


def meaning_of(game: str, one: Parameter) -> str:
    """What a parameter is, in a sentence."""
    return texts().of_game(game, f"parameters.{one.name}", texts().phrase(one.doc))


@cache
def suggestions(game: str, seat: int) -> list[str]:
    """Scripts that can take a seat."""
    return fitting(game, pool(game, "standard"), seat) or ["random"]


def lines_of(game: str) -> list[tuple[str, str]]:
    """(spec, one line) of the game's scripts, of chance, and of people."""
    told = [(name, texts().of_game(game, f"players.{name}", description(name, game))) for name in scripted(game)]
    return [*told, ("random", texts().say("choose.random")), (PERSON, texts().say("choose.human"))]


class Pages:
    """All games, and the form of one, with which a match begins.

    Args:
        tables: The matches.
        offered: Specs of players that can be chosen besides the games' scripts.
    """

    def __init__(self, tables: Tables, offered: Sequence[str]) -> None:
        self._tables, self._offered = tables, offered

    @property
    def routes(self) -> list[Route]:
        """The pages, and what is posted."""
        return [
            Route("/", self.start, methods=["GET"]),
            Route("/", self.begin, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """All games, or the form of one."""
        return await run_in_threadpool(self._start, dict(request.query_params))

    async def begin(self, request: Request) -> Response:
        """Begins a match, or says what is not allowed."""
        return await run_in_threadpool(self._begin, await read_form(request))

    def _start(self, given: Mapping[str, str], problem: str = "", note: str = "") -> Response:
        if not given.get("game"):
            cards = [Card(one, title_of(one.name), summary_of(one.name)) for one in all_games()]
            first = sorted((one for one in cards if one.starts), key=lambda one: STARTERS.index(one.game.name))
            groups = {"start.here": first, "start.more": [one for one in cards if not one.starts]}
            return page("start.html", title=texts().say("start.title"), groups=groups)
        choices = self._choices(given)
        title = title_of(choices.game.name)
        told = {"title": title, "summary": summary_of(choices.game.name), "problem": problem, "note": note}
        return page("choose.html", 422 if problem else 200, chosen=choices, **told)

    def _choices(self, given: Mapping[str, str]) -> Choices:
        name = given.get("game", "")
        if name not in games():
            raise HTTPException(404)
        try:
            return Choices(find_game(name), given, self._offered, self._tables.terms)
        except UnusableError as error:
            raise HTTPException(409, str(error)) from None

    def _begin(self, given: Mapping[str, str]) -> Response:
        choices = self._choices(given)
        try:
            if not choices.complete:
                choices.game.params(**choices.params)
                return self._start(given, note=texts().say("choose.more_seats", count=choices.seats))
            players, seed, params = choices.match()
            params |= texts().options(choices.game.name, params)
            match, seats = self._tables.new(choices.game.name, players, seed, params, choices.terms)
        except (ValueError, ImportError) as error:  # a game may need a library that is not there
            return self._start(given, problem=texts().say("choose.problem", problem=str(error)))
        self._tables.live(match)
        if choices.watching:
            return RedirectResponse(at(f"/watch/{match}?at=0"), 303)
        own = next(seat for seat in seats if seat.seat == choices.seat)
        return RedirectResponse(at(f"/s/{own.token}"), 303)
