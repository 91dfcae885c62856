"""A collection as it is chosen on its page: what was typed, and the order that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.game import Game
from econzoo.evaluate.run.budget import has_prices
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.run.seatings import seated
from econzoo.evaluate.run.settings import (
    ALL,
    DEFAULT,
    TEST,
    VALIDATION,
    Market,
    collection,
    known_markets,
    label,
    named_markets,
    shown,
)
from econzoo.people.manage.order import Order
from econzoo.people.server.form_numbers import number, whole
from econzoo.people.server.security import check_player
from econzoo.people.server.site import texts
from econzoo.people.table.choices import Choices, Setting

MOST_MATCHES = 200_000
"""Of a collection; larger ones are for the terminal."""

MOST = 10**9
"""Of repetitions, tokens and dollars."""

MOST_MARKETS = 5_000
"""Settings of a grid."""

AND = ";"
"""Between the values of a grid."""

USUAL_PLAYERS, USUAL_SEEDS = 3, 10


class Several(NamedTuple):
    """A parameter of which several values can be chosen.

    Attributes:
        setting: As one value is chosen.
        typed: What is typed now.
        chosen: Of its only values, if they are few, those that are chosen.
    """

    setting: Setting
    typed: str
    chosen: Sequence[str]


class Wanted:
    """What was chosen so far; what was not is as the game has it.

    Args:
        game: The game.
        given: What was typed, by the name of the input.
        offered: Players that can be chosen besides the game's scripts.
    """

    def __init__(self, game: Game, given: Mapping[str, str], offered: Sequence[str]) -> None:
        self.game, self.given, self.offered = game, given, offered
        self._first = "players" not in given
        self._usual = Choices(game, {}, offered)

    def text(self, name: str) -> str:
        """What is typed in a field now."""
        usual = {"players": "\n".join(self.known[:USUAL_PLAYERS]), "seeds": str(USUAL_SEEDS)} if self._first else {}
        return self.given.get(name, usual.get(name, "")).replace("\r", "").strip()

    @property
    def known(self) -> list[str]:
        """Players that can be named."""
        return [*dict.fromkeys([*pool(self.game.name, "standard"), "random", *self.offered])]

    @property
    def described(self) -> list[tuple[str, str]]:
        """(spec, one line) of everybody who can be named; people cannot."""
        return [(spec, line) for spec, line in self._usual.described if not is_person(spec)]

    @property
    def markets(self) -> list[tuple[str, bool]]:
        """(name, whether it is chosen) of the game's own settings and collections of them."""
        sets = [name for name in (ALL, VALIDATION, TEST) if name == ALL or collection(self.game, name)]
        return [(name, f"market.{name}" in self.given) for name in [*sets, *known_markets(self.game)]]

    @property
    def grid(self) -> list[Several]:
        """All parameters."""
        return [self._several(one) for one in self._usual.settings]

    @property
    def changed(self) -> bool:
        """Whether a parameter is not as the game has it."""
        usual = [([one.setting.value], one.setting.value) for one in self.grid]
        return [(list(one.chosen), one.typed) for one in self.grid] != usual

    def _several(self, one: Setting) -> Several:
        ticked = [option for option in one.options if f"param.{one.name}={option}" in self.given]
        return Several(one, self.text(f"param.{one.name}") or one.value, ticked or [one.value])

    def _values(self, one: Several) -> list[Any]:
        """The values of a parameter, each once; none if there is only the game's own.

        Raises:
            ValueError: One is not allowed.
        """
        name, typed = one.setting.name, one.chosen if one.setting.options else one.typed.split(AND)
        (parameter,) = (known for known in self.game.parameters if known.name == name)
        words = [word.strip() for word in typed if word.strip()]
        found = [Choices(self.game, {f"param.{name}": word}, self.offered).value(parameter) for word in words]
        unlike = list({shown(value): value for value in found}.values())
        return [] if list(map(shown, unlike)) == [shown(parameter.default)] else unlike

    @property
    def settings(self) -> list[Market]:
        """The chosen markets, each with every combination of the parameters.

        Raises:
            ValueError: A value is not allowed, or there are too many.
        """
        bases = named_markets(self.game, [name for name, chosen in self.markets if chosen])
        values = {one.setting.name: found for one in self.grid if (found := self._values(one))}
        if max(1, len(bases)) * prod(map(len, values.values())) > MOST_MARKETS:
            raise ValueError(texts().say("manage.too_many_settings", most=MOST_MARKETS))
        combined = [dict(zip(values, one, strict=True)) for one in product(*values.values())]
        if not bases:
            return [Market(label(self.game, one), one) for one in combined]
        return [_with(base, one) for base in bases for one in combined]

    def order(self) -> Order:
        """What is to be played, all of it checked.

        Raises:
            ValueError: Something is not allowed; the message names it.
        """
        lineups = [tuple(self._specs(line)) for line in seated(self.text("lineups").splitlines())]
        named = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
        players, met = self._specs(self.text("players").split("\n")), self._specs(self.text("opponents").split("\n"))
        markets = {market.name: market.params for market in self.settings} or {DEFAULT: {}}
        who = (tuple(players or named), tuple(met), tuple(filter(None, lineups)))
        budget = (self._money("max_cost"), self._whole("max_tokens", "") or None)
        seeds = self._whole("seeds", "1")
        order = Order(self.text("title")[:200], self.game.name, *who, markets, seeds, *budget)
        cast = Cast(self.game.name)
        for spec in order.specs:
            cast(spec)
        if order.max_cost is not None and not has_prices(order.specs):
            raise ValueError(texts().say("manage.no_prices"))
        if (count := len(order.plan())) > MOST_MATCHES:
            raise ValueError(texts().say("manage.too_many", count=f"{count:,}", most=f"{MOST_MATCHES:,}"))
        return order

    def _specs(self, typed: Sequence[str]) -> list[str]:
        return [check_player(spec, self.game.name, self.offered) for spec in typed if spec.strip()]

    def _whole(self, name: str, usual: str) -> int:
        return quantity(self.text(name) or usual, texts().say(f"manage.{name}"))

    def _money(self, name: str) -> float | None:
        return money(self.text(name), texts().say(f"manage.{name}"))


def _with(base: Market, params: Mapping[str, Any]) -> Market:
    """A named market with other parameters, and a name that tells them."""
    told = [f"{name}={shown(value)}" for name, value in params.items()]
    return Market(" ".join([base.name, *told]), {**base.params, **params})


def quantity(typed: str, what: str) -> int:
    """A number from 1 up as it was typed; 0 for nothing.

    Raises:
        ValueError: It is none.
    """
    if not typed:
        return 0
    if (value := whole(typed, 1, MOST)) is None:
        raise ValueError(texts().say("manage.no_whole", what=what, typed=repr(typed[:40])))
    return value


def money(typed: str, what: str) -> float | None:
    """A sum as it was typed; None for nothing.

    Raises:
        ValueError: It is none.
    """
    if not typed:
        return None
    value = number(typed.removeprefix("$"), texts().signs)
    if value is None or not 0 < value < MOST:
        raise ValueError(texts().say("manage.no_money", what=what, typed=repr(typed[:40])))
    return value
