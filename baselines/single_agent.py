"""The Gymnasium entry point: one learner's seat, with opponents and settings by name.

gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent="boulware(0.2)", seat=0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Ranges, parse_json, short_repr, symbol_count
from econzoo.wrappers import Pool, SettingSource, SingleAgentEnv

__all__ = ["make_single_agent"]

SAMPLES = 64
"""Settings of a distribution that are looked at."""


def make_single_agent(
    game: str,
    opponent: Pool | Mapping[Any, Pool] = "random",
    seat: int | str = 0,
    settings: str | Mapping[str, Any] | SettingSource | None = None,
    render_mode: str | None = None,
    **kwargs: Any,
) -> gymnasium.Env[Any, Any]:
    """Create a Gymnasium environment of a game for one seat; see `econzoo.wrappers.single_agent.SingleAgentEnv`.

    Args:
        game: Name of the game.
        opponent: Spec such as ``"boulware(0.2)"``; several: a pool sampled for every episode; a mapping: one of these
            per seat.
        seat: Seat of the learner; ``"both"``: sampled for every episode.
        settings: Name of a distribution of settings (see the game's `scenarios`), sampled for every episode; a mapping,
            also as JSON text: fixed parameters; None: the game's defaults.
        render_mode: None, ``"human"``, ``"ansi"`` or ``"rgb_array"``; Gymnasium also makes ``"rgb_array_list"`` of it.
        **kwargs: ``face``, other options of `econzoo.make` (``flat=True``, say, for a plain Box as observation), and
            fixed parameters of the game.

    Raises:
        ValueError: Unknown game, spec, distribution or argument, or a value that is not allowed.
    """
    return SingleAgentEnv(
        find_game(game),
        {_seat(key): specs for key, specs in opponent.items()} if isinstance(opponent, Mapping) else opponent,
        seat=seat,
        settings=parse_settings(game, settings),
        render_mode=render_mode,
        **kwargs,
    )


make_single_agent.metadata = SingleAgentEnv.metadata  # type: ignore[attr-defined]  # where Gymnasium looks for modes


def _seat(key: Any) -> int:
    """Convert a seat, which is text as a JSON key."""
    try:
        return int(key)
    except (TypeError, ValueError):
        raise ValueError(f"opponent: invalid seat {key!r}: expected an integer") from None


def parse_settings(
    game: str, settings: str | Mapping[str, Any] | SettingSource | None, name: str = "settings"
) -> SettingSource | None:
    """Parse `settings` of `SingleAgentEnv` from a name or JSON text; a single setting gives its parameters."""
    if settings is None or isinstance(settings, Mapping) or callable(settings):
        return settings
    if not isinstance(settings, str):
        allowed = (
            "the name of a distribution, parameters by name (also as JSON text), a function that draws them, or None"
        )
        raise ValueError(f"invalid {name}={short_repr(settings)}: expected {allowed}")
    if not settings.lstrip().startswith("{"):
        sample = partial(find_game(game).sample, settings)
        one = sample(np.random.default_rng(0))  # an unknown name is refused now
        return one if settings in find_game(game).scenarios.SETTINGS else sample
    try:
        return dict(parse_json(settings))
    except ValueError as error:
        raise ValueError(f"invalid {name}={settings[:80]!r}: not a JSON object: {error}") from None


def fixed_setting(game: str, settings: str) -> dict[str, Any] | None:
    """Return the parameters of a single setting; None for a distribution of settings."""
    found = parse_settings(game, settings, "settings")
    return None if callable(found) else dict(found or {})


def params_of(game: str, settings: str) -> Any:
    """Return the parameters of the rules in one of the settings; all have the same number of seats."""
    return _first_setting(game, settings)[1]


def seat_ranges(game: str, settings: str, seats: Sequence[int]) -> list[tuple[Ranges, int]]:
    """Return the ranges of payoffs and metrics with each seat, in a setting or in `SAMPLES` of a distribution."""
    found, rng, rules = parse_settings(game, settings, "settings"), np.random.default_rng(0), find_game(game)
    drawn = [found(rng) for _ in range(SAMPLES)] if callable(found) else [found or {}]
    return [(rules.ranges(rules.params(**public)[1]), seat) for public in drawn for seat in seats]


def symbols_of(game: str, settings: str) -> int:
    """Return the number of message symbols, equal in all settings; 0: none."""
    return symbol_count(_first_setting(game, settings)[0])


def _first_setting(game: str, settings: str) -> tuple[dict[str, Any], Any]:
    """Return the public parameters and the parameters of the rules of one of the settings."""
    found = parse_settings(game, settings, "settings")
    public = found(np.random.default_rng(0)) if callable(found) else found or {}
    return find_game(game).params(**public)
