"""Sender and receiver of cheap talk in bargaining, where only messages separate two types.

The weak type has no outside option and accepts anything; the strong type has one that is worth a share of the money.
Both demand the same, so offers carry no information. With two rounds, equally many weak and strong senders and a
discount factor of 0.8, the second mover earns (in shares of the money)

    told the type                       (0.8 + 0.4) / 2 = 0.6     rejects the weak and keeps all, accepts of the strong
    told nothing                        max(0.4, 0.8 / 2) = 0.4   accepts, or rejects and keeps all: as good
    taking each for the other           (0.4 + 0.0) / 2 = 0.2

and a receiver with accuracy q on each type earns 0.2 + 0.4 q. These numbers maximise the value of information: with
payoffs H against the weak and L against the strong it is ``(H + L) / 2 - max(L, H / 2)``, largest for ``L = H / 2``.

Sources: types that differ in strength and reveal it by cheap talk: Farrell, J. and Gibbons, R. (1989), Cheap
talk can matter in bargaining, Journal of Economic Theory 48(1), 221-237. Weak and strong bargainers: Rubinstein, A.
(1985), A bargaining model with incomplete information about time preferences, Econometrica 53(5), 1151-1172. Here
messages are true, and demands do not depend on the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from econzoo.baselines import ObservationDict, argument, evidence, log_odds, offers_of_other, round_generator
from econzoo.baselines.bargaining.base import BargainingPlayer
from econzoo.baselines.offers import last_round
from econzoo.envs.core.contract import Numbers, Script, StrategyMemory, load_package_toml, short_repr

WEAK, STRONG = "weak", "strong"

RESERVATION = {WEAK: 0.0, STRONG: 0.6}
"""Minimum acceptable share of the money by type: the value of its outside option."""

DEMAND = 0.6
"""Demand of both types as a share of the money."""

SPLITS = ("training", "validation", "test", "other-author")
"""Splits of the messages; their sentences differ in vocabulary and construction, in the last one in their author."""


@cache
def sentences(split: str) -> Mapping[str, tuple[str, ...]]:
    """Return the sentences of each type, shortest first; those at the same index have similar length."""
    texts = load_package_toml(__package__, "talk.toml")[split]
    return {type: tuple(sorted(texts[type], key=len)) for type in RESERVATION}


@cache
def word_evidence() -> Mapping[str, float]:
    """Return the evidence of each word in the training split for the weak type."""
    texts = sentences("training")
    return evidence(texts[WEAK], texts[STRONG])


def infer_type(text: str) -> str:
    """Classify a text by its bag of words; strong without any evidence."""
    return WEAK if log_odds(text, word_evidence()) > 0.0 else STRONG


def sender_demand(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return its demand; numbers: demanded share, minimum acceptable share."""
    return x[0] * stake


def sender_threshold(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return its minimum acceptable amount."""
    return x[1] * stake


def all_but_reservation(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return all but the opponent's minimum; number: its share."""
    return (1.0 - x[0]) * stake


def continuation_value(v: Any, stake: float, x: Numbers, past: StrategyMemory) -> float:
    """Return next round's demand, discounted once; 0 in a known last round."""
    return 0.0 if last_round(v) else v.own_delta * (1.0 - x[0]) * stake


def parse_type(spec: str, name: str, value: Any) -> str:
    """Parse an argument that is a type."""
    return _check_choice(spec, name, value, tuple(RESERVATION))


def _check_choice(spec: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        names = " or ".join(map(repr, allowed))
        raise ValueError(f"player {spec[:80]!r}: invalid {name}={short_repr(value)}: expected {names}")
    return str(value)


class Sender(BargainingPlayer):
    """Says with each offer whether it has an outside option; demands 60% of the money and accepts as its type does.

    The weak type accepts anything, the strong one 60% or more. Its messages name no amount. They are true unless
    `words` is the other type; then the n-th shortest sentence of one type replaces the n-th shortest of the other,
    which has a similar length.

    Source: cheap talk of a sender to a receiver: Crawford and Sobel (1982), Strategic information transmission;
    Farrell and Gibbons (1989); see the module.

    Args:
        type: ``"weak"`` or ``"strong"``.
        split: Split of its sentences: ``"training"``, ``"validation"``, ``"test"`` or ``"other-author"``.
        line: Index of its sentence, from 0 for the shortest; None: sampled for each offer.
        words: Type whose sentences it sends; None: its own.
    """

    asks, takes = staticmethod(sender_demand), staticmethod(sender_threshold)

    def __init__(
        self, spec: str = "sender", type: Any = WEAK, split: Any = "training", line: Any = None, words: Any = None
    ) -> None:
        super().__init__(spec)
        self.type = parse_type(spec, "type", type)
        voice = self.type if words is None else parse_type(spec, "words", words)
        self.said = sentences(_check_choice(spec, "split", split, SPLITS))[voice]
        last = len(self.said) - 1
        self.place = None if line is None else int(argument(spec, "line", line, 0, last, integer=True))
        self.deterministic = self.place is not None
        self.numbers = (DEMAND, RESERVATION[self.type])

    def say(self, seen: ObservationDict, amount: Any) -> str:
        return (
            round_generator(self.seed, seen["round"]).choice(self.said) if self.place is None else self.said[self.place]
        )


class Receiver(BargainingPlayer):
    """Infers the type of a `Sender` from its messages and plays the best response to it.

    Its classifier is naive Bayes on a bag of words, fitted to the training sentences. Silence counts as strong. With a
    fixed type it is an oracle or ignores messages.

    Source: the receiver of Crawford and Sobel (1982), Strategic information transmission.

    Args:
        type: Assumed type of every opponent, ``"weak"`` or ``"strong"``; None: inferred from messages.
    """

    asks, takes = staticmethod(all_but_reservation), staticmethod(continuation_value)

    def __init__(self, spec: str = "receiver", type: Any = None) -> None:
        super().__init__(spec)
        self.type = None if type is None else parse_type(spec, "type", type)
        self.deterministic = self.type is not None
        self.numbers = (RESERVATION[self.type or STRONG],)

    @property
    def script(self) -> Script | None:
        """The strategy on arrays; None if it reads messages, which arrays lack."""
        return None if self.type is None else super().script

    def move(self, seen: ObservationDict) -> dict[str, Any]:
        """Return the best response to the type that all messages together suggest."""
        if self.type is None:
            text = " ".join(one.get("message", "") for one in offers_of_other(seen["history"], seen["seat"]))
            self.numbers = (RESERVATION[infer_type(text)],)
        return super().move(seen)

    def say(self, seen: ObservationDict, amount: Any) -> str:
        return ""
