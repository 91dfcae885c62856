"""What the players of the Coin Game share: steps that are good enough, of which one is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines.strategy import ScriptedPlayer, Seen, draw, view_of
from econzoo.envs.core.contract.game import UNKNOWN, Move
from econzoo.envs.core.contract.scripts import Luck, Mover, Numbers, Past, Script, one_of
from econzoo.envs.games.coin_game.policies import KINDS, Flags, flagged
from econzoo.envs.games.coin_game.rules import View

Good: TypeAlias = Callable[[View, Numbers, Past, Luck], Flags]
"""Which steps are good enough for a strategy; numbers that it draws come first in its luck."""


@lru_cache(maxsize=64)
def mover(good: Good) -> Mover:
    """How a strategy moves: one of its steps, all as likely."""

    def move(v: View, x: Numbers, past: Past, u: Luck) -> Move:
        return Move(one_of(good(v, x, past, u), u[1]), (0.0,))

    return move


def last_theft(seen: Seen) -> int:
    """The last round in which the other took one's coin and not its own; 0 if there was none."""
    other = 1 - seen["seat"]
    own, others = ("red", "blue") if other == 0 else ("blue", "red")
    rounds = [one["round"] for one in seen["history"] if one["seat"] == other and one[others] and not one[own]]
    return rounds[-1] if rounds else 0


def rounds_left(v: View) -> float:
    """Rounds to go, the one to be played included; infinite where their number is hidden."""
    return math.inf if v.rounds == UNKNOWN else v.rounds - v.round + 1.0


class Collector(ScriptedPlayer):
    """Walks on the board; a subclass says which steps are good enough (`good`), of which one is drawn."""

    @staticmethod
    def good(v: View, x: Numbers, past: Past, u: Luck) -> Flags:
        """Which steps are good enough."""
        raise NotImplementedError

    @property
    def script(self) -> Script | None:
        """The strategy as functions of numbers."""
        return Script(mover(type(self).good), self.numbers, self.blank, type(self).note)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """One of the steps, without words."""
        steps = self.steps(observation)
        kind = steps[0] if len(steps) == 1 else draw(self.seed, observation["round"]).choice(steps)
        return {"kind": KINDS[kind]}

    def steps(self, seen: Seen) -> tuple[int, ...]:
        """The steps that it would take."""
        view = view_of(View, seen)
        return flagged(type(self).good(view, self.numbers, self.past(seen), self.luck(view.round)))
