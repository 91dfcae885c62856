"""Scripted traders of a double auction, by name, and the pools that training and evaluation draw from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from econzoo.baselines.pools import read_pools
from econzoo.baselines.strategy import ScriptedPlayer, Seen, argument, draw
from econzoo.envs.games.double_auction.rules import NONE
from econzoo.envs.games.double_auction.solution import linear_offer

Amount = Callable[[Seen], float]


class Trader(ScriptedPlayer):
    """Tells its partner a value, or listens, and then makes an offer.

    Args:
        spec: Names the player.
        offer: In dollars, from what the seat has observed.
        claim: The value that it tells; None: it listens.
        shades: Whether its offers are shaded, by a share that is drawn.
    """

    def __init__(self, spec: str, offer: Amount, claim: Amount | None = None, shades: bool = False) -> None:
        super().__init__(spec)
        self.offer, self.claim, self.deterministic = offer, claim, not shades

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Words or an offer."""
        if "offer" in observation["legal_actions"]:
            share = 0.0 if self.deterministic else draw(self.seed, observation["round"]).random()
            return {"kind": "offer", "price": shaded(observation, share) if share else self.offer(observation)}
        if self.claim is None:
            return {"kind": "listen"}
        return {"kind": "say", "whom": partner(observation), "claim": self.claim(observation)}


def buys(seen: Seen) -> bool:
    """Whether the seat buys."""
    return bool(seen["seat"] < seen["buyers"])


def partner(seen: Seen) -> int:
    """The seat that has the same place on the other side, counted round."""
    if buys(seen):
        return int(seen["buyers"] + seen["seat"] % seen["sellers"])
    return int((seen["seat"] - seen["buyers"]) % seen["buyers"])


def shaded(seen: Seen, share: float = 0.0) -> float:
    """The value, moved by a share of the way to the best possible price: 0 for a buyer, the highest for a seller."""
    best = 0.0 if buys(seen) else seen["money"]
    return float(min((1.0 - share) * seen["value"] + share * best, seen["money"]))


def equilibrium(seen: Seen) -> float:
    """The offer of the linear equilibrium of a pair."""
    return linear_offer(buys(seen), seen["value"], seen["money"], seen["k"])


def truthful(spec: str) -> Trader:
    """Offers its value: what efficiency needs, and what nobody has a reason to do without being paid for it.

    Source: Myerson and Satterthwaite (1983), Efficient mechanisms for bilateral trading.
    """
    return Trader(spec, shaded)


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
    return Trader(spec, shaded, shades=True)


def shading(spec: str, share: Any = 0.2) -> Trader:
    """Offers its value, moved by a share from 0 to 1 of the way to the best possible price.

    Source: misrepresentation in Rustichini, Satterthwaite and Williams (1994); a fixed share is the margin of Cliff
    (1997), Minimal-intelligence agents for bargaining behaviors in market-based environments.
    """
    return Trader(spec, partial(shaded, share=argument(spec, "share", share, 0.0, 1.0)))


def midpoint(spec: str, share: Any = 0.0) -> Trader:
    """Tells its value, shaded by a share, and offers the middle of that and what it was told, if that is no loss.

    Two that tell the truth make all gains from trade, as no equilibrium does. Who hears nothing offers as `linear`.

    Source: pairs that coordinate on one price in Valley, Thompson, Gibbons and Bazerman (2002), How communication
    improves efficiency in bargaining games, Games and Economic Behavior 38.
    """
    claim = partial(shaded, share=argument(spec, "share", share, 0.0, 1.0))

    def offer(seen: Seen) -> float:
        heard = seen["heard"][partner(seen)]
        middle = (heard + claim(seen)) / 2
        return equilibrium(seen) if heard == NONE else float((min if buys(seen) else max)(middle, seen["value"]))

    return Trader(spec, offer, claim)


PLAYERS: dict[str, Callable[..., Trader]] = {
    "truthful": truthful,
    "linear": linear,
    "zi": zero_intelligence,
    "shading": shading,
    "midpoint": midpoint,
}
"""Name to function; a function gets (spec, *arguments of the spec)."""

POOLS = read_pools(__package__)
