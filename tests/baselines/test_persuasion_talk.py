"""Sellers with many phrasings: what their buyer gains by reading them, and what counting words reads of new ones."""

from __future__ import annotations

import math
from itertools import product
from statistics import fmean, pstdev
from typing import Any

import pytest

import econzoo
from econzoo.baselines.bag_of_words import words_in
from econzoo.baselines.persuasion.signals import DISCOURAGED, NOTHING, RECOMMENDED
from econzoo.baselines.persuasion.talk import AGAINST_KEY, FOR_KEY, SPLITS, infer_signal, sentences
from refusals import refuses

MARKET: dict[str, Any] = {"rounds": 1, "message_type": "text", "high_value": 2.0, "price": 100.0}
"""High quality is worth twice its price, low quality nothing, and both are as likely: by the prior 0 is earned."""


def played(seller: str, seed: int, **more: Any) -> tuple[bool, float]:
    """Whether the product is good, and dollars of who buys it if words advise so."""
    record = econzoo.play("persuasion", [seller, "receiver"], seed=seed, **MARKET, **more)
    return record.turns[0].action.get("message") in sentences("training")[FOR_KEY], record.payoffs[1]


def test_what_a_buyer_gains_by_reading():
    for seed in range(12):
        good, gain = played("signal(0, 1, 'training')", seed)  # the truth
        assert gain == (100.0 if good else 0.0), seed
        good, gain = played("signal(1, 0, 'training')", seed)  # words of the other quality
        assert gain == (-100.0 if good else 0.0), seed
        assert played("signal(0, 1, 'training')", seed, channel="off")[1] == 0.0, seed


def test_words_are_those_of_the_quality_and_drawn_by_the_seed():
    said = {}
    for seed in range(30):
        record = econzoo.play("persuasion", ["signal(0, 1, 'test')", "babbling"], seed=seed, **MARKET)
        said[seed] = record.turns[0].action["message"]
        good = econzoo.play("persuasion", ["honest", "always"], seed=seed, **MARKET).payoffs[1] > 0
        assert said[seed] in sentences("test")[FOR_KEY if good else AGAINST_KEY], seed
    assert len(set(said.values())) > 8


def test_binary_sellers_and_buyers_need_no_words():
    binary = {**MARKET, "message_type": "binary"}
    for seed in range(8):
        other = econzoo.play("persuasion", ["honest", "trust(0)"], seed=seed, **binary).payoffs
        assert econzoo.play("persuasion", ["signal(0, 1, 'test')", "receiver"], seed=seed, **binary).payoffs == other


def test_sentences():
    every = [one for split in SPLITS for lines in sentences(split).values() for one in lines]
    assert len(set(every)) == len(every)
    for split in SPLITS:
        good, bad = ([len(one) for one in sentences(split)[signal]] for signal in (FOR_KEY, AGAINST_KEY))
        assert len(good) == len(bad) == {"training": 24, "test": 12}[split]
        assert abs(fmean(good) - fmean(bad)) < 0.25 * pstdev(good), split
        gaps = [abs(fmean(a >= cut for a in good) - fmean(b >= cut for b in bad)) for cut in {*good, *bad}]
        assert max(gaps) < 1.36 * math.sqrt(2 / len(good)), split
    said = ([one for lines in sentences(split).values() for one in lines] for split in SPLITS)
    for known, new in product(*said):
        first, second = set(words_in(known)), set(words_in(new))
        assert len(first & second) / len(first | second) < 0.5, (known, new)


def test_counting_words_reads_what_it_was_fitted_to_and_little_else():
    right = {
        split: fmean(
            infer_signal(one) == signal
            for key, signal in ((FOR_KEY, RECOMMENDED), (AGAINST_KEY, DISCOURAGED))
            for one in sentences(split)[key]
        )
        for split in SPLITS
    }
    assert right["training"] == 1.0
    assert right["test"] < 0.6
    assert infer_signal("") == infer_signal("zebra") == NOTHING


def test_a_split_that_there_is_not():
    with refuses(ValueError, "split='tests'", "'training' or 'test'"):
        econzoo.play("persuasion", ["signal(0, 1, 'tests')", "receiver"], **MARKET)
    with pytest.raises(ValueError):
        econzoo.play("persuasion", ["receiver", "honest"], **MARKET)  # a buyer
