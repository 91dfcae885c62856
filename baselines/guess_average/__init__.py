"""Scripted players of the guessing game: number sequences, level-k reasoning, and the equilibrium."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines import ObservationDict, ScriptedPlayer, argument, read_pools, round_generator, view_of
from econzoo.envs.core.contract import UNKNOWN, Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.games.guess_average.rules import View

MAX_NUMBER = 1e6

MIDDLE = -1.0
"""Code of a level-0 number in the middle of the range."""

Number: TypeAlias = Callable[[View, Numbers, StrategyMemory, UniformPair], float]
"""Returns a strategy's unrestricted number."""


def standard_normal(u: UniformPair) -> float:
    """Return a standard normal number (Box and Muller 1958), equal to `random.gauss` on the same uniforms."""
    return math.cos(u[0] * math.tau) * math.sqrt(-2.0 * math.log(1.0 - u[1]))


@lru_cache(maxsize=64)
def mover(number: Number) -> MoveFunction:
    """Return the move function of a strategy: its number rounded (halves up) and clipped to the bounds."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        rounded = math.floor(number(v, x, past, u) + 0.5)
        # Floats, as the numbers of a move have one type in compiled code.
        return Move(0, (min(max(rounded * 1.0, v.low * 1.0), v.high * 1.0),))

    return move


class Guesser(ScriptedPlayer):
    """Base of strategies with a `number`, which is rounded and clipped to the bounds."""

    deterministic: bool = True

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the unrestricted number."""
        raise NotImplementedError

    @property
    def script(self) -> Script:
        """The strategy on arrays."""
        return Script(mover(type(self).number), self.numbers, self.initial_memory)

    def random_numbers(self, round: int) -> UniformPair:
        rng = round_generator(self.seed, round)
        return rng.random(), rng.random()

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the rounded number."""
        view = view_of(View, observation)
        return {
            "number": self.script.move(
                view, self.numbers, self.past(observation), self.random_numbers(view.round)
            ).values[0]
        }


class Fixed(Guesser):
    """Samples from the same normal distribution in every round.

    Source: opponent type "fix" of game G08A, Zhang et al. (2024), K-level reasoning with large language models,
    arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: Mean; from 0 to 1e6.
        std: Standard deviation; from 0 to 1e6.
    """

    def __init__(self, spec: str = "fixed", mean: Any = 40.0, std: Any = 5.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "mean", mean, 0.0, MAX_NUMBER), argument(spec, "std", std, 0.0, MAX_NUMBER))
        self.deterministic = self.numbers[1] == 0.0

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Sample a normal number; numbers: mean, standard deviation."""
        return x[0] + standard_normal(u) * x[1]


class Last(Guesser):
    """Samples from a normal distribution around the target of the previous round.

    Source: opponent type "last" of game G08A, Zhang et al. (2024), arXiv:2402.01521.

    Args:
        std: Standard deviation; from 0 to 1e6.
        first: Mean in the first round; from 0 to 1e6.
    """

    def __init__(self, spec: str = "last", std: Any = 5.0, first: Any = 40.0) -> None:
        super().__init__(spec)
        deviation = argument(spec, "std", std, 0.0, MAX_NUMBER)
        self.numbers = (argument(spec, "first", first, 0.0, MAX_NUMBER), deviation)
        self.deterministic = deviation == 0.0

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Sample around the previous target; numbers: mean of the first round, standard deviation."""
        return (x[0] if v.target == UNKNOWN else v.target) + standard_normal(u) * x[1]


class Mono(Guesser):
    """Decreases by a constant step in every round.

    Source: opponent type "mono" of game G08A, Zhang et al. (2024), arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: First number; from 0 to 1e6.
        step: Decrease per round; from 0 to 1e6.
    """

    def __init__(self, spec: str = "mono", mean: Any = 40.0, step: Any = 5.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "mean", mean, 0.0, MAX_NUMBER), argument(spec, "step", step, 0.0, MAX_NUMBER))

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return the next number of a decreasing sequence; numbers: first number, step."""
        return x[0] - x[1] * (v.round - 1)


class MonoRand(Mono):
    """Decreases by a constant step sampled once per match, uniform on the integers from 0 to a bound.

    Source: opponent type "monorand" of game G08A, Zhang et al. (2024), arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: First number; from 0 to 1e6.
        step: Upper bound of the step; an integer from 0 to 1e6.
    """

    deterministic = False

    initial_memory = (-1.0,)

    def __init__(self, spec: str = "monorand", mean: Any = 40.0, step: Any = 5) -> None:
        super().__init__(spec, mean, argument(spec, "step", step, 0.0, MAX_NUMBER, integer=True))

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return the step of this match."""
        return [float(round_generator(self.seed, 0).randint(0, int(self.numbers[1])))]

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """The same with an integer step from 0 to x[1], sampled at the first move."""
        # Only in compiled games: players at a table are stateless and get the step from `past`.
        if past[0] < 0.0:
            past[0] = math.floor(u[0] * (x[1] + 1.0))
        return x[0] - past[0] * (v.round - 1)


class KLevel(Guesser):
    """Level-k reasoning: best responds to opponents of level k - 1, down to a level-0 number.

    The level-0 number is the middle of the range in the first round, and the previous mean afterwards. A best response
    is the factor times the others' mean; as in Nagel's steps, the effect of one's own number on the mean is ignored.
    So level k chooses factor^k times the reference: with a factor of 0.8 and a reference of 50,
    50, 40, 32, 25.6 for k = 0, 1, 2, 3 (`econzoo.envs.games.guess_average.solution.level_k`).

    Source: Nagel (1995), Unraveling in guessing games, section 2; Stahl and Wilson (1995), On players' models of other
    players; the reference in later rounds: Duffy and Nagel (1997), On the robustness of behaviour in experimental
    "beauty contest" games.

    Args:
        k: Level of reasoning; an integer from 0 to 1000.
        level0: Level-0 number in the first round; from 0 to 1e6, or None for the middle of the range.
    """

    def __init__(self, spec: str = "k-level", k: Any = 2, level0: Any = None) -> None:
        super().__init__(spec)
        steps = argument(spec, "k", k, 0.0, 1000.0, integer=True)
        self.numbers = (steps, MIDDLE if level0 is None else argument(spec, "level0", level0, 0.0, MAX_NUMBER))

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """Return factor^k times the level-0 number; numbers: k, level-0 number of the first round or `MIDDLE`."""
        first = (v.low + v.high) / 2.0 if x[1] == MIDDLE else x[1]
        return (first if v.mean == UNKNOWN else v.mean) * v.factor ** x[0]


class Nash(Guesser):
    """Chooses the lowest number, the textbook equilibrium.

    Higher numbers are iteratively eliminated, because no mean of the remaining ones makes them the target. If all
    choose the lowest number, nobody wins under the rules of this game (`econzoo.envs.games.guess_average.solution`).

    Source: Moulin (1986), Game theory for the social sciences; Nagel (1995), Unraveling in guessing games.
    """

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        return v.low * 1.0


PLAYERS: dict[str, type[Guesser]] = {
    "fixed": Fixed,
    "last": Last,
    "mono": Mono,
    "monorand": MonoRand,
    "k-level": KLevel,
    "nash": Nash,
}
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
