"""Scripted players of the guessing game: programmed number sequences, steps of reasoning, and the equilibrium."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import ObservationDict, ScriptedPlayer, argument, round_generator, view_of
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.games.guess_average.rules import View

MAX_NUMBER = 1e6

MIDDLE = -1.0
"""In the place of a number without thought: the middle of the range."""

Number: TypeAlias = Callable[[View, Numbers, StrategyMemory, UniformPair], float]
"""The number that a strategy would choose if every number could be."""


def standard_normal(u: UniformPair) -> float:
    """A standard normal number (Box and Muller 1958), as `random.gauss` makes it of the same luck."""
    return math.cos(u[0] * math.tau) * math.sqrt(-2.0 * math.log(1.0 - u[1]))


@lru_cache(maxsize=64)
def mover(number: Number) -> MoveFunction:
    """How a strategy moves: a whole number between the least and the greatest (a half is rounded upwards)."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        whole = math.floor(number(v, x, past, u) + 0.5)
        return Move(0, (min(max(whole * 1.0, v.low * 1.0), v.high * 1.0),))

    return move


class Guesser(ScriptedPlayer):
    """A strategy that names a number; a subclass says which (`number`). It is rounded and kept within the bounds."""

    deterministic: bool = True

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """The number that it would choose if every number could be."""
        raise NotImplementedError

    @property
    def script(self) -> Script:
        """The strategy as functions of numbers."""
        return Script(mover(type(self).number), self.numbers, self.initial_memory)

    def random_numbers(self, round: int) -> UniformPair:
        """Its luck of a round."""
        rng = round_generator(self.seed, round)
        return rng.random(), rng.random()

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A number."""
        view = view_of(View, observation)
        return {
            "number": self.script.move(
                view, self.numbers, self.past(observation), self.random_numbers(view.round)
            ).values[0]
        }


class Fixed(Guesser):
    """Draws from the same normal distribution in every round.

    Source: opponent type "fix" of game G08A, Zhang et al. (2024), K-level reasoning with large language models,
    arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: Of the distribution; from 0 to 1e6.
        std: Its standard deviation; from 0 to 1e6.
    """

    def __init__(self, spec: str = "fixed", mean: Any = 40.0, std: Any = 5.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "mean", mean, 0.0, MAX_NUMBER), argument(spec, "std", std, 0.0, MAX_NUMBER))
        self.deterministic = self.numbers[1] == 0.0

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """A normal draw; numbers: mean, standard deviation."""
        return x[0] + standard_normal(u) * x[1]


class Last(Guesser):
    """Draws from a normal distribution around the target of the round before.

    Source: opponent type "last" of game G08A, Zhang et al. (2024), arXiv:2402.01521.

    Args:
        std: Standard deviation; from 0 to 1e6.
        first: Mean of the first round, which has no target before it; from 0 to 1e6.
    """

    def __init__(self, spec: str = "last", std: Any = 5.0, first: Any = 40.0) -> None:
        super().__init__(spec)
        deviation = argument(spec, "std", std, 0.0, MAX_NUMBER)
        self.numbers = (argument(spec, "first", first, 0.0, MAX_NUMBER), deviation)
        self.deterministic = deviation == 0.0

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """A normal draw around the target before; numbers: mean of the first round, standard deviation."""
        return (x[0] if v.target == UNKNOWN else v.target) + standard_normal(u) * x[1]


class Mono(Guesser):
    """Goes down by the same step in every round.

    Source: opponent type "mono" of game G08A, Zhang et al. (2024), arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: Its first number; from 0 to 1e6.
        step: By how much it goes down; from 0 to 1e6.
    """

    def __init__(self, spec: str = "mono", mean: Any = 40.0, step: Any = 5.0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "mean", mean, 0.0, MAX_NUMBER), argument(spec, "step", step, 0.0, MAX_NUMBER))

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """The next number of a falling sequence; numbers: the first, the step."""
        return x[0] - x[1] * (v.round - 1)


class MonoRand(Mono):
    """Goes down by a step that it draws once in a match: a whole number from 0 to a bound, all as likely.

    Source: opponent type "monorand" of game G08A, Zhang et al. (2024), arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: Its first number; from 0 to 1e6.
        step: The bound; a whole number from 0 to 1e6.
    """

    deterministic = False

    initial_memory = (-1.0,)

    def __init__(self, spec: str = "monorand", mean: Any = 40.0, step: Any = 5) -> None:
        super().__init__(spec, mean, argument(spec, "step", step, 0.0, MAX_NUMBER, integer=True))

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """The step of this match."""
        return [float(round_generator(self.seed, 0).randint(0, int(self.numbers[1])))]

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """The same with a whole step from 0 to x[1], drawn at the first move and remembered."""
        if past[0] < 0.0:
            past[0] = math.floor(u[0] * (x[1] + 1.0))
        return x[0] - past[0] * (v.round - 1)


class KLevel(Guesser):
    """Thinks that the others think one step less: the k-th best reply to a number that takes no thought.

    That number is the middle of the range in the first round and the mean of the round before in all others. A best
    reply is the factor times the mean of the others; that the own number moves the mean is not considered, as in the
    steps of Nagel. So the number of level k is factor^k times the reference: with a factor of 0.8 and a reference of 50
    it is 50, 40, 32, 25.6 for k = 0, 1, 2, 3 (`econzoo.envs.games.guess_average.solution.level_k`).

    Source: Nagel (1995), Unraveling in guessing games, section 2; Stahl and Wilson (1995), On players' models of other
    players; the reference in later rounds: Duffy and Nagel (1997), On the robustness of behaviour in experimental
    "beauty contest" games.

    Args:
        k: Steps of reasoning; a whole number from 0 to 1000.
        level0: Number of a player without thought, in the first round; from 0 to 1e6, or None for the middle.
    """

    def __init__(self, spec: str = "k-level", k: Any = 2, level0: Any = None) -> None:
        super().__init__(spec)
        steps = argument(spec, "k", k, 0.0, 1000.0, integer=True)
        self.numbers = (steps, MIDDLE if level0 is None else argument(spec, "level0", level0, 0.0, MAX_NUMBER))

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """factor^k times what takes no thought; numbers: k, and that of the first round, or `MIDDLE`."""
        first = (v.low + v.high) / 2.0 if x[1] == MIDDLE else x[1]
        return (first if v.mean == UNKNOWN else v.mean) * v.factor ** x[0]


class Nash(Guesser):
    """Chooses the least number, as everybody does in the textbook's equilibrium.

    Greater numbers are eliminated step by step, because no mean of what is left makes them the target. Where all choose
    the least, the rules of this game let nobody win (`econzoo.envs.games.guess_average.solution`).

    Source: Moulin (1986), Game theory for the social sciences; Nagel (1995), Unraveling in guessing games.
    """

    @staticmethod
    def number(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> float:
        """The least number."""
        return v.low * 1.0


PLAYERS: dict[str, type[Guesser]] = {
    "fixed": Fixed,
    "last": Last,
    "mono": Mono,
    "monorand": MonoRand,
    "k-level": KLevel,
    "nash": Nash,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
