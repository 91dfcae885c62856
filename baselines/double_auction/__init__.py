"""Scripted traders of a double auction, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import ScriptedPlayer, argument, round_generator, view_of
from econzoo.envs.core.contract.game import Move
from econzoo.envs.core.contract.scripts import ZERO_UNIFORMS, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.games.double_auction.rules import LISTEN, NO_VALUE, OFFER, SAY, View
from econzoo.envs.games.double_auction.solution import linear_offer

Amount: TypeAlias = Callable[[View, Numbers, UniformPair], float]
"""Dollars of a strategy's offer."""


@lru_cache(maxsize=64)
def mover(offer: Amount, reveals_value: bool) -> MoveFunction:
    """How a trader moves that makes this offer, and tells its partner its value before, shaded, or listens."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        if v.round > v.talk:
            return Move(OFFER, (offer(v, x, u), 0.0))
        if reveals_value:
            return Move(SAY, (partner(v) * 1.0, shade_value(v, x[0])))
        return Move(LISTEN, (0.0, 0.0))

    return move


class Trader(ScriptedPlayer):
    """Tells its partner a value, or listens, and then makes an offer.

    Args:
        spec: Names the player.
        offer: In dollars, from what the seat has observed.
        numbers: A share of the way from the own value to the best possible price, if it has one.
        reveals_value: Whether it tells its partner its value, shaded by that share; else it listens.
        is_random: Whether it draws what it offers.
    """

    def __init__(
        self,
        spec: str,
        offer: Amount,
        numbers: tuple[float, ...] = (),
        reveals_value: bool = False,
        is_random: bool = False,
    ) -> None:
        super().__init__(spec)
        self.numbers, self.deterministic = numbers, not is_random
        self.script = Script(mover(offer, reveals_value), numbers)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Words or an offer."""
        view = view_of(View, observation)
        kind, values = self.script.move(view, self.numbers, (), self.random_numbers(view.round))
        if kind == OFFER:
            return {"kind": "offer", "price": values[0]}
        return {"kind": "say", "whom": int(values[0]), "claim": values[1]} if kind == SAY else {"kind": "listen"}

    def random_numbers(self, round: int) -> UniformPair:
        """Its luck of a round, of which one number counts."""
        return ZERO_UNIFORMS if self.deterministic else (round_generator(self.seed, round).random(), 0.0)


def is_buyer(v: View) -> bool:
    """Whether the seat buys."""
    return v.seat < v.buyers


def partner(v: View) -> int:
    """The seat that has the same place on the other side, counted round."""
    if is_buyer(v):
        return v.buyers + v.seat % v.sellers
    return (v.seat - v.buyers) % v.buyers


def shade_value(v: View, share: float) -> float:
    """The value, moved by a share of the way to the best possible price: 0 for a buyer, the highest for a seller."""
    best = 0.0 if is_buyer(v) else v.money
    return min((1.0 - share) * v.value + share * best, v.money)


def equilibrium(v: View, x: Numbers, u: UniformPair) -> float:
    """The offer of the linear equilibrium of a pair."""
    return linear_offer(is_buyer(v), v.value, v.money, v.k)


def shaded_offer(v: View, x: Numbers, u: UniformPair) -> float:
    """The value, shaded; numbers: the share."""
    return shade_value(v, x[0])


def random_shaded_offer(v: View, x: Numbers, u: UniformPair) -> float:
    """The value, shaded by a share that is drawn."""
    return shade_value(v, u[0])


def midpoint_offer(v: View, x: Numbers, u: UniformPair) -> float:
    """Between what it told and what it was told, if that is no loss; numbers: the share by which it shades."""
    heard = v.heard[partner(v)]
    if heard == NO_VALUE:
        return equilibrium(v, x, u)
    between = (heard + shade_value(v, x[0])) / 2
    return min(between, v.value) if is_buyer(v) else max(between, v.value)


def truthful(spec: str) -> Trader:
    """Offers its value: what efficiency needs, and what nobody has a reason to do without being paid for it.

    Source: Myerson and Satterthwaite (1983), Efficient mechanisms for bilateral trading.
    """
    return Trader(spec, shaded_offer, (0.0,))


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
    return Trader(spec, random_shaded_offer, is_random=True)


def shading(spec: str, share: Any = 0.2) -> Trader:
    """Offers its value, moved by a share from 0 to 1 of the way to the best possible price.

    Source: misrepresentation in Rustichini, Satterthwaite and Williams (1994); a fixed share is the margin of Cliff
    (1997), Minimal-intelligence agents for bargaining behaviors in market-based environments.
    """
    return Trader(spec, shaded_offer, (argument(spec, "share", share, 0.0, 1.0),))


def midpoint(spec: str, share: Any = 0.0) -> Trader:
    """Tells its value, shaded by a share, and offers the middle of that and what it was told, if that is no loss.

    Two that tell the truth make all gains from trade, as no equilibrium does. Who hears nothing offers as `linear`.

    Source: pairs that coordinate on one price in Valley, Thompson, Gibbons and Bazerman (2002), How communication
    improves efficiency in bargaining games, Games and Economic Behavior 38.
    """
    return Trader(spec, midpoint_offer, (argument(spec, "share", share, 0.0, 1.0),), reveals_value=True)


PLAYERS: dict[str, Callable[..., Trader]] = {
    "truthful": truthful,
    "linear": linear,
    "zi": zero_intelligence,
    "shading": shading,
    "midpoint": midpoint,
}
"""Name to function; a function gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
