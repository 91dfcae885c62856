"""Chance moves: scripted or sampled from the rules' distribution."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core.contract.moves import CONTINUOUS_DISTRIBUTIONS, ByQuantile, Distribution, Finite, Normal, Uniform
from econzoo.envs.core.contract.parameters import Real, check_value
from econzoo.envs.core.contract.streams import Purpose
from econzoo.envs.core.contract.validation import short_repr

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game
    from econzoo.envs.core.contract.rules import P, Rules, S, V


class Nature:
    """Nature in one match: the moves of a script, then random ones.

    Attributes:
        draws: Moves so far.
        script: Scripted moves still to come.
    """

    def __init__(self, game: Game, params: Any, options: Mapping[str, Any]) -> None:
        self.draws: list[float] = []
        self._game, self._params, self.script = game, params, chance_script(game, params, options)
        self._rng: np.random.Generator | None = None
        self._outcomes: Any = None

    def move(self, state: Any, stream: Callable[[Purpose], np.random.Generator]) -> float:
        """Return nature's next move.

        Args:
            stream: Function that returns a random generator of the match: called on the first draw, as many matches
                have none.
        """
        distribution = self._game.rules.chance(self._params, state)
        if self.script:
            outcome = check_scripted_move(self._game, distribution, self.script.pop(0))
        else:
            self._rng = self._rng or stream("nature")
            outcome = self._draw(distribution, state, self._rng)
        self.draws.append(outcome)
        return outcome

    def _draw(self, distribution: Distribution, state: Any, rng: np.random.Generator) -> float:
        if isinstance(distribution, CONTINUOUS_DISTRIBUTIONS):
            return draw(self._game.rules, self._params, distribution, state, rng)
        # Rules that cache their distribution return the same tuple every time: its sums are then computed once.
        if distribution is not self._outcomes:
            self._outcomes, self._edges = distribution, cumulative_probabilities(distribution)
        return draw_outcome(distribution, self._edges, rng)


def chance_script(game: Game[P, S, V], params: P, options: Mapping[str, Any]) -> list[Any]:
    """Return the chance moves fixed by `reset` options, in order: ``chance`` or the game's own options."""
    given = [name for name in ("chance", *game.options.nature) if options.get(name) is not None]
    if len(given) > 1:
        raise ValueError(f"{game.name}: options {given} exclude each other; pass only one")
    if not given:
        return []
    name, value = given[0], options[given[0]]
    if name in game.options.nature:
        return list(game.options.nature[name](params, value))
    if isinstance(value, list | tuple | np.ndarray):
        return list(value)
    raise ValueError(f"{game.name}: options['chance'] must be a list of chance moves, got {short_repr(value)}")


def check_scripted_move(game: Game, distribution: Distribution, move: Any) -> float:
    """Return a scripted chance move if it has positive probability."""
    if isinstance(distribution, Uniform):
        check: Any = Real(distribution.low, distribution.high)
    elif isinstance(distribution, Normal | ByQuantile):
        check = Real()
    else:
        possible = [outcome for outcome, probability in distribution if probability > 0]
        if move in possible:
            return float(move)
        raise ValueError(f"{game.name}: invalid chance move {move!r}: expected one of {', '.join(map(str, possible))}")
    return check_value(f"{game.name}: chance move", move, check)


def cumulative_probabilities(outcomes: Finite) -> list[float]:
    """Cumulative probabilities, added one by one because sum() rounds differently."""
    return list(accumulate([probability for _, probability in outcomes]))


def draw(rules: Rules[P, S, V], params: P, distribution: Distribution, state: S, rng: np.random.Generator) -> float:
    """Sample a chance move with one uniform number, as the compiled loops do."""
    if isinstance(distribution, Uniform):
        # Spelled out, as the compiled loops compute it: results must agree bit for bit.
        return distribution.low + (distribution.high - distribution.low) * float(rng.random())
    if isinstance(distribution, Normal):
        return distribution.mean + distribution.deviation * float(rng.standard_normal())
    if isinstance(distribution, ByQuantile):
        return float(rules.quantile(params, state, float(rng.random())))  # type: ignore[misc]
    return draw_outcome(distribution, cumulative_probabilities(distribution), rng)


def draw_outcome(outcomes: Finite, edges: list[float], rng: np.random.Generator) -> float:
    """Sample from a list of outcomes with one uniform number."""
    # Scaled by the last sum, which is 1 only up to rounding; the product can round up to that sum, hence the minimum.
    place = bisect_right(edges, rng.random() * edges[-1])
    return float(outcomes[min(place, len(edges) - 1)][0])
