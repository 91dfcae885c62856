"""One game: its `Rules`, and a `Game` object that describes them. What rules take from here is here too."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic

from econzoo.envs.core.contract.actions import ActionSchema
from econzoo.envs.core.contract.cases import Cases
from econzoo.envs.core.contract.events import HIDDEN, OPEN, SEALED, Event, Fact, Ruling
from econzoo.envs.core.contract.moves import Bounds, Move
from econzoo.envs.core.contract.notation import CHANCE, DONE, NO_FEATURE, PASS, SEVERAL, UNKNOWN, draft, put, to_tuple
from econzoo.envs.core.contract.parameters import Parameter, validate_parameters
from econzoo.envs.core.contract.rules import P, Rules, S, V
from econzoo.envs.core.contract.scenarios import check_split_name
from econzoo.envs.core.contract.streams import STREAM_VERSION
from econzoo.envs.core.contract.symbols import symbol_count, symbol_feature_names
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.envs.core.contract.versions import FORM_VERSION, REPLY_VERSION, Versions

if TYPE_CHECKING:
    import numpy as np

    from econzoo.envs.core.contract.objectives import Outcome

__all__ = [
    "CHANCE",
    "DONE",
    "HIDDEN",
    "NO_FEATURE",
    "OPEN",
    "PASS",
    "SEALED",
    "SEVERAL",
    "UNKNOWN",
    "Bounds",
    "Event",
    "Fact",
    "Game",
    "GameFacts",
    "GameOptions",
    "Move",
    "Ruling",
    "draft",
    "to_tuple",
    "put",
]


@dataclass(frozen=True)
class GameFacts:
    """What can be said about a game without playing it.

    Attributes:
        seats: Number of seats with default parameters.
        chance: Whether nature moves.
        perfect_information: Whether every seat always knows the whole state and all parameters.
        language: Whether moves can carry messages.
        roles: A name for each seat, used in texts.
        source: Where the rules come from.
        parts: What each seat does, e.g. ``("seller", "buyer")``; empty where all do the same.
        agreement: What it is called when ``agreed`` of the metrics is true: a singular noun.
        is_countable: Whether that noun has an article and a plural: a deal, two deals; False: mutual cooperation.
        rate: What the share of its rounds with an agreement is called, in a game that can have one in every round; its
            ``metrics`` then give it as ``agreement_rate(outcome)``. Empty: a match has one or none.
        gain: What the self-gain is measured in.
        gain_range: Least and greatest self-gain that a score counts for a match; recorded gains are never cut.
        money: Whether payoffs are dollars.
        title: What people call the game; empty: its name in words.
        has_person_names: Whether the roles are names of persons (Alice), and not of what a seat does (Buyer).
        private_fields: Fields of a View that tell its seat what the others may not know: what talk can be about.
    """

    seats: int
    chance: bool
    perfect_information: bool
    language: bool
    roles: tuple[str, ...]
    source: str
    parts: tuple[str, ...] = ()
    agreement: str = "deal"
    is_countable: bool = True
    rate: str = ""
    gain: str = "payoff in the game's own unit"
    gain_range: tuple[float, float] = (-math.inf, math.inf)
    money: bool = False
    title: str = ""
    has_person_names: bool = False
    private_fields: tuple[str, ...] = ()

    @property
    def agreement_column(self) -> str:
        """The column of tables that has how often there was an agreement: of rounds (`rate`), or of matches."""
        return self.rate.replace(" ", "_") or "agreed"

    @property
    def agreement_with_article(self) -> str:
        """The agreement after a preposition: ``"a deal"``, ``"an exchange"``, ``"mutual cooperation"``."""
        article = ("an " if self.agreement[:1] in "aeiou" else "a ") if self.is_countable else ""
        return article + self.agreement

    def role_with_part(self, role: str) -> str:
        """A role with its part: ``"Alice (seller)"``."""
        seat = self.roles.index(role) if role in self.roles else len(self.parts)
        return f"{role} ({self.parts[seat]})" if seat < len(self.parts) else role


@dataclass(frozen=True)
class GameOptions:
    """What few games need.

    Attributes:
        speaks: Whether a seat may send words, from the public parameters; None: every seat may where the parameter
            ``messages`` is not False.
        names: Name of each seat, from the public parameters; None: `GameFacts.roles`, then numbered ones.
        nature: Options of ``reset`` that fix nature's moves in the game's own words: name to a function that gets the
            rules' parameters and the value, and gives the moves, or raises `ValueError`.
        on_error: What follows unusable answers on every face, unless the environment says otherwise; None: what the
            face says. A game in which one seat's forfeit would end it for many others says ``"default"``.
        recover_action: Makes an action of an answer that was no move, where ``on_error="default"`` shall not replace
            it: from the answer and what was wrong with it, an action, or None for `Game.default_action`.
        title: What people call the game with these public parameters; None: `GameFacts.title`.
    """

    speaks: Callable[[Mapping[str, Any], int], bool] | None = None
    names: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = None
    nature: Mapping[str, Callable[[Any, Any], Sequence[float]]] = field(default_factory=dict)
    on_error: str | None = None
    recover_action: Callable[[Any, Any], Any] | None = None
    title: Callable[[Mapping[str, Any]], str] | None = None


@dataclass(frozen=True, eq=False)  # each game is one object, and can be a key
class Game(Generic[P, S, V]):
    """One game: its facts, its parameters, its kinds of move and where its parts live.

    Attributes:
        name: Snake-case id, e.g. ``"bargaining"``.
        version: Of the rules; raised whenever results could change.
        summary: One sentence for lists.
        facts: See `GameFacts`.
        rules: What the rules module defines: ``Rules.of(module)``.
        actions: Typed models of the kinds of move (see `econzoo.envs.core.contract.actions`).
        parameters: Public parameters with defaults, ranges and descriptions.
        configure: What the ``Params`` of the rules have otherwise than the validated public parameters, by name; a
            parameter that they have no field for stays out of them.
        default_action: The action that stands in for an unusable one under ``on_error="default"``; from the seat's view
            and legal wherever the seat is to move.
        package: Import path of the game's folder; ``text``, ``metrics`` and ``solution`` are found in it.
        options: What few games need, see `GameOptions`.
        text_version: Raised whenever prompts, the rules brief or the words of errors change, or a text could be taken
            for another move.
        numeric_version: Raised whenever features or actions of the numeric face change in order, number or meaning, the
            values of the grid among them.
        later_features: Of each older numeric version that differs from the newest only by features put behind the
            others, how many there are now that it did not have. Policies of these versions play on.
    """

    name: str
    version: int
    summary: str
    facts: GameFacts
    rules: Rules[P, S, V]
    actions: ActionSchema
    parameters: tuple[Parameter, ...]
    default_action: Callable[[V], Any]
    package: str
    configure: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda public: {}
    options: GameOptions = GameOptions()
    text_version: int = 0
    numeric_version: int = 0
    later_features: Mapping[int, int] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise TypeError(f"{self.name}: rules={self.rules!r} is not allowed; allowed: Rules.of(module)")
        object.__setattr__(self, "defaults", {p.name: p.default for p in self.parameters})
        if len(self.defaults) < len(self.parameters):
            names = [p.name for p in self.parameters]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{self.name}: parameter {twice!r} is declared twice; allowed: names that differ")

    @property
    def versions(self) -> Versions:
        """Of the rules, the texts, the numeric face, the reading of replies and random numbers."""
        return Versions(
            self.version, FORM_VERSION + self.text_version, self.numeric_version, REPLY_VERSION, STREAM_VERSION
        )

    def params(self, **given: Any) -> tuple[dict[str, Any], P]:
        """Validates parameters.

        Args:
            **given: Public parameters by name; the rest keep their defaults.

        Returns:
            The full public parameters, and the ``Params`` of the rules made from them.

        Raises:
            ValueError: A name is unknown or a value is not allowed; the message names the parameter, its
                value and what is allowed.
        """
        public = validate_parameters(self.name, self.parameters, given)
        return public, self.rule_params(public)

    def rule_params(self, public: Mapping[str, Any]) -> P:
        """The ``Params`` of the rules for all public parameters, validated.

        Raises:
            ValueError: They do not go together; the message names what is allowed.
        """
        kind = self.rules.Params
        known = {name: public[name] for name in kind._fields if name in public}  # type: ignore[attr-defined]
        return kind(**{**known, **self.configure(public)})

    def message_mode(self, public: Mapping[str, Any], seat: int) -> int:
        """Whether a seat may send words with these public parameters; from 2 on, one of so many symbols."""
        if not self.facts.language:
            return False
        speaks = self.options.speaks(public, seat) if self.options.speaks else bool(public.get("messages", True))
        return speaks and (symbol_count(public) or True)

    def title(self, public: Mapping[str, Any] | None = None) -> str:
        """What people call the game, with these public parameters or with any."""
        if public is not None and self.options.title is not None:
            return self.options.title({**self.defaults, **public})
        return self.facts.title or self.name.replace("_", " ").capitalize()

    def roles(self, seats: int, public: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """A name for each seat, with these public parameters or the default ones."""
        own = self.facts.roles if self.options.names is None or public is None else self.options.names(public)
        return (own + tuple([f"Player {i + 1}" for i in range(len(own), seats)]))[:seats]

    def feature_names(self, params: P | None = None, symbols: int = 0) -> tuple[str, ...]:
        """A few words for each number that a seat sees: the rules' `features`, and with symbols those that it heard.

        Args:
            params: Of the rules; None: the default ones.
            symbols: How many there are in the place of words.
        """
        params = self.params()[1] if params is None else params
        own = self.rules.FEATURES if self.rules.feature_names is None else self.rules.feature_names(params)
        return own + symbol_feature_names(self.seats(params), symbols) if symbols else own

    @cached_property
    def text(self) -> ModuleType:
        """The game's `text` module, imported when first needed."""
        return import_module(f"{self.package}.text")

    @cached_property
    def metrics(self) -> ModuleType:
        """The game's `metrics` module, imported when first needed."""
        return import_module(f"{self.package}.metrics")

    @cached_property
    def solution(self) -> ModuleType:
        """The game's `solution` module, imported when first needed."""
        return import_module(f"{self.package}.solution")

    @cached_property
    def scenarios(self) -> ModuleType:
        """The game's `scenarios` module, imported when first needed."""
        return import_module(f"{self.package}.scenarios")

    def sample(self, name: Any, rng: np.random.Generator) -> dict[str, Any]:
        """Draws the parameters of one episode.

        Args:
            name: Of a distribution of the game's `scenarios`, or of a market there, which is always that one.
            rng: Where the randomness comes from.

        Returns:
            Public parameters, a new dictionary.

        Raises:
            ValueError: Unknown name; the message lists those that exist.
        """
        markets, distributions = self.scenarios.MARKETS, getattr(self.scenarios, "DISTRIBUTIONS", {})
        if not isinstance(name, str) or name not in {*distributions, *markets}:
            check_split_name(name)
            raise ValueError(unknown_name("setting", name, [*distributions, *markets]))
        return distributions[name](rng) if name in distributions else dict(markets[name])

    @cached_property
    def perspective(self) -> ModuleType | None:
        """The game's `perspective` module (what a seat can tell of another's view), or None if it has none."""
        return self._optional_module("perspective")

    @cached_property
    def referee(self) -> Any:
        """What finds out what actions lead to that the rules cannot tell: the game's `referee` module; None if none.

        Its ``ruling(params, state, actions, seed)`` gives a `Ruling`; ``results(params, state, moves, problems)`` the
        results that its moves make, with (failure, problem) of each seat in words, so that a recorded ruling can be
        checked; ``unavailable()`` says why it cannot rule, or None.
        """
        return self._optional_module("referee")

    @cached_property
    def cases(self) -> Cases:
        """``CASES`` of the game's `cases` module: what the conformance suite must know; nothing if it has none."""
        module = self._optional_module("cases")
        return Cases() if module is None else module.CASES

    def _optional_module(self, name: str) -> ModuleType | None:
        """A module of the game's folder that not every game has."""
        try:
            found = find_spec(f"{self.package}.{name}")
        except ModuleNotFoundError:  # a game that has no folder
            return None
        return None if found is None else import_module(found.name)

    def fallback_action(self, view: V, answer: Any, error: Any) -> Any:
        """What is played under ``on_error="default"`` in the place of an answer that was no move."""
        action = None if self.options.recover_action is None else self.options.recover_action(answer, error)
        return self.default_action(view) if action is None else action

    def agreement_rate(self, outcome: Outcome) -> float:
        """How often there was an agreement in a match: 0 or 1, or the share of its rounds (`GameFacts.rate`)."""
        return float(self.metrics.agreement_rate(outcome) if self.facts.rate else outcome.agreed)

    def grid(self, params: P) -> tuple[Bounds, ...] | None:
        """The rules' `public_span`, or None where the `span` is public."""
        return self.rules.public_span(params) if self.rules.public_span else None

    def actions_of(self, params: P) -> ActionSchema:
        """The kinds of move with groups as long as these parameters make them."""
        return self.actions.fit_to_bounds(self.rules.bounds(params, self.rules.initial(params), 0))

    @property
    def view_type(self) -> type[V]:
        """The NamedTuple class of views."""
        return self.rules.View

    def seats(self, params: P) -> int:
        """Number of seats with these parameters."""
        return len(self.rules.payoffs(params, self.rules.initial(params)))

    def __deepcopy__(self, memo: Any) -> Game:
        return self
