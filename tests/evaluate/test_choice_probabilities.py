"""Calibration of recorded choice probabilities, and what a mixture loses against a known opponent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from handmade import match, offers, value

import econzoo
from econzoo.envs.core import game
from econzoo.envs.core.record.record import Turn
from econzoo.evaluate.analyses.behaviour.choices import ANY_KIND, BEST, CHOICES, CHOSEN, DIFFERENCE, ERROR, LIKELIEST
from econzoo.evaluate.analyses.behaviour.choices import LIKELIEST_CHOSEN, LOST, PROBABILITY, choice_table, choices
from econzoo.evaluate.analyses.behaviour.measures import measure
from econzoo.evaluate.analyses.behaviour.page import behaviour
from econzoo.evaluate.run import Records


def answered(seed, accept, kind, gain=5000.0, proposer="fair", default=False):
    """An offer, and an answer that was accepted with this probability."""
    offer = {"kind": "offer", "gain": gain}
    told = {"kinds": {"accept": accept, "reject": 1 - accept}, "raw": {"accept": accept / 2, "reject": 0.1}}
    turns = [Turn(0, 1, offer, offer), Turn(1, 1, "", {"kind": kind}, default=default, probabilities=told)]
    return match("bargaining", turns, agreed=kind == "accept", seed=seed, players=(proposer, "model"), horizon=1)


def sampled(count, shift=0.0):
    """Answers that are drawn with their probability, or a shifted one."""
    random = np.random.default_rng(0)
    told = random.uniform(0.05, 0.9, count)
    return [
        answered(seed, share, "accept" if random.uniform() < share + shift else "reject")
        for seed, share in enumerate(told)
    ]


def test_sampled_answers_are_calibrated():
    rows = choices(choice_table(sampled(400)))
    difference = value(rows, measure=CHOICES, key=DIFFERENCE)
    assert difference.low < 0 < difference.high
    assert value(rows, measure=CHOICES, key=ERROR).value < 0.1
    told, chosen = (value(rows, measure=one, key="accept, 0.7-0.8") for one in (PROBABILITY, CHOSEN))
    assert chosen.low < told.value < chosen.high
    assert told.n == chosen.n > 20


def test_answers_that_are_not_drawn_with_their_probabilities_show():
    told = [answered(seed, 0.9, "accept" if seed % 2 else "reject") for seed in range(60)]
    rows = choices(choice_table(told))
    assert value(rows, measure=CHOICES, key=LIKELIEST).value == pytest.approx(0.9)
    assert value(rows, measure=CHOICES, key=LIKELIEST_CHOSEN).value == pytest.approx(0.5)
    assert value(rows, measure=CHOICES, key=DIFFERENCE).high < 0
    assert value(rows, measure=CHOICES, key=ERROR).value == pytest.approx(0.4)


def test_the_mixture_loses_the_stake_as_often_as_it_answers_worse():
    """In the last round rejecting pays nothing, so an offer of 40% is lost with the probability of rejecting."""
    rows = choices(choice_table([answered(seed, 0.75, "accept", gain=6000.0) for seed in range(8)]))
    assert value(rows, measure=CHOICES, key=BEST).value == pytest.approx(0.75)
    assert value(rows, measure=CHOICES, key=LOST).value == pytest.approx(0.25 * 0.4)


def test_nothing_is_lost_against_an_opponent_whose_play_is_unknown():
    rows = choices(choice_table([answered(seed, 0.75, "accept", proposer="openai:m") for seed in range(8)]))
    assert not [row for row in rows if row.key in (BEST, LOST) and not math.isnan(row.value)]


def test_default_actions_are_nobodys_choices():
    assert len(choice_table([answered(1, 0.5, "reject", default=True)])) == 0


@pytest.mark.parametrize("name", ["coin_game", "double_auction", "matrix", "multi_issue"])
def test_choices_of_every_game_with_several_kinds_of_move_are_calibrated(name, tmp_path):
    """Random moves, told as drawn from all kinds alike."""
    records = [econzoo.play(name, ["random"] * game(name).facts.seats, seed=seed) for seed in range(3)]
    kinds = game(name).actions.names
    for turn in (turn for record in records for turn in record.turns):
        turn.probabilities = {"kinds": dict.fromkeys(kinds, 1 / len(kinds)), "raw": dict.fromkeys(kinds, 0.1)}
    rows = measure(records).rows
    bins = f"{ANY_KIND}, 0.{10 // len(kinds)}-0.{10 // len(kinds) + 1}"
    for measured, key in ((CHOICES, LIKELIEST), (CHOSEN, bins)):  # of all kinds together, one is chosen
        found = [row.value for row in rows if (row.measure, row.key) == (measured, key)]
        assert found == pytest.approx([1 / len(kinds)] * len(found))
        assert found
    assert "Choice probabilities" in str(behaviour(Records(records, tmp_path)).parts)


def test_the_section_is_there_only_if_records_have_probabilities(tmp_path):
    assert not {CHOICES, PROBABILITY, CHOSEN} & {row.measure for row in measure([offers([0.5, 0.4])]).rows}
    plain = behaviour(Records([offers([0.5, 0.4])], tmp_path))
    told = behaviour(Records(sampled(40), tmp_path))
    assert "Choice probabilities" not in str(plain.parts)
    assert "Choice probabilities" in str(told.parts)
    assert any(row.key == f"{ANY_KIND}, 0.2-0.3" for row in measure(sampled(40)).rows)
