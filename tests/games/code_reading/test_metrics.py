"""Metrics of code reading: the gain is the scaled log score, ``agreed`` a right answer."""

from __future__ import annotations

import math

import pytest

import econzoo
from econzoo.envs.games.code_reading import rules
from econzoo.envs.games.code_reading.metrics import outcome


def test_an_answer_is_right_on_the_side_of_the_label():
    for item, answer, right in [
        ("TitForTat", 0.6, True),
        ("TitForTat", 0.5, False),
        ("TitForTat", 0.4, False),
        ("Defector", 0.4, True),
        ("Defector", 0.6, False),
    ]:
        record = econzoo.game("code_reading")
        params = record.params(item=item)[1]
        state = rules.State(1, 0, answer, True)
        assert outcome(params, state).agreed is right, (item, answer)


def test_the_gain_runs_from_the_worst_to_the_best_answer():
    params = econzoo.game("code_reading").params(item="Cooperator")[1]
    gains = [outcome(params, rules.State(1, 0, answer, True)).gains[0] for answer in (0.01, 0.1, 0.99)]
    between = (math.log(0.1) - math.log(0.01)) / (math.log(0.99) - math.log(0.01))
    assert gains == [pytest.approx(0.0), pytest.approx(between), pytest.approx(1.0)]


def test_an_answer_that_is_half_sure_gains_more_than_a_wrong_one_and_less_than_a_right_one():
    params = econzoo.game("code_reading").params(item="Cooperator")[1]
    wrong, unsure, right = (outcome(params, rules.State(1, 0, answer, True)).gains[0] for answer in (0.1, 0.5, 0.9))
    assert wrong < unsure < right
