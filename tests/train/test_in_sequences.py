"""Rows of several sequences: each is computed by itself, and has the advantage of its match or of its decisions."""

from __future__ import annotations

import pytest
from lm_world import SHORT

from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.grpo import GRPORecipe, fast_trainer
from econzoo.train.lm.model import load_for_training
from econzoo.train.lm.rollout_function import make_rollout, make_sequence_trainer, match_reward
from econzoo.train.lm.sequence_trainer import split
from refusals import refuses

pytestmark = pytest.mark.models

LAST = (
    "{% for m in messages %}{% if m.role != 'system' %}<|im_start|>{{ m.role }}\n"
    "{{ messages[0].content if loop.last else '' }}{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The rules stand in the last message."""

LONG = {"money": 100.0, "horizon": 4, "messages": False}


@pytest.fixture
def loaded(tiny):
    loaded = load_for_training(f"hf:{tiny}")
    loaded.tokenizer.chat_template = LAST
    return loaded


def drawn():
    return [one for one in make_specs("bargaining", [1, 2], [0, 1], ["greedy(0.9)"], **LONG) for _ in range(4)]


def trls_own(loaded, out, kept):
    from trl import GRPOConfig, GRPOTrainer

    config = GRPOConfig(
        output_dir=str(out),
        max_steps=1,
        per_device_train_batch_size=8,
        num_generations=4,
        temperature=0.7,
        report_to="none",
        use_cpu=True,
        bf16=False,
    )
    return make_sequence_trainer(GRPOTrainer)(
        model=loaded.model,
        processing_class=loaded.tokenizer,
        args=config,
        train_dataset=rows_of(drawn()),
        rollout_func=watched(make_rollout(max_new_tokens=24, constrained=True), kept),
        reward_funcs=[match_reward],
    )


def ours(loaded, out, kept, credit="match"):
    small = {"steps": 1, "groups": 2, "group_size": 4, "max_new_tokens": 24, "temperature": 0.7, "constrained": True}
    more = {"credit": credit, "max_resamples": 0, "param": [*SHORT, "horizon=4"], "dtype": "float32"}
    recipe = GRPORecipe(model="hf:tiny", out=str(out), **small, **more)
    trainer = fast_trainer(recipe, recipe.policy(loaded, recipe.max_length))
    watched(trainer.rollout_func, kept)
    return trainer


def rows_of(tickets):
    from datasets import Dataset

    return Dataset.from_dict({"prompt": [ticket.to_json() for ticket in tickets]})


def watched(rollout, kept):
    """The rollout, whose samples are kept."""
    play = rollout._play

    def _play(*given):
        kept[:] = play(*given)
        return kept

    rollout._play = _play
    return rollout


def step(trainer):
    """What a step learns from."""
    trainer.current_gradient_accumulation_steps = trainer.args.steps_per_generation
    trainer.model.train()
    made = trainer._generate_and_score_completions([{"prompt": one.to_json()} for one in drawn()])
    assert made["starts"].any(1).sum() > 1
    return made


def alone(model, sample, temperature):
    """The log-probabilities of a sample's own tokens, one sequence after the other."""
    import torch

    found = []
    for one in sample.sequences:
        logits = model(torch.tensor([one.ids])).logits[0, :-1].float() / temperature
        scores = torch.log_softmax(logits, -1).gather(1, torch.tensor(one.ids[1:])[:, None])[:, 0]
        found.append(scores[torch.tensor(one.own_mask[1:]).bool()])
    return torch.cat(found)


@pytest.mark.parametrize("build", [pytest.param(trls_own, marks=pytest.mark.slow), ours])
def test_a_step_learns_from_each_sequence_by_itself(loaded, tmp_path, build):
    """The loss has the gradient of the policy's own tokens times the advantage of the match, and no other."""
    import torch

    trainer = build(loaded, tmp_path, kept := [])
    made = step(trainer)
    assert len(made["advantages"]) == len(kept) == 8
    weights = list(trainer.model.parameters())
    made["advantages"] = torch.linspace(-1, 2, 8)
    trainer._compute_loss(trainer.model, made).backward()
    found = [one.grad.clone() for one in weights]
    trainer.model.zero_grad()
    own = [alone(trainer.model, sample, 0.7) for sample in kept]
    wanted = sum(-advantage * one.sum() for advantage, one in zip(made["advantages"], own, strict=True))
    (wanted / made["num_items_in_batch"]).backward()
    for one, other in zip(found, weights, strict=True):
        assert one.allclose(other.grad, atol=1e-5)
    assert max(one.abs().max() for one in found) > 1e-3


def test_each_decision_has_its_advantage_in_its_sequence(loaded, tmp_path):
    trainer = ours(loaded, tmp_path, kept := [], "decision")
    made = step(trainer)
    for sample, found in zip(kept, made["advantages"].tolist(), strict=True):
        for span in sample.spans:
            assert len(set(found[span.begin : span.end])) == 1
        read = set(range(len(found))) - {at for span in sample.spans for at in range(span.begin, span.end)}
        assert not any(found[at] for at in read)
    assert made["advantages"].any()


def test_rows_come_apart_and_together():
    import torch

    ids = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 0, 0, 0]])
    mask = torch.tensor([[0, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0]])
    apart = split(ids, mask, torch.tensor([[0, 0, 1, 0, 1], [0, 0, 0, 0, 0]]))
    assert apart.ids.tolist() == [[1, 2, 3, 0], [4, 5, 0, 0], [6, 0, 0, 0], [7, 8, 9, 10]]
    assert apart.mask.tolist() == [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]]
    assert apart.join(apart.ids[:, 1:]).tolist() == [[0, 0, 2, 3, 0, 5, 0], [0, 8, 9, 10, 0, 0, 0]]


def test_a_trainer_of_one_sequence_a_row_is_refused_by_what_it_can_be(loaded):
    from test_lm_rollout_function import stand_in

    row = make_specs("bargaining", [1], [0], ["greedy(0.9)"], **LONG)[0].to_json()
    with refuses(ValueError, "chat template", "make_sequence_trainer"):
        make_rollout(max_new_tokens=24, constrained=True)([row], stand_in(loaded.model, loaded.tokenizer))
