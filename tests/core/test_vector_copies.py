"""Compiled games in other processes and as copies: whoever plays in them, they go on as the original does."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_context
from threading import Lock
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest

import econzoo
from econzoo.envs.core.env import OPTIONS
from econzoo.envs.core.vector import LearnerBatch
from econzoo.testing.playing import freeze
from exhaustive import long_unless
from refusals import refuses

pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("interpreted")

WAYS: list[Callable[[Any], Any]] = [
    copy.deepcopy,
    lambda one: pickle.loads(pickle.dumps(one)),
    lambda one: cloudpickle.loads(cloudpickle.dumps(one)),
]


def first_legal(observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An opponent with a name that other processes find, and with luck of its own."""
    return np.where(
        rng.random(len(masks)) < 0.5, masks.argmax(axis=1), masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    )


class Firm:
    """An opponent that remembers how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.asked += 1
        return first_legal(observations, masks, rng) if self.asked % 3 else masks.argmax(axis=1)


TABLES: list[tuple[str, dict[str, Any]]] = [
    ("bargaining", {"opponent": "fair", "seat": 0}),
    ("bargaining", {"opponent": "random", "seat": "both"}),
    ("bargaining", {"opponent": ["spe", "tit-for-tat", "me=greedy(0.9)"], "seat": "both"}),
    ("bargaining", {"opponent": {"fair": 1, "boulware(e~loguniform(0.05, 0.9), low~uniform(0, 0.5))": 3}, "seat": 1}),
    ("negotiation", {"opponent": ["concede(0.3)", "tough"], "seat": "both", "settings": "train"}),
    ("matrix", {"opponent": ["tit-for-tat", "gradual", "mixed(p~uniform(0, 1))", "zd-extort(2)"], "seat": 0}),
    ("matrix", {"opponent": "random", "seat": 1, "noise": 0.2, "known": False}),
    ("persuasion", {"opponent": ["bayes", "trust(0.7)", "grim"], "seat": 0}),
    ("guess_average", {"opponent": {"monorand": 1, "k-level(2)": 2}, "seat": 3}),
    ("water_allocation", {"opponent": ["need-based", "mixed(0.2, 0.9)"], "seat": 0, "objective": "efficiency"}),
    ("coin_game", {"opponent": ["tit-for-tat", "punisher(2)", "mixed(0.4)"], "seat": 1}),
    ("bargaining", {"opponent": first_legal, "seat": 0}),
    ("matrix", {"opponent": Firm(), "seat": 1}),
    ("bargaining", {"opponent": lambda observations, masks, rng: masks.argmax(axis=1), "seat": 0}),
    ("bargaining", {}),
]


def step(env: Any, seed: int) -> Any:
    """One step of legal actions, drawn by a seed."""
    masks = env.games.observe()[1]
    return freeze(env.step((np.random.default_rng(seed).random(masks.shape) * masks).argmax(axis=1)))


def in_short(game: str, told: dict[str, Any]) -> bool:
    """One table of each way in which seats, players and nature come to a game."""
    return TABLES.index((game, told)) in (3, 12, 14)


@pytest.mark.parametrize(("game", "told"), long_unless(in_short, TABLES))
def test_a_copy_goes_on_as_the_original(game: str, told: dict[str, Any]) -> None:
    """Before the first step and in mid-game, in observations, rewards and luck, also where players are drawn anew."""
    env = econzoo.make_vec(game, 4, **told)
    env.reset(seed=3)
    for at in range(0, 15, 5):
        twins = [way(env) for way in WAYS]
        for number in range(at, at + 5):
            went = step(env, number)
            assert [step(twin, number) for twin in twins] == [went] * len(twins), f"copied at {at}, differs at {number}"
        for one in (env, *twins):
            one.games.redraw(2, 2)
        assert len({step(one, at + 5) for one in (env, *twins)}) == 1, "players that are drawn anew are the same ones"


def test_a_copy_is_another_one() -> None:
    env = econzoo.make_vec("matrix", 2, seat=0, opponent=Firm())
    env.reset(seed=1)
    twins = [way(env) for way in WAYS]
    before = [twin.games.opponents.policies[0].function.asked for twin in twins]
    step(env, 1)
    assert [twin.games.opponents.policies[0].function.asked for twin in twins] == before
    assert env.games.opponents.policies[0].function.asked > before[0]


def test_copies_share_the_code_of_their_process() -> None:
    """Nothing is compiled again: a copy plays by the very loops of the original."""
    env = econzoo.make_vec("bargaining", 2, seat=0, opponent=["fair", "boulware(0.2)"])
    for way in WAYS:
        twin = way(env)
        assert twin.batch.code is env.batch.code
        assert twin.games.opponents.scripted._play is env.games.opponents.scripted._play


def test_what_cannot_leave_its_process_is_named() -> None:
    lock = Lock()
    batch = LearnerBatch("bargaining", 2, seat=0, opponent=lambda seen, masks, rng: lock and masks.argmax(axis=1))
    with refuses(TypeError, "opponent=<function", "lock"):
        pickle.dumps(batch)


def played(env: Any, start: int) -> list[Any]:
    """Five steps, as they are in another process too."""
    return [step(env, number) for number in range(start, start + 5)]


@pytest.mark.slow
def test_a_spawned_process_goes_on_alike() -> None:
    with get_context("spawn").Pool(1) as pool:
        for game, given in (TABLES[3], TABLES[11]):
            name = f"econzoo/{game.capitalize()}Compiled-v0"
            env = gymnasium.make_vec(name, num_envs=4, vectorization_mode="vector_entry_point", **given)
            env.reset(seed=3)
            step(env.unwrapped, 0)
            assert pool.apply(played, (env.unwrapped, 1)) == played(env.unwrapped, 1), given


@pytest.mark.slow
def test_a_process_without_this_module_reads_it(tmp_path: Any) -> None:
    """By name alone, in a process that has imported nothing of the package before."""
    env = econzoo.make_vec("bargaining", 4, seat="both", opponent=["fair", "random"])
    env.reset(seed=3)
    (tmp_path / "env").write_bytes(pickle.dumps(env))
    code = "import pickle, sys; e = pickle.load(open(sys.argv[1], 'rb')); print(e.step([60, 60, 101, 101])[1].tolist())"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "env")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(env.step([60, 60, 101, 101])[1].tolist())


# What compiled games have not

OWN = ("grid", "grid_range", "objective", "metrics", "on_error", "render_mode", "rewards")
VALUES: dict[str, Any] = {"max_cycles": 3, "face": "text", "black_death": True, "penalty": 0.1, "channel": "off"}


def test_an_option_that_compiled_games_have_not_is_refused_by_name() -> None:
    for name in sorted(set(OPTIONS) - set(OWN)):
        given = {name: VALUES.get(name)}
        for make, game in ((econzoo.make_vec, "bargaining"), (gymnasium.make_vec, "econzoo/BargainingCompiled-v0")):
            with refuses(ValueError, f"{name}={given[name]!r}", "gymnasium.make_vec('econzoo/Bargaining-v0', ...)"):
                make(game, 2, **given)
