"""The reader does not learn the label before it has answered, on no face that shows numbers."""

from __future__ import annotations

import numpy as np

import econzoo
from econzoo.envs.games.code_reading import rules
from econzoo.envs.games.code_reading.items import items


def test_views_with_different_labels_are_the_same_before_the_answer():
    for label in (0.0, 0.3, 1.0):
        facts = tuple(map(float, items()[0].facts))
        params = rules.Params((4,), (label,), (facts,), 0, 0)
        other = params._replace(labels=(0.77,))
        drawn = rules.State(1, 0, rules.UNKNOWN, False)
        assert rules.observe(params, drawn, 0) == rules.observe(other, drawn, 0), label
        answered = rules.State(1, 0, 0.5, True)
        assert rules.observe(params, answered, 0).label == label


def test_features_do_not_name_the_program():
    names = ("Cooperator", "Cooperator")
    made = [econzoo.make("code_reading", item=name) for name in names]
    for env in made:
        env.reset(seed=1)
    one, two = (env.last()[0]["observation"] for env in made)
    assert np.array_equal(one, two)
    view = made[0].view(0)
    assert rules.features(view) == rules.features(view._replace(item=view.item + 1))
