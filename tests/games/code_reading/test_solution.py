"""The log score is proper: nothing pays more than the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

import econzoo
from econzoo.envs.games.code_reading.rules import Params, score
from econzoo.envs.games.code_reading.solution import equilibrium_payoffs, informed_payoff, reference, truthful_payoff

NO_FACTS = (0.0,) * 11


def test_no_answer_pays_more_than_the_truth():
    for label in (0.0, 0.05, 0.3, 0.5, 0.77, 1.0):
        assert truthful_payoff(label) >= max(score(label, answer) for answer in np.linspace(0.01, 0.99, 491)) - 1e-12


def test_the_best_payoff_by_hand():
    params = Params((0, 1), (1.0, 0.5), (NO_FACTS, NO_FACTS), 0, 0)
    assert informed_payoff(params) == pytest.approx((math.log(0.99) + math.log(0.5)) / 2)
    assert reference(params)["reading"] == (informed_payoff(params),)
    blind = (score(1.0, 0.75) + score(0.5, 0.75)) / 2
    assert reference(params)["blind"] == (pytest.approx(blind),)


def test_reading_is_worth_something():
    for answers in ("probability", "words"):
        game = econzoo.game("code_reading")
        points, alone = (reference(game.params(answers=answers, **one)[1]) for one in ({}, {"item": "TitForTat"}))
        assert points.keys() == {"reading", "blind"}, answers
        assert alone.keys() == {"equilibrium", "reading", "blind"}, answers
        assert points["reading"][0] > points["blind"][0] + 0.3


def test_a_reader_is_told_the_program_and_not_what_it_was_drawn_from():
    game = econzoo.game("code_reading")
    for items in ("all", "training", "held-out"):
        drawn = game.params(items=items)[1]
        assert math.isnan(equilibrium_payoffs(drawn)[0])
        assert "equilibrium" not in reference(drawn)
        assert equilibrium_payoffs(game.params(item="TitForTat", items=items)[1]) == (truthful_payoff(1.0),)
