"""The form of a new collection, and the order built from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Any, NamedTuple

from econzoo.baselines import is_person, pool
from econzoo.envs.core.contract import Game, Integer, Option, OrNone, Parameter, Real, Text, declared_options
from econzoo.evaluate.run import ALL_SETTINGS, DEFAULT, TEST, VALIDATION, PlayerCache, Setting, find_settings
from econzoo.evaluate.run import format_value, game_settings, has_prices, label_setting, parse_lineups
from econzoo.evaluate.run import settings_collection
from econzoo.people.manage.order import Order
from econzoo.people.server import Field, Fields, ShortText, check_player, texts
from econzoo.people.table import MatchChoices

MAX_MATCHES = 200_000
"""Maximum matches of a collection; larger ones are for the terminal."""

MAX_NUMBER = 10**9
"""Maximum seeds, tokens and dollars."""

MAX_SETTINGS = 5_000
"""Maximum settings of a grid."""

VALUE_SEPARATOR = ";"
"""Between the values of a grid."""

DEFAULT_PLAYERS, DEFAULT_SEEDS = 3, 10


class CollectionForm(NamedTuple):
    """Fields of a collection besides its settings."""

    players: Annotated[str, Option(Text(), "One per line. Each player takes every seat it can play.")] = ""
    opponents: Annotated[str, Option(Text(), "One per line. Empty: round robin with self-play.")] = ""
    lineups: Annotated[
        str,
        Option(
            Text(),
            "One per line: a player per seat, in order, separated by |. Line-ups replace all other matches.",
        ),
    ] = ""
    seeds: Annotated[
        int, Option(Integer(1, MAX_NUMBER), "Matches per seating and setting, with seeds 0, 1, 2, ...")
    ] = 1
    max_cost: Annotated[
        float | None,
        Option(OrNone(Real(0, MAX_NUMBER, is_low_excluded=True)), "US dollars. Empty: no limit."),
    ] = None
    max_tokens: Annotated[int | None, Option(OrNone(Integer(1, MAX_NUMBER)), "Empty: no limit.")] = None
    title: Annotated[str, Option(ShortText(200), "Title in the list. Empty: the name of the game.")] = ""


BUDGET_LABELS = {"max_cost": "manage.max_cost", "max_tokens": "manage.max_tokens"}
"""Budget options and their label keys."""

LABELS = {
    **{"players": "manage.players", "opponents": "manage.opponents", "lineups": "manage.lineups_label"},
    **{"seeds": "manage.seeds", **BUDGET_LABELS, "title": "manage.name"},
}
"""All options of the form and their label keys."""


def budget_fields(order: Order, given: Mapping[str, str]) -> Fields:
    """Form fields of a collection's budget limits."""
    limits = {name: limit for name in BUDGET_LABELS if (limit := getattr(order, name)) is not None}
    return Fields(declared_options(CollectionForm), {name: BUDGET_LABELS[name] for name in limits}, given, limits)


class MultiValueField(NamedTuple):
    """A parameter with several selectable values."""

    field: Field
    chosen_values: Sequence[str]


class CollectionChoices:
    """Choices for a collection so far, with the game's defaults for the rest."""

    def __init__(self, game: Game, given: Mapping[str, str], offered_players: Sequence[str]) -> None:
        self.game, self.given, self.offered_players = game, given, offered_players
        self._defaults = MatchChoices(game, {}, offered_players)

    @property
    def form_fields(self) -> Fields:
        """Fields besides the settings."""
        # Only at first: in a submitted form an empty field means its default.
        initial = {"players": "\n".join(self.known_players[:DEFAULT_PLAYERS]), "seeds": DEFAULT_SEEDS}
        return Fields(declared_options(CollectionForm), LABELS, self.given, {} if "players" in self.given else initial)

    @property
    def known_players(self) -> list[str]:
        """Available player specs."""
        return [*dict.fromkeys([*pool(self.game.name, "standard"), "random", *self.offered_players])]

    @property
    def player_descriptions(self) -> list[tuple[str, str]]:
        """(spec, description) of every available player, except people."""
        return [(spec, line) for spec, line in self._defaults.player_descriptions if not is_person(spec)]

    @property
    def named_settings(self) -> list[tuple[str, bool]]:
        """(name, whether it is chosen) of the game's settings and setting collections."""
        sets = [
            name
            for name in (ALL_SETTINGS, VALIDATION, TEST)
            if name == ALL_SETTINGS or settings_collection(self.game, name)
        ]
        return [(name, f"setting.{name}" in self.given) for name in [*sets, *game_settings(self.game)]]

    @property
    def grid(self) -> list[MultiValueField]:
        """Fields of all parameters."""
        return [self._multi_value(one) for one in self._defaults.settings]

    @property
    def is_changed(self) -> bool:
        """Whether a parameter differs from its default."""
        return self.grid != [MultiValueField(one, [one.value]) for one in self._defaults.settings]

    def _multi_value(self, one: Field) -> MultiValueField:
        ticked = [option for option in one.options if f"{one.name}={option}" in self.given]
        typed = self.given.get(one.name, "").strip() or one.value
        return MultiValueField(one._replace(value=typed), ticked or [one.value])

    def _parse_values(self, parameter: Parameter, one: MultiValueField) -> list[Any]:
        """Distinct values of a parameter; empty: only the default."""
        typed = one.chosen_values if one.field.options else one.field.value.split(VALUE_SEPARATOR)
        parsed = [
            MatchChoices(self.game, {one.field.name: text.strip()}, self.offered_players).value(parameter)
            for text in typed
            if text.strip()
        ]
        # By text, since lists as values have no hash.
        distinct = {format_value(value): value for value in parsed}
        # The default alone is no part of the name of a setting.
        return [] if list(distinct) == [format_value(parameter.default)] else list(distinct.values())

    @property
    def settings(self) -> list[Setting]:
        """The chosen settings, each with every combination of the parameter values."""
        bases = find_settings(self.game, [name for name, chosen in self.named_settings if chosen])
        fields = zip(self.game.parameters, self.grid, strict=True)
        values = {one.name: parsed for one, field in fields if (parsed := self._parse_values(one, field))}
        if max(1, len(bases)) * prod(map(len, values.values())) > MAX_SETTINGS:
            raise ValueError(texts().say("manage.too_many_settings", most=MAX_SETTINGS))
        combined = [dict(zip(values, one, strict=True)) for one in product(*values.values())]
        if not bases:
            return [Setting(label_setting(self.game, one), one) for one in combined]
        return [_combine_setting(base, one) for base in bases for one in combined]

    def order(self) -> Order:
        """Build and check the order; the ValueError of an invalid input names it."""
        form = CollectionForm(**self.form_fields.values())
        lineups = [tuple(self._check_specs(line)) for line in parse_lineups(form.lineups.splitlines())]
        named = list(dict.fromkeys(spec for lineup in lineups for spec in lineup))
        players, opponents = self._check_specs(form.players.split("\n")), self._check_specs(form.opponents.split("\n"))
        settings = {one.name: one.params for one in self.settings} or {DEFAULT: {}}
        specs = (tuple(players or named), tuple(opponents), tuple(filter(None, lineups)))
        order = Order(form.title, self.game.name, *specs, settings, form.seeds, form.max_cost, form.max_tokens)
        cache = PlayerCache(self.game.name)
        # Players are made here, so that a wrong spec is refused before the process starts.
        for spec in order.specs:
            cache(spec)
        if order.max_cost is not None and not has_prices(order.specs):
            raise ValueError(texts().say("manage.no_prices"))
        if (count := len(order.plan())) > MAX_MATCHES:
            raise ValueError(texts().say("manage.too_many", count=f"{count:,}", most=f"{MAX_MATCHES:,}"))
        return order

    def _check_specs(self, typed: Sequence[str]) -> list[str]:
        return [check_player(spec, self.game.name, self.offered_players) for spec in typed if spec.strip()]


def _combine_setting(base: Setting, params: Mapping[str, Any]) -> Setting:
    """A named setting with changed parameters, which its name lists."""
    changes = [f"{name}={format_value(value)}" for name, value in params.items()]
    return Setting(" ".join([base.name, *changes]), {**base.params, **params})
