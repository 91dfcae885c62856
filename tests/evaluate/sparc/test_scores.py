"""Scores of the benchmark on answers that a person can count."""

from __future__ import annotations

import math

import pytest

from econzoo.envs.games.code_reading.items import item_numbers
from econzoo.evaluate.analyses.sparc.answers import Answer
from econzoo.evaluate.analyses.sparc.page import score_groups, scores


def answer(item: str, probability: float | None, player: str = "one") -> Answer:
    return Answer(player, "-", "plain", item, 0, probability, 0)


def test_counts_by_hand():
    """Two that cooperate (one found), two that do not (both found)."""
    given = [answer("TitForTat", 0.9), answer("Grudger", 0.2), answer("Defector", 0.1), answer("Alternator", 0.3)]
    found = scores(given)
    assert found.confusion == (1, 0, 1, 2)
    assert found.measures["accuracy"].mean == 0.75
    assert found.measures["balanced"].mean == 0.75
    assert found.measures["f1"].mean == pytest.approx(2 / 3)
    assert found.measures["brier"].mean == pytest.approx((0.01 + 0.64 + 0.01 + 0.09) / 4)
    expected = (math.log(0.9) + math.log(0.2) + math.log(0.9) + math.log(0.7)) / 4
    assert found.measures["log_score"].mean == pytest.approx(expected)
    assert math.isnan(found.measures["accuracy"].low), "four items are too few"


def test_failed_answers_are_no_answers():
    """A failed answer about a program that defects is not a right "no"."""
    found = scores([answer("TitForTat", 0.9), answer("Defector", None)])
    assert (found.answers, found.failure_count, found.confusion) == (2, 1, (1, 0, 0, 0))
    assert found.measures["accuracy"].mean == 1.0
    assert found.measures["failed_wrong"].mean == 0.5
    assert found.measures["brier"].mean == pytest.approx(0.01)


def test_failed_answers_do_not_narrow_the_interval_of_the_others():
    names = ["TitForTat", "Grudger", "Defector", "Alternator", "Cooperator", "Random", "Win-Stay Lose-Shift"]
    given = [answer(name, 0.9) for name in names if name in item_numbers()]
    alone, beside = scores(given), scores([*given, *(answer(one.item, None) for one in given)])
    assert beside.measures["accuracy"][:3] == alone.measures["accuracy"][:3]


def test_an_even_answer_is_half_right():
    assert scores([answer("TitForTat", 0.5)]).measures["accuracy"].mean == 0.5


def test_labels_are_probabilities():
    """ALLCorALLD cooperates in 607 of 1000 matches: the truth has the least Brier score."""
    brier = {said: scores([answer("ALLCorALLD", said)]).measures["brier"].mean for said in (0.4, 0.607, 0.9)}
    assert min(brier, key=lambda said: brier[said]) == 0.607
    assert scores([answer("ALLCorALLD", 0.9)]).measures["expected"].mean == pytest.approx(0.607)


def test_deterministic_and_stochastic_items_are_told_apart():
    found = score_groups([answer("TitForTat", 0.9), answer("ALLCorALLD", 0.9), answer("TitForTat", 0.9, "two")])
    assert set(found) == {("one", "-", "plain"), ("two", "-", "plain")}
    assert found["one", "-", "plain"]["stochastic"].answers == 1
    assert "stochastic" not in found["two", "-", "plain"]
