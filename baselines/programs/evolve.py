"""An author without a model: evolves a program against the observed programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from random import Random
from statistics import fmean
from typing import Any

from econzoo.baselines import ObservationDict, Player, argument, round_generator
from econzoo.baselines.programs.grammar import Grammar, Tree
from econzoo.baselines.programs.vocabulary import GRAMMARS
from econzoo.envs.core.contract import stretch_seed
from econzoo.envs.core.record import Turn
from econzoo.envs.families.open_source import library, play_meta_round
from econzoo.wrappers import SeatInfo

LAST, ALL = "last", "all"

LONGEST_TRIAL = 50
"""Maximum turns of a trial match."""

GAMES_PER_PAIR = {"matrix": 2, "coin_game": 4}
"""Trial matches per opponent with common random numbers; more for random boards."""

MAX_OPPONENTS = 3
"""Maximum number of opponents in trials, the latest ones."""

SURVIVING_SHARE = 1 / 3
"""Fraction of a generation that survives."""

Fitness = Callable[[str], float]


class Evolve(Player):
    """Submits the best response to the opponent's programs found by an evolutionary search.

    Programs are trees of a grammar (`econzoo.baselines.programs.vocabulary`). A first population is drawn at random; in
    each generation the best third lives on, and the rest is made from the better half by changing one program
    or crossing two. A program's fitness is its mean payoff a turn, in the match's own setting and this player's seat,
    against the other's last program (or all of its programs). Before the first one is known, it is tried against
    programs of the library. Of equally good programs the shorter one is better. All programs are played with the same
    luck, and the whole search follows from the seed of the match.

    Source: the best response to what was seen, Cournot (1838) and Brown (1951) for ``against="all"`` (fictitious play);
    genetic programming for strategies: Koza (1992); for the iterated prisoner's dilemma: Axelrod (1987), The evolution
    of strategies in the iterated prisoner's dilemma.

    Args:
        base: Name of the base game.
        pool: Names of initial opponents; those that are not library programs are ignored.
        generations: Generations after the first population, 0 to 100.
        population: Programs in each generation, 4 to 200.
        against: Opponent programs to respond to, ``"last"`` or ``"all"``.
    """

    def __init__(
        self,
        base: str,
        pool: Sequence[str],
        spec: str,
        generations: int = 8,
        population: int = 12,
        against: str = LAST,
    ) -> None:
        super().__init__(spec)
        self.base, self.pool = base, pool
        self.generations = int(argument(spec, "generations", generations, 0, 100, integer=True))
        self.population = int(argument(spec, "population", population, 4, 200, integer=True))
        if against not in (LAST, ALL):
            raise ValueError(f"player {spec[:80]!r}: invalid against={against!r}: expected '{LAST}' or '{ALL}'")
        self.against = against

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Start a match with its parameters and seed."""
        self.game, self.seat, self.seed = info.game, seat, seed
        params = info.game.perspective.params_from_view(info.view)  # type: ignore[union-attr]
        self.turns = params.turns
        self.params = params._replace(turns=min(params.turns, LONGEST_TRIAL))

    def act(self, observation: ObservationDict, info: dict[str, Any]) -> dict[str, Any]:
        # Stretched: the other's program runs in the trials and could recover the seed of the match from its draws.
        rng = round_generator(stretch_seed(self.seed), observation["round"])
        seeds = [rng.getrandbits(62) for _ in range(GAMES_PER_PAIR[self.base])]
        fitness = partial(self.fitness, self.opponents(observation), seeds)
        # Rules for the end of a trial would be useless in a longer game.
        turns = self.turns if self.turns <= LONGEST_TRIAL else LONGEST_TRIAL // 2
        grammar = GRAMMARS[self.base](max(turns - 1, 1))
        return {"program": grammar.source(evolve_program(grammar, fitness, self.generations, self.population, rng))}

    def recall(self, observation: ObservationDict, info: dict[str, Any], turn: Turn) -> Any:
        """Return the recorded program, without a search, since meta-rounds share no state."""
        return turn.reply

    def opponents(self, observation: ObservationDict) -> tuple[str, ...]:
        seen = [event["program"] for event in observation["history"] if event["seat"] != self.seat]
        if not seen:
            names = [name.replace("-", "_") for name in self.pool]
            known = [library.program(self.base, name) for name in names if name in library.names(self.base)]
            return tuple(known[:MAX_OPPONENTS])
        return (seen[-1],) if self.against == LAST else tuple(seen[-MAX_OPPONENTS:])

    def fitness(self, opponents: Sequence[str], seeds: Sequence[int], source: str) -> float:
        """Return the mean payoff per turn of a program against others."""
        return fmean([self._payoff(source, other, seed) for other in opponents for seed in seeds]) / self.params.turns

    def _payoff(self, source: str, other: str, seed: int) -> float:
        sources = (source, other) if self.seat == 0 else (other, source)
        return play_meta_round(self.game, self.params, sources, seed)[self.seat].payoff


def evolve_program(grammar: Grammar, fitness: Fitness, generations: int, population: int, rng: Random) -> Tree:
    """Return the best program of an evolutionary search."""
    known: dict[str, tuple[float, int, str]] = {}

    def rank(tree: Tree) -> tuple[float, int, str]:
        """Return a sort key: fitter first, then shorter."""
        # A trial takes several matches, so each source has one; the source itself breaks ties, whatever the order.
        source = grammar.source(tree)
        if source not in known:
            known[source] = (-fitness(source), len(source), source)
        return known[source]

    living = sorted(_distinct_programs(grammar, population, _initial_programs(grammar, rng)), key=rank)
    for _ in range(generations):
        kept = living[: max(round(population * SURVIVING_SHARE), 1)]
        living = sorted(_distinct_programs(grammar, population, _next_generation(grammar, kept, living, rng)), key=rank)
    return living[0]


def _initial_programs(grammar: Grammar, rng: Random) -> Iterator[Tree]:
    """Yield programs of a single rule, then random ones of increasing size."""
    yield from grammar.single_rules()
    for number in count():
        yield grammar.sample_tree(rng, depth=min(1 + number // 3, 4))


def _next_generation(grammar: Grammar, kept: Sequence[Tree], living: Sequence[Tree], rng: Random) -> Iterator[Tree]:
    """Yield survivors, then children of the better half."""
    yield from kept
    parents = living[: max(len(living) // 2, 1)]
    while True:
        child = rng.choice(parents)
        if rng.random() < 0.3:
            child = grammar.cross(rng, child, rng.choice(parents))
        yield grammar.mutate(rng, child)


TRIES = 20
"""Maximum attempts per place in a generation."""


def _distinct_programs(grammar: Grammar, most: int, trees: Iterator[Tree]) -> list[Tree]:
    """Return up to a number of programs with different sources."""
    programs: dict[str, Tree] = {}
    for _ in range(TRIES * most):
        tree = next(trees)
        programs.setdefault(grammar.source(tree), tree)
        if len(programs) == most:
            break
    return list(programs.values())
