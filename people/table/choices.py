"""What is chosen before a match: the game, a seat, the others, the parameters; and the match that follows."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from econzoo.baselines.descriptions import description
from econzoo.baselines.factory import fitting, is_person, knows, scripted
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.parameters import Flag, OneOf, Parameter
from econzoo.envs.core.faces.transcript import role_names
from econzoo.evaluate.run.settings import parse_value, shown
from econzoo.evaluate.show.numbers import capitalized
from econzoo.people.server.security import check_player
from econzoo.people.server.site import texts
from econzoo.people.table.terms import DEFAULT, FORFEIT, REPLACE, USUAL, Terms, seconds

MOST_SEEDS = 2**31
"""Seeds that are drawn for matches without one."""

PERSON = "human"

WATCH = "none"
"""The seat of a person who takes none."""


class Setting(NamedTuple):
    """A parameter as it is chosen.

    Attributes:
        name: Of the parameter.
        label: The name in words.
        doc: What it is.
        allowed: What is allowed, in words.
        value: As it is typed now.
        options: The only values, if they are few.
    """

    name: str
    label: str
    doc: str
    allowed: str
    value: str
    options: Sequence[str]


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
        typed = self._given.get("seat", "0")
        return int(typed) if typed.isdecimal() and int(typed) < 1000 else 0

    @property
    def watching(self) -> bool:
        """Whether the person takes no seat."""
        return self._given.get("seat") == WATCH

    @property
    def seed(self) -> str:
        """As it was typed."""
        return self._given.get("seed", "").strip()

    @property
    def _substitute(self) -> str:
        """Who usually takes a seat, in a game that knows it; elsewhere chance."""
        return self._usual.by if knows(self._usual.by, self.game.name) else "random"

    @property
    def limits(self) -> dict[str, str]:
        """The terms as they are typed now."""
        usual = {name: str(value or "") for name, value in self._usual._asdict().items()} | {"by": self._substitute}
        return {name: self._given.get(f"terms.{name}", value).strip() for name, value in usual.items()}

    @property
    def terms(self) -> Terms:
        """How long moves may take, and what follows.

        Raises:
            ValueError: A text cannot be read, or a player is not offered.
        """
        typed = self.limits
        person, player = seconds(typed["person"], "time of a person"), seconds(typed["player"], "time of a player")
        by = check_player(typed["by"] or self._substitute, self.game.name, self.offered)
        return Terms(person, player, typed["policy"], by)

    @property
    def substitutes(self) -> list[str]:
        """Specs of who can take a seat during a match."""
        return [*dict.fromkeys([*pool(self.game.name, "standard"), "random"])]

    @property
    def policies(self) -> dict[str, str]:
        """What may follow if no answer comes, in words."""
        said = {DEFAULT: "terms.default", FORFEIT: "terms.forfeit", REPLACE: "terms.replace"}
        return {name: texts().say(text) for name, text in said.items()}

    @property
    def settings(self) -> list[Setting]:
        """All parameters."""
        return [self._setting(one) for one in self.game.parameters]

    def _setting(self, one: Parameter) -> Setting:
        options: Sequence[str] = ("true", "false") if isinstance(one.domain, Flag) else ()
        options = one.domain.words if isinstance(one.domain, OneOf) else options
        doc = meaning_of(self.game.name, one)
        allowed = texts().of_game(self.game.name, f"allowed.{one.name}", texts().phrase(one.allowed))
        named = texts().phrase(capitalized(one.name.replace("_", " ")))
        label = texts().of_game(self.game.name, f"labels.{one.name}", named)
        return Setting(one.name, label, doc, allowed, self._typed(one), options)

    def _typed(self, one: Parameter) -> str:
        return self._given.get(f"param.{one.name}", "").strip() or shown(one.default)

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
        typed, told = self._typed(one), self._setting(one)
        try:
            return one.domain(parse_value(typed))
        except (TypeError, ValueError, OverflowError):
            fields = {"label": told.label, "typed": repr(typed[:40]), "allowed": told.allowed}
            raise ValueError(texts().say("choose.wrong", **fields)) from None

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
        known = suggested(self.game.name, seat)
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
        if self.seed and not self.seed.isdecimal():
            raise ValueError(f"seed={self.seed[:40]!r} is not allowed; allowed: a whole number from 0 up, or nothing")
        typed = [place.player for place in self.places]
        players = [check_player(spec, self.game.name, self.offered) for spec in typed]
        if not self.watching:
            players[self.seat] = PERSON
        return players, int(self.seed) if self.seed else secrets.randbelow(MOST_SEEDS), self.params


def meaning_of(game: str, one: Parameter) -> str:
    """What a parameter is, in a sentence."""
    return texts().of_game(game, f"parameters.{one.name}", texts().phrase(one.doc))


@cache
def suggested(game: str, seat: int) -> list[str]:
    """Scripts that can take a seat."""
    return fitting(game, pool(game, "standard"), seat) or ["random"]


def lines_of(game: str) -> list[tuple[str, str]]:
    """(spec, one line) of the game's scripts, of chance, and of people."""
    told = [(name, texts().of_game(game, f"players.{name}", description(name, game))) for name in scripted(game)]
    return [*told, ("random", texts().say("choose.random")), (PERSON, texts().say("choose.human"))]
