from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.baselines import make_single_agent, parse_settings, player, read_metadata
from econzoo.train.rl.curve import HEADER, episode_rewards, read_curve
from econzoo.train.rl.files import checkpoint_path, latest_policy
from econzoo.train.rl.grids import default_range
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.sb3 import evaluation_env, make_model, make_vector
from exhaustive import long_unless
from later import Later
from refusals import refuses, says
from toy_games import BUDGET, PRINCIPAL_AGENT, SEVERAL_FIELDS, register_temporarily

ppo = Later("econzoo.train.rl.ppo")
pytestmark = pytest.mark.models

SMALL = {
    "algorithm": "sb3",
    "opponents": ["fair", "acceptor(0.4)"],
    "n_envs": 4,
    "n_steps": 32,
    "batch_size": 64,
    "epochs": 2,
    "net": [16],
    "timesteps": 256,
    "eval_every": 128,
    "eval_episodes": 4,
    "checkpoint_every": 128,
    "progress": False,
}


def args(out, **changes):
    return PPORecipe("bargaining", out=out, **{**SMALL, **changes})


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    return ppo.train_ppo(args(out))


def test_files(trained):
    out = trained.parent
    assert trained.name == "policy.zip"
    assert not list(out.rglob("*.part"))
    assert checkpoint_path(out, 128).is_file()
    assert list((out / "tensorboard").rglob("events.out.tfevents.*"))


def test_learning_curve(trained):
    with (trained.parent / "learning_curve.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0]) == HEADER == ("timesteps", "reward", "low", "high", "opponent")
    assert [(int(r[0]), r[4]) for r in rows[1:]] == [
        (steps, name) for steps in (0, 128, 256) for name in ("fair", "acceptor(0.4)", "all")
    ]
    assert all((low, high) == ("", "") for _, _, low, high, _ in rows[1:])  # four episodes say nothing of others


def test_the_file_says_what_it_is(trained):
    metadata = read_metadata(trained)
    assert metadata["game"] == "bargaining"
    assert metadata["features"] == list(econzoo.game("bargaining").rules.FEATURES)
    assert (metadata["grid"], metadata["algorithm"], metadata["timesteps"]) == (101, "sb3", 256)
    assert {"seats", "objective", "settings", "opponents", "seed"} <= metadata["options"].keys()


def test_plays(trained):
    for players in ([f"ppo:{trained}", "fair"], ["boulware(0.2)", f"ppo:{trained.parent}?deterministic=0"]):
        record = econzoo.play("bargaining", players, seed=1, horizon=4)
        assert record.errors == record.defaults == [0, 0]
        assert record.payoffs == econzoo.play("bargaining", players, seed=1, horizon=4).payoffs


def test_plays_what_stable_baselines_would(trained):
    from sb3_contrib import MaskablePPO

    model, ours = MaskablePPO.load(trained), player(f"ppo:{trained}")
    env = make_single_agent("bargaining", "linear", 0, "train", flat=True)
    structured = make_single_agent("bargaining", "linear", 0, "train", face="structured")
    from econzoo.wrappers import seat_info

    for seed in range(10):
        numbers, _ = env.reset(seed=seed)
        seen, info = structured.reset(seed=seed)
        ours.reset(0, seat_info(structured._env, 0), 0)
        over = False
        while not over:
            number, _ = model.predict(numbers, action_masks=env.action_masks(), deterministic=True)
            numbers, reward, over, _, _ = env.step(int(number))
            seen, again, over_too, _, info = structured.step(ours.act(seen, info))
            assert (reward, over) == (again, over_too)


def test_as_opponent_in_a_pool(trained):
    env = gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent=[f"ppo:{trained}", "fair"], seat="both")
    for seed in range(4):
        env.reset(seed=seed)
        env.step(env.action_space.sample())


def test_resume(trained, tmp_path):
    out = tmp_path / "run"
    ppo.train_ppo(args(out))
    assert (out / "learning_curve.csv").read_text() == (trained.parent / "learning_curve.csv").read_text()
    with refuses(ValueError, out):
        ppo.train_ppo(args(out))
    before = read_curve(out / "learning_curve.csv")
    ppo.train_ppo(args(out, timesteps=512, resume=True))
    assert read_metadata(out)["timesteps"] == 512
    points = read_curve(out / "learning_curve.csv")
    assert points[: len(before)] == before
    assert sorted({p.timesteps for p in points}) == [0, 128, 256, 384, 512]


def test_resumed_model_starts_with_the_same_network_and_optimiser(trained):
    import torch
    from sb3_contrib import MaskablePPO

    model, again = MaskablePPO.load(trained), make_model(args(trained.parent, resume=True), trained)
    assert again.num_timesteps == 256
    for key, value in model.policy.state_dict().items():
        assert torch.equal(value, again.policy.state_dict()[key])
    steps = [float(s["step"]) for s in again.policy.optimizer.state_dict()["state"].values()]
    assert set(steps) == {float(4 * 2 * 2 // 2)}  # 2 updates of 2 epochs of 2 batches


@pytest.mark.slow
def test_resuming_is_deterministic(trained, tmp_path):
    import shutil

    curves = []
    for name in "ab":
        shutil.copytree(trained.parent, tmp_path / name)
        ppo.train_ppo(args(tmp_path / name, timesteps=384, resume=True))
        curves.append((tmp_path / name / "learning_curve.csv").read_text())
    assert curves[0] == curves[1]


@pytest.mark.slow
def test_resume_after_a_kill_uses_the_last_checkpoint(tmp_path):
    ppo.train_ppo(args(tmp_path))
    (tmp_path / "policy.zip").write_bytes(b"half a fi")
    assert latest_policy(tmp_path) == checkpoint_path(tmp_path, 128)
    ppo.train_ppo(args(tmp_path, resume=True))
    assert read_metadata(tmp_path)["timesteps"] == 256
    assert [p.timesteps for p in read_curve(tmp_path / "learning_curve.csv")] == [0] * 3 + [128] * 3 + [256] * 3


def test_finished_training_is_not_trained_further(trained):
    before = trained.parent / "learning_curve.csv"
    text = before.read_text()
    ppo.train_ppo(args(trained.parent, resume=True))
    assert before.read_text() == text
    assert read_metadata(trained)["timesteps"] == 256


def test_resume_with_another_network_is_refused(trained, tmp_path):
    with pytest.raises(ValueError, match="net"):
        ppo.train_ppo(args(trained.parent, resume=True, net=[8]))
    with refuses(FileNotFoundError, tmp_path):
        ppo.train_ppo(args(tmp_path, resume=True))


def test_masked_actions_are_always_legal(tmp_path):
    from sb3_contrib.common.maskable.utils import get_action_masks

    settings = args(tmp_path, seats="both")
    model, vector = make_model(settings, None), make_vector(settings)
    observations = vector.reset()
    for _ in range(100):
        actions, _ = model.predict(observations, action_masks=get_action_masks(vector))
        observations, _, dones, infos = vector.step(actions)
        assert not any(info["errors"] for info, done in zip(infos, dones, strict=True) if done)


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "params"),
    [
        ("division", {}),
        ("budget", {"grid": 11}),
        ("budget", {"grid": {"price": 2000}}),
        ("punish", {"grid": 11}),
        ("talk_then_bid", {"grid": 11}),
    ],
    ids=["a group", "a product", "parts", "mixed turns", "chance and mixed turns"],
)
def test_masked_ppo_of_several_fields(game, params):
    """256 steps of sb3-contrib's own learner on the environment for one seat, and only legal actions after it."""
    from sb3_contrib import MaskablePPO

    with register_temporarily(*SEVERAL_FIELDS.values()):
        env = make_single_agent(game, "random", 1, flat=True, **params)
        model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=0).learn(256)
        observation, info = env.reset(seed=1)
        for _ in range(30):
            action, _ = model.predict(observation, action_masks=info["action_mask"].astype(bool))
            observation, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                assert info["errors"] == 0 or "price" in str(params.get("grid", "")), "parts may not go together"
                observation, info = env.reset()


@pytest.mark.long
@pytest.mark.parametrize("game", SEVERAL_FIELDS)
def test_a_policy_of_several_fields_is_trained_and_plays(game, tmp_path):
    with register_temporarily(*SEVERAL_FIELDS.values()):
        policy = ppo.train_ppo(
            PPORecipe(game, out=tmp_path, **{**SMALL, "opponents": ["random"], "grid": 11, "settings": "default"})
        )
        seats = SEVERAL_FIELDS[game].facts.seats
        record = econzoo.play(game, [f"ppo:{policy}", *["random"] * (seats - 1)], seed=1)
        assert (record.status, record.errors) == ("finished", [0] * seats)


def test_actions_of_parts_are_refused_before_the_training(tmp_path):
    """Two thousand prices, four quantities and two markets are no list, and a policy file holds a list."""
    with register_temporarily(*SEVERAL_FIELDS.values()):
        own = {"opponents": ["random"], "settings": "default", "grid": 2000}
        with refuses(ValueError, "grid=2000", "budget", "10,001", 1250):
            PPORecipe("budget", out=tmp_path / "run", **{**SMALL, **own})


def test_prices_that_are_a_loss_to_somebody_in_every_setting_are_left_out():
    """Parts of twice the scale: values are from 0.5 to 1.5 of it in training, 1 and 1.2 unless told otherwise."""
    for game, settings, part in (
        ("negotiation", "train", (0.25, 0.75)),
        ("negotiation", "glee", (0.4, 0.75)),
        ("negotiation", "default", (0.5, 0.6)),
        ("negotiation", '{"seller_value": 0.1, "buyer_value": 7}', (0.05, 1.0)),
        ("negotiation", '{"seller_value": 0, "buyer_value": 7}', None),
        ("negotiation", "no-zone", None),
        ("negotiation", "equal-values", None),
        ("bargaining", "train", None),
        ("water_allocation", "train", None),
    ):
        assert default_range(game, parse_settings(game, settings)) == part, (game, settings)


def test_each_value_of_a_setting_in_hundredths_of_the_scale_is_a_price_of_the_grid():
    recipe = PPORecipe("negotiation")
    env = econzoo.make("negotiation", grid=recipe.grid, grid_range=recipe.grid_range)
    env.reset(seed=0)
    legal = env.legal("player_0")
    prices = {round(env.face("player_0").decode(action, legal).price) for action in range(recipe.grid)}
    assert prices == set(range(5_000, 15_001, 100))
    assert recipe.to_plain()["grid_range"] == [0.25, 0.75]
    assert PPORecipe("negotiation", grid_range="0,1").grid_range == (0.0, 1.0)


def test_a_grid_that_fits_is_chosen_and_told(capsys):
    """A wage and a bonus on the usual grid are 10,201 combinations; on one of 26 they are 676."""
    with register_temporarily(BUDGET, PRINCIPAL_AGENT):
        recipe = PPORecipe("principal_agent", opponents=["random"])
        assert (recipe.grid, recipe.to_plain()["grid"]) == (26, 26)
        recipe.print_choices()
        says(capsys.readouterr().err, "grid 26", 101, "principal_agent", "10,001", "--grid", 100)
        assert PPORecipe("principal_agent", opponents=["random"], grid=100).grid_reason == ""
        with refuses(ValueError, "grid=101", "principal_agent", "10,001", 100):
            PPORecipe("principal_agent", opponents=["random"], grid=101)
        usual = PPORecipe("budget", opponents=["random"], settings="default")
    assert (usual.grid, usual.grid_reason) == (101, "")


@pytest.mark.slow
def test_a_contract_for_hidden_effort_is_trained_by_default_arguments(tmp_path):
    with register_temporarily(PRINCIPAL_AGENT):
        policy = ppo.train_ppo(PPORecipe("principal_agent", out=tmp_path, timesteps=4000, progress=False))
        assert read_metadata(policy)["grid"] == 26
        assert econzoo.play("principal_agent", [f"ppo:{policy}"] * 2).status == "finished"


def test_a_part_of_the_amounts_is_kept_and_played(tmp_path):
    policy = ppo.train_ppo(args(tmp_path, grid=5, grid_range="0.4,0.6"))
    assert read_metadata(policy)["grid_range"] == [0.4, 0.6]
    record = econzoo.play("bargaining", [f"ppo:{policy}", "greedy"], seed=1)
    offers = {turn.action["gain"] for turn in record.turns if turn.seat == 0 and turn.action["kind"] == "offer"}
    assert offers
    assert offers <= {4000.0, 4500.0, 5000.0, 5500.0, 6000.0}
    with refuses(ValueError, "grid_range", "8000,14000", "LOW,HIGH"):
        args(tmp_path, grid_range="8000,14000")


def test_unmasked_ppo(tmp_path):
    policy = ppo.train_ppo(args(tmp_path, algorithm="sb3-unmasked", penalty=0.05, seats="1"))
    assert read_metadata(policy)["algorithm"] == "sb3-unmasked"
    record = econzoo.play("bargaining", ["fair", f"ppo:{policy}"], seed=1)
    assert record.errors == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seat", "opponent", "best"),
    long_unless(lambda seat, *_: seat == "0", [("0", "acceptor(0.4)", 0.6), ("both", "acceptor(0.4)", 0.5)]),
)
def test_learns_the_best_answer(tmp_path, seat, opponent, best):
    """One round: as proposer the best offer leaves the other its threshold; as responder, any offer is the best."""
    settings = args(
        tmp_path, seats=seat, opponents=[opponent], settings='{"horizon": 1}', timesteps=5120, n_envs=8, n_steps=128,
        batch_size=256, epochs=10, net=[32], eval_every=0, eval_episodes=40, checkpoint_every=0, lr=3e-3,
    )  # fmt: skip
    ppo.train_ppo(settings)
    points = read_curve(tmp_path / "learning_curve.csv")
    assert points[0].reward < best - 0.1
    assert points[-1].reward > best - 0.1
    assert points[-1].reward <= best + 1e-9
    if seat == "0":
        record = econzoo.play("bargaining", [f"ppo:{tmp_path}", opponent], seed=0, horizon=1)
        assert 0.5 < record.metrics["gains"][0] <= 0.6


def test_evaluation_plays_the_same_episodes_every_time(trained, tmp_path):
    from sb3_contrib import MaskablePPO

    settings, model = args(tmp_path), MaskablePPO.load(trained)
    envs = [evaluation_env(settings, "random") for _ in range(4)]
    rewards = episode_rewards(model, envs, 10, is_masked=True)
    assert rewards == episode_rewards(model, envs[:3], 10, is_masked=True)
    assert len(rewards) == 10
    assert len(set(rewards)) > 1


def test_defaults_are_the_games_own_pools_and_settings():
    from econzoo.baselines.bargaining import POOLS

    given = PPORecipe("bargaining")
    assert given.opponents == POOLS["training"]
    assert given.eval_opponents == POOLS["validation"]
    assert (given.settings, given.eval_settings) == ("train", "validation")
    wide = PPORecipe("bargaining", opponents=["wide"], settings="wide")
    assert wide.eval_opponents == POOLS["validation"]
    assert wide.eval_settings == "validation"
    own = PPORecipe("bargaining", opponents=["fair"], settings="default")
    assert (own.eval_opponents, own.eval_settings) == (["fair"], "default")


def test_self_play_is_evaluated_against_random_where_no_script_of_the_validation_compiles(monkeypatch):
    monkeypatch.setattr("econzoo.train.rl.recipe.can_compile", lambda spec, game: False)
    assert PPORecipe("bargaining", opponents=["self"]).eval_opponents == ["random"]


def test_bad_arguments(tmp_path):
    for changes, *named in (
        ({"timesteps": 0}, "timesteps=0"),
        ({"timesteps": 1.5}, "timesteps=1.5"),
        ({"gamma": 1.1}, "gamma=1.1"),
        ({"lr": float("nan")}, "lr=nan"),
        ({"algorithm": "sac"}, "auto", "compiled", "sb3", "sb3-unmasked"),
        ({"algorithm": "compiled", "memory": "elephant"}, "elephant", "none", "history", "gru"),
        ({"algorithm": "compiled", "amounts": "numbers"}, "numbers", "ordinal", "classes"),
        ({"track": ["paper"]}, "paper", "tensorboard", "wandb", "trackio"),
        ({"track": ["tensorboard"]}, "track=['tensorboard']", "--algorithm sb3", "--algorithm compiled"),
        ({"memory": "gru"}, "memory='gru'", "--algorithm sb3"),
        ({"opponents": ["nobody"]}, "nobody"),
        ({"settings": "mars"}, "mars"),
        ({"settings": "{"}, "'{'", "JSON"),
        ({"objective": "glory"}, "glory"),
        ({"net": []}, "net=[]"),
        ({"n_envs": 1, "n_steps": 8}, "batch_size"),
        ({"resume": "yes"}, "resume='yes'"),
    ):
        with refuses(ValueError, *named):
            args(tmp_path, **changes)


def test_a_pool_that_the_game_does_not_have_is_refused():
    with refuses(ValueError, "opponent='wide'", "matrix", "training"):
        PPORecipe("matrix", opponents=["wide"])


def test_a_training_without_progress_is_silent(tmp_path, capsys):
    ppo.train_ppo(args(tmp_path, eval_every=0, checkpoint_every=0, timesteps=128))
    assert not capsys.readouterr().err


def test_bad_seat_and_market_are_refused_before_the_training(tmp_path):
    for changes, *named in (
        ({"seats": "2"}, "seats=2", 0, 1),
        ({"seats": "left"}, "seats='left'", 0, 1),
        ({"settings": '{"horizon": 0}'}, "horizon=0", 1),
    ):
        with refuses(ValueError, *named):
            ppo.train_ppo(args(tmp_path, **changes))
    assert not (tmp_path / "policy.zip").exists()


def train_command(*words, capsys):
    """Exit code, output and errors of ``econzoo train ppo``."""
    with pytest.raises(SystemExit) as ended:
        main(["train", "ppo", *words])
    return ended.value.code, *capsys.readouterr()


def test_command(tmp_path, capsys):
    small = "--algorithm sb3 --timesteps 64 --n-envs 2 --n-steps 16 --batch-size 16 --eval-episodes 2 --net 8 --seats 1"
    options = ["--opponents", "fair", "--opponents", "acceptor(0.4)", *small.split(), "--out", str(tmp_path)]
    code, out, err = train_command("bargaining", *options, capsys=capsys)
    assert code == 0, err
    assert f"ppo:{tmp_path}" in out
    assert re.search(r"^0\D+64\b", err, re.MULTILINE)
    assert re.search(r"^32\D+64\D+ -?\d\.\d{3}\D+\d+\D+[\d,]+\D+$", err, re.MULTILINE), err
    assert read_metadata(tmp_path)["options"]["opponents"] == ["fair", "acceptor(0.4)"]
    code, _, err = train_command("chess", capsys=capsys)
    assert code == 1
    says(err, "chess", "bargaining")


# -- the Gymnasium entry point -------------------------------------------------------------------------------


def test_gymnasium_make_in_a_process_that_never_imported_us():
    code = (
        "import gymnasium, sys\n"
        "env = gymnasium.make('econzoo:econzoo/Bargaining-v0', opponent='boulware(0.2)', seat=0)\n"
        "env.reset(seed=0); env.step(50); assert 'torch' not in sys.modules; print(env.spec.to_json())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    spec = gymnasium.envs.registration.EnvSpec.from_json(done.stdout)
    assert gymnasium.make(spec).reset(seed=0)[0]["observation"].shape == (14,)
    assert json.loads(done.stdout)["kwargs"]["seat"] == 0


def test_default_opponent_and_render():
    env = gymnasium.make("econzoo:econzoo/Bargaining-v0", render_mode="ansi")
    env.reset(seed=0)
    env.step(50)
    assert "Alice" in env.render()
    assert env.unwrapped._players[1].spec == "random"


@pytest.mark.parametrize("flat", [False, True])
def test_gymnasium_check_env(flat):
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent=["fair", "random"], settings="glee", flat=flat)
        check_env(env.unwrapped)


def test_bad_arguments_of_make():
    for kwargs, *named in (
        ({"opponent": "nobody"}, "nobody"),
        ({"opponent": []}, "opponents=[]"),
        ({"opponent": {"x": "fair"}}, "x"),
        ({"seat": 5}, "seat=5"),
        ({"settings": "mars"}, "mars"),
        ({"frobnicate": 3}, "frobnicate"),
        ({"delta": (2, 2)}, "delta"),
        ({"flat": True, "face": "text"}, "text", "flat=True", "numeric"),
        ({"flat": "yes"}, "flat='yes'"),
    ):
        with refuses(ValueError, *named):
            gymnasium.make("econzoo:econzoo/Bargaining-v0", **kwargs)


def test_seats_of_opponents_as_json_has_them():
    env = make_single_agent("bargaining", {"1": ["fair", "spe"]}, 0, '{"horizon": 2}')
    env.reset(seed=np.random.default_rng(0).integers(10).item())
    assert env._env.public_params["horizon"] == 2
