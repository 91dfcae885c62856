"""A collection as it is chosen on its page: what was typed, and the order that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Any, NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.baselines.pools import pool
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.options import Option, declared_options
from econzoo.envs.core.contract.parameters import Integer, OrNone, Parameter, Real, Text
from econzoo.evaluate.run.budget import has_prices
from econzoo.evaluate.run.match import PlayerCache
from econzoo.evaluate.run.seatings import parse_lineups
from econzoo.evaluate.run.settings import (
    ALL,
    DEFAULT,
    TEST,
    VALIDATION,
    Setting,
    find_settings,
    format_value,
    game_settings,
    label_setting,
    settings_collection,
)
from econzoo.people.manage.order import Order
from econzoo.people.server.fields import Field, Fields, ShortText
from econzoo.people.server.security import check_player
from econzoo.people.server.site import texts
from econzoo.people.table.choices import MatchChoices

MAX_MATCHES = 200_000
"""Of a collection; larger ones are for the terminal."""

MAX_NUMBER = 10**9
"""Of repetitions, tokens and dollars."""

MAX_SETTINGS = 5_000
"""Settings of a grid."""

VALUE_SEPARATOR = ";"
"""Between the values of a grid."""

DEFAULT_PLAYERS, DEFAULT_SEEDS = 3, 10


class CollectionForm(NamedTuple):
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
        int, Option(Integer(1, MAX_NUMBER), "Matches of each seating in each setting, with the seeds 0, 1, 2, ...")
    ] = 1
    max_cost: Annotated[
        float | None,
        Option(OrNone(Real(0, MAX_NUMBER, is_low_excluded=True)), "For players with a price. Empty: no limit."),
    ] = None
    max_tokens: Annotated[int | None, Option(OrNone(Integer(1, MAX_NUMBER)), "Empty: no limit.")] = None
    title: Annotated[str, Option(ShortText(200), "For the list. Empty: the name of the game.")] = ""


BUDGET_LABELS = {"max_cost": "manage.max_cost", "max_tokens": "manage.max_tokens"}
"""Options of a budget, and the texts that they are called by."""

LABELS = {
    **{"players": "manage.players", "opponents": "manage.opponents", "lineups": "manage.lineups_label"},
    **{"seeds": "manage.seeds", **BUDGET_LABELS, "title": "manage.name"},
}
"""Likewise of the whole form."""


def budget_fields(order: Order, given: Mapping[str, str]) -> Fields:
    """The limits of a collection that has some, as its page asks for them."""
    limits = {name: limit for name in BUDGET_LABELS if (limit := getattr(order, name)) is not None}
    return Fields(declared_options(CollectionForm), {name: BUDGET_LABELS[name] for name in limits}, given, limits)


class MultiValueField(NamedTuple):
    """A parameter of which several values can be chosen.

    Attributes:
        field: With what is typed now.
        chosen_values: Of its only values, if they are few, those that are chosen.
    """

    field: Field
    chosen_values: Sequence[str]


class CollectionChoices:
    """What was chosen so far; what was not is as the game has it.

    Args:
        game: The game.
        given: What was typed, by the name of the input.
        offered_players: Players that can be chosen besides the game's scripts.
    """

    def __init__(self, game: Game, given: Mapping[str, str], offered_players: Sequence[str]) -> None:
        self.game, self.given, self.offered_players = game, given, offered_players
        self._defaults = MatchChoices(game, {}, offered_players)

    @property
    def form_fields(self) -> Fields:
        """What is typed besides the settings."""
        first = {"players": "\n".join(self.known_players[:DEFAULT_PLAYERS]), "seeds": DEFAULT_SEEDS}
        return Fields(declared_options(CollectionForm), LABELS, self.given, {} if "players" in self.given else first)

    @property
    def known_players(self) -> list[str]:
        """Players that can be named."""
        return [*dict.fromkeys([*pool(self.game.name, "standard"), "random", *self.offered_players])]

    @property
    def player_descriptions(self) -> list[tuple[str, str]]:
        """(spec, one line) of everybody who can be named; people cannot."""
        return [(spec, line) for spec, line in self._defaults.player_descriptions if not is_person(spec)]

    @property
    def named_settings(self) -> list[tuple[str, bool]]:
        """(name, whether it is chosen) of the game's own settings and collections of them."""
        sets = [name for name in (ALL, VALIDATION, TEST) if name == ALL or settings_collection(self.game, name)]
        return [(name, f"market.{name}" in self.given) for name in [*sets, *game_settings(self.game)]]

    @property
    def grid(self) -> list[MultiValueField]:
        """All parameters."""
        return [self._multi_value(one) for one in self._defaults.settings]

    @property
    def is_changed(self) -> bool:
        """Whether a parameter is not as the game has it."""
        return self.grid != [MultiValueField(one, [one.value]) for one in self._defaults.settings]

    def _multi_value(self, one: Field) -> MultiValueField:
        ticked = [option for option in one.options if f"{one.name}={option}" in self.given]
        typed = self.given.get(one.name, "").strip() or one.value
        return MultiValueField(one._replace(value=typed), ticked or [one.value])

    def _parse_values(self, parameter: Parameter, one: MultiValueField) -> list[Any]:
        """The values of a parameter, each once; none if there is only the game's own.

        Raises:
            ValueError: One is not allowed.
        """
        typed = one.chosen_values if one.field.options else one.field.value.split(VALUE_SEPARATOR)
        words = [word.strip() for word in typed if word.strip()]
        found = [
            MatchChoices(self.game, {one.field.name: word}, self.offered_players).value(parameter) for word in words
        ]
        unlike = list({format_value(value): value for value in found}.values())
        return [] if list(map(format_value, unlike)) == [format_value(parameter.default)] else unlike

    @property
    def settings(self) -> list[Setting]:
        """The chosen markets, each with every combination of the parameters.

        Raises:
            ValueError: A value is not allowed, or there are too many.
        """
        bases = find_settings(self.game, [name for name, chosen in self.named_settings if chosen])
        asked = zip(self.game.parameters, self.grid, strict=True)
        values = {one.name: found for one, typed in asked if (found := self._parse_values(one, typed))}
        if max(1, len(bases)) * prod(map(len, values.values())) > MAX_SETTINGS:
            raise ValueError(texts().say("manage.too_many_settings", most=MAX_SETTINGS))
        combined = [dict(zip(values, one, strict=True)) for one in product(*values.values())]
        if not bases:
            return [Setting(label_setting(self.game, one), one) for one in combined]
        return [_combine_setting(base, one) for base in bases for one in combined]

    def order(self) -> Order:
        """What is to be played, all of it checked.

        Raises:
            ValueError: Something is not allowed; the message names it.
        """
        asked = CollectionForm(**self.form_fields.values())
        lineups = [tuple(self._check_specs(line)) for line in parse_lineups(asked.lineups.splitlines())]
        named = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
        players, met = self._check_specs(asked.players.split("\n")), self._check_specs(asked.opponents.split("\n"))
        markets = {market.name: market.params for market in self.settings} or {DEFAULT: {}}
        who = (tuple(players or named), tuple(met), tuple(filter(None, lineups)))
        order = Order(asked.title, self.game.name, *who, markets, asked.seeds, asked.max_cost, asked.max_tokens)
        cast = PlayerCache(self.game.name)
        for spec in order.specs:
            cast(spec)
        if order.max_cost is not None and not has_prices(order.specs):
            raise ValueError(texts().say("manage.no_prices"))
        if (count := len(order.plan())) > MAX_MATCHES:
            raise ValueError(texts().say("manage.too_many", count=f"{count:,}", most=f"{MAX_MATCHES:,}"))
        return order

    def _check_specs(self, typed: Sequence[str]) -> list[str]:
        return [check_player(spec, self.game.name, self.offered_players) for spec in typed if spec.strip()]


def _combine_setting(base: Setting, params: Mapping[str, Any]) -> Setting:
    """A named market with other parameters, and a name that tells them."""
    told = [f"{name}={format_value(value)}" for name, value in params.items()]
    return Setting(" ".join([base.name, *told]), {**base.params, **params})
