"""Bargaining in which words alone tell two types apart: who says the truth about itself, and who acts on what it hears.

The weak type has nobody else to deal with and takes whatever is left to it; the strong type has an alternative that is
worth a share of the money. Both ask for the same, so numbers tell nothing. With two rounds, as many weak as strong ones
and a discount factor of 0.8, the second mover earns (in shares of the money)

    told the type                       (0.8 + 0.4) / 2 = 0.6     rejects the weak and keeps all, accepts of the strong
    told nothing                        max(0.4, 0.8 / 2) = 0.4   accepts, or rejects and keeps all: as good
    taking each for the other           (0.4 + 0.0) / 2 = 0.2

and a reader who is right about a share q of each type earns 0.2 + 0.4 q. Knowing the type is worth the most with these
numbers: where it pays H against the weak and L against the strong, it is worth ``(H + L) / 2 - max(L, H / 2)``, and
that is the largest for ``L = H / 2``.

Sources: types that differ in strength and tell it by words that cost nothing: Farrell, J. and Gibbons, R. (1989), Cheap
talk can matter in bargaining, Journal of Economic Theory 48(1), 221-237. Weak and strong bargainers: Rubinstein, A.
(1985), A bargaining model with incomplete information about time preferences, Econometrica 53(5), 1151-1172. Here
what is said is true, and what is asked for does not hang on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from econzoo.baselines.bag_of_words import evidence, log_odds
from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers.demands import last_round
from econzoo.baselines.strategy import ObservationDict, argument, offers_of_other, round_generator
from econzoo.envs.core.contract.scripts import Numbers, Script, StrategyMemory
from econzoo.envs.core.contract.validation import load_package_toml, short_repr

WEAK, STRONG = "weak", "strong"

RESERVATION = {WEAK: 0.0, STRONG: 0.6}
"""The least share of the money that a type accepts: what its alternative is worth to it."""

DEMAND = 0.6
"""The share of the money that both types ask for."""

SPLITS = ("training", "validation", "test")
"""Of what is said: sentences of one are others than those of another in words and construction."""


@cache
def sentences(split: str) -> Mapping[str, tuple[str, ...]]:
    """Type to what it says, the shortest first; at one place both types have sentences of like length.

    Args:
        split: One of `SPLITS`.
    """
    found = load_package_toml(__package__, "talk.toml")[split]
    return {type: tuple(sorted(found[type], key=len)) for type in RESERVATION}


@cache
def word_evidence() -> Mapping[str, float]:
    """The evidence of each word of the training that the weak type speaks."""
    said = sentences("training")
    return evidence(said[WEAK], said[STRONG])


def infer_type(text: str) -> str:
    """The type that a bag of words says; without any evidence it is strong."""
    return WEAK if log_odds(text, word_evidence()) > 0.0 else STRONG


def sender_demand(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The share that it asks for; numbers: that, and the least it accepts."""
    return x[0] * stake


def sender_threshold(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """The least that it accepts."""
    return x[1] * stake


def all_but_reservation(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """All but the least that the other accepts; number: its share."""
    return (1.0 - x[0]) * stake


def continuation_value(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """What asking for that in the next round is worth, discounted once; nothing in the round known to be the last."""
    return 0.0 if last_round(v) else v.own_delta * (1.0 - x[0]) * stake


def parse_type(spec: str, name: str, value: Any) -> str:
    """An argument that is a type.

    Raises:
        ValueError: It is none; the message names it and what is allowed.
    """
    return _check_choice(spec, name, value, tuple(RESERVATION))


def _check_choice(spec: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        told = ", ".join(map(repr, allowed))
        raise ValueError(f"player {spec[:80]!r}: {name}={short_repr(value)} is not allowed; allowed: {told}")
    return str(value)


class Sender(BargainingPlayer):
    """Says with each offer whether it has an alternative; asks for 60% of the money, and accepts what its type does.

    The weak type accepts anything, the strong one 60% or more. What it says names no amount. It is true unless
    `words` are those of the other type; then the n-th shortest sentence of one type stands where the n-th shortest of
    the other would, which is of like length.

    Source: cheap talk of a sender to a receiver: Crawford and Sobel (1982), Strategic information transmission;
    Farrell and Gibbons (1989); see the module.

    Args:
        type: ``"weak"`` or ``"strong"``.
        split: Whose sentences it says, ``"training"``, ``"validation"`` or ``"test"``.
        line: Which of them, from 0, the shortest, on; None: one is drawn for each offer.
        words: The type whose sentences it says; None: its own.
    """

    asks, takes = staticmethod(sender_demand), staticmethod(sender_threshold)

    def __init__(
        self, spec: str = "sender", type: Any = WEAK, split: Any = "training", line: Any = None, words: Any = None
    ) -> None:
        super().__init__(spec)
        self.type = parse_type(spec, "type", type)
        said = self.type if words is None else parse_type(spec, "words", words)
        self.said = sentences(_check_choice(spec, "split", split, SPLITS))[said]
        last = len(self.said) - 1
        self.place = None if line is None else int(argument(spec, "line", line, 0, last, integer=True))
        self.deterministic = self.place is not None
        self.numbers = (DEMAND, RESERVATION[self.type])

    def say(self, seen: ObservationDict, amount: Any) -> str:
        """Its sentence."""
        return (
            round_generator(self.seed, seen["round"]).choice(self.said) if self.place is None else self.said[self.place]
        )


class Receiver(BargainingPlayer):
    """Plays the best response to the type of `Sender` that it takes the other for, which it reads from its words.

    It counts words (naive Bayes, fitted to the sentences of the training) and knows neither their order nor any other
    word. Who says nothing is taken for strong. Told a type, it is an oracle or somebody who does not listen.

    Source: the receiver of Crawford and Sobel (1982), Strategic information transmission.

    Args:
        type: ``"weak"`` or ``"strong"``: for which it takes everybody; None: it reads.
    """

    asks, takes = staticmethod(all_but_reservation), staticmethod(continuation_value)

    def __init__(self, spec: str = "receiver", type: Any = None) -> None:
        super().__init__(spec)
        self.type = None if type is None else parse_type(spec, "type", type)
        self.deterministic = self.type is not None
        self.numbers = (RESERVATION[self.type or STRONG],)

    @property
    def script(self) -> Script | None:
        """None if it reads: arrays have no words."""
        return None if self.type is None else super().script

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """The best response to the type that all words together tell."""
        if self.type is None:
            said = " ".join(one.get("message", "") for one in offers_of_other(seen["history"], seen["seat"]))
            self.numbers = (RESERVATION[infer_type(said)],)
        return super().move(seen)

    def say(self, seen: ObservationDict, amount: Any) -> str:
        """Nothing."""
        return ""
