"""A training that was killed and resumed is to the bit the training that was not."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_training import SMALL

from econzoo.baselines import OPTIMIZER, POLICY, STATE, WEIGHTS
from econzoo.envs.core.vector import LearnerBatch
from econzoo.train.rl.curve import CURVE
from econzoo.train.rl.files import checkpoint_path, latest_policy
from econzoo.train.rl.recipe import PPORecipe
from later import Later
from refusals import refuses, says

torch, ppo = Later("torch"), Later("econzoo.train.rl.ppo")
pytestmark = [pytest.mark.models, pytest.mark.slow]

# Matches outlive rollouts and checkpoints, which neither evaluations nor updates of the magnet coincide with.
HOW = {**SMALL, "n_steps": 4, "timesteps": 3072, "eval_every": 300, "checkpoint_every": 700, "eval_opponents": ["fair"]}

POOLS = {
    "wide": ["wide"],
    "self": ["self"],
    "past": ["past", "mirror", "boulware(e~loguniform(0.05, 0.9))"],
    "league": ["league", "training"],
}


def recipe(out: Path, game: str = "bargaining", **changes: Any) -> PPORecipe:
    return PPORecipe(game, out=out, **{**HOW, "progress": False, **changes})


def entries(file: Path) -> list[bytes]:
    """What a policy file holds of a training."""
    with zipfile.ZipFile(file) as archive:
        return [archive.read(name) for name in (WEIGHTS, OPTIMIZER, STATE)]


def killed(own: PPORecipe, after: int) -> None:
    """Train in another process that is killed between a rollout and its update, the first one after so many."""
    other = multiprocessing.get_context("fork").Process(target=train_until, args=(own, after))
    other.start()
    other.join()
    assert other.exitcode == -signal.SIGKILL


def train_until(own: PPORecipe, after: int) -> None:
    done, options = iter(range(10**6)), ppo.Training.update_options

    def update_options(self: Any) -> Any:
        if next(done) == after:
            os.kill(os.getpid(), signal.SIGKILL)
        return options(self)

    ppo.Training.update_options = update_options
    ppo.train_ppo(own)


def same(one: Path, other: Path) -> None:
    assert entries(one / POLICY) == entries(other / POLICY)
    assert (one / CURVE).read_bytes() == (other / CURVE).read_bytes()
    names = [sorted(str(file.relative_to(out)) for file in out.rglob("*")) for out in (one, other)]
    assert names[0] == names[1]
    for league in one.glob("league/league.json"):
        assert league.read_bytes() == (other / "league" / "league.json").read_bytes()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize(
    ("pool", "memory"),
    [
        ("wide", "gru"),
        ("league", "history"),
        pytest.param("wide", "none", marks=pytest.mark.long),
        pytest.param("self", "history", marks=pytest.mark.long),
        pytest.param("self", "gru", marks=pytest.mark.long),
        pytest.param("past", "none", marks=pytest.mark.long),
    ],
)
def test_a_training_that_was_killed_between_checkpoints_ends_as_if_it_had_not(
    pool: str, memory: str, tmp_path: Path
) -> None:
    more = {"magnet": 0.1, "magnet_every": 900} if pool == "past" else {}
    how = {"opponents": POOLS[pool], "memory": memory, "settings": "train", "league_rounds": 5, **more}
    ppo.train_ppo(recipe(tmp_path / "whole", **how))
    killed(recipe(tmp_path / "broken", **how), 15)
    assert latest_policy(tmp_path / "broken") == checkpoint_path(tmp_path / "broken", 1536)
    killed(recipe(tmp_path / "broken", **how, resume=True), 9)
    ppo.train_ppo(recipe(tmp_path / "broken", **how, resume=True))
    same(tmp_path / "whole", tmp_path / "broken")


def test_games_continue_from_their_state() -> None:
    """The same actions lead to the same observations, rewards and chance moves, whatever was played in between."""
    cases: list[tuple[str, dict[str, Any]]] = [
        (
            "bargaining",
            {"seat": "both", "opponent": ["linear", "random", "boulware(e~loguniform(0.05, 0.9))"], "params": "train"},
        ),
        ("matrix", {"seat": 0, "opponent": ["tit-for-tat", "gradual"], "params": {"noise": 0.2, "rounds": 9}}),
        ("persuasion", {"params": {"rounds": 5, "messages": 2}, "seat": 1, "opponent": "random"}),
    ]
    for game, how in cases:
        games, rng = LearnerBatch(game, 40, **how), np.random.default_rng(0)
        masks = games.reset(3)[1]

        def play(masks: np.ndarray, rng: np.random.Generator, games: LearnerBatch = games) -> list[np.ndarray]:
            out: list[np.ndarray] = []
            for step in range(12):
                actions = (masks * rng.random(masks.shape)).argmax(-1)
                seen, rewards, ended, masks, _ = games.step(actions)
                games.redraw(*(9, 5) if step % 4 == 3 else (0, 0))
                out += [seen, rewards, ended, masks]
            return out

        masks = play(masks, rng)[-1]
        state = games.copy_state()
        first = play(masks, np.random.default_rng(1))
        other = LearnerBatch(game, 40, **how)
        other.reset(8)
        for again in (games, other):
            again.restore_state(state)
            for a, b in zip(first, play(masks, np.random.default_rng(1), again), strict=True):
                assert np.array_equal(a, b), game
        with refuses(ValueError, "must be", "(40,)"):
            LearnerBatch(game, 41, **how).restore_state(state)


def test_other_options_of_the_games_start_new_ones_and_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ppo.train_ppo(recipe(tmp_path, timesteps=512))
    ppo.train_ppo(recipe(tmp_path, timesteps=1024, resume=True))
    assert "new games" not in capsys.readouterr().err
    ppo.train_ppo(recipe(tmp_path, timesteps=1536, resume=True, n_envs=64))
    says(capsys.readouterr().err, "new games", "n_envs=64 instead of 32")


def test_a_state_that_does_not_fit_is_refused_in_one_line(tmp_path: Path) -> None:
    """Indices beyond their arrays too, which compiled loops would follow."""
    file = ppo.train_ppo(recipe(tmp_path, timesteps=512))
    with zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    for path, value in ((("batch", "rows"), 10**6), (("opponents", "scripted", "seated"), 7), (("learner",), -1)):
        state = torch.load(io.BytesIO(held[STATE]))
        place = state["actor"]["games"]
        for name in path[:-1]:
            place = place[name]
        place[path[-1]][:] = value
        packed = io.BytesIO()
        torch.save(state, packed)
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in {**held, STATE: packed.getvalue()}.items():
                archive.writestr(name, data)
        with refuses(ValueError, file, path[-1]):
            ppo.train_ppo(recipe(tmp_path, timesteps=1024, resume=True))
