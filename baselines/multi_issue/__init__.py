"""Scripted players and opponent pools of multi-issue bargaining."""

from __future__ import annotations

from functools import partial
from typing import Any

from econzoo.baselines import ObservationDict, offers_of_other, read_pools
from econzoo.baselines.multi_issue.base import Divider, ItemValues, known_or_equal_values, knows_values, no_items
from econzoo.baselines.multi_issue.generated import Generated
from econzoo.baselines.multi_issue.planner import Plan
from econzoo.baselines.offers import Committed, Firm, TimeDependent, last_round, opponent_of, parse_high_and_low
from econzoo.envs.core.contract import Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair, draft, put
from econzoo.envs.core.contract import to_tuple
from econzoo.envs.games.multi_issue import GAME
from econzoo.envs.games.multi_issue.rules import MAX_KINDS, MAX_TURNS, NOBODY, OFFER, Params, View, remaining_items
from econzoo.envs.games.multi_issue.rules import total_value
from econzoo.envs.games.multi_issue.solution import division_at, equilibrium_reply, fill_plan, plan_size, planned_offers

__all__ = ["PLAYERS", "POOLS", "Divider", "make_opponent"]


def values(v: View) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the values of both seats; unknown ones are assumed equal to the seat's own."""
    other = v.other_values if knows_values(v) else v.own_values
    return (v.own_values, other) if v.seat == 0 else (other, v.own_values)


def plan_once(v: View, past: StrategyMemory) -> None:
    """Plan all offers before the first move."""
    # 1 plus the index of the first offer in a filled plan.
    if past[2] == 0.0:
        one, other = values(v)
        fill_plan(v.items, one, other, v.horizon, v.delta, past)


def planned_move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
    """Return the equilibrium move given what the seat knows."""
    one, other = values(v)
    first = v.own_items if v.seat == 0 or v.by == NOBODY else remaining_items(v.items, v.own_items)
    kind, place, _ = equilibrium_reply(v.items, one, other, v.horizon, v.delta, past, v.round, first, v.by)
    if kind != OFFER:
        return Move(kind, no_items(v))
    first = division_at(v.items, place, v.own_items)
    return Move(OFFER, first if v.seat == 0 else remaining_items(v.items, first))


class Spe(Divider):
    """Plays the subgame-perfect equilibrium, assuming the opponent's values, if unknown, equal to its own.

    Source: Rubinstein (1982), Perfect equilibrium in a bargaining model; Stahl (1972), Bargaining Theory.
    """

    lines = ("I keep {own} and you get {other}; waiting would not bring you more.",)

    @property
    def script(self) -> Script:
        """The strategy on arrays, with a plan for all turns made before the first."""
        return Script(planned_move, initial_memory=blank_plan, note=plan_once)

    @property
    def moves(self) -> MoveFunction:
        return planned_move

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return its plan."""
        v = self.view(seen)
        _, params = GAME.params(items=v.items, values=values(v), horizon=v.horizon, delta=v.delta)
        return planned_offers(params)


def blank_plan(p: Params) -> tuple[float, ...]:
    """Return an empty plan."""
    return (0.0,) * plan_size(p)


class Fair(Firm, Divider):
    """Demands half of its maximum and accepts as much.

    Source: Fehr and Schmidt (1999), A theory of fairness, competition, and cooperation: equal division as the norm
    of people who dislike inequality; here by its own values, since the opponent's may be unknown.
    """

    share = 0.5
    lines = ("That is even, I think: {own} for me and {other} for you.", "I still think {own} for me is fair.")


class Greedy(Committed, Divider):
    """Demands nearly everything in every turn, and accepts less only in the last (see `Committed`).

    Source: Schelling (1960), The Strategy of Conflict, chapter 2.

    Args:
        share: Demand as a share of its maximum; from 0.5 to 1.
    """

    lines = ("I need {own}. {other} is for you.", "My demand has not changed: {own} for me.")

    def __init__(self, spec: str = "greedy", share: Any = 0.9) -> None:
        super().__init__(spec, share)


class Concede(TimeDependent, Divider):
    """Concedes from ``high`` to ``low`` over time, late with e below 1, early above (see `TimeDependent`).

    Source: Faratin, Sierra and Jennings (1998), Negotiation decision functions for autonomous agents, section 4.1.

    Args:
        e: Concession exponent; above 0, at most 1e6.
        high: First demand as a share of its maximum; from 0 to 1.
        low: Reservation share; from 0 to `high`.
    """

    lines = (
        "Let me begin with {own} for me and {other} for you.",
        "I come towards you: {own} for me, {other} for you.",
    )


def count_offer(kept: tuple[float, ...], past: StrategyMemory) -> None:
    """Count an offer of the opponent and the items that it keeps."""
    past[0] += 1.0
    for k in range(len(kept)):
        past[1 + k] += kept[k]


def infer_values(v: View, past: StrategyMemory) -> ItemValues:
    """Return known values, or the share of each kind that the opponent kept in its offers; initially equal."""
    if knows_values(v):
        return known_or_equal_values(v, past)
    values = draft(v.own_items)
    for k in range(len(v.items)):
        values = put(values, k, (past[1 + k] + v.items[k]) / ((past[0] + 1.0) * v.items[k]))
    return to_tuple(values)


class Logroll(Concede):
    """Concedes over time in the kinds that the opponent values most, inferred from its offers.

    The estimated value of a kind is the mean share that the opponent kept of it, including one prior offer that keeps
    everything.

    Source: Pruitt (1981), Negotiation Behavior (logrolling); Faratin, Sierra and Jennings (2002), Using similarity
    criteria to make issue trade-offs in automated negotiations. Artificial Intelligence 142(2), 205-237.
    """

    memory = "history"
    memory_length = MAX_TURNS
    estimated_values, initial_memory = staticmethod(infer_values), (0.0,) * (1 + MAX_KINDS)
    lines = ("What matters most to you? I could live with {own}.", "Then take {other}, and I keep {own}.")

    @staticmethod
    def note(v: View, past: StrategyMemory) -> None:
        """Count the opponent's offer, if one is open."""
        if v.by == 1 - v.seat:
            count_offer(remaining_items(v.items, v.own_items), past)

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return the number of the opponent's offers, and the items of each kind kept in all of them."""
        past = list(self.initial_memory)
        for offer in offers_of_other(seen["history"], seen["seat"]):
            count_offer(offer["keep"], past)
        return past


def imitative_demand(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return its first demand times the share that the opponent's last offer denied it; numbers: high, low."""
    return min(max(x[0] * past[0], x[1]), x[0]) * stake


def imitative_threshold(v: View, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return its next demand, or the reservation share in the last turn."""
    return x[1] * stake if last_round(v) else imitative_demand(v, stake, x, past)


class TitForTat(Divider):
    """Reduces its demand by the fraction by which the opponent reduces what it denies this seat, in its own points.

    Source: Faratin, Sierra and Jennings (1998), section 4.3, relative tit-for-tat with a delay of one. The
    opponent's first offer is compared with a demand for everything.

    Args:
        high, low: As in `Concede`.
    """

    memory = "history"
    memory_length = MAX_TURNS
    asks, takes, initial_memory = staticmethod(imitative_demand), staticmethod(imitative_threshold), (1.0,)
    lines = ("I suggest {own} for me and {other} for you, and I move as you move.", "My turn: {own} for me.")

    def __init__(self, spec: str = "tit-for-tat", high: Any = 0.9, low: Any = 0.3) -> None:
        super().__init__(spec)
        self.numbers = parse_high_and_low(spec, high, low)

    @staticmethod
    def note(v: View, past: StrategyMemory) -> None:
        """Remember what the opponent's open offer denies the seat."""
        if v.by == 1 - v.seat:
            past[0] = total_value(v.own_values, remaining_items(v.items, v.own_items)) / total_value(
                v.own_values, v.items
            )

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return the share of its points that the opponent's last offer denied it; 1 before the first."""
        offers = offers_of_other(seen["history"], seen["seat"])
        return [total_value(seen["own_values"], offers[-1]["keep"]) / self.stake(self.view(seen))] if offers else [1.0]


PLAYERS: dict[str, type[Divider]] = {
    "spe": Spe,
    "fair": Fair,
    "greedy": Greedy,
    "concede": Concede,
    "logroll": Logroll,
    "tit-for-tat": TitForTat,
    "generated": Generated,
    "plan": Plan,
}
"""Classes by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
"""Specs by pool; see `econzoo.baselines.pools`."""

make_opponent = partial(opponent_of, game=GAME)
"""``make_opponent(spec)`` returns a function for `best_response`; see `opponent_of`."""
