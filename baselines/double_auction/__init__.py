"""Scripted traders and opponent pools of the double auction."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from econzoo.baselines import ScriptedPlayer, argument, read_pools, round_generator, view_of
from econzoo.envs.core.contract import ZERO_UNIFORMS, Move, MoveFunction, Numbers, Script, StrategyMemory, UniformPair
from econzoo.envs.games.double_auction.rules import LISTEN, NO_VALUE, OFFER, SAY, View
from econzoo.envs.games.double_auction.solution import linear_offer

Amount: TypeAlias = Callable[[View, Numbers, UniformPair], float]
"""Returns the price of a strategy's offer in dollars."""


@lru_cache(maxsize=64)
def mover(offer: Amount, reveals_value: bool) -> MoveFunction:
    """Return the move function of a trader that claims a shaded value, or listens, and then makes this offer."""

    def move(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> Move:
        if v.round > v.talk:
            return Move(OFFER, (offer(v, x, u), 0.0))
        if reveals_value:
            return Move(SAY, (partner(v) * 1.0, shade_value(v, x[0])))
        return Move(LISTEN, (0.0, 0.0))

    return move


class Trader(ScriptedPlayer):
    """Claims a value to its partner, or listens, and then makes an offer.

    Args:
        offer: Offer in dollars as a function of the observation.
        numbers: Shading, if any, as a fraction of the way from its value to the best possible price.
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
        """Return a claim, a no-op or an offer."""
        view = view_of(View, observation)
        kind, values = self.script.move(view, self.numbers, (), self.random_numbers(view.round))
        if kind == OFFER:
            return {"kind": "offer", "price": values[0]}
        return {"kind": "say", "whom": int(values[0]), "claim": values[1]} if kind == SAY else {"kind": "listen"}

    def random_numbers(self, round: int) -> UniformPair:
        """Return the uniform numbers of a round, of which the first is used."""
        return ZERO_UNIFORMS if self.deterministic else (round_generator(self.seed, round).random(), 0.0)


def is_buyer(v: View) -> bool:
    """Whether the seat is a buyer."""
    return v.seat < v.buyers


def partner(v: View) -> int:
    """Return the seat with the same index on the other side of the market, modulo its size."""
    if is_buyer(v):
        return v.buyers + v.seat % v.sellers
    return (v.seat - v.buyers) % v.buyers


def shade_value(v: View, share: float) -> float:
    """Shade the value by a fraction of the way to the best price: 0 for a buyer, the highest for a seller."""
    best = 0.0 if is_buyer(v) else v.money
    # Rounding may exceed the highest legal price.
    return min((1.0 - share) * v.value + share * best, v.money)


def equilibrium(v: View, x: Numbers, u: UniformPair) -> float:
    """Return the offer of the two-trader linear equilibrium."""
    return linear_offer(is_buyer(v), v.value, v.money, v.k)


def shaded_offer(v: View, x: Numbers, u: UniformPair) -> float:
    return shade_value(v, x[0])


def random_shaded_offer(v: View, x: Numbers, u: UniformPair) -> float:
    return shade_value(v, u[0])


def midpoint_offer(v: View, x: Numbers, u: UniformPair) -> float:
    """Return the midpoint of both claims, limited to no loss; numbers: the shading."""
    claim = v.received[partner(v)]
    if claim == NO_VALUE:
        return equilibrium(v, x, u)
    between = (claim + shade_value(v, x[0])) / 2
    return min(between, v.value) if is_buyer(v) else max(between, v.value)


def truthful(spec: str) -> Trader:
    """Offers its value: efficient, but not incentive compatible.

    Source: Myerson and Satterthwaite (1983), Efficient mechanisms for bilateral trading.
    """
    return Trader(spec, shaded_offer, (0.0,))


def linear(spec: str) -> Trader:
    """Plays the two-trader linear equilibrium, in larger markets too.

    Source: Chatterjee and Samuelson (1983), Bargaining under incomplete information.
    """
    return Trader(spec, equilibrium)


def zero_intelligence(spec: str) -> Trader:
    """Offers a uniform random price that makes no loss.

    Source: the constrained traders of Gode and Sunder (1993), Allocative efficiency of markets with zero-intelligence
    traders, Journal of Political Economy 101(1).
    """
    return Trader(spec, random_shaded_offer, is_random=True)


def shading(spec: str, share: Any = 0.2) -> Trader:
    """Offers its value shaded by a fraction from 0 to 1 of the way to the best possible price.

    Source: misrepresentation in Rustichini, Satterthwaite and Williams (1994); a fixed share is the margin of Cliff
    (1997), Minimal-intelligence agents for bargaining behaviors in market-based environments.
    """
    return Trader(spec, shaded_offer, (argument(spec, "share", share, 0.0, 1.0),))


def midpoint(spec: str, share: Any = 0.0) -> Trader:
    """Claims its shaded value and offers the midpoint of both claims, limited to no loss.

    Two truthful ones realise all gains from trade, as no equilibrium does. Without a claim from its partner it offers
    as `linear`.

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
"""Functions by name, called with (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
