"""Scripted players of the Coin Game by name: collectors of any coin or of their own, and those that answer in kind.

A collector is a policy (`econzoo.envs.games.coin_game.policies`); of steps that are as good it draws one. A *theft*,
for those that answer in kind, is a round in which the other takes one's coin without taking its own: where both coins
lie on one cell, nobody can take the one and leave the other.

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

from econzoo.baselines.player import SeatInfo
from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import ObservationDict, ScriptedPlayer, argument, round_generator, view_of
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import (
    MoveFunction,
    Numbers,
    Script,
    StrategyMemory,
    UniformPair,
    choose_flagged,
)
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.games.coin_game import planning
from econzoo.envs.games.coin_game.policies import (
    POLICIES,
    STEP_NAMES,
    Flags,
    Observation,
    considerate_policy,
    cooperative_policy,
    flagged_steps,
    greedy_policy,
    observation_of,
    spiteful_policy,
)
from econzoo.envs.games.coin_game.rules import View

StepRule: TypeAlias = Callable[[View, Numbers, StrategyMemory, UniformPair], Flags]
"""Which steps are good enough for a strategy; numbers that it draws come first in its luck."""


@lru_cache(maxsize=64)
def mover(good_steps: StepRule) -> MoveFunction:
    """How a strategy moves: one of its steps, all as likely."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        return Move(choose_flagged(good_steps(v, x, past, u), u[1]), (0.0,))

    return move


def last_theft(seen: ObservationDict) -> int:
    """The last round in which the other took one's coin and not its own; 0 if there was none."""
    other = 1 - seen["seat"]
    own, others = ("red", "blue") if other == 0 else ("blue", "red")
    rounds = [one["round"] for one in seen["history"] if one["seat"] == other and one[others] and not one[own]]
    return rounds[-1] if rounds else 0


def rounds_left(v: View) -> float:
    """Rounds to go, the one to be played included; infinite where their number is hidden."""
    return math.inf if v.rounds == UNKNOWN else v.rounds - v.round + 1.0


class Collector(ScriptedPlayer):
    """Walks on the board; a subclass says which steps are good enough (`good_steps`), of which one is drawn."""

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Which steps are good enough."""
        raise NotImplementedError

    @property
    def script(self) -> Script | None:
        """The strategy as functions of numbers."""
        return Script(mover(type(self).good_steps), self.numbers, self.initial_memory, type(self).note)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """One of the steps, without words."""
        steps = self.steps(observation)
        kind = steps[0] if len(steps) == 1 else round_generator(self.seed, observation["round"]).choice(steps)
        return {"kind": STEP_NAMES[kind]}

    def steps(self, seen: ObservationDict) -> tuple[int, ...]:
        """The steps that it would take."""
        view = view_of(View, seen)
        return flagged_steps(
            type(self).good_steps(view, self.numbers, self.past(seen), self.random_numbers(view.round))
        )


class Greedy(Collector):
    """Goes to the nearest coin, whatever its colour.

    Source: the selfish players of Lerer and Peysakhovich (2017), to which independent learners come; Foerster et al.
    (2018).
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """To any coin."""
        return greedy_policy(observation_of(v))


class Cooperative(Collector):
    """Goes to its own coin, and does not step on the other's, unless both lie on the same cell.

    Two of them come within a fiftieth of a point of the most that two players can expect on the default board.

    Source: the cooperative players of Lerer and Peysakhovich (2017), trained on the points of both.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """To its own coin, beside the other's."""
        return cooperative_policy(observation_of(v))


class Considerate(Collector):
    """Goes to its own coin and never steps on the other's, also where it has to leave its own for that.

    Two of them wait for ever beside a cell on which both coins lie.

    Source: full cooperation by the measure of Foerster et al. (2018): no coin of the other's is ever picked up.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """To its own coin, never onto the other's."""
        return considerate_policy(observation_of(v))


class Spiteful(Collector):
    """Goes to the other's coin: it gains as much as with its own, and the other loses.

    Source: Hamilton (1970), Selfish and spiteful behaviour in an evolutionary model, Nature 228, 1218-1220.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """To the other's coin."""
        return spiteful_policy(observation_of(v))


class Mixed(Collector):
    """In each round greedy with a probability, else cooperative.

    Source: a mixture of the selfish and the cooperative player of Lerer and Peysakhovich (2017).

    Args:
        greed: The probability, from 0 to 1.
    """

    def __init__(self, spec: str = "mixed", greed: Any = 0.5) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "greed", greed, 0.0, 1.0),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """One of the two, drawn."""
        return greedy_policy(observation_of(v)) if u[0] < x[0] else cooperative_policy(observation_of(v))

    def random_numbers(self, round: int) -> UniformPair:
        """Its luck of a round: the numbers below 0 are not used for steps, so that both draws are independent."""
        return round_generator(self.seed, -round).random(), 0.0


class TitForTat(Collector):
    """Cooperative, but takes a coin of the other's for each coin that was stolen from it.

    Source: tit for tat of Axelrod (1984), with coins in the place of moves; conditional cooperation in this game:
    Lerer and Peysakhovich (2017).

    Args:
        tolerance: Thefts that it overlooks; a whole number from 0 to 10,000.
    """

    def __init__(self, spec: str = "tit-for-tat", tolerance: Any = 0) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "tolerance", tolerance, 0, 10_000, integer=True),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """After the other's coin as long as there is something to pay back."""
        owed = v.other_thefts - v.own_thefts > x[0]
        return spiteful_policy(observation_of(v)) if owed else cooperative_policy(observation_of(v))


class Punisher(Collector):
    """Cooperative, but greedy for some rounds after a coin was stolen from it.

    Source: phases of selfish play that make a deviation not worth while, as in amTFT of Lerer and Peysakhovich (2017),
    after Fudenberg and Maskin (1986), The folk theorem in repeated games, Econometrica 54(3), 533-554.

    Args:
        rounds: How long it is greedy after each theft; a whole number from 1 to 10,000.
    """

    initial_memory = (0.0,)

    def __init__(self, spec: str = "punisher", rounds: Any = 3) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "rounds", rounds, 1, 10_000, integer=True),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Greedy for so many rounds after the last theft."""
        angry = v.other_thefts > 0 and v.round - past[0] <= x[0]
        return greedy_policy(observation_of(v)) if angry else cooperative_policy(observation_of(v))

    @staticmethod
    def note(v: View, past: StrategyMemory) -> None:
        """The round of a theft."""
        if v.lost and not v.other_took_own:
            past[0] = v.round - 1

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """The round of the last theft; 0: none."""
        return [last_theft(seen)]


class Grim(Collector):
    """Cooperative until a coin is stolen from it, then greedy to the end.

    Source: the trigger strategy of Friedman (1971), A non-cooperative equilibrium for supergames, Review of Economic
    Studies 38(1), 1-12.
    """

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Greedy once there was a theft."""
        return greedy_policy(observation_of(v)) if v.other_thefts else cooperative_policy(observation_of(v))


class SelfishLast(Collector):
    """Cooperative, but greedy in the last rounds; cooperative to the end where their number is hidden.

    Source: the end effect of Selten and Stoecker (1986), End behavior in sequences of finite prisoner's dilemma
    supergames, Journal of Economic Behavior and Organization 7(1), 47-70.

    Args:
        last: In how many rounds it is greedy; a whole number from 1 to 10,000.
    """

    def __init__(self, spec: str = "selfish-last", last: Any = 2) -> None:
        super().__init__(spec)
        self.numbers = (argument(spec, "last", last, 1, 10_000, integer=True),)

    @staticmethod
    def good_steps(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Flags:
        """Greedy near the end."""
        return greedy_policy(observation_of(v)) if rounds_left(v) <= x[0] else cooperative_policy(observation_of(v))


class Planner(Collector):
    """Looks ahead by dynamic programming, on boards of up to 6 x 6; a subclass says for what."""

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Keeps the seed of its draws.

        Raises:
            ValueError: The board is too large to look ahead.
        """
        super().reset(seat, info, seed)
        size = info.view.size
        if not planning.is_tractable(size, planning.HORIZON):
            told = f"player {self.spec!r} cannot look ahead on a board of {size} x {size}"
            raise ValueError(f"{told}; allowed: up to 6 x 6")

    @property
    def script(self) -> None:
        """None: it plans, which does not compile."""
        return None

    def steps(self, seen: ObservationDict) -> tuple[int, ...]:
        """The best of the steps."""
        view = view_of(View, seen)
        return self.best_steps(observation_of(view), int(min(rounds_left(view), planning.HORIZON)), view.seat)

    def best_steps(self, sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
        """The best of the steps, with so many rounds to look ahead."""
        raise NotImplementedError


class Efficient(Planner):
    """Plays its part in what is best for both together; two of them reach the most that two players can expect.

    Source: dynamic programming (Bellman 1957) for the points of both; `econzoo.envs.games.coin_game.planning`.
    """

    def best_steps(self, sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
        """The own step of the best pair."""
        return planning.efficient_steps(sight, rounds, seat)


class BestResponse(Planner):
    """Plays what is best for itself against a policy of the other.

    Source: dynamic programming (Bellman 1957); `econzoo.envs.games.coin_game.planning`.

    Args:
        policy: What it takes the other to play: random, greedy, cooperative, considerate or spiteful.
    """

    def __init__(self, spec: str = "best-response", policy: Any = "greedy") -> None:
        super().__init__(spec)
        if not isinstance(policy, str) or policy not in POLICIES:
            allowed = ", ".join([repr(name) for name in POLICIES])
            raise ValueError(f"player {spec[:80]!r}: policy={short_repr(policy)} is not allowed; allowed: {allowed}")
        self.other = POLICIES[policy]

    def best_steps(self, sight: Observation, rounds: int, seat: int) -> tuple[int, ...]:
        """The steps that are best against the policy."""
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
"""Name to class; a class gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
