"""Options of all environments, declared in the signature of `Options`, and options of `reset`."""

# Without `from __future__ import annotations`: metadata of options are values in annotations.

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gymnasium.error import UnsupportedMode

from econzoo.envs.core.contract import ActionSchema, CustomDomain, Domain, Flag, Game, Integer, Objective, OneOf, Option
from econzoo.envs.core.contract import OrNone, Real, check_value, invalid_value, nearest_names, short_repr
from econzoo.envs.core.env.channel import CHANNELS, OPEN
from econzoo.envs.core.faces import FRACTION_RANGE, FRACTION_RANGE_OR_NONE, GRID, MAX_LISTED_MOVES, MAX_REPLY, Grid
from econzoo.envs.core.faces import GridRange, changed_templates, load_templates, seat_wording

Faces = str | tuple[str, ...]

FACES = ("numeric", "structured", "text", "chat")
MASKS = ("both", "observation", "info")
ON_ERROR = ("default", "forfeit", "raise")
END, ROUNDS = REWARDS = ("end", "rounds")
RENDER_MODES = ("human", "ansi", "rgb_array")
NO_LIMIT = 2**62

DECLARED, REVERSED, SHUFFLED = ORDERS = ("declared", "reversed", "shuffled")
"""Display orders of the kinds of move: as declared, reversed, or shuffled in every match.

Playing the same match in two orders separates a model's position bias from its preference for a move.
"""

Order = str | tuple[str, ...]
"""One of `ORDERS`, or all names of kinds."""

GRID_SIZES = Integer(2, MAX_LISTED_MOVES)
"""Grid sizes of amounts on the numeric face."""

PENALTIES = Real(0.0)


class RenderModeError(UnsupportedMode, TypeError, ValueError):
    """An unsupported render mode.

    Libraries that probe for render modes catch different base classes: Stable-Baselines3 a `TypeError`.
    """


def check_render_mode(mode: Any, allowed: tuple[str, ...] = RENDER_MODES) -> str | None:
    """Return the mode if it is None or supported."""
    if mode is not None and mode not in allowed:
        raise RenderModeError(f"invalid render_mode={mode!r}: expected one of {', '.join(('None', *allowed))}")
    return mode


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise `ValueError` unless the value is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(invalid_value(name, value, f"one of {', '.join(allowed)}"))


def _face(value: Any, game: Game) -> Faces:
    faces = tuple(value) if isinstance(value, list | tuple) else value
    for face in faces if isinstance(faces, tuple) else (faces,):
        check_choice("face", face, FACES)
    return faces


def _grid(value: Any, game: Game) -> Grid:
    return _check_by_field("grid", value, game, GRID_SIZES)


def _grid_range(value: Any, game: Game) -> GridRange:
    return _check_by_field(
        "grid_range", value, game, FRACTION_RANGE if isinstance(value, Mapping) else FRACTION_RANGE_OR_NONE
    )


def _check_by_field(option: str, value: Any, game: Game, domain: Domain[Any]) -> Any:
    """Validate one value for all amounts, or values by field."""
    if not isinstance(value, Mapping):
        return check_value(f"{game.name}: {option}", value, domain)
    names = {name for kind in game.actions.kinds for name, mark in kind.numbers.items() if not mark.is_discrete}
    for name in value:
        check_choice(f"{option}: field", name, tuple(sorted(names)))
    return {name: check_value(f"{game.name}: {option} of {name}", one, domain) for name, one in value.items()}


def _objective(value: Any, game: Game) -> Objective:
    return value if isinstance(value, Objective) else Objective(value)


def _metrics(value: Any, game: Game) -> str:
    # Every game has these, so that its metrics need not be imported yet.
    if value != "paper":
        check_choice("metrics", value, game.metrics.DEFINITIONS)
    return value


def _prompts(value: Any, game: Game) -> Any:
    if value is None:
        return None
    prompts = load_templates(game.package, value)
    if any(name.startswith("answer.") for name in prompts):  # fail early, not during the match
        seat_wording(game, prompts, game.actions, 0, game.roles(game.facts.seats))
    return value


def _kind_order(value: Any, game: Game) -> Order:
    if isinstance(value, str) and value in ORDERS:
        return value
    actions, names = game.actions, tuple(value) if isinstance(value, list | tuple) else ()
    if all(isinstance(name, str) for name in names) and sorted(names) == sorted(actions.names):
        return names
    every = f", or all of {', '.join(actions.names)} in any order" if len(actions.names) > 1 else ""
    raise ValueError(f"invalid kind_order={value!r}: expected {', '.join(ORDERS)}{every}")


def _render_mode(value: Any, game: Game) -> str | None:
    return check_render_mode(value)


GAME_CHECKS: dict[str, Callable[[Any, Game], Any]] = {
    "face": _face,
    "grid": _grid,
    "grid_range": _grid_range,
    "objective": _objective,
    "metrics": _metrics,
    "prompts": _prompts,
    "kind_order": _kind_order,
    "render_mode": _render_mode,
}
"""Validators of options without a domain: functions of a value and the game that return the plain value."""

_MAX_CYCLES = OrNone(CustomDomain(Integer(1, NO_LIMIT), "an integer >= 1"))


class Options:
    """Options of an environment in plain form, as attributes.

    They are declared only in the signature, from which validation, records, ids and help follow.
    """

    def __init__(
        self,
        game: Game,
        *,
        face: Annotated[Faces, Option()] = "numeric",
        grid: Annotated[Grid, Option(recorded=True)] = GRID,
        grid_range: Annotated[GridRange, Option(recorded=True)] = None,
        objective: Annotated[str | Objective, Option()] = "self_gain",
        rewards: Annotated[str, Option(OneOf(*REWARDS))] = END,
        metrics: Annotated[str, Option(recorded=True)] = "paper",
        max_retries: Annotated[int | None, Option(OrNone(Integer(0, 20)), recorded=True)] = None,
        on_error: Annotated[str | None, Option(OrNone(OneOf(*ON_ERROR)), recorded=True)] = None,
        penalty: Annotated[float, Option(PENALTIES)] = 0.0,
        prompts: Annotated[Mapping[str, str] | str | Path | None, Option(recorded=True)] = None,
        max_cycles: Annotated[int | None, Option(_MAX_CYCLES, recorded=True)] = None,
        render_mode: Annotated[str | None, Option()] = None,
        channel: Annotated[str, Option(OneOf(*CHANNELS), recorded=True)] = OPEN,
        max_message: Annotated[int | None, Option(OrNone(Integer(1, MAX_REPLY)), recorded=True)] = None,
        kind_order: Annotated[Order, Option(recorded=True)] = DECLARED,
        mask: Annotated[str, Option(OneOf(*MASKS))] = "both",
        flat: Annotated[bool, Option(Flag())] = False,
        black_death: Annotated[bool | None, Option(OrNone(Flag()))] = None,
    ) -> None:
        """Validate the options of an environment.

        Args:
            game: Game to play.
            face: ``numeric``, ``structured``, ``text`` or ``chat``, for all seats or a sequence with one per seat.
            grid: Grid size of amounts on the numeric face, 2 to 10,001; or a mapping by field.
            grid_range: Fraction (low, high) of the usual range that the grid covers, or a mapping by field: (0.4, 0.7)
                of prices from 0 to 20,000 is 8,000 to 14,000; None: all of it.
            objective: Spec of the reward (see `econzoo.envs.core.contract.objectives`).
            rewards: When it is paid: ``"end"``, or ``"rounds"``: games that pay by round (`GameFacts.pays_by_round`)
                pay the terms ``self_gain`` and ``payoff`` when they are earned and the rest at the end, so that the sum
                is that of ``"end"``; a truncated match keeps what it has paid.
            metrics: Definition of the metrics, e.g. ``"paper"``.
            max_retries: Maximum retries after an invalid answer, 0 to 20; None: 0 on the numeric face, else 2.
            on_error: After the last retry: ``"default"``, ``"forfeit"`` or ``"raise"``; None: that of the
                game (`GameOptions.on_error`), else ``"default"`` on the numeric face and ``"forfeit"`` on the others.
                If given, it also applies to actions outside the numeric space, which otherwise raise.
            penalty: Penalty in the final reward of a seat per invalid answer, >= 0.
            prompts: Templates of the text faces, the path of a TOML file of them, or the name of a prompt set of the
                game, with an optional source folder (``"NAME:DIR"``); see `econzoo.envs.core.faces.prompts`.
            max_cycles: Moves per seat after which the match is truncated, counting all seats, departed ones included:
                ``max_cycles`` times the number of seats; None: no limit but the game's own.
            render_mode: None, ``"human"`` (print), ``"ansi"`` (return text) or ``"rgb_array"`` (return an image).
            channel: Message channel: ``"open"``, ``"off"`` (messages are lost) or ``"scrambled"`` (random word order).
            max_message: Maximum characters of a message, 1 to 100,000; None: default of the game, normally 500.
            kind_order: Order of the kinds of move in answer forms, JSON schemas and feedback: ``"declared"``,
                ``"reversed"``, ``"shuffled"`` (per match), or all names of kinds.
            mask: Where the numeric face puts the action mask: ``"observation"``, ``"info"`` or ``"both"``. Unless both,
                infos omit the status of seats (``balance``, ``health``), because libraries that convert infos to
                tensors need constant keys.
            flat: Whether numeric observations are the Box alone, with the mask only in the info.
            black_death: Whether a seat that leaves early stays among the agents: it does not act again and terminates
                with the others, so that the number of agents is constant. None: True if the game has such seats and the
                objective depends on others too (e.g. ``efficiency``), because PettingZoo cannot pay removed agents;
                else False. If the objective depends only on its own result, the seat is paid when it leaves.

        Raises:
            ValueError: Invalid value.
        """
        # All arguments by name: a list of them here would repeat the signature.
        given = locals()
        self.game = game
        for name, option in OPTIONS.items():
            if option.domain is not None:
                setattr(self, name, check_value(f"{game.name}: {name}", given[name], option.domain))
            else:
                setattr(self, name, GAME_CHECKS[name](given[name], game))
        if self.flat:
            _check_flat(self.face, self.mask)
        self.black_death: bool = resolve_black_death(game, self.objective, self.black_death)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def recorded_options(self) -> dict[str, Any]:
        """Return the recorded options that differ from their defaults."""
        values = {name: getattr(self, name) for name in RECORDED_OPTIONS}
        return options_for_record(
            self.game, {name: value for name, value in values.items() if value != _DEFAULTS[name]}
        )

    def faces(self, seats: int) -> tuple[str, ...]:
        if isinstance(self.face, str):
            return (self.face,) * seats
        if len(self.face) != seats:
            raise ValueError(f"invalid face={self.face!r}: expected one face, or one for each of {seats} seats")
        return self.face

    def templates(self) -> dict[str, str]:
        return load_templates(self.game.package, self.prompts)

    @property
    def pays_by_round(self) -> bool:
        """Whether rewards are paid before the end."""
        return self.rewards == ROUNDS and self.game.facts.pays_by_round

    @property
    def unit(self) -> str:
        """Return the unit of amounts in custom templates; empty if not set."""
        return self.prompts.get("answer.unit", "") if isinstance(self.prompts, Mapping) else ""

    def max_moves(self, seats: int) -> int:
        """Return the total moves after which a match is truncated."""
        return NO_LIMIT if self.max_cycles is None else self.max_cycles * seats


_DECLARED_OPTIONS = {
    name: declared
    for name, declared in signature(Options.__init__).parameters.items()
    if declared.kind is declared.KEYWORD_ONLY
}

OPTIONS: dict[str, Option] = {name: declared.annotation.__metadata__[0] for name, declared in _DECLARED_OPTIONS.items()}
"""Options by name."""

RECORDED_OPTIONS: dict[str, Option] = {name: option for name, option in OPTIONS.items() if option.recorded}
"""Names of the options that affect matches and are recorded."""

_DEFAULTS = {name: declared.default for name, declared in _DECLARED_OPTIONS.items()}

# `help` shows the types only.
Options.__init__.__annotations__ |= {name: one.annotation.__origin__ for name, one in _DECLARED_OPTIONS.items()}
_SHOWN = signature(Options)
SIGNATURE = _SHOWN.replace(parameters=[*_SHOWN.parameters.values(), Parameter("params", Parameter.VAR_KEYWORD)])
"""Signature of an environment: its game, options and game parameters."""


def order_kinds(actions: ActionSchema, order: Order, shuffle: Callable[[int], Sequence[int]]) -> ActionSchema:
    """Return the schema in this order; `shuffle` returns a permutation of n indices for the match."""
    if order == DECLARED:
        return actions
    kinds = len(actions.kinds)
    if order == REVERSED:
        return actions.with_order(reversed(range(kinds)))
    if order == SHUFFLED:
        return actions.with_order(shuffle(kinds))
    return actions.with_order([actions.index[name] for name in order])


def resolve_black_death(game: Game, objective: Objective, black_death: bool | None) -> bool:
    """Return whether seats that leave early stay among the agents (option ``black_death``)."""
    needed = game.rules.alive is not None and not objective.is_individual
    if needed and black_death is False:
        why = "removed agents cannot be paid by how the match ends"
        raise ValueError(
            f"{game.name}: invalid black_death=False with objective={objective.spec!r}: expected True ({why})"
        )
    return needed if black_death is None else black_death


def split_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split the settings of a match into environment options and game parameters."""
    options = {name: settings[name] for name in RECORDED_OPTIONS if name in settings}
    return options, {name: value for name, value in settings.items() if name not in options}


def options_for_record(game: Game, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for a record: all but None, with full custom prompts."""
    kept = {name: value for name, value in options.items() if value is not None}
    return kept | ({"prompts": changed_templates(game.package, kept["prompts"])} if "prompts" in kept else {})


def _check_flat(face: Faces, mask: str) -> None:
    """Raise `ValueError` if flat observations conflict with the face or mask."""
    if "numeric" not in ((face,) if isinstance(face, str) else face):
        raise ValueError(f"invalid face={face!r} with flat=True: expected numeric")
    if mask == "observation":
        raise ValueError("invalid mask='observation' with flat=True: expected info or both")


RESET_OPTIONS = ("params", "chance", "rulings", "checked")
"""Options of `reset` in every game."""

PROBE = {"options": 1}
"""What the tests of PettingZoo pass to see whether `reset` takes options; the same as none."""


def check_reset_options(game: Game, given: Any, compiled: Iterable[str] = ()) -> Mapping[str, Any]:
    """Return the options of a `reset`, which mean the same in every view of a game; empty if None.

    ``params``: parameters of this match and later ones, also after automatic restarts;
    ``chance``: chance moves of this match in order, each of positive probability, instead of sampling;
    the game's own names of chance moves (`GameOptions.nature`), such as ``supply``: the same;
    ``rulings``: recorded rulings in order, instead of calling the game's referee;
    ``checked``: whether actions outside the space raise, or count as invalid answers under ``on_error``, as in
    `econzoo.envs.core.env.aec.GameEnv`; else 60.0 is accepted as 60.

    Compiled games take ``params``, and vector environments Gymnasium's ``reset_mask``. None is the same as no value.

    Args:
        compiled: Options that a compiled view takes; empty: all options of the game.

    Raises:
        ValueError: Not a mapping, an unknown option, or ``params`` that are not parameters by name.
    """
    if given is None or given == PROBE:
        return {}
    if not isinstance(given, Mapping):
        raise ValueError(invalid_value("options", given, "a mapping from names to values, or None"))
    allowed = tuple(compiled) or _options_of(game)
    for name in given:
        if name not in allowed:
            raise ValueError(f"{game.name}: {_unknown_option(game, name, allowed)}")
    params = given.get("params")
    if params is not None and not (isinstance(params, Mapping) and all(isinstance(name, str) for name in params)):
        raise ValueError(
            f"{game.name}: options['params'] must be a mapping of parameters by name, got {short_repr(params)}"
        )
    return given


def _options_of(game: Game) -> tuple[str, ...]:
    return (*RESET_OPTIONS, *game.options.nature)


def _unknown_option(game: Game, name: Any, allowed: tuple[str, ...]) -> str:
    """Error message for an unknown option, with the place where it or the nearest name belongs."""
    remedies = {
        **{one: f"pass {one} where the environment is made; " for one in OPTIONS},
        **dict.fromkeys(
            _options_of(game), "compiled games have none; use gymnasium.make_vec, which does not compile; "
        ),
        "seed": "pass reset(seed=...); ",
        **{one: f"pass options={{'params': {{{one!r}: ...}}}}; " for one in game.defaults},
        **{one: f"did you mean {one!r}? " for one in allowed},
    }
    # Own arguments of `reset` first: "sead" is "seed" in a game with a parameter "spread" too.
    near = [name] if name in remedies else nearest_names(name, ("seed", *allowed)) or nearest_names(name, remedies)
    remedy = remedies[near[0]] if near else ""
    return f"unknown option {short_repr(name)} of reset; {remedy}allowed: {', '.join(allowed)}"
