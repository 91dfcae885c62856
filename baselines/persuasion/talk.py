"""Sellers who say in many words that a product is good or bad, and a buyer's reading of them that counts words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from econzoo.baselines.bag_of_words import evidence, log_odds
from econzoo.baselines.persuasion.base import Buyer, Seller, words_of
from econzoo.baselines.persuasion.signals import DISCOURAGED, NOTHING, RECOMMENDED
from econzoo.baselines.player import SeatInfo
from econzoo.baselines.strategy import argument, round_generator
from econzoo.envs.core.contract.scripts import Numbers, StrategyMemory, UniformPair
from econzoo.envs.core.contract.validation import load_package_toml, short_repr
from econzoo.envs.games.persuasion.rules import HIGH, SAY, View

FOR_KEY, AGAINST_KEY = "for", "against"

SPLITS = ("training", "test")
"""Of what is said: sentences of the test are other constructions with other words."""


@cache
def sentences(split: str) -> Mapping[str, tuple[str, ...]]:
    """`FOR_KEY` and `AGAINST_KEY` to what is said then, the shortest first; at one place both are of like length.

    Args:
        split: One of `SPLITS`.
    """
    found = load_package_toml(__package__, "talk.toml")[split]
    return {signal: tuple(sorted(found[signal], key=len)) for signal in (FOR_KEY, AGAINST_KEY)}


def sentences_of(spec: str, split: Any) -> Mapping[str, tuple[str, ...]]:
    """The sentences of a seller.

    Args:
        spec: Of the seller.
        split: Its argument.

    Raises:
        ValueError: There is no such split; the message names those that there are.
    """
    if split not in SPLITS:
        allowed = ", ".join(map(repr, SPLITS))
        raise ValueError(f"player {spec[:80]!r}: split={short_repr(split)} is not allowed; allowed: {allowed}")
    return sentences(split)


@cache
def word_evidence() -> Mapping[str, float]:
    """The evidence of each word of the training for a recommendation."""
    said = sentences("training")
    return evidence(said[FOR_KEY], said[AGAINST_KEY])


def infer_signal(text: str) -> int:
    """The signal that a bag of words says, fitted to the sentences of the training; `NOTHING` without evidence."""
    found = log_odds(text, word_evidence())
    return RECOMMENDED if found > 0.0 else DISCOURAGED if found < 0.0 else NOTHING


class Signal(Seller):
    """Recommends each quality with a fixed probability: any signal with two values and no memory.

    Source: the signals (statistical experiments) of Kamenica and Gentzkow (2011), Bayesian persuasion.

    Args:
        low: Probability that low quality is recommended; from 0 to 1.
        high: The same for high quality.
        split: Where the seller has to use words: whose sentences it says, ``"training"`` or ``"test"``,
            one of them drawn in each round; None: one of two.
    """

    def __init__(self, spec: str = "signal", low: Any = 0.5, high: Any = 1.0, split: Any = None) -> None:
        super().__init__(spec)
        self.said = None if split is None else sentences_of(spec, split)
        self.numbers = (argument(spec, "low", low, 0.0, 1.0), argument(spec, "high", high, 0.0, 1.0))
        self._random = Random(0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts its own generator."""
        super().reset(seat, info, seed)
        self._random = Random(seed)

    def make_move(self, agrees: bool, round: int) -> dict[str, Any]:
        """The move; in words one of its sentences, if it has some."""
        move = super().make_move(agrees, round)
        return move if self.said is None or "message" not in move else {**move, "message": self.sentence(agrees, round)}

    def sentence(self, agrees: bool, round: int) -> str:
        """What it says in a round."""
        assert self.said is not None
        return round_generator(self.seed, round).choice(self.said[FOR_KEY if agrees else AGAINST_KEY])

    def random_numbers(self, round: int) -> UniformPair:
        """One number in every round, so that rounds can be compared."""
        return self._random.random(), 0.0

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """With a probability for each quality; numbers: for low, for high."""
        return u[0] < (x[1] if v.quality == HIGH else x[0])


class Receiver(Buyer):
    """Buys what is recommended, and reads words by counting them (`infer_signal`).

    It believes what it hears: the best response to a seller who tells the truth, if high quality is worth its price and
    low quality is not. Silence is no recommendation.

    Source: the receiver of Crawford and Sobel (1982), Strategic information transmission.
    """

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A purchase or a refusal, without words."""
        said = observation["said"]
        return self.decide(observation, infer_signal(words_of(observation)) if said == SAY else said)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Whether it was recommended."""
        return v.said == RECOMMENDED
