"""The exact best response in a small town of water allocation with mixed opponents, beside the gains of scripts.

    python benchmarks/towns.py        # the table of docs/generalisation.md

Every resident but one follows a script that depends on no money but its own; the best response knows these scripts and
all balances, and the supply of each day is random. Only bids of 0 and bids that equal or just beat another's need to be
tried: a higher bid buys no more water today and leaves less money for tomorrow. Backward induction over days, supplies
and these bids is exact to a cent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, permutations
from statistics import fmean
from typing import Any, NamedTuple

from econzoo.baselines import player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import CHANCE, DONE, ZERO_UNIFORMS, Move, Script
from econzoo.envs.core.vector import script_of
from econzoo.evaluate.show import TEXT, Column, show
from econzoo.evaluate.show import Table as Shown

GAME = "water_allocation"

CENT = 0.01

TOWN: dict[str, Any] = {
    "residents": (("Alex", 8, 70.0), ("Bob", 9, 75.0), ("Cindy", 10, 100.0)),
    "supply": (8, 11),
    "days": 5,
    "start_health": 4,
    "reward": "days",
}
"""Three residents of the published town, of whom at most one gets water each day."""

OPPONENT_SCRIPTS = ("all-in", "shade(0.35)", "reserve(5)", "need-based")
"""Scripts that depend on no money but their own, and on no earlier bids."""

COMPARED_SCRIPTS = ("all-in", "shade(0.35)", "reserve(5)", "need-based", "bid(100)")
"""Scripts that are compared with the best response in its seat."""


class Seating(NamedTuple):
    """Players by seat.

    Attributes:
        seat: Seat of the best response or compared script.
        others: Specs of the others, in the order of their seats.
    """

    seat: int
    others: tuple[str, ...]


def seatings(mixed: bool) -> list[Seating]:
    """Return all seatings with two different opponents, or with two equal ones, for each seat."""
    pairs = [one for one in combinations_with_replacement(OPPONENT_SCRIPTS, 2) if (len(set(one)) > 1) == mixed]
    return [Seating(seat, order) for seat in range(3) for pair in pairs for order in sorted(set(permutations(pair)))]


def gain(params: Any, seating: Seating, own: str | None) -> float:
    """Compute the expected gain of a script in a seating; `own` None: of the best response, which knows the others."""
    specs = list(seating.others)
    specs.insert(seating.seat, own or "all-in")
    scripts = [_script(spec) for spec in specs]
    rules: Any = find_game(GAME).rules

    @lru_cache(None)
    def gain_of(state: Any) -> float:
        actor = rules.to_act(params, state)
        if actor == DONE:
            return float(rules.gains(params, state)[seating.seat])
        if actor == CHANCE:
            days = rules.chance(params, state)
            return sum(
                chance * gain_of(rules.apply(params, state, (Move(CHANCE, (units,)),))) for units, chance in days
            )
        bids = {seat: _bid(params, state, seat, script) for seat, script in enumerate(scripts) if not state.died[seat]}
        if own is not None or state.died[seating.seat]:
            return gain_of(_next_state(params, state, bids))
        return max(
            gain_of(_next_state(params, state, {**bids, seating.seat: bid}))
            for bid in _candidate_bids(state, bids, seating.seat)
        )

    return gain_of(rules.initial(params))


def _candidate_bids(state: Any, bids: dict[int, float], seat: int) -> list[float]:
    """Zero, and affordable bids that equal or just beat another's bid."""
    beaten = [bid + more for other, bid in bids.items() if other != seat for more in (0.0, CENT)]
    return sorted({0.0, *(round(bid, 2) for bid in beaten if bid <= state.balance[seat])})


def _next_state(params: Any, state: Any, bids: dict[int, float]) -> Any:
    """The next morning, with the bids dropped from the state, as no script depends on them."""
    moves = tuple(Move(0, (bids.get(seat, 0.0),)) for seat in range(len(state.died)))
    return find_game(GAME).rules.apply(params, state, moves)._replace(bid=state.bid)


def _bid(params: Any, state: Any, seat: int, script: Script) -> float:
    view = find_game(GAME).rules.observe(params, state, seat)
    return float(script.move(view, script.numbers, list(script.start(params)), ZERO_UNIFORMS).values[0])


def _script(spec: str) -> Script:
    script = script_of(player(spec, GAME), GAME)
    assert script is not None
    return script


def study(params: Any) -> Shown:
    """Tabulate mean gains over seatings of the best response and of scripts in its seat."""
    kinds = {"mixed": seatings(mixed=True), "two of a kind": seatings(mixed=False)}
    names: Sequence[str | None] = (None, *COMPARED_SCRIPTS)
    rows = [
        [own or "best response", *(fmean(gain(params, one, own) for one in at) for at in kinds.values())]
        for own in names
    ]
    columns = [Column("player", kind=TEXT), *(Column(kind, f"{kind} ({len(at)})") for kind, at in kinds.items())]
    return Shown("towns", "Water allocation, three residents, five days: expected gain", columns, rows)


if __name__ == "__main__":
    show([study(find_game(GAME).params(**TOWN)[1])])
