"""Scripted traders of a double auction, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import ScriptedPlayer, argument, draw, view_of
from econzoo.envs.core.contract.game import Move
from econzoo.envs.core.contract.scripts import NO_LUCK, Luck, Mover, Numbers, Past, Script
from econzoo.envs.games.double_auction.rules import LISTEN, NONE, OFFER, SAY, View
from econzoo.envs.games.double_auction.solution import linear_offer

Amount: TypeAlias = Callable[[View, Numbers, Luck], float]
"""Dollars of a strategy's offer."""


@lru_cache(maxsize=64)
def mover(offer: Amount, tells: bool) -> Mover:
    """How a trader moves that makes this offer, and tells its partner its value before, shaded, or listens."""

    def move(v: View, x: Numbers, past: Past, u: Luck) -> Move:
        if v.round > v.talk:
            return Move(OFFER, (offer(v, x, u), 0.0))
        if tells:
            return Move(SAY, (partner(v) * 1.0, shaded(v, x[0])))
        return Move(LISTEN, (0.0, 0.0))

    return move


class Trader(ScriptedPlayer):
    """Tells its partner a value, or listens, and then makes an offer.

    Args:
        spec: Names the player.
        offer: In dollars, from what the seat has observed.
        numbers: A share of the way from the own value to the best possible price, if it has one.
        tells: Whether it tells its partner its value, shaded by that share; else it listens.
        draws: Whether it draws what it offers.
    """

    def __init__(
        self, spec: str, offer: Amount, numbers: tuple[float, ...] = (), tells: bool = False, draws: bool = False
    ) -> None:
        super().__init__(spec)
        self.numbers, self.deterministic = numbers, not draws
        self.script = Script(mover(offer, tells), numbers)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Words or an offer."""
        view = view_of(View, observation)
        kind, values = self.script.move(view, self.numbers, (), self.luck(view.round))
        if kind == OFFER:
            return {"kind": "offer", "price": values[0]}
        return {"kind": "say", "whom": int(values[0]), "claim": values[1]} if kind == SAY else {"kind": "listen"}

    def luck(self, round: int) -> Luck:
        """Its luck of a round, of which one number counts."""
        return NO_LUCK if self.deterministic else (draw(self.seed, round).random(), 0.0)


def buys(v: View) -> bool:
    """Whether the seat buys."""
    return v.seat < v.buyers


def partner(v: View) -> int:
    """The seat that has the same place on the other side, counted round."""
    if buys(v):
        return v.buyers + v.seat % v.sellers
    return (v.seat - v.buyers) % v.buyers


def shaded(v: View, share: float) -> float:
    """The value, moved by a share of the way to the best possible price: 0 for a buyer, the highest for a seller."""
    best = 0.0 if buys(v) else v.money
    return min((1.0 - share) * v.value + share * best, v.money)


def equilibrium(v: View, x: Numbers, u: Luck) -> float:
    """The offer of the linear equilibrium of a pair."""
    return linear_offer(buys(v), v.value, v.money, v.k)


def by_a_share(v: View, x: Numbers, u: Luck) -> float:
    """The value, shaded; numbers: the share."""
    return shaded(v, x[0])


def by_chance(v: View, x: Numbers, u: Luck) -> float:
    """The value, shaded by a share that is drawn."""
    return shaded(v, u[0])


def middle(v: View, x: Numbers, u: Luck) -> float:
    """Between what it told and what it was told, if that is no loss; numbers: the share by which it shades."""
    heard = v.heard[partner(v)]
    if heard == NONE:
        return equilibrium(v, x, u)
    between = (heard + shaded(v, x[0])) / 2
    return min(between, v.value) if buys(v) else max(between, v.value)


def truthful(spec: str) -> Trader:
    """Offers its value: what efficiency needs, and what nobody has a reason to do without being paid for it.

    Source: Myerson and Satterthwaite (1983), Efficient mechanisms for bilateral trading.
    """
    return Trader(spec, by_a_share, (0.0,))


def linear(spec: str) -> Trader:
    """Offers as the linear equilibrium of a pair says, in larger markets too.

    Source: Chatterjee and Samuelson (1983), Bargaining under incomplete information.
    """
    return Trader(spec, equilibrium)


def zero_intelligence(spec: str) -> Trader:
    """Offers anything that is no loss, each amount as likely.

    Source: the constrained traders of Gode and Sunder (1993), Allocative efficiency of markets with zero-intelligence
    traders, Journal of Political Economy 101(1).
    """
    return Trader(spec, by_chance, draws=True)


def shading(spec: str, share: Any = 0.2) -> Trader:
    """Offers its value, moved by a share from 0 to 1 of the way to the best possible price.

    Source: misrepresentation in Rustichini, Satterthwaite and Williams (1994); a fixed share is the margin of Cliff
    (1997), Minimal-intelligence agents for bargaining behaviors in market-based environments.
    """
    return Trader(spec, by_a_share, (argument(spec, "share", share, 0.0, 1.0),))


def midpoint(spec: str, share: Any = 0.0) -> Trader:
    """Tells its value, shaded by a share, and offers the middle of that and what it was told, if that is no loss.

    Two that tell the truth make all gains from trade, as no equilibrium does. Who hears nothing offers as `linear`.

    Source: pairs that coordinate on one price in Valley, Thompson, Gibbons and Bazerman (2002), How communication
    improves efficiency in bargaining games, Games and Economic Behavior 38.
    """
    return Trader(spec, middle, (argument(spec, "share", share, 0.0, 1.0),), tells=True)


PLAYERS: dict[str, Callable[..., Trader]] = {
    "truthful": truthful,
    "linear": linear,
    "zi": zero_intelligence,
    "shading": shading,
    "midpoint": midpoint,
}
"""Name to function; a function gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
