"""A bidder that plans: model-predictive control with forecast prices and dynamic programming over its own life."""

from __future__ import annotations

from typing import Any

import numpy as np

from econzoo.baselines.player import SeatInfo
from econzoo.baselines.strategy import argument, view_of
from econzoo.baselines.survival.base import GAMES, Bidder, History, Morning, contested, payable, step
from econzoo.baselines.survival.forecast import Array, forecast
from econzoo.baselines.survival.planning import GRID, Plan, conditions
from econzoo.envs.families.survival.watering import days_left_dry


class Mpc(Bidder):
    """Plans the days to come every morning anew, and carries out the first step of the plan.

    What water will cost is forecast from the known distribution of supply and the habits of the rivals
    (`econzoo.baselines.survival.forecast.forecast`). Given the prices, the best plan follows by backward induction over
    the own health, dry days and balance (`econzoo.baselines.survival.planning.Plan`), towards what the reward counts. A
    plan that trusts its forecast buys as late as possible, and dies of the first surprise: hence the doubt.

    Source: receding-horizon control, Rawlings, Mayne and Diehl (2017), Model predictive control; with sampled futures,
    Bertsekas and Castanon (1999), Rollout algorithms for stochastic scheduling problems.

    Args:
        days: Days that it looks ahead at most, today included; a whole number from 1 to 100.
        futures: Futures that it imagines every day; a whole number from 8 to 10,000.
        doubt: Chance with which it expects any bid to fail; from 0 to 0.9.
    """

    deterministic = False

    def __init__(self, spec: str = "mpc", days: Any = 12, futures: Any = 32, doubt: Any = 0.3) -> None:
        super().__init__(spec)
        self.days = int(argument(spec, "days", days, 1.0, 100.0, whole=True))
        self.futures = int(argument(spec, "futures", futures, 8.0, 1e4, whole=True))
        self.doubt = argument(spec, "doubt", doubt, 0.0, 0.9)
        self.reward = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Learns what the reward counts."""
        super().reset(seat, info, seed)
        self.reward = info.view.reward

    @property
    def script(self) -> None:
        """None: it plans, which does not compile."""
        return None

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """The first bid of the best plan."""
        game = GAMES[self.game]
        morning = game.morning(view_of(game.View, observation))
        bid = payable(self.planned(morning, observation["history"]), morning) if contested(morning) else 0.0
        return {"bid": bid}

    def planned(self, m: Morning, history: History) -> float:
        """The first bid of the best plan; all it has if its life depends on today and the plan sees no hope."""
        seat, left = m.seat, m.days - m.day
        now, balance, salary = (m.healths[seat], m.dry[seat]), m.balances[seat], m.salaries[seat]
        known = conditions(now, m.max_health, min(self.days, left + 1))
        rng = np.random.default_rng((self.seed, m.day))
        prices = forecast(m, history, known.days, self.futures, rng)
        plan = Plan(known, self.reward, salary, _grid(balance, salary, prices), self.doubt)
        values = plan.final()
        for day in range(known.days - 1, 0, -1):
            values = plan.before(values, prices[day])
        bid, gain = plan.first(values, prices[0], balance, step(salary))
        return balance if gain <= 0.0 and days_left_dry(*now) == 0 else bid


def _grid(balance: float, salary: float, prices: Array) -> Array:
    """Balances from 0 to more than any price, or to the most that it can ever have."""
    dear = float(prices[np.isfinite(prices)].max(initial=0.0)) + 2.0 * salary
    most = min(balance + len(prices) * salary, max(dear, balance))
    return np.linspace(0.0, max(most, 1e-9), GRID)
