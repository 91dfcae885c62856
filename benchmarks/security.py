"""Gain against the validation pool, and exploitability, of players of bargaining that do not compile.

    python benchmarks/security.py fair "plan(0.04)" "plan(0.04, security=0.45)"

In each of three settings of three or four rounds, all lines of play are searched in which the adversary asks for a
multiple of 2% of the money; players must be functions of what they observe.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

import econzoo
from econzoo.baselines import Player, player, pool

MONEY = 10_000.0
ASKED = np.linspace(0.0, MONEY, 51)


class Market(NamedTuple):
    horizon: int
    delta: tuple[float, float]


MARKETS = (Market(3, (0.9, 0.9)), Market(3, (0.7, 0.9)), Market(4, (0.9, 0.8)))


class Offer(NamedTuple):
    """What a seat keeps for itself."""

    seat: int
    gain: float


def observation(market: Market, seat: int, offers: tuple[Offer, ...], responds: bool) -> dict[str, Any]:
    """What a seat observes after some offers, of which all, or all but an open one, were refused."""
    asked = {one.seat: one.gain for one in offers}
    return {
        "seat": seat, "round": len(offers) + (not responds), "horizon": market.horizon, "money": MONEY,
        "own_delta": market.delta[seat], "other_delta": market.delta[1 - seat], "proposing": int(not responds),
        "offered": MONEY - offers[-1].gain if responds else None,
        "own_ask": asked.get(seat), "other_ask": asked.get(1 - seat),
        "over": 0, "agreed": 0, "own_gain": None, "own_payoff": None,
        "history": [{"kind": "offer", "round": r, **one._asdict()} for r, one in enumerate(offers, start=1)],
        "legal_actions": ["accept", "reject"] if responds else ["offer"],
    }  # fmt: skip


def best_response(one: Player, seat: int, market: Market, offers: tuple[Offer, ...] = ()) -> float:
    """The adversary's discounted share of the money against a player in a seat."""
    passed = len(offers)
    if passed == market.horizon:
        return 0.0
    worth = market.delta[1 - seat] ** passed / MONEY
    if passed % 2 == seat:
        own = Offer(seat, one.act(observation(market, seat, offers, False), {})["gain"])
        return max(worth * (MONEY - own.gain), best_response(one, seat, market, (*offers, own)))
    values = []
    for asked in ASKED:
        after = (*offers, Offer(1 - seat, float(asked)))
        takes = one.act(observation(market, seat, after, True), {})["kind"] == "accept"
        values.append(worth * asked if takes else best_response(one, seat, market, after))
    return max(values)


def gains(pair: list[str], market: Market) -> list[float]:
    found: list[float] = econzoo.play("bargaining", pair, seed=0, **market._asdict()).metrics["gains"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="+")
    others = pool("bargaining", "validation")
    for spec in parser.parse_args().players:
        one, exploited, won = player(spec, "bargaining"), list[float](), list[float]()
        for market in MARKETS:
            own = gains([spec, spec], market)
            exploited += [best_response(one, seat, market) - own[1 - seat] for seat in (0, 1)]
            won += [gains([spec, other], market)[0] for other in others]
            won += [gains([other, spec], market)[1] for other in others]
        print(f"{spec:26s} gain {np.mean(won):.3f}  exploitability {np.mean(exploited):.3f}", flush=True)


if __name__ == "__main__":
    main()
