"""Scripted players of the Coin Game: collectors of any coin or of their own, and reciprocators.

A collector is a policy (`econzoo.envs.games.coin_game.policies`) that breaks ties at random. A *theft*, for
reciprocators, is a round in which the opponent takes one's coin without taking its own: where both coins lie on one
cell, nobody can take only one of them.

Sources:
    Lerer, A. and Peysakhovich, A. (2017). Maintaining cooperation in complex social dilemmas using deep reinforcement
        learning. arXiv:1707.01068. (The game; selfish, cooperative and conditionally cooperative players of it.)
    Foerster, J. et al. (2018). Learning with opponent-learning awareness. AAMAS. arXiv:1709.04326.
    Axelrod, R. (1984). The Evolution of Cooperation. Basic Books.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines import ObservationDict, ScriptedPlayer, argument, read_pools, round_generator, view_of
from econzoo.envs.core.contract import UNKNOWN, Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.core.contract import choose_flagged, short_repr
from econzoo.envs.games.coin_game import planning
from econzoo.envs.games.coin_game.policies import POLICIES, STEP_NAMES, Flags, Observation, considerate_policy
from econzoo.envs.games.coin_game.policies import cooperative_policy, flagged_steps, greedy_policy, observation_of
from econzoo.envs.games.coin_game.policies import spiteful_policy
from econzoo.envs.games.coin_game.rules import View
from econzoo.wrappers import SeatInfo

StepRule: TypeAlias = Callable[[View, Numbers, StrategyMemory, UniformPair], Flags]
"""Returns flags of a strategy's acceptable steps; its own random draw is the first uniform number."""


@lru_cache(maxsize=64)
def mover(good_steps: StepRule) -> MoveFunction:
    """Return the move function of a strategy: a uniform draw from its steps."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        return Move(choose_flagged(good_steps(v, x, past, u), u[1]), (0.0,))

    return move


def last_theft(seen: ObservationDict) -> int:
    """Return the round of the opponent's last theft; 0 if there was none."""
    other = 1 - seen["seat"]
    own, others = ("red", "blue") if other == 0 else ("blue", "red")
    rounds = [one["round"] for one in seen["history"] if one["seat"] == other and one[others] and not one[own]]
    return rounds[-1] if rounds else 0


def rounds_left(v: View) -> float:
    """Return the remaining rounds including this one; infinite if their number is hidden."""
    return math.inf if v.rounds == UNKNOWN else v.rounds - v.round + 1.0


class Collector(ScriptedPlayer):
    """Base of board strategies: samples one of a subclass's `good_steps`."""

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Return flags of the acceptable steps."""
        raise NotImplementedError

    @property
    def script(self) -> Script | None:
        """The strategy on arrays."""
        return Script(mover(type(self).good_steps), self.numbers, self.initial_memory, type(self).note)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return one of the steps, without a message."""
        # Drawn here and not by `script`: at a table its second uniform number is always 0.
        steps = self.steps(observation)
        kind = steps[0] if len(steps) == 1 else round_generator(self.seed, observation["round"]).choice(steps)
        return {"kind": STEP_NAMES[kind]}

    def steps(self, seen: ObservationDict) -> tuple[int, ...]:
        """Return the acceptable steps."""
        view = view_of(View, seen)
        return flagged_steps(
            type(self).good_steps(view, self.numbers, self.past(seen), self.random_numbers(view.round))
        )


class Greedy(Collector):
    """Goes to the nearest coin of either colour.

    Source: the selfish players of Lerer and Peysakhovich (2017), to which independent learners converge; Foerster et
    al. (2018).
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        return greedy_policy(observation_of(v))


class Cooperative(Collector):
    """Goes to its own coin and avoids the opponent's, unless both lie on the same cell.

    Two of them come within 0.02 points of the optimal expected total on the default board.

    Source: the cooperative players of Lerer and Peysakhovich (2017), trained on total points.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Step towards its own coin, around the opponent's."""
        return cooperative_policy(observation_of(v))


class Considerate(Collector):
    """Goes to its own coin and never steps on the opponent's, even if it has to give up its own.

    Two of them wait forever beside a cell with both coins.

    Source: full cooperation by the measure of Foerster et al. (2018): no coin of the opponent's is ever picked up.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Step towards its own coin, never onto the opponent's."""
        return considerate_policy(observation_of(v))


class Spiteful(Collector):
    """Goes to the opponent's coin, which pays the same as its own and hurts the opponent.

    Source: Hamilton (1970), Selfish and spiteful behaviour in an evolutionary model, Nature 228, 1218-1220.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        return spiteful_policy(observation_of(v))


class Mixed(Collector):
    """Plays greedy with a fixed probability in each round, else cooperative.

    Source: a mixture of the selfish and the cooperative player of Lerer and Peysakhovich (2017).

    Args:
        greed: Probability of a greedy round, from 0 to 1.
    """

    def __init__(self, spec: str = "mixed", greed: Any = 0.5) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "greed", greed, 0.0, 1.0),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Sample one of the two policies."""
        return greedy_policy(observation_of(v)) if u[0] < x[0] else cooperative_policy(observation_of(v))

    def random_numbers(self, round: int) -> UniformPair:
        """Return the uniform numbers of a round; steps use other streams, so that both draws are independent."""
        return round_generator(self.seed, -round).random(), 0.0


class TitForTat(Collector):
    """Cooperates, but takes one of the opponent's coins for each coin stolen from it.

    Source: tit for tat of Axelrod (1984), with coins instead of moves; conditional cooperation in this game:
    Lerer and Peysakhovich (2017).

    Args:
        tolerance: Number of forgiven thefts; an integer from 0 to 10,000.
    """

    def __init__(self, spec: str = "tit-for-tat", tolerance: Any = 0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "tolerance", tolerance, 0, 10_000, integer=True),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Go for the opponent's coin while thefts are unreturned."""
        owed = v.other_thefts - v.own_thefts > x[0]
        return spiteful_policy(observation_of(v)) if owed else cooperative_policy(observation_of(v))


class Punisher(Collector):
    """Cooperates, but is greedy for some rounds after each theft.

    Source: phases of selfish play that make deviations unprofitable, as in amTFT of Lerer and Peysakhovich (2017),
    after Fudenberg and Maskin (1986), The folk theorem in repeated games, Econometrica 54(3), 533-554.

    Args:
        rounds: Punishment rounds after each theft; an integer from 1 to 10,000.
    """

    initial_memory = (0.0,)

    def __init__(self, spec: str = "punisher", rounds: Any = 3) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "rounds", rounds, 1, 10_000, integer=True),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Greedy for `rounds` rounds after the last theft."""
        angry = v.other_thefts > 0 and v.round - past[0] <= x[0]
        return greedy_policy(observation_of(v)) if angry else cooperative_policy(observation_of(v))

    @staticmethod
    def note(v: View, past: StrategyMemory) -> None:
        """Remember the round of a theft."""
        if v.lost and not v.other_took_own:
            past[0] = v.round - 1

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return the round of the last theft; 0 if there was none."""
        return [last_theft(seen)]


class Grim(Collector):
    """Cooperates until the first theft, then is greedy to the end.

    Source: the trigger strategy of Friedman (1971), A non-cooperative equilibrium for supergames, Review of Economic
    Studies 38(1), 1-12.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Greedy after a theft."""
        return greedy_policy(observation_of(v)) if v.other_thefts else cooperative_policy(observation_of(v))


class SelfishLast(Collector):
    """Cooperates, but is greedy in the last rounds if their number is known.

    Source: the end effect of Selten and Stoecker (1986), End behavior in sequences of finite prisoner's dilemma
    supergames, Journal of Economic Behavior and Organization 7(1), 47-70.

    Args:
        last: Number of greedy rounds; an integer from 1 to 10,000.
    """

    def __init__(self, spec: str = "selfish-last", last: Any = 2) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "last", last, 1, 10_000, integer=True),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Greedy near the end."""
        return greedy_policy(observation_of(v)) if rounds_left(v) <= x[0] else cooperative_policy(observation_of(v))


class Planner(Collector):
    """Base of dynamic-programming players, for boards of up to 6 x 6."""

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        super().reset(seat, info, seed)
        size = info.view.size
        if not planning.is_tractable(size, planning.HORIZON):
            raise ValueError(f"player {self.spec!r}: invalid board {size} x {size}: expected at most 6 x 6")

    @property
    def script(self) -> None:
        """None: planning does not compile."""
        return None

    def steps(self, seen: ObservationDict) -> tuple[int, ...]:
        """Return the optimal steps."""
        view = view_of(View, seen)
        return self.best_steps(observation_of(view), int(min(rounds_left(view), planning.HORIZON)), view.seat)

    def best_steps(self, sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
        """Return the optimal steps for a lookahead in rounds."""
        raise NotImplementedError


class Efficient(Planner):
    """Plays its part in the joint plan with the highest expected total; two of them attain it.

    Source: dynamic programming (Bellman 1957) for total points; `econzoo.envs.games.coin_game.planning`.
    """

    def best_steps(self, sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
        """Return its own steps in the optimal pairs."""
        return planning.efficient_steps(sight, rounds, seat)


class BestResponse(Planner):
    """Plays the best response to an assumed policy of the opponent.

    Source: dynamic programming (Bellman 1957); `econzoo.envs.games.coin_game.planning`.

    Args:
        policy: Assumed policy: random, greedy, cooperative, considerate or spiteful.
    """

    def __init__(self, spec: str = "best-response", policy: Any = "greedy") -> None:
        super().__init__(spec)
        if not isinstance(policy, str) or policy not in POLICIES:
            names = " or ".join(map(repr, POLICIES))
            raise ValueError(f"player {spec[:80]!r}: invalid policy={short_repr(policy)}: expected {names}")
        self.other = POLICIES[policy]

    def best_steps(self, sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
        """Return the best responses to the policy."""
        return planning.best_response_steps(sight, rounds, self.other)


PLAYERS: dict[str, type[Collector]] = {
    "greedy": Greedy,
    "cooperative": Cooperative,
    "considerate": Considerate,
    "spiteful": Spiteful,
    "mixed": Mixed,
    "tit-for-tat": TitForTat,
    "punisher": Punisher,
    "grim": Grim,
    "selfish-last": SelfishLast,
    "efficient": Efficient,
    "best-response": BestResponse,
}
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
