"""Of several teachers that one advises which is best by the objective.

In one round acceptor(0.3) takes 0.4 of greedy(0.6) and 0.5 of fair, and leaves 0.3 to who takes it: deadline does, as
there is no later round, fair does not.
"""

from dataclasses import replace

import pytest

from econzoo.envs.core.contract import Objective
from econzoo.train.lm.dataset import rank_teachers, teacher_means
from econzoo.train.lm.episode_specs import EpisodeSpec
from econzoo.train.lm.sft import SFTRecipe, put_best_teacher_first
from refusals import says

TEACHERS = ["fair", "greedy(0.6)", "deadline"]
MET = [EpisodeSpec("bargaining", {"horizon": 1}, seat, ("acceptor(0.3)",), 0) for seat in (0, 1)]


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ("self_gain", {"fair": 0.25, "greedy(0.6)": 0.45, "deadline": 0.15}),
        ("efficiency", {"fair": 0.5, "greedy(0.6)": 1.0, "deadline": 0.5}),
        ("fairness", {"fair": 1.0, "greedy(0.6)": (0.96 + 0.84) / 2, "deadline": (1 + 0.84) / 2}),
    ],
)
def test_means_by_hand(objective, expected):
    """Fairness is 1 - 4 (p - 1/2)^2, and 1 without a deal."""
    assert teacher_means("bargaining", TEACHERS, MET, Objective(objective)) == pytest.approx(expected)


def test_the_best_is_first_and_equals_stay_in_order(capsys):
    assert rank_teachers("bargaining", TEACHERS, MET, Objective("efficiency")) == ["greedy(0.6)", "fair", "deadline"]
    told, _, values = capsys.readouterr().err.partition(": ")
    says(told, "greedy(0.6)", "efficiency", 2)
    assert values == "greedy(0.6) 1.000, fair 0.500, deadline 0.500\n"


def test_the_objective_chooses_the_adviser():
    args = SFTRecipe(teacher=["fair", "deadline(0.5, 0, 0)"], behaviour=["fair"], matches=20, plays=1, out="x")
    assert put_best_teacher_first(replace(args, objective="efficiency")).teacher[0] == "deadline(0.5, 0, 0)"
    assert put_best_teacher_first(replace(args, objective="fairness")).teacher[0] == "fair"
    assert put_best_teacher_first(replace(args, behaviour=[])) == replace(args, behaviour=[])
