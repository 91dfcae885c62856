"""The rollout function in a GRPOTrainer that knows nothing else of this project."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from lm_world import SMALL, changed

from econzoo.baselines.models import load
from econzoo.train.lm.episode_specs import EpisodeSpec
from econzoo.train.lm.rollout_function import make_rollout, make_rollout_dataset, match_reward
from econzoo.train.reward import PENALTY, Reward

FORFEIT_REWARD = -0.25
"""Of bargaining, in which no result is worth less than 0."""

pytestmark = pytest.mark.models


class StandIn(SimpleNamespace):
    __hash__ = object.__hash__  # as a trainer has it


def stand_in(model, tokenizer, process=0, **args):
    """What the rollout asks a trainer for."""
    settings = SimpleNamespace(**{"temperature": 1.0, "seed": 0, "max_completion_length": 1024, **args})
    accelerator = SimpleNamespace(unwrap_model=lambda model: model, process_index=process)
    return StandIn(model=model, processing_class=tokenizer, accelerator=accelerator, args=settings)


def trainer_of(path, **args):
    loaded = load(path, dtype="float32")
    return stand_in(loaded.model, loaded.tokenizer, **args)


def test_one_step_of_an_own_trainer(tiny, tmp_path):
    """Legal moves only, so that matches of a group end differently, and the weights learn from the difference."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    model = AutoModelForCausalLM.from_pretrained(tiny)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    trainer = GRPOTrainer(
        model=model,
        processing_class=AutoTokenizer.from_pretrained(tiny),
        args=GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=1,
            per_device_train_batch_size=4,
            num_generations=4,
            max_completion_length=800,
            learning_rate=1e-3,
            report_to="none",
            save_strategy="no",
            disable_tqdm=True,
            use_cpu=True,
        ),
        train_dataset=make_rollout_dataset("bargaining", [3], [0], ["fair"], **SMALL),
        rollout_func=make_rollout("self_gain", max_new_tokens=16, constrained=True),
        reward_funcs=[match_reward],
    )
    trainer.train()
    logs = trainer.state.log_history[0]
    assert logs["errors"] == logs["forfeits"] == 0.0
    assert logs["answers"] >= 1.0
    assert logs["reward_std"] > 0.0
    assert changed(before, model.state_dict())


def test_every_match_is_that_of_its_prompt(tiny):
    """Also where one step has matches of several games; none of the replies is one, so all are forfeited."""
    games = ["bargaining", "matrix", "bargaining", "negotiation"]
    rows = [make_rollout_dataset(game, [seed])[0]["prompt"] for seed, game in enumerate(games)]
    trainer, rollout = trainer_of(tiny), make_rollout(Reward(forfeit=-2.0), max_new_tokens=2)
    out = rollout(rows, trainer)
    assert out["value"] == [-2.0] * 4
    assert out["forfeits"] == [1.0] * 4
    for row, prompt, completion, own in zip(
        rows, out["prompt_ids"], out["completion_ids"], out["env_mask"], strict=True
    ):
        ticket = EpisodeSpec.from_json(row)
        (alone,) = make_rollout(max_new_tokens=2)([row], trainer)["prompt_ids"]
        assert prompt == alone, ticket
        assert len(own) == len(completion)
        assert 0 < sum(own) < len(own)


def test_the_settings_that_the_trainer_has_are_the_trainers(tiny):
    trainer = trainer_of(tiny, temperature=0.7)
    rollout = make_rollout()
    policy = rollout._policy(trainer)
    assert (policy.temperature, policy.max_length) == (0.7, policy.loaded.context)
    assert rollout._policy(trainer) is policy
    assert make_rollout(max_length=10**6)._policy(trainer).max_length == policy.loaded.context == 1024


def test_processes_of_a_run_sample_differently(tiny):
    loaded, (row,) = load(tiny, dtype="float32"), make_rollout_dataset("bargaining", [0], **SMALL)["prompt"]
    said = [
        make_rollout(max_new_tokens=8)([row], stand_in(loaded.model, loaded.tokenizer, process))["completion_ids"]
        for process in (0, 0, 1)
    ]
    assert said[0] == said[1] != said[2]


def test_means_are_logged():
    seen = {}
    columns = {name: [0.0, 1.0] for name in ("gain", "agreed", "forfeits", "errors", "answers")}
    assert match_reward([FORFEIT_REWARD, PENALTY], seen.__setitem__, **columns) == [FORFEIT_REWARD, PENALTY]
    assert seen == dict.fromkeys(columns, 0.5)


def test_the_page_names_the_penalty_of_a_retry():
    page = (Path(__file__).resolve().parents[2] / "docs" / "training_language_models.md").read_text(encoding="utf-8")
    assert f"each retry costs ({PENALTY})" in page


def test_wrong_arguments():
    for wrong, message in (
        ({"objective": "wealth"}, "objective='wealth'"),
        ({"max_new_tokens": 0}, "max_new_tokens=0"),
        ({"max_new_tokens": 64, "max_length": 64}, "max_length=64"),
        ({"batch_size": 0}, "batch_size=0"),
    ):
        with pytest.raises(ValueError, match=message):
            make_rollout(**wrong)
