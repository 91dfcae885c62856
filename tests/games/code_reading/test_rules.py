"""Payoffs of code reading: the expected log score, and where the numbers come from."""

from __future__ import annotations

import math

import numpy as np
import pytest

import econzoo
from econzoo.envs.games.code_reading import rules
from refusals import refuses

GAME = econzoo.game("code_reading")


def test_the_payoff_is_the_expected_log_score():
    for label, answer, payoff in [
        (1.0, 1.0, math.log(0.99)),
        (1.0, 0.0, math.log(0.01)),
        (0.0, 0.0, math.log(0.99)),
        (0.0, 0.25, math.log(0.75)),
        (0.5, 0.5, math.log(0.5)),
        (0.25, 0.75, 0.25 * math.log(0.75) + 0.75 * math.log(0.25)),
    ]:
        params = rules.Params((7,), (label,), ((0.0,) * 11,), 0, 0)
        drawn = rules.apply(params, rules.initial(params), (rules.Move(-1, (7.0,)),))
        told = rules.apply(params, drawn, (rules.Move(rules.PROBABILITY, (answer,)),))
        assert rules.payoffs(params, told) == (pytest.approx(payoff),), (label, answer)


def test_words_stand_for_the_ends():
    for kind, gain in (("yes", 1.0), ("no", 0.0)):
        env = econzoo.make("code_reading", face="structured", item="TitForTat", answers="words")
        env.reset(seed=0)
        assert env.last()[0]["legal_actions"] == ("yes", "no"), (kind, gain)
        env.step({"kind": kind})
        assert env.payoffs == (pytest.approx(math.log(0.99 if gain else 0.01)),), kind
        assert rules.gains(env.params, env.game_state) == (pytest.approx(gain),), kind


def test_only_the_form_that_is_asked_for_is_legal():
    env = econzoo.make("code_reading", face="structured", item="TitForTat", on_error="raise", max_retries=0)
    env.reset(seed=0)
    assert env.last()[0]["legal_actions"] == ("probability",)
    with refuses(ValueError, "yes", "probability"):
        env.step({"kind": "yes"})


def test_nature_draws_every_item_of_the_set_alike():
    params = GAME.params(items="held-out")[1]
    outcomes = rules.chance(params, rules.initial(params))
    assert [number for number, _ in outcomes] == list(params.items)
    assert {probability for _, probability in outcomes} == {1 / len(params.items)}


@pytest.mark.usefixtures("interpreted")
def test_the_vector_environment_plays_training_programs():
    from econzoo.envs.core.vector import GameBatch

    names = ("TitForTat", "Defector", "Cooperator")
    batch = GameBatch("code_reading", 3, params=[{"item": name} for name in names])
    batch.reset(seed=1)
    payoffs, done = batch.step(np.full(3, rules.PROBABILITY), np.full(3, 0.9))
    assert done.all()
    assert payoffs[:, 0] == pytest.approx([math.log(0.9), math.log(0.1), math.log(0.9)])


@pytest.mark.usefixtures("interpreted")
def test_the_vector_environment_draws_from_all_items():
    from econzoo.envs.core.vector import GameBatch

    batch = GameBatch("code_reading", 300, seed=5, autoreset=False)
    drawn = [batch.position(game) for game in range(300)]
    assert len({state.place for _, state in drawn}) > 150, "of 239 items"
    seen = [rules.features(rules.observe(params, state, 0)) for params, state in drawn]
    assert batch.observe() == pytest.approx(np.array(seen, np.float32))
    payoffs, done = batch.step(np.full(300, rules.PROBABILITY), np.full(300, 0.7))
    assert done.all()
    assert payoffs[:, 0].tolist() == [rules.score(params.labels[state.place], 0.7) for params, state in drawn]


def test_bad_parameters_are_named():
    for given, *told in [
        ({"item": "TitForTwoHats"}, "item", "TitForTwoHats"),
        ({"item": 3}, "item", 3),
        ({"variant": "encrypted"}, "variant", "encrypted"),
        ({"items": "some"}, "items", "some"),
        ({"answers": "perhaps"}, "answers", "perhaps"),
    ]:
        with refuses(ValueError, *told):
            econzoo.make("code_reading", **given)


def test_counts_of_long_programs_are_features_of_at_most_1() -> None:
    params = GAME.params(item="TitForTat")[1]
    view = rules.observe(params, rules.initial(params), 0)
    counts = ("lines", "classes", "branches", "loops", "draws", "cooperates", "defects")
    long = rules.features(view._replace(**dict.fromkeys(counts, 10_000)))
    assert long[2:9] == (1.0,) * 7
    assert all(-1.0 <= feature <= 1.0 for feature in long)
