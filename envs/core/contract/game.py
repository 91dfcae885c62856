"""The `Game` object: rules, facts, parameters and modules of one game."""

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
from econzoo.envs.core.contract.moves import HIDDEN, OPEN, SEALED, Bounds, Event, Fact, Move, Ruling
from econzoo.envs.core.contract.objectives import Outcome, Ranges, declared_ranges
from econzoo.envs.core.contract.parameters import Parameter, validate_parameters
from econzoo.envs.core.contract.rules import CHANCE, DONE, NO_FEATURE, PASS, SEVERAL, UNKNOWN, P, Rules, S, V, draft
from econzoo.envs.core.contract.rules import put, to_tuple
from econzoo.envs.core.contract.symbols import symbol_count, symbol_feature_names
from econzoo.envs.core.contract.validation import unknown_name
from econzoo.envs.core.contract.versions import FORM_VERSION, REPLY_VERSION, STREAM_VERSION, Versions

if TYPE_CHECKING:
    import numpy as np

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
    """Static facts about a game.

    Attributes:
        seats: Number of seats with default parameters.
        chance: Whether nature moves.
        perfect_information: Whether every seat always observes the full state and all parameters.
        language: Whether moves can carry messages.
        roles: Name of each seat in texts.
        source: Reference for the rules.
        parts: Function of each seat, e.g. ``("seller", "buyer")``; empty in symmetric games.
        agreement: Singular noun for ``agreed`` of the metrics.
        is_countable: Whether that noun is countable ("a deal"), unlike "mutual cooperation".
        rate: Name of the share of rounds with an agreement, if every round can have one; the ``metrics``
            then define ``agreement_rate(outcome)``. Empty: at most one agreement per match.
        gain: Unit of the self-gain.
        gain_range: Range to which scores clip the self-gain of a match; recorded gains have that of `Game.ranges`.
        money: Whether payoffs are dollars.
        title: Display title; empty: derived from the name.
        has_person_names: Whether roles are personal names (Alice) rather than functions (Buyer).
        private_fields: Fields of ``View`` with private information of its seat.
        pays_by_round: Whether ``payoffs`` and ``gains`` of a position are what its completed rounds have paid, so that
            the option ``rewards="rounds"`` can pay them at once.
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
    pays_by_round: bool = False

    @property
    def agreement_column(self) -> str:
        """Table column of the agreement rate: over rounds (`rate`) or matches."""
        return self.rate.replace(" ", "_") or "agreed"

    @property
    def agreement_with_article(self) -> str:
        """Agreement with its article: ``"a deal"``, ``"an exchange"``, ``"mutual cooperation"``."""
        article = ("an " if self.agreement[:1] in "aeiou" else "a ") if self.is_countable else ""
        return article + self.agreement

    def role_with_part(self, role: str) -> str:
        """Format a role with its part: ``"Alice (seller)"``."""
        seat = self.roles.index(role) if role in self.roles else len(self.parts)
        return f"{role} ({self.parts[seat]})" if seat < len(self.parts) else role


@dataclass(frozen=True)
class GameOptions:
    """Optional features of a game.

    Attributes:
        speaks: Function of the public parameters and a seat: whether it may send messages; None: every seat may
            unless ``messages`` is False.
        names: Function of the public parameters: names of seats; None: `GameFacts.roles`, then numbers.
        nature: Options of ``reset`` that fix chance moves: name to a function of the rules' parameters and the
            value, which returns the moves or raises `ValueError`.
        on_error: Default of the option ``on_error`` on all faces; None: the default of the face.
            Use ``"default"`` in games that a forfeit would end for many others.
        recover_action: Function of an invalid answer and its error that returns an action under
            ``on_error="default"``, or None for `Game.default_action`.
        title: Function of the public parameters: display title; None: `GameFacts.title`.
    """

    speaks: Callable[[Mapping[str, Any], int], bool] | None = None
    names: Callable[[Mapping[str, Any]], tuple[str, ...]] | None = None
    nature: Mapping[str, Callable[[Any, Any], Sequence[float]]] = field(default_factory=dict)
    on_error: str | None = None
    recover_action: Callable[[Any, Any], Any] | None = None
    title: Callable[[Mapping[str, Any]], str] | None = None


@dataclass(frozen=True, eq=False)  # compared by identity, so that games can be keys
class Game(Generic[P, S, V]):
    """One game: facts, parameters, kinds of move and modules.

    Attributes:
        name: Snake-case id, e.g. ``"bargaining"``.
        version: Version of the rules; raised whenever results could change.
        summary: One sentence for lists.
        facts: See `GameFacts`.
        rules: Rules of the game: ``Rules.from_module(module)``.
        actions: Typed models of the kinds of move (see `econzoo.envs.core.contract.actions`).
        parameters: Public parameters with defaults, ranges and descriptions.
        configure: Function of the validated public parameters that returns the fields of ``Params`` that differ
            from them, by name; public parameters without a field are omitted.
        default_action: Function of a view that returns the action that replaces an invalid one under
            ``on_error="default"``; legal wherever the seat is to move.
        package: Import path of the game's folder with ``text``, ``metrics`` and ``solution``.
        options: Optional features, see `GameOptions`.
        text_version: Raised whenever prompts, the rules brief or feedback change, or a text could be parsed as
            another move.
        numeric_version: Raised whenever features, actions or grid values of the numeric face change in order,
            number or meaning.
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
    text_version: int = 1
    numeric_version: int = 1
    defaults: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.rules, Rules):
            raise TypeError(f"{self.name}: invalid rules={self.rules!r}: expected Rules.from_module(module)")
        object.__setattr__(self, "defaults", {p.name: p.default for p in self.parameters})
        if len(self.defaults) < len(self.parameters):
            names = [p.name for p in self.parameters]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{self.name}: duplicate parameter {twice!r}")

    @property
    def versions(self) -> Versions:
        """Versions of rules, texts, numeric face, parsing of replies and random streams."""
        texts = FORM_VERSION + self.text_version - 1  # 1 with both at 1, and more with either
        return Versions(self.version, texts, self.numeric_version, REPLY_VERSION, STREAM_VERSION)

    def params(self, **given: Any) -> tuple[dict[str, Any], P]:
        """Validate parameters.

        Args:
            **given: Public parameters by name; others take their defaults.

        Returns:
            All public parameters, and the ``Params`` of the rules.

        Raises:
            ValueError: Unknown parameter or invalid value.
        """
        public = validate_parameters(self.name, self.parameters, given)
        return public, self.rule_params(public)

    def rule_params(self, public: Mapping[str, Any]) -> P:
        """Build the ``Params`` of the rules from validated public parameters.

        Raises:
            ValueError: The combination is invalid.
        """
        kind = self.rules.Params
        known = {name: public[name] for name in kind._fields if name in public}  # type: ignore[attr-defined]
        return kind(**{**known, **self.configure(public)})

    def message_mode(self, public: Mapping[str, Any], seat: int) -> int:
        """Message mode of a seat: 0 none, 1 free text, k >= 2 one of k symbols."""
        if not self.facts.language:
            return False
        speaks = self.options.speaks(public, seat) if self.options.speaks else bool(public.get("messages", True))
        return speaks and (symbol_count(public) or True)

    def title(self, public: Mapping[str, Any] | None = None) -> str:
        """Return the display title, for these public parameters or in general."""
        if public is not None and self.options.title is not None:
            return self.options.title({**self.defaults, **public})
        return self.facts.title or self.name.replace("_", " ").capitalize()

    def roles(self, seats: int, public: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """Return the name of each seat, for these public parameters or the defaults."""
        own = self.facts.roles if self.options.names is None or public is None else self.options.names(public)
        # Settings may have more seats than the game has names.
        return (own + tuple([f"Player {i + 1}" for i in range(len(own), seats)]))[:seats]

    def feature_names(self, params: P | None = None, symbols: int = 0) -> tuple[str, ...]:
        """Return descriptions of the features of a seat, including received symbols.

        Args:
            params: Parameters of the rules; None: the defaults.
            symbols: Number of symbols that replace messages.
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
        """Sample the parameters of one episode.

        Args:
            name: Name of a distribution or a setting of the game's `scenarios`.
            rng: Random generator.

        Returns:
            New dictionary of public parameters.

        Raises:
            ValueError: Unknown name.
        """
        settings, distributions = self.scenarios.SETTINGS, getattr(self.scenarios, "DISTRIBUTIONS", {})
        if not isinstance(name, str) or name not in {*distributions, *settings}:
            raise ValueError(unknown_name("setting", name, [*distributions, *settings]))
        return distributions[name](rng) if name in distributions else dict(settings[name])

    @cached_property
    def perspective(self) -> ModuleType | None:
        """The game's `perspective` module (inference about other seats' views), or None."""
        return self._optional_module("perspective")

    @cached_property
    def referee(self) -> Any:
        """The game's `referee` module, which computes results that the rules cannot, or None.

        ``ruling(params, state, actions, seed)`` returns a `Ruling`; ``results(params, state, moves, problems)`` the
        results of its moves, given (failure, problem) texts of each seat, to verify a recorded ruling;
        ``unavailable()`` the reason why it cannot run, or None.
        """
        return self._optional_module("referee")

    @cached_property
    def cases(self) -> Cases:
        """``CASES`` of the game's `cases` module; empty if it has none."""
        module = self._optional_module("cases")
        return Cases() if module is None else module.CASES

    def _optional_module(self, name: str) -> ModuleType | None:
        """Import an optional module of the game's folder."""
        try:
            found = find_spec(f"{self.package}.{name}")
        except ModuleNotFoundError:  # a game that has no folder
            return None
        return None if found is None else import_module(found.name)

    def fallback_action(self, view: V, answer: Any, error: Any) -> Any:
        """Return the action that replaces an invalid answer under ``on_error="default"``."""
        action = None if self.options.recover_action is None else self.options.recover_action(answer, error)
        return self.default_action(view) if action is None else action

    def agreement_rate(self, outcome: Outcome) -> float:
        """Return the agreement rate of a match: 0 or 1, or the share of rounds (`GameFacts.rate`)."""
        return float(self.metrics.agreement_rate(outcome) if self.facts.rate else outcome.agreed)

    def ranges(self, params: P, definition: str = "paper") -> Ranges:
        """Return the ranges of payoffs and metrics in a setting, see `declared_ranges`; for `Objective.range`."""
        return declared_ranges(self.metrics, params, self.seats(params), definition)

    def grid(self, params: P) -> tuple[Bounds, ...] | None:
        """Return the rules' `public_span`, or None if the `span` is public."""
        return self.rules.public_span(params) if self.rules.public_span else None

    def actions_of(self, params: P) -> ActionSchema:
        """Return the schema with the length of groups under these parameters."""
        # Bounds have one length in all positions and for all seats, so the first ones tell that of groups.
        return self.actions.fit_to_bounds(self.rules.bounds(params, self.rules.initial(params), 0))

    @property
    def view_type(self) -> type[V]:
        """NamedTuple class of views."""
        return self.rules.View

    def seats(self, params: P) -> int:
        """Return the number of seats under these parameters."""
        # Payoffs are defined in every position, the first one included.
        return len(self.rules.payoffs(params, self.rules.initial(params)))

    # Games are compared by identity, so a copy of an environment keeps its game.
    def __deepcopy__(self, memo: Any) -> Game:
        return self
