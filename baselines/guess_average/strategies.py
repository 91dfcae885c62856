"""Players of the guessing game: programmed number sequences, steps of reasoning, and the equilibrium."""

from __future__ import annotations

import math
from typing import Any

from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import Seen, argument, draw

MOST = 1e6


class Guesser(Player):
    """A strategy that names a number; a subclass says which (`number`). It is rounded and kept within the bounds."""

    deterministic: bool = True

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.seed = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Keeps the seed of its draws."""
        self.seed = seed

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A whole number between the least and the greatest (a half is rounded upwards)."""
        number = math.floor(self.number(observation) + 0.5)
        return {"number": float(min(max(number, observation["low"]), observation["high"]))}

    def number(self, seen: Seen) -> float:
        """The number that it would choose if every number could be."""
        raise NotImplementedError


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
        self.mean = argument(spec, "mean", mean, 0.0, MOST)
        self.std = argument(spec, "std", std, 0.0, MOST)
        self.deterministic = self.std == 0.0

    def number(self, seen: Seen) -> float:
        """A draw."""
        return draw(self.seed, seen["round"]).gauss(self.mean, self.std)


class Last(Guesser):
    """Draws from a normal distribution around the target of the round before.

    Source: opponent type "last" of game G08A, Zhang et al. (2024), arXiv:2402.01521.

    Args:
        std: Standard deviation; from 0 to 1e6.
        first: Mean of the first round, which has no target before it; from 0 to 1e6.
    """

    def __init__(self, spec: str = "last", std: Any = 5.0, first: Any = 40.0) -> None:
        super().__init__(spec)
        self.std = argument(spec, "std", std, 0.0, MOST)
        self.first = argument(spec, "first", first, 0.0, MOST)
        self.deterministic = self.std == 0.0

    def number(self, seen: Seen) -> float:
        """A draw around it."""
        mean = self.first if seen["target"] is None else seen["target"]
        return draw(self.seed, seen["round"]).gauss(mean, self.std)


class Mono(Guesser):
    """Goes down by the same step in every round.

    Source: opponent type "mono" of game G08A, Zhang et al. (2024), arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: Its first number; from 0 to 1e6.
        step: By how much it goes down; from 0 to 1e6.
    """

    def __init__(self, spec: str = "mono", mean: Any = 40.0, step: Any = 5.0) -> None:
        super().__init__(spec)
        self.mean = argument(spec, "mean", mean, 0.0, MOST)
        self.step = argument(spec, "step", step, 0.0, MOST)

    def number(self, seen: Seen) -> float:
        """The next number of the sequence."""
        return self.mean - self.pace() * (seen["round"] - 1)

    def pace(self) -> float:
        """The step of this match."""
        return self.step


class MonoRand(Mono):
    """Goes down by a step that it draws once in a match: a whole number from 0 to a bound, all as likely.

    Source: opponent type "monorand" of game G08A, Zhang et al. (2024), arXiv:2402.01521, with the defaults of its code.

    Args:
        mean: Its first number; from 0 to 1e6.
        step: The bound; a whole number from 0 to 1e6.
    """

    deterministic = False

    def __init__(self, spec: str = "monorand", mean: Any = 40.0, step: Any = 5) -> None:
        super().__init__(spec, mean, argument(spec, "step", step, 0.0, MOST, whole=True))

    def pace(self) -> float:
        """The step of this match."""
        return float(draw(self.seed, 0).randint(0, int(self.step)))


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
        self.k = argument(spec, "k", k, 0.0, 1000.0, whole=True)
        self.level0 = None if level0 is None else argument(spec, "level0", level0, 0.0, MOST)

    def number(self, seen: Seen) -> float:
        """The number of its level."""
        return float(self.reference(seen) * seen["factor"] ** self.k)

    def reference(self, seen: Seen) -> float:
        """The number that takes no thought."""
        if seen["mean"] is not None:
            return float(seen["mean"])
        return (seen["low"] + seen["high"]) / 2.0 if self.level0 is None else self.level0


class Nash(Guesser):
    """Chooses the least number, as everybody does in the textbook's equilibrium.

    Greater numbers are eliminated step by step, because no mean of what is left makes them the target. Where all choose
    the least, the rules of this game let nobody win (`econzoo.envs.games.guess_average.solution`).

    Source: Moulin (1986), Game theory for the social sciences; Nagel (1995), Unraveling in guessing games.
    """

    def __init__(self, spec: str = "nash") -> None:
        super().__init__(spec)

    def number(self, seen: Seen) -> float:
        """The least."""
        return float(seen["low"])
