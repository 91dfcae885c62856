"""The options that every environment has, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymnasium.error import UnsupportedMode

from econzoo.envs.core.channel import CHANNELS, OPEN
from econzoo.envs.core.faces import FACES
from econzoo.envs.core.numeric_face import MASKS
from econzoo.envs.core.numeric_moves import GRID, MOST, Grid
from econzoo.envs.core.objectives import Objective
from econzoo.envs.core.parameters import Described, Domain, OrNone, Real, Whole, checked
from econzoo.envs.core.parse import MAX_REPLY
from econzoo.envs.core.prompts import load

if TYPE_CHECKING:
    from econzoo.envs.core.game import Game

ON_ERROR = ("default", "forfeit", "raise")
RENDER_MODES = ("human", "ansi", "rgb_array")
NO_LIMIT = 2**62

NUMBERS: Mapping[str, Domain[Any]] = {
    "penalty": Real(0.0),
    "reasks": OrNone(Whole(0, 20)),
    "max_cycles": OrNone(Described(Whole(1, NO_LIMIT), "a whole number >= 1")),
    "max_message": OrNone(Whole(1, MAX_REPLY)),
}
"""Options that are numbers, and what they may be."""

GRID_SIZES = Whole(2, MOST)
"""Values of an amount on the numeric face."""


class RenderModeError(UnsupportedMode, TypeError, ValueError):
    """A way to render that an environment does not have.

    Libraries that try a mode and go on without it catch one or other of these: Stable-Baselines3 a `TypeError`.
    """


@dataclass(frozen=True)
class Options:
    """Options of an environment besides the game's own parameters; see `econzoo.envs.core.aec.GameEnv`."""

    game: Game
    face: str | tuple[str, ...]
    grid: Grid
    objective: Objective
    metrics: str
    reasks: int | None
    on_error: str | None
    penalty: float
    prompts: Mapping[str, str] | str | Path | None
    max_cycles: int | None
    render_mode: str | None
    channel: str = OPEN
    max_message: int | None = None
    mask: str = "both"
    flat: bool = False
    black_death: bool = False

    @classmethod
    def checked(
        cls,
        game: Game,
        face: Any = "numeric",
        grid: Any = GRID,
        objective: Any = "self_gain",
        metrics: Any = "paper",
        reasks: Any = None,
        on_error: Any = None,
        penalty: Any = 0.0,
        prompts: Any = None,
        max_cycles: Any = None,
        render_mode: Any = None,
        channel: Any = OPEN,
        max_message: Any = None,
        mask: Any = "both",
        flat: Any = False,
        black_death: Any = False,
    ) -> Options:
        """The options in plain form.

        Raises:
            ValueError: Names the option, its value and what is allowed.
        """
        face = tuple(face) if isinstance(face, list | tuple) else face
        for name in face if isinstance(face, tuple) else (face,):
            one_of("face", name, FACES)
        if on_error is not None:
            one_of("on_error", on_error, ON_ERROR)
        render_mode_of(render_mode)
        one_of("channel", channel, CHANNELS)
        one_of("mask", mask, MASKS)
        true_or_false("flat", flat)
        true_or_false("black_death", black_death)
        if flat:
            _refuse_flat(face, mask)
        given = {"penalty": penalty, "reasks": reasks}
        given |= {"max_cycles": max_cycles, "max_message": max_message}
        numbers = {name: checked(f"{game.name}: {name}", given[name], domain) for name, domain in NUMBERS.items()}
        if metrics != "paper":
            one_of("metrics", metrics, game.metrics.DEFINITIONS)
        goal = objective if isinstance(objective, Objective) else Objective(objective)
        options = cls(
            game=game,
            face=face,
            grid=_grid(game, grid),
            objective=goal,
            metrics=metrics,
            on_error=on_error,
            prompts=prompts,
            render_mode=render_mode,
            channel=channel,
            mask=mask,
            flat=flat,
            black_death=black_death,
            **numbers,
        )
        if prompts is not None:
            options.templates()
        return options

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
        return load(self.game.package, self.prompts)

    def max_moves(self, seats: int) -> int:
        """Moves of all seats after which a game is truncated."""
        return NO_LIMIT if self.max_cycles is None else self.max_cycles * seats


def render_mode_of(mode: Any, allowed: tuple[str, ...] = RENDER_MODES) -> str | None:
    """The mode, if it is one of those allowed or None.

    Raises:
        RenderModeError: It is not; also a `ValueError` and a `TypeError`.
    """
    if mode is not None and mode not in allowed:
        raise RenderModeError(f"render_mode={mode!r} is not allowed; allowed: {', '.join(('None', *allowed))}")
    return mode


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raises `ValueError` for a value that is not among those allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r} is not allowed; allowed: {', '.join(allowed)}")


def true_or_false(name: str, value: Any) -> None:
    """Raises `ValueError` for a value that is neither True nor False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is not allowed; allowed: True or False")


def _grid(game: Game, value: Any) -> Grid:
    """The values of an amount on the numeric face: a number, or numbers by the names of fields."""
    if not isinstance(value, Mapping):
        return checked(f"{game.name}: grid", value, GRID_SIZES)
    names = {name for kind in game.actions.kinds for name, mark in kind.numbers.items() if not mark.counted}
    for name in value:
        one_of("grid: field", name, tuple(sorted(names)))
    return {name: checked(f"{game.name}: grid of {name}", steps, GRID_SIZES) for name, steps in value.items()}


def _refuse_flat(face: str | tuple[str, ...], mask: str) -> None:
    """Refuses a flat observation where no seat sees numbers, or where it should contain the mask."""
    if "numeric" not in ((face,) if isinstance(face, str) else face):
        raise ValueError(f"face={face!r} is not allowed with flat=True; allowed: numeric")
    if mask == "observation":
        raise ValueError("mask='observation' is not allowed with flat=True; allowed: info, both")
