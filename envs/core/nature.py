"""Nature's moves: drawn from the rules' distribution, or as a script says."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from econzoo.envs.core.game import Game
from econzoo.envs.core.values import short

Outcomes = Sequence[tuple[float, float]]
"""(outcome, probability) of everything that can happen."""


def script_of(game: Game, params: Any, options: Mapping[str, Any]) -> list[Any]:
    """Nature's moves that the options of a `reset` fix, in order: under ``chance`` or in the game's own words.

    Raises:
        ValueError: They are fixed twice, or not as moves can be.
    """
    given = [name for name in ("chance", *game.nature) if options.get(name) is not None]
    if len(given) > 1:
        raise ValueError(f"{game.name}: options {given} say the same; allowed: one of them")
    if not given:
        return []
    name, value = given[0], options[given[0]]
    if name in game.nature:
        return list(game.nature[name](params, value))
    if isinstance(value, list | tuple | np.ndarray):
        return list(value)
    raise ValueError(f"{game.name}: options['chance'] must be a list of nature's moves; got {short(value)}")


def scripted(game: Game, outcomes: Outcomes, move: Any) -> float:
    """A move from a script, if it can happen now.

    Raises:
        ValueError: It cannot; the message says what can.
    """
    possible = [outcome for outcome, probability in outcomes if probability > 0]
    if move not in possible:
        allowed = ", ".join(map(str, possible))
        raise ValueError(f"{game.name}: chance move {move!r} is not allowed; allowed: {allowed}")
    return float(move)


def edges_of(outcomes: Outcomes) -> list[float]:
    """Sums of the probabilities up to each outcome, added one by one; sum() rounds in another way."""
    return list(accumulate([probability for _, probability in outcomes]))


def draw(outcomes: Outcomes, rng: np.random.Generator) -> float:
    """A move drawn with one number of the generator."""
    return drawn(outcomes, edges_of(outcomes), rng)


def drawn(outcomes: Outcomes, edges: list[float], rng: np.random.Generator) -> float:
    """A move drawn with one number of the generator, as `econzoo.envs.core.vector_kernels.drawn` picks it."""
    place = bisect_right(edges, rng.random() * edges[-1])
    return float(outcomes[min(place, len(edges) - 1)][0])
