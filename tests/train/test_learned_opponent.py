"""Trained policies as opponents whose behaviour is known: what can be won of them, and what they have met."""

import contextlib
import io
import json

import numpy as np
import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import PolicyPlayer, metadata_of, opponent_function
from econzoo.baselines.learned_opponent import LearnedOpponent
from econzoo.evaluate.analyses import moves

BARGAINING = econzoo.game("bargaining")
ACCEPT, REJECT = 11, 12  # on a grid of 11


class Stubborn:
    """Stands for a network: asks for 0.1 less than it last asked for, and accepts from 0.35."""

    is_masked, has_memory = True, False
    metadata = metadata_of(BARGAINING, 11, "sb3", [4], 0, {})

    def decide(self, features, masks, kept, moves):
        return self.probabilities(features, masks), np.zeros((len(features), 0), np.float32)

    def probabilities(self, features, masks):
        out = np.where(masks, 0.01, 0.0)
        for row, (mask, seen) in enumerate(zip(masks, features, strict=True)):
            ask = 9 if seen[10] < 0 else max(round(10 * seen[10]) - 1, 0)
            out[row, ask if mask[0] else ACCEPT if seen[9] >= 0.35 else REJECT] = 1.0
        return out


@pytest.fixture
def opponent():
    return LearnedOpponent(PolicyPlayer("ppo:x", Stubborn()), BARGAINING)


@pytest.mark.parametrize("other", ["greedy(0.9)", "conceder(2)", "linear"])
@pytest.mark.parametrize("seat", [0, 1])
def test_it_moves_as_at_the_table(opponent, other, seat):
    players = [opponent.policy, other] if seat == 0 else [other, opponent.policy]
    record = econzoo.play("bargaining", players, seed=0, horizon=6, delta=(0.9, 0.95), complete_information=False)
    params = BARGAINING.params(horizon=6, delta=(0.9, 0.95), complete_information=False)[1]
    state, compared = BARGAINING.rules.initial(params), 0
    for actor, _, kind, amount in moves(BARGAINING, record):
        move = econzoo.envs.core.contract.game.Move(kind, (amount,))
        if actor == seat:
            assert opponent(params, state, seat, ())[0] == kind
            assert kind != 0 or opponent(params, state, seat, ())[1][0] == pytest.approx(amount)
            compared += 1
        state = BARGAINING.rules.apply(params, state, (move,))
    assert compared > 1


@pytest.mark.parametrize(
    ("delta", "horizon", "gain"),
    [
        (0.5, 4, 0.65),  # at once, what it leaves of its threshold
        (1.0, 4, 0.65),  # its own asks, 0.9 and 0.8, leave less
    ],
)
def test_the_best_response_to_it_is_that_to_its_threshold(opponent, delta, horizon, gain):
    params = BARGAINING.params(horizon=horizon, delta=(delta, delta))[1]
    found = BARGAINING.solution.best_response(params, 0, opponent, memory=opponent.memory, grid=21, width=20)
    assert found.value / params.money == pytest.approx(gain, abs=1e-6)


def test_of_one_that_comes_down_by_what_it_asked_last_the_patient_get_more(opponent):
    """Its asks are 0.9, 0.8, ... in rounds 2, 4, ...: in round 14 it asks for 0.3, less than it leaves at once."""
    params = BARGAINING.params(horizon=14, delta=(1.0, 1.0))[1]
    found = BARGAINING.solution.best_response(params, 0, opponent, grid=6, width=4)
    assert found.value / params.money == pytest.approx(0.7)


@pytest.mark.models
@pytest.mark.slow
def test_the_commands_tell_what_can_be_won_of_a_trained_policy_and_what_it_has_met(tmp_path):
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    few = {"timesteps": 64, "n_envs": 2, "n_steps": 32, "batch_size": 32, "epochs": 1, "net": [4], "progress": False}
    few |= {"algorithm": "sb3", "opponents": ["fair"], "eval_episodes": 2}
    spec = f"ppo:{train_ppo(PPORecipe('bargaining', out=tmp_path, **few)).parent}"
    here = ["--settings", "two-rounds", "--json"]
    alone = ("--ceiling", "--opponents", spec, "--no-scripts", "--settings", "two-rounds", "--json")
    one, *every = told("run", "bargaining", *alone)["ceiling"]
    assert 0.0 <= one["ceiling"] <= 1.0
    assert {row["ceiling"] for row in every} == {one["ceiling"]}
    assert opponent_function(BARGAINING, f"{spec}?deterministic=0") is None, "it draws its moves"
    evaluated = told("evaluate", spec, "--opponents", "fair", "--opponents", "spe", "--seeds", "1", "--ceiling", *here)
    met = {row["opponent"]: row["matches"] for row in evaluated["training_exposure"]}
    assert met["spe"].keys() <= {"setting", "nothing"}
    assert met["fair"].keys() <= {"match", "opponent"}
    assert evaluated["ceiling"]["all, Bayes-adaptive"]["share"] <= 1.0
    regret = {one["opponent"]: one["regret"]["mean"] for one in evaluated["cross_play"]}
    assert regret["fair"] == pytest.approx(
        evaluated["ceiling"]["fair"]["ceiling"] - evaluated["ceiling"]["fair"]["gain"], abs=1e-6
    ), "the equilibrium pays both together all the money, in whose parts both are"


def told(*arguments):
    """What a command prints as JSON."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main(list(arguments))
    return json.loads(out.getvalue())
