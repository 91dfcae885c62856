"""Scripted readers of programs, by name."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from econzoo.baselines.player import Player
from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import ObservationDict, argument
from econzoo.envs.games.code_reading.items import items
from econzoo.envs.games.code_reading.programs.axelrod_source import Place
from econzoo.envs.games.code_reading.programs.execution import is_stochastic, moves, strategy_class

SURE_PROBABILITY = 0.98
"""What is said for what a syntax tree settles: rare errors should not cost everything."""


class Reader(Player):
    """A reader that finds a probability; a subclass says how (`probability`). In words, above one half is yes."""

    deterministic: bool = True

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """The probability, or yes or no."""
        chance = self.probability(observation)
        if observation["words"]:
            return {"kind": "yes" if chance > 0.5 else "no"}
        return {"kind": "probability", "probability": chance}

    def probability(self, seen: ObservationDict) -> float:
        """Probability that the program cooperates in all ten rounds."""
        raise NotImplementedError


class Constant(Reader):
    """Says the same of every program.

    Source: the majority class, which any accuracy has to be compared with; 0.59 of the labels are yes.

    Args:
        value: The probability, from 0 to 1.
    """

    def __init__(self, spec: str = "constant", value: Any = 0.59) -> None:
        super().__init__(spec)
        self.value = argument(spec, "value", value, 0.0, 1.0)

    def probability(self, seen: ObservationDict) -> float:
        """The constant."""
        return self.value


class FirstMove(Reader):
    """Takes the first move for the answer: who cooperates once cooperates always.

    It runs one round of the program in thought: the probability of the first C, from the matches that made the labels.

    Source: the paper's question (Sistla and Kleiman-Weiner 2025, arXiv:2512.00371) asks about ten moves; this reader
    answers it for one.

    Args:
        sure: Probability said for yes; 1 - sure for no.
    """

    def __init__(self, spec: str = "first-move", sure: Any = 0.8) -> None:
        super().__init__(spec)
        self.sure = argument(spec, "sure", sure, 0.5, 1.0)

    def probability(self, seen: ObservationDict) -> float:
        """High if the program begins with C more often than not."""
        one = items()[seen["item"]]
        return self.sure if one.first / one.seeds > 0.5 else 1.0 - self.sure


class Static(Reader):
    """Reads facts of the syntax tree, which the view has; nothing is run.

    What the abstract reading of the tree settles (`econzoo.envs.games.code_reading.programs.facts`) is said. The rest
    gets the share of ten cooperations among the training programs of its kind: by whether the first move is known to
    be C, and whether the program draws random numbers.

    Source: constant propagation, Cousot and Cousot (1977), Abstract interpretation, POPL.
    """

    KINDS = ((0.52, 0.58), (0.83, 0.58))

    def probability(self, seen: ObservationDict) -> float:
        """What the tree says."""
        if seen["sure_defections"] > 0:
            return 1.0 - SURE_PROBABILITY
        if seen["sure_cooperations"] == 10:
            return SURE_PROBABILITY
        return self.KINDS[seen["first"] == 1.0][seen["draws"] > 0]


class Simulate(Reader):
    """Runs the program against a cooperator and counts; needs the Axelrod library, whose import takes long.

    Source: the definition of the label, with other seeds than the label's own.

    Args:
        matches: How many to play; a deterministic program is the same in all.
    """

    FIRST_SEED = 1_000_000

    def __init__(self, spec: str = "simulate", matches: Any = 5) -> None:
        super().__init__(spec)
        self.matches = int(argument(spec, "matches", matches, 1, 10_000, integer=True))

    def probability(self, seen: ObservationDict) -> float:
        """Share of the matches with ten cooperations, with one match of each kind added if chance plays a role."""
        return cooperation_probability(int(seen["item"]), self.matches, self.FIRST_SEED)


@lru_cache(maxsize=4096)
def cooperation_probability(item: int, matches: int, first_seed: int) -> float:
    """Probability that an item cooperates ten times, from some matches (Laplace's rule of succession).

    Args:
        item: Its number.
        matches: How many; one if the library calls it deterministic.
        first_seed: Seeds go on from here.

    Raises:
        ImportError: The library is not installed.
    """
    strategy = strategy_class(Place(items()[item].module, items()[item].name))
    if not is_stochastic(strategy):
        return float("D" not in moves(strategy, first_seed))
    count = sum("D" not in moves(strategy, first_seed + seed) for seed in range(matches))
    return (count + 1) / (matches + 2)


PLAYERS: dict[str, type[Reader]] = {
    "constant": Constant,
    "first-move": FirstMove,
    "static": Static,
    "simulate": Simulate,
}
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

BASELINES: tuple[str, ...] = ("constant", "first-move", "static", "simulate")
"""Who stands beside every result of the benchmark."""
