"""Scripted players of code reading."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from econzoo.baselines import ObservationDict, Player, argument, read_pools
from econzoo.envs.games.code_reading.items import items
from econzoo.envs.games.code_reading.programs.axelrod_source import Place
from econzoo.envs.games.code_reading.programs.execution import is_stochastic, moves, strategy_class

SURE_PROBABILITY = 0.98
"""Probability for what the syntax tree decides; below 1 to bound the cost of rare errors."""


class Reader(Player):
    """Base of readers with a `probability`; in the wording with yes and no, above one half is yes."""

    deterministic: bool = True

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return the probability, or yes or no."""
        chance = self.probability(observation)
        if observation["words"]:
            return {"kind": "yes" if chance > 0.5 else "no"}
        return {"kind": "probability", "probability": chance}

    def probability(self, seen: ObservationDict) -> float:
        """Return the probability that the program cooperates in all ten rounds."""
        raise NotImplementedError


class Constant(Reader):
    """Gives the same probability for every program.

    Source: the majority class, the reference of any accuracy; 59% of the labels are yes.

    Args:
        value: The probability, from 0 to 1.
    """

    def __init__(self, spec: str = "constant", value: Any = 0.59) -> None:
        super().__init__(spec)
        self.value = argument(spec, "value", value, 0.0, 1.0)

    def probability(self, seen: ObservationDict) -> float:
        return self.value


class FirstMove(Reader):
    """Answers by the first move: a program that cooperates once is expected to cooperate always.

    The probability of a first C comes from the matches behind the labels.

    Source: the paper's question (Sistla and Kleiman-Weiner 2025, arXiv:2512.00371) asks about ten moves; this reader
    answers it for one.

    Args:
        sure: Probability for yes; 1 - sure for no.
    """

    def __init__(self, spec: str = "first-move", sure: Any = 0.8) -> None:
        super().__init__(spec)
        self.sure = argument(spec, "sure", sure, 0.5, 1.0)

    def probability(self, seen: ObservationDict) -> float:
        """Return `sure` if the program starts with C in most matches, else 1 - `sure`."""
        one = items()[seen["item"]]
        return self.sure if one.first / one.seeds > 0.5 else 1.0 - self.sure


class Static(Reader):
    """Static analysis of the syntax tree, without running the program.

    Cases that abstract interpretation decides (`econzoo.envs.games.code_reading.programs.facts`) get its answer, others
    the base rate among training programs of the same kind: whether the first move is known to be C, and whether the
    program draws random numbers.

    Source: constant propagation, Cousot and Cousot (1977), Abstract interpretation, POPL.
    """

    # By whether the first move is known to be C, then by whether the program draws.
    KINDS = ((0.52, 0.58), (0.83, 0.58))

    def probability(self, seen: ObservationDict) -> float:
        """Return the decided answer, or the base rate."""
        if seen["sure_defections"] > 0:
            return 1.0 - SURE_PROBABILITY
        if seen["sure_cooperations"] == 10:
            return SURE_PROBABILITY
        return self.KINDS[seen["first"] == 1.0][seen["draws"] > 0]


class Simulate(Reader):
    """Runs the program against a cooperator; requires the Axelrod library, which is slow to import.

    Source: the definition of the label, with different seeds.

    Args:
        matches: Matches to play; one for a deterministic program.
    """

    # Beyond the seeds of the labels, which start at 0: the answer is an estimate, not the label.
    FIRST_SEED = 1_000_000

    def __init__(self, spec: str = "simulate", matches: Any = 5) -> None:
        super().__init__(spec)
        self.matches = int(argument(spec, "matches", matches, 1, 10_000, integer=True))

    def probability(self, seen: ObservationDict) -> float:
        """Return the fraction of matches with ten cooperations, add-one smoothed for stochastic programs."""
        return cooperation_probability(int(seen["item"]), self.matches, self.FIRST_SEED)


@lru_cache(maxsize=4096)
def cooperation_probability(item: int, matches: int, first_seed: int) -> float:
    """Estimate the probability that an item cooperates ten times (Laplace's rule of succession)."""
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
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)

BASELINES: tuple[str, ...] = ("constant", "first-move", "static", "simulate")
"""Baselines in every result of the benchmark."""
