"""A collection as it is chosen on its page: what was typed, and the order that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Any, NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.options import Option, declared_in
from econzoo.envs.core.contract.parameters import OrNone, Parameter, Real, Text, Whole
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
from econzoo.people.server.fields import Field, Fields, ShortText
from econzoo.people.server.security import check_player
from econzoo.people.server.site import texts
from econzoo.people.table.choices import Choices

MOST_MATCHES = 200_000
"""Of a collection; larger ones are for the terminal."""

MOST = 10**9
"""Of repetitions, tokens and dollars."""

MOST_MARKETS = 5_000
"""Settings of a grid."""

AND = ";"
"""Between the values of a grid."""

USUAL_PLAYERS, USUAL_SEEDS = 3, 10


class Collected(NamedTuple):
    """What the form of a collection asks for besides its settings."""

    players: Annotated[str, Option(Text(), "One a line. Each plays in every seat that it can take.")] = ""
    opponents: Annotated[str, Option(Text(), "One a line. Empty: each other, and themselves.")] = ""
    lineups: Annotated[
        str,
        Option(
            Text(),
            "One a line: a player for each seat, in order, with | between. With line-ups, nothing else is played.",
        ),
    ] = ""
    seeds: Annotated[
        int, Option(Whole(1, MOST), "Matches of each seating in each setting, with the seeds 0, 1, 2, ...")
    ] = 1
    max_cost: Annotated[
        float | None, Option(OrNone(Real(0, MOST, above=True)), "For players with a price. Empty: no limit.")
    ] = None
    max_tokens: Annotated[int | None, Option(OrNone(Whole(1, MOST)), "Empty: no limit.")] = None
    title: Annotated[str, Option(ShortText(200), "For the list. Empty: the name of the game.")] = ""


BUDGET = {"max_cost": "manage.max_cost", "max_tokens": "manage.max_tokens"}
"""Options of a budget, and the texts that they are called by."""

LABELS = {
    **{"players": "manage.players", "opponents": "manage.opponents", "lineups": "manage.lineups_label"},
    **{"seeds": "manage.seeds", **BUDGET, "title": "manage.name"},
}
"""Likewise of the whole form."""


def budget_of(order: Order, given: Mapping[str, str]) -> Fields:
    """The limits of a collection that has some, as its page asks for them."""
    limits = {name: limit for name in BUDGET if (limit := getattr(order, name)) is not None}
    return Fields(declared_in(Collected), {name: BUDGET[name] for name in limits}, given, limits)


class Several(NamedTuple):
    """A parameter of which several values can be chosen.

    Attributes:
        field: With what is typed now.
        chosen: Of its only values, if they are few, those that are chosen.
    """

    field: Field
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
        self._usual = Choices(game, {}, offered)

    @property
    def asked(self) -> Fields:
        """What is typed besides the settings."""
        first = {"players": "\n".join(self.known[:USUAL_PLAYERS]), "seeds": USUAL_SEEDS}
        return Fields(declared_in(Collected), LABELS, self.given, {} if "players" in self.given else first)

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
        return self.grid != [Several(one, [one.value]) for one in self._usual.settings]

    def _several(self, one: Field) -> Several:
        ticked = [option for option in one.options if f"{one.name}={option}" in self.given]
        typed = self.given.get(one.name, "").strip() or one.value
        return Several(one._replace(value=typed), ticked or [one.value])

    def _values(self, parameter: Parameter, one: Several) -> list[Any]:
        """The values of a parameter, each once; none if there is only the game's own.

        Raises:
            ValueError: One is not allowed.
        """
        typed = one.chosen if one.field.options else one.field.value.split(AND)
        words = [word.strip() for word in typed if word.strip()]
        found = [Choices(self.game, {one.field.name: word}, self.offered).value(parameter) for word in words]
        unlike = list({shown(value): value for value in found}.values())
        return [] if list(map(shown, unlike)) == [shown(parameter.default)] else unlike

    @property
    def settings(self) -> list[Market]:
        """The chosen markets, each with every combination of the parameters.

        Raises:
            ValueError: A value is not allowed, or there are too many.
        """
        bases = named_markets(self.game, [name for name, chosen in self.markets if chosen])
        asked = zip(self.game.parameters, self.grid, strict=True)
        values = {one.name: found for one, typed in asked if (found := self._values(one, typed))}
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
        asked = Collected(**self.asked.values())
        lineups = [tuple(self._specs(line)) for line in seated(asked.lineups.splitlines())]
        named = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
        players, met = self._specs(asked.players.split("\n")), self._specs(asked.opponents.split("\n"))
        markets = {market.name: market.params for market in self.settings} or {DEFAULT: {}}
        who = (tuple(players or named), tuple(met), tuple(filter(None, lineups)))
        order = Order(asked.title, self.game.name, *who, markets, asked.seeds, asked.max_cost, asked.max_tokens)
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


def _with(base: Market, params: Mapping[str, Any]) -> Market:
    """A named market with other parameters, and a name that tells them."""
    told = [f"{name}={shown(value)}" for name, value in params.items()]
    return Market(" ".join([base.name, *told]), {**base.params, **params})
