"""Sellers with varied messages about quality, and a buyer with a bag-of-words classifier."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from econzoo.baselines import argument, evidence, log_odds, round_generator
from econzoo.baselines.persuasion.base import Buyer, Seller, words_of
from econzoo.baselines.persuasion.signals import DISCOURAGED, NOTHING, RECOMMENDED
from econzoo.envs.core.contract import Numbers, StrategyMemory, UniformPair, load_package_toml, short_repr
from econzoo.envs.games.persuasion.rules import HIGH, SAY, View
from econzoo.wrappers import SeatInfo

FOR_KEY, AGAINST_KEY = "for", "against"

SPLITS = ("training", "test")
"""Splits of the messages; test sentences differ in vocabulary and construction."""


@cache
def sentences(split: str) -> Mapping[str, tuple[str, ...]]:
    """Return the sentences of `FOR_KEY` and `AGAINST_KEY`, shortest first; those at one index have similar length."""
    texts = load_package_toml(__package__, "talk.toml")[split]
    return {signal: tuple(sorted(texts[signal], key=len)) for signal in (FOR_KEY, AGAINST_KEY)}


def sentences_of(spec: str, split: Any) -> Mapping[str, tuple[str, ...]]:
    """Return the sentences of a seller."""
    if split not in SPLITS:
        names = " or ".join(map(repr, SPLITS))
        raise ValueError(f"player {spec[:80]!r}: invalid split={short_repr(split)}: expected {names}")
    return sentences(split)


@cache
def word_evidence() -> Mapping[str, float]:
    """Return the evidence of each word in the training split for a recommendation."""
    texts = sentences("training")
    return evidence(texts[FOR_KEY], texts[AGAINST_KEY])


def infer_signal(text: str) -> int:
    """Classify a message by its bag of words, fitted to the training sentences; `NOTHING` without evidence."""
    odds = log_odds(text, word_evidence())
    return RECOMMENDED if odds > 0.0 else DISCOURAGED if odds < 0.0 else NOTHING


class Signal(Seller):
    """Recommends each quality with a fixed probability: any memoryless binary signal.

    Source: the signals (statistical experiments) of Kamenica and Gentzkow (2011), Bayesian persuasion.

    Args:
        low: Probability of recommending low quality; from 0 to 1.
        high: Probability of recommending high quality; from 0 to 1.
        split: Split of text messages, ``"training"`` or ``"test"``, one sampled in each round; None: two fixed
            sentences.
    """

    def __init__(self, spec: str = "signal", low: Any = 0.5, high: Any = 1.0, split: Any = None) -> None:
        super().__init__(spec)
        self.said = None if split is None else sentences_of(spec, split)
        self.numbers = (argument(spec, "low", low, 0.0, 1.0), argument(spec, "high", high, 0.0, 1.0))
        self._random = Random(0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        super().reset(seat, info, seed)
        self._random = Random(seed)

    def make_move(self, agrees: bool, round: int) -> dict[str, Any]:
        """Return the move, with one of its sentences if it has any."""
        move = super().make_move(agrees, round)
        return move if self.said is None or "message" not in move else {**move, "message": self.sentence(agrees, round)}

    def sentence(self, agrees: bool, round: int) -> str:
        assert self.said is not None
        return round_generator(self.seed, round).choice(self.said[FOR_KEY if agrees else AGAINST_KEY])

    def random_numbers(self, round: int) -> UniformPair:
        """Return the uniform numbers of a round, one draw in every round."""
        return self._random.random(), 0.0

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        """Recommend with a probability by quality; numbers: for low, for high."""
        return u[0] < (x[1] if v.quality == HIGH else x[0])


class Receiver(Buyer):
    """Buys recommended products, with a bag-of-words classifier of messages (`infer_signal`).

    It trusts the seller: the best response to honesty if high quality is worth its price and low quality is not.
    Silence is not a recommendation.

    Source: the receiver of Crawford and Sobel (1982), Strategic information transmission.
    """

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return a purchase or a refusal, without a message."""
        move = observation["said"]
        return self.decide(observation, infer_signal(words_of(observation)) if move == SAY else move)

    @staticmethod
    def says_yes(v: View, x: Numbers, past: StrategyMemory, u: UniformPair) -> bool:
        return v.said == RECOMMENDED
