"""The options that every environment has: declared in one place, the signature of `EnvWithOptions`."""

# Without `from __future__ import annotations`: what is to be known of an option stands in its annotation, as a value.

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic

from gymnasium.error import UnsupportedMode

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import CustomDomain, Domain, Flag, Integer, OneOf, OrNone, Real, check_value
from econzoo.envs.core.contract.rules import P, S, V
from econzoo.envs.core.env.agents import AgentSpaces
from econzoo.envs.core.env.channel import CHANNELS, OPEN
from econzoo.envs.core.env.kind_order import DECLARED, Order, check_kind_order
from econzoo.envs.core.env.pettingzoo_env import AECEnv
from econzoo.envs.core.faces.grid_range import FRACTION_RANGE, FRACTION_RANGE_OR_NONE, GridRange
from econzoo.envs.core.faces.numeric_moves import GRID, MAX_LISTED_MOVES, Grid
from econzoo.envs.core.faces.parse import MAX_REPLY
from econzoo.envs.core.faces.prompts import changed_templates, load_templates
from econzoo.envs.core.faces.wording import seat_wording

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

Faces = str | tuple[str, ...]

FACES = ("numeric", "structured", "text", "chat")
MASKS = ("both", "observation", "info")
ON_ERROR = ("default", "forfeit", "raise")
RENDER_MODES = ("human", "ansi", "rgb_array")
NO_LIMIT = 2**62

GRID_SIZES = Integer(2, MAX_LISTED_MOVES)
"""Values of an amount on the numeric face."""

PENALTIES = Real(0.0)


class RenderModeError(UnsupportedMode, TypeError, ValueError):
    """A way to render that an environment does not have.

    Libraries that try a mode and go on without it catch one or other of these: Stable-Baselines3 a `TypeError`.
    """


def check_render_mode(mode: Any, allowed: tuple[str, ...] = RENDER_MODES) -> str | None:
    """The mode, if it is one of those allowed or None.

    Raises:
        RenderModeError: It is not; also a `ValueError` and a `TypeError`.
    """
    if mode is not None and mode not in allowed:
        raise RenderModeError(f"render_mode={mode!r} is not allowed; allowed: {', '.join(('None', *allowed))}")
    return mode


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raises `ValueError` for a value that is not among those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r} is not allowed; allowed: {', '.join(allowed)}")


def _face(value: Any, game: "Game") -> Faces:
    faces = tuple(value) if isinstance(value, list | tuple) else value
    for face in faces if isinstance(faces, tuple) else (faces,):
        check_choice("face", face, FACES)
    return faces


def _grid(value: Any, game: "Game") -> Grid:
    return _check_by_field("grid", value, game, GRID_SIZES)


def _grid_range(value: Any, game: "Game") -> GridRange:
    return _check_by_field(
        "grid_range", value, game, FRACTION_RANGE if isinstance(value, Mapping) else FRACTION_RANGE_OR_NONE
    )


def _check_by_field(option: str, value: Any, game: "Game", domain: Domain[Any]) -> Any:
    """A value for all amounts, or one for each that is named."""
    if not isinstance(value, Mapping):
        return check_value(f"{game.name}: {option}", value, domain)
    names = {name for kind in game.actions.kinds for name, mark in kind.numbers.items() if not mark.is_discrete}
    for name in value:
        check_choice(f"{option}: field", name, tuple(sorted(names)))
    return {name: check_value(f"{game.name}: {option} of {name}", one, domain) for name, one in value.items()}


def _objective(value: Any, game: "Game") -> Objective:
    return value if isinstance(value, Objective) else Objective(value)


def _metrics(value: Any, game: "Game") -> str:
    if value != "paper":
        check_choice("metrics", value, game.metrics.DEFINITIONS)
    return value


def _prompts(value: Any, game: "Game") -> Any:
    if value is None:
        return None
    prompts = load_templates(game.package, value)
    if any(name.startswith("answer.") for name in prompts):  # refused now, not in the match
        seat_wording(game, prompts, game.actions, 0, game.roles(game.facts.seats))
    return value


def _kind_order(value: Any, game: "Game") -> Order:
    return check_kind_order(value, game.actions)


def _render_mode(value: Any, game: "Game") -> str | None:
    return check_render_mode(value)


GAME_CHECKS: "dict[str, Callable[[Any, Game], Any]]" = {
    "face": _face,
    "grid": _grid,
    "grid_range": _grid_range,
    "objective": _objective,
    "metrics": _metrics,
    "prompts": _prompts,
    "kind_order": _kind_order,
    "render_mode": _render_mode,
}
"""Of the options without a domain: from a value and the game to the plain value."""

_MAX_CYCLES = OrNone(CustomDomain(Integer(1, NO_LIMIT), "a whole number >= 1"))


class EnvWithOptions(AgentSpaces, AECEnv, Generic[P, S, V]):
    """Declares and checks the options of every environment.

    An option is added to the signature and nowhere else: how it is checked, what records keep and what ids depend on
    follow from there.
    """

    def __init__(
        self,
        game: "Game[P, S, V]",
        *,
        face: Annotated[Faces, Option()] = "numeric",
        grid: Annotated[Grid, Option(recorded=True, legacy_value=GRID)] = GRID,
        grid_range: Annotated[GridRange, Option(recorded=True)] = None,
        objective: Annotated[str | Objective, Option()] = "self_gain",
        metrics: Annotated[str, Option(recorded=True)] = "paper",
        max_retries: Annotated[int | None, Option(OrNone(Integer(0, 20)), recorded=True)] = None,
        on_error: Annotated[str | None, Option(OrNone(OneOf(*ON_ERROR)), recorded=True)] = None,
        penalty: Annotated[float, Option(PENALTIES)] = 0.0,
        prompts: Annotated[Mapping[str, str] | str | Path | None, Option(recorded=True)] = None,
        max_cycles: Annotated[int | None, Option(_MAX_CYCLES, recorded=True)] = None,
        render_mode: Annotated[str | None, Option()] = None,
        channel: Annotated[str, Option(OneOf(*CHANNELS), recorded=True)] = OPEN,
        max_message: Annotated[int | None, Option(OrNone(Integer(1, MAX_REPLY)), recorded=True)] = None,
        kind_order: Annotated[Order, Option(recorded=True, legacy_value=DECLARED)] = DECLARED,
        mask: Annotated[str, Option(OneOf(*MASKS))] = "both",
        flat: Annotated[bool, Option(Flag())] = False,
        black_death: Annotated[bool | None, Option(OrNone(Flag()))] = None,
        **params: Any,
    ) -> None:
        """The environment of a game.

        Args:
            game: The game.
            face: One of ``numeric``, ``structured``, ``text``, ``chat``, or one for each seat.
            grid: Values of an amount on the numeric face, from 2 to 10,001, or by the name of its field.
            grid_range: Part of the usual values of an amount over which these are spaced, or by the name of its field:
                (0.4, 0.7) of prices from 0 to 20,000 are those from 8,000 to 14,000; None: all of them.
            objective: Spec of the reward (see `econzoo.envs.core.contract.objectives`).
            metrics: Definition of the metrics, e.g. ``"paper"``.
            max_retries: Retries after an invalid action, from 0 to 20; None: 0 on the numeric face, else 2.
            on_error: What follows then: ``"default"``, ``"forfeit"`` or ``"raise"``; None: what the game says
                (`GameOptions.on_error`), else ``"default"`` on the numeric face and ``"forfeit"`` on the others. If
                given, it governs actions outside the numeric space too; with None those raise at once.
            penalty: Taken from a seat's reward at the end for each unusable answer, >= 0.
            prompts: Own templates of the text faces, the path of a TOML file of them, or the name of a set of the game,
                with a folder from which it takes its wording (``"NAME:DIR"``); see `econzoo.envs.core.faces.prompts`.
            max_cycles: Moves per seat after which the match is cut, the same in every view: ``max_cycles`` times the
                number of seats, those of seats that have left counted in; None: no limit but the game's own.
            render_mode: None, ``"human"`` (prints), ``"ansi"`` (returns text) or ``"rgb_array"`` (returns a picture).
            channel: What becomes of words: ``"open"``, ``"off"`` (lost on the way) or ``"scrambled"`` (in disorder).
            max_message: Characters that a message may have, from 1 to 100,000; None: as the game says, normally 500.
            kind_order: The order in which forms of an answer, JSON schemas and feedback name the kinds of move:
                ``"declared"``, ``"reversed"``, ``"shuffled"`` (anew in every match), or all their names.
            mask: Where the numeric face has the mask of legal actions: ``"both"``; or in the ``"observation"`` or the
                ``"info"`` alone, and then no info says how a seat stands (``balance``, ``health``), because libraries
                that make tensors of infos take only keys that are there from the start on.
            flat: Whether a numeric observation is the Box alone, with the mask in the info only.
            black_death: Whether a seat that leaves a game before its end stays among the agents: it is not asked again
                and terminates with the others, so that the number of agents is constant. None: True where the game has
                such seats and the objective depends on others too (``efficiency``, say), because PettingZoo can pay no
                agent that was removed; else False. Where the objective depends on its own result alone, it is paid as
                it leaves.
            **params: The game's own parameters.

        Raises:
            ValueError: A value is not allowed; the message names it and what is allowed.
        """
        given = locals()
        self.game, self.options = game, Options(game, **{name: given[name] for name in OPTIONS})
        self._build(params)

    def _build(self, params: dict[str, Any]) -> None:
        raise NotImplementedError


_DECLARED_OPTIONS = {
    name: declared
    for name, declared in signature(EnvWithOptions.__init__).parameters.items()
    if declared.kind is declared.KEYWORD_ONLY
}

OPTIONS: dict[str, Option] = {name: declared.annotation.__metadata__[0] for name, declared in _DECLARED_OPTIONS.items()}
"""All options by name."""

RECORDED_OPTIONS: dict[str, Option] = {name: option for name, option in OPTIONS.items() if option.recorded}
"""The options that a match may set, because they matter for what happens in it."""

NAMES_IN_RECORDS = {"max_retries": "reasks"}
"""Options that records and ids spell as the first records did."""

_OPTION_NAMES = {name: option for option, name in NAMES_IN_RECORDS.items()}

_DEFAULTS = {name: declared.default for name, declared in _DECLARED_OPTIONS.items()}

# `help` is to show the types alone.
EnvWithOptions.__init__.__annotations__ |= {name: one.annotation.__origin__ for name, one in _DECLARED_OPTIONS.items()}


class Options:
    """The options of an environment in their plain form, an attribute for each; see `EnvWithOptions`.

    Args:
        game: The game.
        **given: Values by name; the others have their defaults.

    Raises:
        ValueError: Names the option, its value and what is allowed.
    """

    def __init__(self, game: "Game", **given: Any) -> None:
        self.game = game
        for name, option in OPTIONS.items():
            value = given.get(name, _DEFAULTS[name])
            if option.domain is not None:
                setattr(self, name, check_value(f"{game.name}: {name}", value, option.domain))
            else:
                setattr(self, name, GAME_CHECKS[name](value, game))
        if self.flat:
            _check_flat(self.face, self.mask)
        self.black_death: bool = resolve_black_death(game, self.objective, self.black_death)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def recorded_options(self) -> dict[str, Any]:
        """Those that records keep, where they differ from their defaults."""
        values = {name: getattr(self, name) for name in RECORDED_OPTIONS}
        return options_for_record(
            self.game, {name: value for name, value in values.items() if value != _DEFAULTS[name]}
        )

    def faces(self, seats: int) -> tuple[str, ...]:
        """The face of each seat.

        Raises:
            ValueError: The number of faces is not the number of seats.
        """
        if isinstance(self.face, str):
            return (self.face,) * seats
        if len(self.face) != seats:
            raise ValueError(f"face={self.face!r} is not allowed; allowed: one face, or one for each of {seats} seats")
        return self.face

    def templates(self) -> dict[str, str]:
        """The templates of the text faces."""
        return load_templates(self.game.package, self.prompts)

    @property
    def unit(self) -> str:
        """What own templates count amounts in; empty: there are none, or they do not say."""
        return self.prompts.get("answer.unit", "") if isinstance(self.prompts, Mapping) else ""

    def max_moves(self, seats: int) -> int:
        """Moves of all seats after which a game is truncated."""
        return NO_LIMIT if self.max_cycles is None else self.max_cycles * seats


def resolve_black_death(game: "Game", objective: Objective, black_death: bool | None) -> bool:
    """Whether seats that leave a game before its end stay among the agents (the option ``black_death``).

    Raises:
        ValueError: They are not to stay, and the objective pays them by how the match ends.
    """
    needed = game.rules.alive is not None and not objective.is_individual
    if needed and black_death is False:
        why = "an agent that was removed can no longer be paid by how the match ends"
        raise ValueError(
            f"{game.name}: black_death=False is not allowed with objective={objective.spec!r}; allowed: True ({why})"
        )
    return needed if black_death is None else black_death


def split_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a match as options of the environment and parameters of the game."""
    options = {name: settings[name] for name in RECORDED_OPTIONS if name in settings}
    return options, {name: value for name, value in settings.items() if name not in options}


def options_for_record(game: "Game", options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as records keep them: those that are set, own prompts word for word."""
    kept = {
        name: value
        for name, value in options.items()
        if value is not None and value != RECORDED_OPTIONS[name].legacy_value
    }
    return kept | ({"prompts": changed_templates(game.package, kept["prompts"])} if "prompts" in kept else {})


def to_recorded_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options by their names in records."""
    return {NAMES_IN_RECORDS.get(name, name): value for name, value in options.items()}


def from_recorded_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a record by their names in the signature of `EnvWithOptions`."""
    return {_OPTION_NAMES.get(name, name): value for name, value in options.items()}


def _check_flat(face: Faces, mask: str) -> None:
    """Refuses a flat observation where no seat sees numbers, or where it should contain the mask."""
    if "numeric" not in ((face,) if isinstance(face, str) else face):
        raise ValueError(f"face={face!r} is not allowed with flat=True; allowed: numeric")
    if mask == "observation":
        raise ValueError("mask='observation' is not allowed with flat=True; allowed: info, both")
