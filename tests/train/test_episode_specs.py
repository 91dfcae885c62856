"""Tickets and rewards: nothing here needs torch."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.command_line import key_values
from econzoo.envs.core.contract import Objective
from econzoo.train.lm.episode_specs import SELF, EpisodeSpec, make_specs
from econzoo.train.reward import PENALTY, Reward, binary_exact, outcome_of
from refusals import refuses
from toy_games import LOWEST_BID, register_temporarily

FORFEIT_REWARD = -0.25
"""Of bargaining, in which no result is worth less than 0."""


def test_a_ticket_survives_the_trip_as_text():
    for ticket in make_specs("bargaining", range(30), [0, 1], ["fair", "spe"], ["train", "glee", "default"], money=50):
        again = EpisodeSpec.from_json(ticket.to_json())
        assert again == ticket
        assert again.match().id == ticket.match().id


def test_seats_opponents_and_markets_take_turns():
    drawn = make_specs("bargaining", range(8), [0, 1], ["fair", "spe"], ["ultimatum", "two-rounds"])
    assert [t.seat for t in drawn] == [0, 1] * 4
    assert [t.opponents[0] for t in drawn] == ["fair", "fair", "spe", "spe"] * 2
    assert [t.params["horizon"] for t in drawn] == [1] * 4 + [2] * 4
    assert drawn[1].match("me").players == ("fair", "me")


def test_the_same_seed_draws_the_same_market():
    one, other = (make_specs("bargaining", [5, 6], settings=["train"]) for _ in range(2))
    assert one == other
    assert one[0].params != one[1].params


def test_games_of_more_seats():
    with register_temporarily(LOWEST_BID):
        (ticket,) = make_specs("lowest_bid", [0], [1], ["random"])
        assert ticket.match("me").players == ("random", "me", "random")


def test_wrong_arguments():
    for wrong, *named in (
        ({"game_name": "chess"}, "chess"),
        ({"opponents": ["nobody"]}, "nobody"),
        ({"opponents": []}, "opponents"),
        ({"seeds": []}, "seeds"),
        ({"seats": [2]}, "seat=2"),
        ({"settings": ["moon"]}, "moon", "ultimatum"),
        ({"money": -1}, "money=-1"),
        ({"monye": 1}, "monye", "money"),
        ({"seeds": [-1]}, "seed"),
    ):
        with refuses(ValueError, *named):
            make_specs(**{"game_name": "bargaining", "seeds": [0], **wrong})
        assert make_specs("bargaining", [0], opponents=[SELF])


def test_parameters_on_the_command_line():
    assert key_values(["money=100", "delta=[0.9,0.8]", "messages=false", "on_error=default"]) == {
        "money": 100,
        "delta": [0.9, 0.8],
        "messages": False,
        "on_error": "default",
    }
    with pytest.raises(ValueError, match="NAME=VALUE"):
        key_values(["money"])


@given(value=st.floats(-1e6, 1e6), group=st.integers(2, 256))
def test_equal_rewards_have_exactly_their_mean(value, group):
    import numpy as np

    exact = binary_exact(value)
    assert math.isclose(exact, value, rel_tol=1e-4, abs_tol=1e-300)
    assert np.full(group, exact, np.float32).sum(dtype=np.float32) / np.float32(group) == np.float32(exact)


@given(seed=st.integers(0, 2**32), seat=st.integers(0, 1))
def test_the_reward_is_the_objective_of_the_record(seed, seat):
    record = econzoo.play("bargaining", ["random", "random"], seed=seed)
    for spec in ("self_gain", "fairness", "0.5*efficiency+0.5*inequity(1,0.5)"):
        wanted = Objective(spec)(record.payoffs, outcome_of(record), seat)
        assert Reward(Objective(spec)).compute(record, seat) == pytest.approx(wanted, rel=1e-4)


def test_a_forfeit_is_worse_than_no_deal():
    record = econzoo.play("bargaining", ["mock('hm')", "fair"])
    assert record.forfeit == 0
    assert Reward().compute(record, 0) == FORFEIT_REWARD < 0
    assert Reward().compute(record, 1) == 0
    assert Reward(forfeit=-1.0).compute(record, 0) == -1


def test_every_unusable_answer_costs():
    offer = '{"kind": "offer", "gain": 5000}'
    record = econzoo.play("bargaining", [f"mock('hm', 'hm', '{offer}')", "fair"])
    assert record.errors == [2, 0]
    assert Reward().compute(record, 0) == pytest.approx(0.5 - 2 * PENALTY, rel=1e-4)
    assert Reward(penalty=0.0).compute(record, 0) == 0.5


@pytest.mark.slow
def test_the_help_is_light():
    import subprocess

    code = (
        "import sys\nfrom econzoo.__main__ import main\n"
        "for method in ('sft', 'grpo'):\n"
        "    try: main(['train', method, '--help'])\n    except SystemExit: pass\n"
        "print([name for name in ('torch', 'transformers', 'trl') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert all(f"econzoo train {method}" in shown for method in ("sft", "grpo"))
    assert shown.count("--objective") >= 2
    assert shown.strip().endswith("[]")
