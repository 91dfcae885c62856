"""Options of `reset`, with one meaning in every view of a game.

``params``: parameters of this match and later ones, also after automatic restarts;
``chance``: chance moves of this match in order, each of positive probability, instead of sampling;
the game's own names of chance moves (`GameOptions.nature`), such as ``supply``: the same;
``rulings``: recorded rulings in order, instead of calling the game's referee;
``checked``: whether actions outside the space raise, or count as invalid answers under ``on_error``, as in
`econzoo.envs.core.env.aec.GameEnv`; else 60.0 is accepted as 60.

Compiled games take ``params``, and vector environments Gymnasium's ``reset_mask``. None is the same as no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import invalid_value, nearest_names, short_repr
from econzoo.envs.core.env.options import OPTIONS

RESET_OPTIONS = ("params", "chance", "rulings", "checked")
"""Options of every game."""

PROBE = {"options": 1}
"""What the tests of PettingZoo pass to see whether `reset` takes options; the same as none."""


def check_reset_options(game: Game, given: Any, compiled: Iterable[str] = ()) -> Mapping[str, Any]:
    """Return the options of a `reset`; empty if None.

    Args:
        game: The game.
        given: Argument of `reset`.
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
    near = [name] if name in remedies else nearest_names(name, remedies)
    remedy = remedies[near[0]] if near else ""
    return f"unknown option {short_repr(name)} of reset; {remedy}allowed: {', '.join(allowed)}"
