"""PPO on compiled games: its arithmetic by hand, its networks, and that what was trained plays the same at a table."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import econzoo
from refusals import refuses, says

pytest.importorskip("numba")


from econzoo.baselines import POLICY, DivergedError, read_metadata
from econzoo.envs.core.faces import numeric_moves
from econzoo.envs.core.vector import CannotCompileError
from econzoo.train import Trackers
from econzoo.train.rl.curve import read_curve
from econzoo.train.rl.files import checkpoint_path, latest_policy
from econzoo.train.rl.recipe import PPORecipe
from exhaustive import long_unless
from later import Later

torch, policy, ppo = Later("torch"), Later("econzoo.baselines.policy_network"), Later("econzoo.train.rl.ppo")
rollouts = Later("econzoo.train.rl.rollouts")
pytestmark = [pytest.mark.models, pytest.mark.slow]

SMALL = {
    "algorithm": "compiled",
    "opponents": ["linear", "boulware(0.3)"],  # of one formula, as all here are: each set of formulas is compiled
    "n_envs": 32,
    "n_steps": 8,
    "batch_size": 64,
    "epochs": 2,
    "net": [16],
    "grid_range": (0.1, 1.0),
    "timesteps": 512,
    "eval_every": 256,
    "eval_episodes": 4,
    "checkpoint_every": 256,
    "progress": False,
}


def args(out, **changes):
    return PPORecipe("bargaining", out=out, **{**SMALL, **changes})


def rollout(rewards, values, ended):
    """One game; everything else is of no account."""
    column = [torch.tensor(one, dtype=torch.float32)[:, None] for one in (values, rewards, ended)]
    nothing = torch.zeros(0)
    return rollouts.Rollout(nothing, nothing, nothing, nothing, nothing, nothing, *column)


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        # A match of two moves that pays 1, then the first move of another; 0.5, 0.8, 0.3 and then 0.4 were expected.
        (1.0, [1 - 0.5, 1 - 0.8, 0.4 - 0.3]),
        (0.0, [0.8 - 0.5, 1 - 0.8, 0.4 - 0.3]),
        (0.5, [0.3 + 0.5 * 0.2, 0.2, 0.1]),
    ],
)
def test_advantages_by_hand(trace, expected):
    found = rollout([0, 1, 0], [0.5, 0.8, 0.3, 0.4], [0, 1, 0]).advantages(1.0, trace)
    assert found[:, 0].tolist() == pytest.approx(expected)


def test_advantages_are_discounted():
    found = rollout([0, 1], [0.0, 0.0, 9.0], [0, 1]).advantages(0.9, 1.0)
    assert found[:, 0].tolist() == pytest.approx([0.9, 1.0])


def moves_of(game, grid=101):
    found = econzoo.game(game)
    return numeric_moves(found.actions_of(found.params()[1]), grid, found.facts.seats, no_op=False)


def test_every_action_has_a_score_of_its_own_where_amounts_are_classes():
    assert np.array_equal(policy.action_basis(moves_of("bargaining"), ordinal=False), np.eye(103))


def test_neighbouring_amounts_share_their_parameters():
    basis = policy.action_basis(moves_of("bargaining"), ordinal=True)
    shared = sum(policy.SCALES)
    amounts = shared + 101
    assert basis.shape == (103, amounts + 2), "bumps and a part of its own for an amount; accept and reject apart"
    assert np.array_equal(basis[101:, amounts:], np.eye(2))
    assert not basis[101:, :amounts].any()
    assert not basis[:101, amounts:].any()
    assert np.array_equal(basis[:101, shared:amounts], np.eye(101))
    assert basis[:101, :shared].sum(axis=1) == pytest.approx(len(policy.SCALES))
    likeness = basis[:101, policy.SCALES[0] : shared] @ basis[50, policy.SCALES[0] : shared]
    assert list(np.argsort(-likeness)[:3]) == [50, 49, 51] or likeness[49] == pytest.approx(likeness[51])
    assert likeness[50] > likeness[60] > 10 * likeness[80]


def test_numbers_that_are_counted_share_nothing():
    basis = policy.action_basis(moves_of("matrix"), ordinal=True)
    assert np.array_equal(basis, np.eye(2))


def network(memory, history=2, features=3, seed=0, predicts=False, fourier=0):
    generator = torch.Generator().manual_seed(seed)
    return policy.PolicyNetwork(features, np.eye(4), [8], memory, history, predicts, fourier, generator)


def test_history_is_what_was_seen_at_the_last_decisions():
    net = network("history")
    seen = [torch.full((1, 3), float(value)) for value in (1, 2, 3, 4)]
    kept, inputs = net.blank(1), []
    for one in seen:
        made, kept = net.recall(one, kept)
        inputs.append(made[0].reshape(3, 3)[:, 0].tolist())
    assert inputs == [[1, 0, 0], [2, 1, 0], [3, 2, 1], [4, 3, 2]]


@pytest.mark.parametrize("memory", ["none", "history", "gru"])
def test_frequencies_are_of_what_is_seen_now(memory):
    plain, wave = network(memory, features=1), network(memory, features=1, fourier=2)
    seen, kept = torch.tensor([[0.25]]), torch.ones(1, plain.memory_size)
    (alone, remembered), (inputs, also) = plain.recall(seen, kept), wave.recall(seen, kept)
    root = 2**-0.5
    assert inputs[0, alone.shape[1] :].tolist() == pytest.approx([root, 1, root, 0], abs=1e-6), "pi/4 and pi/2"
    assert torch.equal(inputs[:, : alone.shape[1]], alone)
    assert torch.equal(also, remembered)


def test_what_is_not_legal_has_no_chance():
    net, legal = network("none"), torch.tensor([[True, False, True, False]])
    chances = net.act(torch.ones(1, 3), legal).exp()[0]
    assert chances[[1, 3]].tolist() == [0.0, 0.0]
    assert chances.sum().item() == pytest.approx(1.0)


class Bandit:
    """Games of one move each: 1 for the arm that is shown, 0 for the others; the last arm cannot be played."""

    num_games = 64

    def reset(self, seed):
        self._rng = np.random.default_rng(seed)
        return self._shown()

    def _shown(self):
        self.best = self._rng.integers(3, size=self.num_games)
        return np.eye(3, dtype=np.float32)[self.best], np.tile(np.array([1, 1, 1, 0], np.int8), (self.num_games, 1))

    def step(self, actions):
        rewards = (actions == self.best).astype(float)
        seen, legal = self._shown()
        return seen, rewards, np.ones(self.num_games, bool), legal, {}


@pytest.mark.parametrize("memory", ["none", "history", "gru"])
def test_the_arm_that_pays_is_learned(memory):
    net, luck = network(memory, predicts=memory == "none"), torch.Generator().manual_seed(1)
    optimizer, actor = torch.optim.Adam(net.parameters()), rollouts.Actor(Bandit(), net, 3, luck)
    how = ppo.UpdateOptions(4, 128, 2e-2, 1.0, 1.0, 0.2, 0.001, predict=0.1)
    first = actor.play(8).rewards.mean()
    for _ in range(8):
        told = ppo.update(net, optimizer, actor.play(8), how, luck)
    assert first < 0.5
    assert actor.play(8).rewards.mean() > 0.95
    assert told.entropy < 0.2
    assert 0 <= told.clipped < 1


def test_a_state_is_made_anew_as_it_was_while_playing():
    """A recurrent network that has not changed recalls in a minibatch what it recalled in the games."""
    net = network("gru")
    actor = rollouts.Actor(Bandit(), net, 3, torch.Generator().manual_seed(1))
    actor.play(3)
    found = actor.play(5)
    again = found._recompute_inputs(net, torch.tensor([5, 2, 60]))
    assert torch.allclose(again, found.inputs[:, [5, 2, 60]])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return ppo.train_ppo(args(tmp_path_factory.mktemp("run") / "first", track=["tensorboard"]))


def test_files(trained):
    out, metadata = trained.parent, read_metadata(trained)
    assert trained.name == POLICY
    assert not list(out.rglob("*.part"))
    assert checkpoint_path(out, 256).is_file()
    assert list((out / "tensorboard").glob("events.out.tfevents.*"))
    assert {point.timesteps for point in read_curve(out / "learning_curve.csv")} == {0, 256, 512}
    assert (metadata["algorithm"], metadata["timesteps"]) == ("compiled", 512)
    assert metadata["grid_range"] == [0.1, 1.0]
    remembers = {"memory": "history", "history": 3}
    assert metadata["network"] == {**remembers, "ordinal": True, "predicts_next": False, "fourier": 4}


@pytest.mark.parametrize("memory", long_unless(lambda memory: memory == "history", ["none", "history", "gru"]))
def test_it_plays_at_a_table_as_it_does_in_arrays(memory, trained, tmp_path):
    """The likeliest moves in the same matches earn the same, to the cent."""
    shape = {} if memory == "history" else {"memory": memory, "net": [16, 8], "predict": 0.1}
    policy = ppo.train_ppo(args(tmp_path, **shape)) if shape else trained
    own = args(tmp_path / "again", seats="0", **shape)
    found, market = ppo.Training(own, policy).network, {"horizon": 6, "delta": (0.9, 0.8)}
    for opponent in ("linear", "boulware(0.3)", *["tit-for-tat"] * bool(shape)):
        (reward,) = rollouts.play_games(rollouts.new_games(own, [opponent], [market], 1, draw=False), found)
        record = econzoo.play("bargaining", [f"ppo:{policy}", opponent], seed=0, **market)
        assert record.errors == [0, 0]
        assert record.metrics["gains"][0] == pytest.approx(reward, abs=1e-9)


def test_resume_goes_on_and_is_deterministic(trained, tmp_path):
    import shutil

    curves = []
    for name in "ab":
        shutil.copytree(trained.parent, tmp_path / name)
        ppo.train_ppo(args(tmp_path / name, timesteps=768, resume=True))
        curves.append((tmp_path / name / "learning_curve.csv").read_text())
        assert read_metadata(tmp_path / name)["timesteps"] == 768
    assert curves[0] == curves[1]
    assert curves[0].startswith((trained.parent / "learning_curve.csv").read_text())
    with refuses(ValueError, tmp_path / "a"):
        ppo.train_ppo(args(tmp_path / "a"))
    with pytest.raises(ValueError, match="network"):
        ppo.train_ppo(args(tmp_path / "a", resume=True, history=1))


def test_an_interrupt_leaves_a_checkpoint_and_says_so(tmp_path, monkeypatch, capsys):
    learn, count = ppo.Training.learn, iter(range(9))

    def interrupted(self):
        if next(count) == 1:
            raise KeyboardInterrupt
        return learn(self)

    monkeypatch.setattr(ppo.Training, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ppo.train_ppo(args(tmp_path, checkpoint_every=0))
    assert latest_policy(tmp_path) == checkpoint_path(tmp_path, 256)
    says(capsys.readouterr().err, 256)
    monkeypatch.undo()
    ppo.train_ppo(args(tmp_path, resume=True))
    assert read_metadata(tmp_path)["timesteps"] == 512


def test_gradients_that_are_not_finite_stop_it_with_the_last_network_before(tmp_path, monkeypatch):
    explained, count = rollouts.Rollout.advantages, iter(range(9))

    def broken(self, *how):
        return explained(self, *how) * (float("nan") if next(count) == 1 else 1.0)

    monkeypatch.setattr(rollouts.Rollout, "advantages", broken)
    with refuses(DivergedError, checkpoint_path(tmp_path, 256), 256, "gradients"):
        ppo.train_ppo(args(tmp_path, checkpoint_every=0))
    assert latest_policy(tmp_path) == checkpoint_path(tmp_path, 256)
    monkeypatch.undo()
    ppo.train_ppo(args(tmp_path, resume=True))
    assert read_metadata(tmp_path)["timesteps"] == 512


def test_the_best_answer_is_learned(tmp_path):
    """One round, in the proposer's seat: 60% of the money leaves just what is accepted."""
    own = args(
        tmp_path, seats="0", opponents=["linear(0.9, 0.4)"], settings='{"horizon": 1}', timesteps=16_384, n_envs=256,
        n_steps=4, batch_size=256, epochs=4, net=[32], eval_every=0, checkpoint_every=0, lr=5e-3,
    )  # fmt: skip
    ppo.train_ppo(own)
    points = read_curve(tmp_path / "learning_curve.csv")
    assert points[-1].reward <= 0.6 + 1e-9
    assert points[-1].reward >= 0.55


def test_it_is_trained_against_players_that_err_as_often_as_is_drawn(tmp_path):
    own = args(tmp_path, opponents=["quantal(precision~loguniform(1, 200))"], timesteps=2048, n_steps=16)
    ppo.train_ppo(own)
    assert read_metadata(tmp_path)["timesteps"] == 2048


def test_measures_are_of_the_same_matches_every_time(tmp_path):
    own = args(tmp_path, eval_opponents=["linear"])
    measure, net = rollouts.make_validation(own), ppo.Training(own).network
    assert measure(net) == measure(net)
    assert len(measure(net)["linear"]) == 4


def test_matches_with_players_without_a_compiled_form_earn_as_compiled_games_do(tmp_path):
    for objective in ("self_gain", "fairness"):
        own = args(tmp_path, eval_opponents=["linear", "plan(0.001)"], seats=0, objective=objective)
        net = ppo.Training(own).network
        assert own.is_compiled
        settings = [{"delta": (0.8, 0.9)}, {"horizon": 3}]
        games = rollouts.new_games(own, ["linear"], settings, 2, draw=False)
        played = rollouts.play_matches(own, net, "linear", settings)
        assert played == pytest.approx(rollouts.play_games(games, net), abs=5e-5), objective
        assert len(rollouts.make_validation(own)(net)["plan(0.001)"]) == 4


def test_objectives_are_rewards(tmp_path):
    fair = args(tmp_path, objective="fairness", opponents=["linear(0.5, 0.5)"], n_envs=64)
    games = rollouts.training_games(fair, fair.opponents)
    games.reset(1)
    fair = 50  # asks for half; in an answer's place it is the default, a refusal
    rewards = np.concatenate([games.step(np.full(64, fair))[1] for _ in range(6)])
    assert rewards.max() == 1.0


def test_trackers_take_what_is_told(tmp_path, monkeypatch):
    written, ended = [], []
    run = SimpleNamespace(log=lambda values, step: written.append((step, values)), finish=lambda: ended.append("run"))
    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=lambda **given: run))
    trackio = SimpleNamespace(
        init=lambda **given: None,
        log=lambda values, step: written.append((step, values)),
        finish=lambda: ended.append("trackio"),
    )
    monkeypatch.setitem(sys.modules, "trackio", trackio)
    trackers = Trackers(["wandb", "trackio"], tmp_path, {})
    trackers.write(5, {"entropy": 1.5})
    trackers.close()
    assert written == [(5, {"entropy": 1.5})] * 2
    assert ended == ["run", "trackio"]


def test_a_tracker_that_is_not_installed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with refuses(ImportError, "--track wandb", "pip install wandb"):
        Trackers(["wandb"], tmp_path, {})


def test_players_without_a_compiled_form_are_refused_or_met_with_stable_baselines3():
    spec = "mock:*"
    with refuses(ValueError, spec, "--algorithm sb3"):
        PPORecipe("bargaining", algorithm="compiled", opponents=["fair", spec])
    with refuses(ValueError, "efficient, best-response", "--algorithm sb3"):
        PPORecipe("coin_game", algorithm="compiled", opponents=["efficient", "best-response", "greedy"])
    chosen = PPORecipe("bargaining", opponents=["fair", spec])
    assert (chosen.algorithm, chosen.n_envs, chosen.memory) == ("sb3", 16, "none")
    says(chosen.algorithm_reason, spec, "--algorithm sb3")
    compiled = PPORecipe("bargaining", opponents=["fair"])
    assert (compiled.algorithm, compiled.n_envs, compiled.memory, compiled.algorithm_reason) == (
        "compiled",
        512,
        "history",
        "",
    )


def test_a_game_that_is_refereed_is_trained_with_stable_baselines3():
    says(PPORecipe("program_matrix").algorithm_reason, "program_matrix", "--algorithm sb3")


def test_rules_that_do_not_compile_say_what_trains(tmp_path, monkeypatch):
    def training(args, opponents):
        raise CannotCompileError("crowded cannot be compiled")

    monkeypatch.setattr("econzoo.train.rl.ppo.training_games", training)
    with refuses(CannotCompileError, "crowded", "--algorithm sb3"):
        ppo.train_ppo(args(tmp_path))


def test_actions_are_drawn_as_often_as_they_are_likely_and_never_if_they_are_illegal():
    chances = torch.tensor([0.0, 0.5, 0.0, 0.3, 1e-9, 0.2, 0.0])
    told = torch.log_softmax(torch.where(chances > 0, chances.log(), torch.tensor(policy.ILLEGAL_SCORE)), -1)
    rows = 200_000
    counts = rollouts.sample_actions(told.expand(rows, -1), torch.Generator().manual_seed(0)).bincount(minlength=7)
    assert counts[[0, 2, 4, 6]].sum() == 0
    assert (counts / rows - chances).abs().max() < 4 * (0.25 / rows) ** 0.5


def test_the_fast_hyperbolic_tangent_and_its_slope():
    x = torch.linspace(-20, 20, 4001, requires_grad=True)
    y = policy.Tanh()(x)
    y.sum().backward()
    assert (y - x.tanh()).abs().max() < 3e-7
    assert x.grad is not None
    assert (x.grad - (1 - x.detach().double().tanh() ** 2)).abs().max() < 1e-6
