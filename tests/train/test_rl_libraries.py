"""RL libraries take the environments as a page of docs says: every example runs, every mask is kept to."""

from __future__ import annotations

import re
import runpy
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.env import GameEnv
from econzoo.wrappers import SingleAgentEnv
from later import Later

torch = Later("torch")
pytestmark = [pytest.mark.models, pytest.mark.slow]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
SECTION = re.compile(r"^### ([^\n]+)\n(?:(?!#{1,3} )[^\n]*\n)*?```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = dict(SECTION.findall(PAGE.read_text(encoding="utf-8").partition("\n## Examples by library\n")[2]))

LIBRARIES = {
    title: set(re.findall(r"^(?:import|from) (ray\.rllib|\w+)", code, re.MULTILINE)) for title, code in EXAMPLES.items()
}
"""What each needs; ray alone runs matches on many machines, and has no learner."""

WITHOUT_MASKS = {
    "Stable-Baselines3",
    "SuperSuit",
}
"""Their policies choose among all actions; all others keep to what is legal."""

SURVIVAL = ("water_allocation", "survival_auction")
ALTERNATING = ("bargaining", "negotiation", "persuasion")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "title", [pytest.param(title, marks=[pytest.mark.long] * ("Compiled" in title)) for title in EXAMPLES]
)
def test_example(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for library in LIBRARIES[title]:
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    unusable, after_error = [], GameEnv._handle_invalid
    monkeypatch.setattr(GameEnv, "_handle_invalid", lambda *given: unusable.append(given) or after_error(*given))
    Path("example.py").write_text(EXAMPLES[title], encoding="utf-8")
    runpy.run_path("example.py", run_name="__main__")  # a module, since some libraries pickle classes of it
    if ray := sys.modules.get("ray"):
        ray.shutdown()
    illegal = re.findall(r"illegal actions: (\d+)", capsys.readouterr().out)
    assert set(illegal) <= {"0"}
    assert not unusable or title in WITHOUT_MASKS


def test_the_page_has_an_example_of_each_library_that_it_tells_to_install() -> None:
    assert set().union(*LIBRARIES.values()) >= {"stable_baselines3", "sb3_contrib", "torch", "torchrl", "supersuit"}


def torchrl_matches(game: Any, frames: int = 40) -> int:
    """Plays matches by TorchRL with random actions under its masks; gives the number of unusable answers."""
    library = pytest.importorskip("torchrl.envs.libs.pettingzoo")
    env = library.PettingZooWrapper(game, use_mask=True, categorical_actions=True, seed=1)
    played = errors = 0
    while played < frames:
        played += env.rollout(frames).numel()
        errors += sum((game.aec if hasattr(game, "aec") else game).errors)
    return errors


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("game", [*SURVIVAL, "guess_average"])
@pytest.mark.parametrize("maker", [econzoo.make, econzoo.make_parallel])
def test_torchrl_plays_games_whose_infos_would_say_more(game: str, maker: Any) -> None:
    """It makes tensors of infos, and keeps those keys only that it saw at the first reset."""
    assert torchrl_matches(maker(game, mask="observation", black_death=True)) == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("game", [*SURVIVAL, *ALTERNATING])
@pytest.mark.parametrize(
    "options", [{"mask": "observation"}, {"flat": True, "mask": "info", "black_death": True}], ids=["masks", "flat"]
)
def test_torchrl_plays_parallel_views_in_which_somebody_waits_or_leaves(game: str, options: dict[str, Any]) -> None:
    assert torchrl_matches(econzoo.make_parallel(game, **options), 20) == 0


@pytest.mark.parametrize("game", ["bargaining", "water_allocation"])
def test_tensors_of_observations_and_masks_share_their_memory(game: str) -> None:
    """PyTorch warns of arrays that may not be written to; here it has nothing to warn of."""
    env, parallel, single = (
        econzoo.make(game),
        econzoo.make_parallel(game),
        SingleAgentEnv(game, econzoo.player("random")),
    )
    env.reset(seed=1)
    views = [*env.last()[::4], *single.reset(seed=1), *(part["player_0"] for part in parallel.reset(seed=1))]
    found = [value for view in views for key, value in view.items() if key in ("observation", "action_mask")]
    assert len(found) == 9, "numbers, and the mask in two places, of three views"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for array in found:
            torch.as_tensor(array)[...] = 0
            assert not array.any()


@pytest.mark.parametrize("game", SURVIVAL)
def test_black_death_pays_what_that_of_supersuit_pays(game: str) -> None:
    supersuit = pytest.importorskip("supersuit")
    paid = []
    for env in (
        econzoo.make_parallel(game, flat=True, black_death=True),
        supersuit.black_death_v3(econzoo.make_parallel(game, flat=True)),
    ):
        env.reset(seed=2)
        total = dict.fromkeys(env.possible_agents, 0.0)
        while env.agents:
            _, rewards, *_ = env.step({agent: 10 * number for number, agent in enumerate(env.agents)})
            for agent, reward in rewards.items():
                total[agent] += reward
        paid.append(total)
    assert paid[0] == paid[1]
    assert any(paid[0].values())


@pytest.mark.parametrize("game", SURVIVAL)
def test_supersuit_stacks_seats_of_which_some_are_eliminated(game: str) -> None:
    supersuit = pytest.importorskip("supersuit")
    env = econzoo.make_parallel(game, flat=True, black_death=True)
    stacked = supersuit.pettingzoo_env_to_vec_env_v1(env)
    shape = stacked.reset(seed=1)[0].shape
    ends, rewards = 0, np.zeros(stacked.num_envs)
    generator, no_op = np.random.default_rng(1), env.action_space("player_0").n - 1
    while ends < 2:
        seen, reward, terminated, _, _ = stacked.step(generator.integers(no_op, size=stacked.num_envs))
        rewards += reward
        ends += terminated.all()
        assert seen.shape == shape
        assert terminated.all() == terminated.any(), "all seats end together"
    assert rewards.any()


def check_specs(seeds: range, games: tuple[str, ...]) -> None:
    """TorchRL's own test draws an action after the end of a match too."""
    library, utils = pytest.importorskip("torchrl.envs.libs.pettingzoo"), pytest.importorskip("torchrl.envs.utils")
    for game in games:
        for options in ({"mask": "observation"}, {"mask": "info", "flat": True}):
            for maker in (econzoo.make, econzoo.make_parallel):
                env = maker(game, black_death=True, **options)
                one = library.PettingZooWrapper(env, use_mask=True, categorical_actions=True, seed=0)
                for seed in seeds:
                    utils.check_env_specs(one, seed=seed)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_torchrl_draws_an_action_after_the_end() -> None:
    check_specs(range(2), ("bargaining", "negotiation", "matrix"))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_torchrl_draws_an_action_after_the_end_of_every_game() -> None:
    check_specs(range(100), tuple(econzoo.games()))
