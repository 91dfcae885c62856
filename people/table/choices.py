"""Start pages: choice of a game, seat, opponents, parameters and terms."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from econzoo.baselines import description, filter_by_seat, is_known_spec, is_person, pool, scripted_players
from econzoo.envs.core import GameLoadError, all_games, games
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import DeclaredOption, Game, Integer, Option, Parameter, declared_options
from econzoo.envs.core.faces import role_names
from econzoo.evaluate.run import format_value, parse_value
from econzoo.evaluate.show import capitalize_first
from econzoo.people.server import Field, Fields, check_player, domain_values, parse_count, parse_field, read_form
from econzoo.people.server import render_page, site_path, texts
from econzoo.people.table.seat_view import game_summary, game_title
from econzoo.people.table.tables import Tables
from econzoo.people.table.terms import DEFAULT, DEFAULT_TERMS, FORFEIT, REPLACE, Terms

MAX_SEED = 2**31
"""Upper bound of random seeds."""

PERSON = "human"

WATCH_SEAT = "none"
"""Seat value of a person who only watches."""


STARTER_GAMES = ("matrix", "bargaining", "guess_average", "public_goods")
"""Games listed first: well known, with short rules."""

LENGTH_PARAMETERS = ("rounds", "days", "horizon")
"""Parameters that set the length of a match."""

SEED_OPTION = DeclaredOption("seed", int, Option(Integer(0), "Random seed of the match. Empty: a random one."), None)

TERM_LABELS = {
    "person_seconds": "terms.person_seconds",
    "player_seconds": "terms.player_seconds",
    "policy": "terms.policy",
    "substitute": "terms.substitute",
}
"""Term to its label key."""


class SeatChoice(NamedTuple):
    """A seat and its player."""

    role: str
    player: str
    suggestions: Sequence[str]


class GameCard(NamedTuple):
    """A game in the list."""

    game: Game
    title: str
    summary: str

    @property
    def is_starter(self) -> bool:
        """Whether it is listed first."""
        return self.game.name in STARTER_GAMES

    @property
    def rounds(self) -> int:
        """Maximum rounds under the default parameters."""
        return next((int(self.game.defaults[name]) for name in LENGTH_PARAMETERS if self.game.defaults.get(name)), 1)


class MatchChoices:
    """Choices for a match so far, with the game's defaults for the rest."""

    def __init__(
        self, game: Game, given: Mapping[str, str], offered_players: Sequence[str], default_terms: Terms = DEFAULT_TERMS
    ) -> None:
        self.game, self._given, self.offered_players, self._default_terms = (
            game,
            given,
            offered_players,
            default_terms.for_game(game),
        )

    @property
    def seat(self) -> int:
        """Seat of the person."""
        return parse_count(self._given.get("seat", ""), 0)

    @property
    def is_watching(self) -> bool:
        """Whether the person only watches."""
        return self._given.get("seat") == WATCH_SEAT

    @property
    def extra_fields(self) -> Fields:
        """Fields besides the parameters: the seed."""
        return Fields([SEED_OPTION], {"seed": "choose.seed"}, self._given)

    @property
    def _substitute(self) -> str:
        """Default substitute if the game has it, otherwise ``random``."""
        return (
            self._default_terms.substitute
            if is_known_spec(self._default_terms.substitute, self.game.name)
            else "random"
        )

    @property
    def term_fields(self) -> Fields:
        defaults = {name: value or "" for name, value in self._default_terms._asdict().items()}
        defaults["substitute"] = self._substitute
        declared = [one for one in declared_options(Terms) if one.name in TERM_LABELS]
        return Fields(declared, TERM_LABELS, self._given, defaults, "terms.")

    @property
    def terms(self) -> Terms:
        """Time limits and absence policy."""
        substitute = check_player(
            self.term_fields.typed_text("substitute") or self._substitute, self.game.name, self.offered_players
        )
        return Terms(**{**self.term_fields.values(), "substitute": substitute})

    @property
    def substitutes(self) -> list[str]:
        """Specs that can take a seat during a match."""
        return [*dict.fromkeys([*pool(self.game.name, "standard"), "random"])]

    @property
    def term_form_fields(self) -> list[Field]:
        """Form fields of the terms, with labelled policies."""
        keys = {DEFAULT: "terms.default", FORFEIT: "terms.forfeit", REPLACE: "terms.replace"}
        labels = {name: texts().say(key) for name, key in keys.items()}
        return [one._replace(options=labels) if one.options else one for one in self.term_fields]

    @property
    def settings(self) -> list[Field]:
        """Fields of all parameters."""
        return [self._setting_field(one) for one in self.game.parameters]

    def _setting_field(self, one: Parameter) -> Field:
        doc = parameter_meaning(self.game.name, one)
        allowed = texts().game_text(self.game.name, f"allowed.{one.name}", texts().phrase(one.value_range))
        named = texts().phrase(capitalize_first(one.name.replace("_", " ")))
        label = texts().game_text(self.game.name, f"labels.{one.name}", named)
        return Field(f"param.{one.name}", label, doc, allowed, self._typed_value(one), domain_values(one.domain))

    def _typed_value(self, one: Parameter) -> str:
        return self._given.get(f"param.{one.name}", "").strip() or format_value(one.default)

    @property
    def is_changed(self) -> bool:
        """Whether a parameter, the seed or a term differs from its default."""
        given = {name: value.strip() for name, value in self._given.items() if value.strip()}
        defaults = {f"param.{one.name}": format_value(one.default) for one in self.game.parameters}
        defaults |= {f"terms.{name}": str(value or "") for name, value in self._default_terms._asdict().items()}
        defaults["terms.substitute"] = self._substitute
        return any(given.get(name, value) != value for name, value in defaults.items()) or "seed" in given

    @property
    def params(self) -> dict[str, Any]:
        """Parameters that differ from their defaults."""
        return {
            one.name: self.value(one)
            for one in self.game.parameters
            if self._typed_value(one) != format_value(one.default)
        }

    def value(self, one: Parameter) -> Any:
        """Parse the input of a parameter; the ValueError of an invalid one uses the label of the page."""
        field = self._setting_field(one)
        return parse_field(field.label, field.value, parse_value, one.domain, field.allowed)

    @property
    def seats(self) -> int:
        """Number of seats under these parameters, or under the defaults if these are invalid."""
        try:
            return self.game.seats(self.game.params(**self.params)[1])
        except ValueError:
            return self.game.facts.seats

    @property
    def is_complete(self) -> bool:
        """Whether every seat was in the form, as other parameters may add seats."""
        return all(f"player.{seat}" in self._given for seat in range(self.seats))

    @property
    def places(self) -> list[SeatChoice]:
        roles = role_names(self.game, self.seats)
        return [
            self._seat_choice(seat, texts().word(self.game.facts.role_with_part(roles[seat])))
            for seat in range(self.seats)
        ]

    def _seat_choice(self, seat: int, role: str) -> SeatChoice:
        scripts = suggest_scripts(self.game.name, seat)
        # By default the second script, since the first is often optimal, as in `choose_stand_in` of studies.
        player = self._given.get(f"player.{seat}", "").strip() or scripts[min(1, len(scripts) - 1)]
        return SeatChoice(role, player, [*scripts, *self.offered_players, PERSON])

    @property
    def player_descriptions(self) -> list[tuple[str, str]]:
        """(spec, description) of every available player."""
        return [
            *player_lines(self.game.name),
            *[(spec, description(spec, self.game.name)) for spec in self.offered_players],
        ]

    def resolve_match(self) -> tuple[list[str], int, dict[str, Any]]:
        """Return players, seed and parameters of the match; the ValueError of an invalid input names it."""
        if self.is_watching and any(is_person(place.player) for place in self.places):
            raise ValueError("a match that you only watch cannot have human players: take a seat and invite the others")
        if not 0 <= self.seat < self.seats:
            raise ValueError(f"invalid seat={self.seat}: expected 0 to {self.seats - 1}")
        seed = self.extra_fields.value("seed")
        typed = [place.player for place in self.places]
        players = [check_player(spec, self.game.name, self.offered_players) for spec in typed]
        if not self.is_watching:
            players[self.seat] = PERSON
        return players, secrets.randbelow(MAX_SEED) if seed is None else seed, self.params


def parameter_meaning(game: str, one: Parameter) -> str:
    return texts().game_text(game, f"parameters.{one.name}", texts().phrase(one.doc))


@cache
def suggest_scripts(game: str, seat: int) -> list[str]:
    """Scripts that can take a seat."""
    return filter_by_seat(game, pool(game, "standard"), seat) or ["random"]


def player_lines(game: str) -> list[tuple[str, str]]:
    """(spec, description) of the game's scripts, ``random`` and people."""
    scripts = [
        (name, texts().game_text(game, f"players.{name}", description(name, game))) for name in scripted_players(game)
    ]
    return [*scripts, ("random", texts().say("choose.random")), (PERSON, texts().say("choose.human"))]


class StartPages:
    """List of games, and the form that starts a match."""

    def __init__(self, tables: Tables, offered_players: Sequence[str]) -> None:
        self._tables, self._offered_players = tables, offered_players

    @property
    def routes(self) -> list[Route]:
        """Routes of the pages and forms."""
        return [
            Route("/", self.start, methods=["GET"]),
            Route("/", self.begin, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """List of games, or the form of one."""
        return await run_in_threadpool(self._start, dict(request.query_params))

    async def begin(self, request: Request) -> Response:
        """Start a match, or show what is invalid."""
        return await run_in_threadpool(self._begin, await read_form(request))

    def _start(self, given: Mapping[str, str], problem: str = "", note: str = "") -> Response:
        if not given.get("game"):
            cards = [GameCard(one, game_title(one.name), game_summary(one.name)) for one in all_games()]
            first = sorted((one for one in cards if one.is_starter), key=lambda one: STARTER_GAMES.index(one.game.name))
            groups = {"start.here": first, "start.more": [one for one in cards if not one.is_starter]}
            return render_page("start.html", title=texts().say("start.title"), groups=groups)
        choices = self._choices(given)
        title, summary = game_title(choices.game.name), game_summary(choices.game.name)
        status = 422 if problem else 200
        return render_page(
            "choose.html", status, chosen=choices, title=title, summary=summary, problem=problem, note=note
        )

    def _choices(self, given: Mapping[str, str]) -> MatchChoices:
        name = given.get("game", "")
        if name not in games():
            raise HTTPException(404)
        try:
            return MatchChoices(find_game(name), given, self._offered_players, self._tables.terms)
        except GameLoadError as error:
            raise HTTPException(409, str(error)) from None

    def _begin(self, given: Mapping[str, str]) -> Response:
        choices = self._choices(given)
        try:
            if not choices.is_complete:
                # Raises for invalid parameters, under which the number of seats is that of the defaults.
                choices.game.params(**choices.params)
                return self._start(given, note=texts().say("choose.more_seats", count=choices.seats))
            players, seed, params = choices.resolve_match()
            params |= texts().match_options(choices.game.name, params)
            match, seats = self._tables.create_match(choices.game.name, players, seed, params, choices.terms)
        except (ValueError, ImportError) as error:  # a game may need a missing library
            return self._start(given, problem=texts().say("choose.problem", problem=str(error)))
        self._tables.open_match(match)
        if choices.is_watching:
            return RedirectResponse(site_path(f"/watch/{match}?at=0"), 303)
        own = next(seat for seat in seats if seat.seat == choices.seat)
        return RedirectResponse(site_path(f"/s/{own.token}"), 303)
