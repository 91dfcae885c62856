"""Self-play on compiled games: a policy opposite itself, its former selves, and policies that were trained before."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest

import econzoo
from econzoo.baselines import BatchPolicy, player
from econzoo.envs.core.vector import LearnerBatch
from econzoo.train.rl.files import latest_policy
from econzoo.train.rl.league import CANDIDATES, SNAPSHOTS, LearnerPool, meta_strategy
from econzoo.train.rl.opponents import NASH, PFSP, UNIFORM
from econzoo.train.rl.recipe import PPORecipe
from later import Later
from refusals import refuses

pytest.importorskip("numba")

torch, ppo = Later("torch"), Later("econzoo.train.rl.ppo")
pytestmark = [pytest.mark.models, pytest.mark.slow]

ONE_ROUND = '{"rounds": 1}'
SMALL: dict[str, Any] = {
    "algorithm": "compiled",
    "n_envs": 64,
    "n_steps": 8,
    "batch_size": 128,
    "net": [32],
    "memory": "none",
    "fourier": 0,
    "grid": 11,
    "eval_episodes": 2,
    "eval_opponents": ["random"],
    "eval_every": 0,
    "checkpoint_every": 0,
    "progress": False,
}


def recipe(out, game="bargaining", **changes) -> PPORecipe:
    return PPORecipe(game, out=out, **{**SMALL, **changes})


def chances(training, observations, legal) -> np.ndarray:
    network = training.network
    with torch.no_grad():
        inputs, _ = network.recall(torch.from_numpy(observations), network.blank(len(observations)))
        return network.act(inputs, torch.from_numpy(legal.astype(bool))).exp().numpy()


def test_the_last_who_may_propose_asks_for_all_and_the_other_takes_it(tmp_path):
    """Backward induction in one round (Rubinstein 1982): who proposes gets all but what the grid leaves in doubt.

    Only a proposer that is paid for an accepted proposal learns this, and only one that meets itself learns both roles.
    """
    one = {"settings": '{"horizon": 1}', "timesteps": 50_000, "entropy": 0.05, "entropy_end": 0.001, "lr": 0.01}
    training = ppo.Training(recipe(tmp_path, opponents=["self"], **one))
    while training.moves < training.recipe.timesteps:
        training.learn()
    batch = LearnerBatch("bargaining", 1, grid=11, params={"horizon": 1})
    seen, legal = batch.reset(seed=0)
    asks = chances(training, seen, legal)[0, :11]
    assert asks.argmax() >= 9
    for ask in range(10):
        batch.reset(seed=0)
        seen, _, _, legal, _ = batch.step(np.array([ask]))
        assert chances(training, seen, legal)[0, 11:].argmax() == 0, f"whoever is left {10 - ask} of 10 takes it"


def test_two_who_meet_themselves_in_a_simultaneous_game_defect(tmp_path):
    """Defecting dominates in one prisoner's dilemma; in water allocation five learners sit at one table."""
    training = ppo.Training(
        recipe(tmp_path, "matrix", opponents=["self"], settings=ONE_ROUND, timesteps=40_000, lr=0.01)
    )
    while training.moves < training.recipe.timesteps:
        training.learn()
    batch = LearnerBatch("matrix", 1, seat=0, opponent=lambda o, m, r: np.zeros(len(o), int), params={"rounds": 1})
    assert chances(training, *batch.reset(seed=0))[0, 1] > 0.9
    five = ppo.Training(recipe(tmp_path / "five", "water_allocation", opponents=["self"], timesteps=512))
    games = five.actor.games
    assert (games.opponents.policy_seats >= 0).sum() == 64 * 4
    assert np.isfinite(five.learn().entropy)


@pytest.mark.parametrize("memory", ["none", "history", "gru"])
def test_a_policy_moves_in_compiled_games_as_at_the_table(tmp_path, memory):
    """Whole matches of two policies, one of which remembers: payoffs equal those of `econzoo.play`."""
    for game, params in [("bargaining", {"delta": (0.9, 0.8), "horizon": 6}), ("matrix", {"rounds": 6})]:
        known = recipe(tmp_path / game, game, opponents=["self"], timesteps=512, memory=memory)
        spec = f"ppo:{ppo.train_ppo(known)}"
        batch = LearnerBatch(game, 1, seat=0, opponent=spec, grid=11, params=params)
        seen, legal = batch.reset(seed=0)
        own = player(spec, game).batch_policy(batch.batch)
        kept, done = np.zeros((1, own.memory_size), np.float32), np.array([False])
        while not done[0]:
            actions, kept = own.decide(seen, legal, kept, np.random.default_rng(0))
            seen, _, done, legal, infos = batch.step(actions)
        record = econzoo.play(game, [spec, spec], seed=0, **params)
        assert infos["payoff"][0].tolist() == pytest.approx(record.payoffs)


def test_a_draw_of_a_policy_has_its_chances():
    class Known:
        """Says 0.2, 0.5 and 0.3."""

        metadata: ClassVar[dict[str, Any]] = {"grid": 2, "grid_range": None}

        def memory_size(self, moves):
            return 0

        def decide(self, features, masks, kept, moves):
            return np.tile([0.2, 0.5, 0.3], (len(features), 1)), np.zeros((len(features), 0), np.float32)

    nothing = np.zeros((20_000, 1), np.float32)
    drawn, _ = BatchPolicy(Known(), None, False).decide(nothing, nothing, nothing, np.random.default_rng(1))
    assert np.bincount(drawn) / len(drawn) == pytest.approx([0.2, 0.5, 0.3], abs=0.015)
    assert (BatchPolicy(Known(), None, True).decide(nothing, nothing, nothing, np.random.default_rng(1))[0] == 1).all()


def test_every_former_self_is_as_likely_to_be_met(tmp_path):
    """Reservoir sampling: after n candidates each is met with chance k / n."""
    args = recipe(tmp_path, opponents=["past"], timesteps=CANDIDATES)
    met = np.zeros(CANDIDATES)
    for seed in range(400):
        network = torch.nn.Linear(1, 1)
        itself = LearnerPool(args, network, None, seed)
        for candidate in range(CANDIDATES):
            network.bias.data[:] = candidate + 1
            itself.add_snapshot(network, candidate)
        left = [int(one.network.policy.bias.item()) for one in itself.snapshots]
        met[[one - 1 for one in left if 1 <= one <= CANDIDATES]] += 1
    likely = SNAPSHOTS / (SNAPSHOTS + CANDIDATES)
    assert met.mean() / 400 == pytest.approx(likely, abs=0.01)
    assert np.abs(met / 400 - likely).max() < 4 * (likely * (1 - likely) / 400) ** 0.5


def test_all_specs_together_are_met_as_often_as_the_learner_itself(tmp_path):
    args = recipe(tmp_path, opponents=["fair", "linear", "self", "past"], timesteps=512)
    games = ppo.Training(args).actor.games
    met = [games.opponents.policy_seats[np.arange(64), 1 - games.learner]]
    for _ in range(60):
        games.start(np.ones(64, bool))
        met.append(games.opponents.policy_seats[np.arange(64), 1 - games.learner])
    shares = [np.mean(np.concatenate(met) == -1), np.mean(np.concatenate(met) == 0), np.mean(np.concatenate(met) > 0)]
    assert shares == pytest.approx([1 / 3] * 3, abs=0.04)


def test_a_strong_magnet_keeps_the_policy_where_it_was(tmp_path):
    far = {}
    for weight in (0.0, 10.0):
        args = recipe(
            tmp_path, opponents=["self"], timesteps=5_000, magnet=weight, entropy=0.0, entropy_end=0.0, lr=0.01
        )
        training = ppo.Training(args)
        batch = LearnerBatch("bargaining", 1, grid=11)
        before = chances(training, *batch.reset(seed=0))
        while training.moves < args.timesteps:
            training.learn()
        far[weight] = np.abs(chances(training, *batch.reset(seed=0)) - before).sum()
    assert far[10.0] < 0.2 * far[0.0]


def test_the_learner_itself_is_met_in_compiled_games_only(tmp_path):
    for changes, named in [
        ({"algorithm": "sb3"}, "'self'"),
        ({"opponents": ["self", "mock:*"]}, "'self'"),
        ({"algorithm": "auto", "opponents": ["past", "mock:*"]}, "'past'"),
    ]:
        with refuses(ValueError, named, "compiled"):
            recipe(tmp_path, **{"opponents": ["self"], **changes})


def test_meta_strategies_by_hand():
    scissors = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    assert meta_strategy(scissors, NASH) == pytest.approx([1 / 3] * 3)
    dominated = np.array([[3.0, 0.0], [5.0, 1.0]])  # a prisoner's dilemma of cooperator and defector
    assert meta_strategy(dominated, NASH) == pytest.approx([0.0, 1.0])
    hawks = np.array([[2.0, 1.0], [3.0, 0.0]])  # doves and hawks: two equilibria are asymmetric, the mixed one is half
    assert meta_strategy(hawks, NASH) == pytest.approx([0.5, 0.5])
    assert meta_strategy(hawks, UNIFORM) == pytest.approx([0.5, 0.5])
    # The last one gets 3 of 4 of the first and half of itself: (1 - 3/4)^2 against (1 - 1/2)^2.
    assert meta_strategy(hawks, PFSP) == pytest.approx([0.2, 0.8])


def test_a_league_of_prisoners_ends_in_defection_and_goes_on_where_it_was_stopped(tmp_path):
    how = {
        "opponents": ["league"],
        "settings": '{"rounds": 1}',
        "league_rounds": 3,
        "lr": 0.01,
        "checkpoint_every": 512,
    }
    ppo.train_ppo(recipe(tmp_path, "matrix", **how, timesteps=15_360))
    told = json.loads((tmp_path / "league" / "league.json").read_text())
    payoffs, weights = np.array(told["payoffs"]), np.array(told["weights"])
    assert payoffs.shape == (3, 3)
    assert (payoffs[1] > payoffs[0]).all(), "a best response earns more against everybody: defecting dominates"
    assert weights[1:].sum() == pytest.approx(1.0)
    (tmp_path / "policy.zip").unlink()
    again = ppo.Training(recipe(tmp_path, "matrix", **how, timesteps=15_360, resume=True), latest_policy(tmp_path))
    assert again.league.payoffs == pytest.approx(payoffs)
    assert again.league.members == 3
    ppo.Training(recipe(tmp_path / "dry", "matrix", **how, timesteps=15_360, dry_run=True))
    assert not (tmp_path / "dry").exists()
