"""Types that words alone tell apart: what it is worth to know them, and what can be read in sentences never seen."""

from __future__ import annotations

import math
from itertools import combinations, product
from statistics import fmean, pstdev
from typing import Any

import pytest

import econzoo
from econzoo.baselines import evidence, log_odds
from econzoo.baselines.bag_of_words import words_in
from econzoo.baselines.bargaining import make_opponent
from econzoo.baselines.bargaining.talk import DEMAND, RESERVATION, SPLITS, STRONG, WEAK, infer_type, sentences
from econzoo.envs.games.bargaining.rules import Params
from econzoo.envs.games.bargaining.scenarios import SETTINGS
from econzoo.envs.games.bargaining.solution import best_response
from refusals import refuses

MARKET: dict[str, Any] = dict(SETTINGS["cheap-talk"])
OTHER = {WEAK: STRONG, STRONG: WEAK}


def gain(receiver: str, type: str, split: str = "test", line: int = 0, words: str | None = None, **more: Any) -> float:
    """What a second mover earns, as a share of the money."""
    said = f"sender({type!r}, {split!r}, {line}, {words or type!r})"
    return econzoo.play("bargaining", [said, receiver], **MARKET, **more).metrics["gains"][1]


def share_read(split: str) -> float:
    """The share of sentences in which a bag of words finds the right type, over both types."""
    return fmean(fmean(infer_type(one) == type for one in lines) for type, lines in sentences(split).items())


def test_the_worth_of_knowing_the_type():
    told = {(met, taken): gain(f"receiver({taken!r})", met) for met, taken in product(RESERVATION, repeat=2)}
    assert told == pytest.approx(
        {(WEAK, WEAK): 0.8, (WEAK, STRONG): 0.4, (STRONG, STRONG): 0.4, (STRONG, WEAK): 0.0}, abs=1e-9
    )
    assert fmean(told[type, type] for type in RESERVATION) == pytest.approx(0.6)
    assert fmean(told[type, OTHER[type]] for type in RESERVATION) == pytest.approx(0.2)


def test_no_move_is_better_than_the_oracles():
    for type in RESERVATION:
        opponent = make_opponent(f"sender({type!r}, line=0)")
        found = best_response(Params(100.0, (0.8, 0.8), 2), 1, opponent, memory=opponent.memory)
        assert found.value == pytest.approx(100.0 * gain(f"receiver({type!r})", type)), type


def test_without_words_nothing_earns_more_than_accepting():
    asks = [cent / 100.0 for cent in range(101)]
    waits = [fmean(0.8 * ask * (1.0 - ask >= least) for least in RESERVATION.values()) for ask in asks]
    assert max(waits) == pytest.approx(1.0 - DEMAND)  # by keeping all of it: as good as accepting


def test_knowing_is_worth_the_most_where_accepting_pays_half():
    def worth(high: float, low: float) -> float:
        return (high + low) / 2 - max(low, high / 2)

    assert worth(0.8, 0.4) == pytest.approx(0.2)
    assert all(worth(0.8, cent / 100) <= 0.2 + 1e-12 for cent in range(81))


def test_what_is_asked_for_and_what_is_done_do_not_tell_the_type():
    asked = {
        econzoo.play("bargaining", [f"sender({type!r})", "greedy"], seed=seed, **MARKET).turns[0].action["gain"]
        for type, seed in product(RESERVATION, range(3))
    }
    assert asked == {60.0}


def test_sentences_of_the_splits_are_others():
    sizes = {"training": 96, "validation": 16, "test": 40, "other-author": 100}
    for split in SPLITS:
        assert {len(lines) for lines in sentences(split).values()} == {sizes[split]}, split
    every = [one for split in SPLITS for lines in sentences(split).values() for one in lines]
    assert len(set(every)) == len(every)
    for one, other in combinations(SPLITS, 2):
        for said, known in product(*([*sentences(split)[WEAK], *sentences(split)[STRONG]] for split in (one, other))):
            first, second = set(words_in(said)), set(words_in(known))
            assert len(first & second) / len(first | second) < 0.5, (said, known)


def test_no_sentence_names_an_amount():
    for split in SPLITS:
        for one in (line for lines in sentences(split).values() for line in lines):
            assert not any(sign.isdigit() or sign in "$%" for sign in one), one


def test_length_does_not_tell_the_type():
    for split in SPLITS:
        weak, strong = ([len(one) for one in sentences(split)[type]] for type in (WEAK, STRONG))
        assert abs(fmean(weak) - fmean(strong)) < 0.25 * pstdev(weak), split
        assert max(abs(a - b) for a, b in zip(weak, strong, strict=True)) <= 6, split  # exchanged one for the other
        gaps = [abs(fmean(a >= cut for a in weak) - fmean(b >= cut for b in strong)) for cut in {*weak, *strong}]
        assert max(gaps) < 1.36 * math.sqrt(2 / len(weak)), split  # Kolmogorov and Smirnov's test at 5%


def test_a_bag_of_words_reads_what_it_was_fitted_to_and_little_else():
    assert share_read("training") > 0.9
    assert share_read("test") < 0.7 < share_read("training")
    assert infer_type("") == STRONG
    assert infer_type("zebra") == STRONG


def test_evidence_by_hand():
    known = evidence(["go go home"], ["stay"])  # three words and one, three known: 3 / 6 of go, 1 / 4
    assert known == pytest.approx({"go": math.log(2.0), "home": math.log(4 / 3), "stay": math.log(1 / 3)})
    assert log_odds("Go, stay, or wait!", known) == pytest.approx(math.log(2 / 3))


@pytest.mark.parametrize("split", SPLITS)
def test_gains_follow_from_the_share_that_is_read(split: str):
    own = [gain("receiver", type, split, at) for type in RESERVATION for at in range(len(sentences(split)[type]))]
    q = share_read(split)
    assert fmean(own) == pytest.approx(0.2 + 0.4 * q)
    exchanged = [
        gain("receiver", type, split, at, OTHER[type])
        for type in RESERVATION
        for at in range(len(sentences(split)[type]))
    ]
    assert fmean(exchanged) == pytest.approx(0.2 + 0.4 * (1 - q))


def test_a_bag_of_words_hears_neither_order_nor_silence():
    for type, line in product(RESERVATION, range(8)):
        said = gain("receiver", type, line=line)
        assert gain("receiver", type, line=line, channel="scrambled") == said, (type, line)
        assert gain("receiver", type, line=line, channel="off") == pytest.approx(0.4), (type, line)


def test_a_sender_draws_its_sentences_by_the_seed_of_the_match():
    told = [econzoo.play("bargaining", ["sender", "fair"], seed=seed, **MARKET) for seed in (1, 1, 2, 3, 4)]
    said = [record.turns[0].action["message"] for record in told]
    assert said[0] == said[1]
    assert len(set(said)) > 2
    assert set(said) <= set(sentences("training")[WEAK])


def test_types_splits_and_lines_that_there_are_not():
    for spec, named in (
        ("sender('rich')", ("type='rich'", "'weak' or 'strong'")),
        ("sender(words='both')", ("words='both'", "'weak' or 'strong'")),
        ("sender(split='tests')", ("split='tests'", "'training' or 'validation' or 'test' or 'other-author'")),
        ("sender('weak', 'test', 40)", ("line=40", "0 <= line <= 39")),
        ("receiver(3)", ("type=3", "'weak' or 'strong'")),
    ):
        with refuses(ValueError, *named):
            econzoo.play("bargaining", [spec, "fair"])
