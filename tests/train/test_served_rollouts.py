"""Rollouts from a server of token ids: the training step of transformers, and the correction where it differs."""

from __future__ import annotations

import pytest
from lm_world import SHORT, SMALL, changed, learning_curve, weights
from test_in_sequences import LAST, alone, rows_of, watched
from token_server import TokenServer, without_nccl

from econzoo.baselines import ModelError
from econzoo.baselines.models import load, release_models
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.grpo import GRPORecipe, fast_trainer, train_grpo
from econzoo.train.lm.model import load_for_training
from econzoo.train.lm.rollout_function import make_rollout, make_sequence_trainer, match_reward
from econzoo.train.lm.vllm_policy import client_of
from refusals import refuses

pytestmark = pytest.mark.models

HEAT = 0.7


def copy_of(path):
    """A model that nobody else holds."""
    release_models()
    loaded = load(str(path), dtype="float32")
    release_models()
    return loaded


@pytest.fixture
def server(taught):
    with TokenServer(copy_of(taught)) as server, without_nccl(server):
        yield server


def shifted(model, seed=0):
    """Moves the weights a little, as a step would."""
    import torch

    torch.manual_seed(seed)
    with torch.no_grad():
        for one in model.parameters():
            one.add_(0.03 * torch.randn_like(one))


def recipe(path, out, url="", **more):
    small = {"steps": 1, "groups": 2, "group_size": 4, "max_new_tokens": 24, "temperature": HEAT, "lr": 1e-3}
    small |= {"param": [*SHORT, "horizon=4"], "dtype": "float32", "warmup": 0}
    return GRPORecipe(**{"model": f"hf:{path}", "out": str(out), "server": url, **small, **more})


def ours(path, out, kept, url="", template=None, **more):
    """Our trainer, ready for a step."""
    one, loaded = recipe(path, out, url, **more), load_for_training(f"hf:{path}")
    loaded.tokenizer.chat_template = template or loaded.tokenizer.chat_template
    trainer = fast_trainer(one, one.policy(loaded))
    watched(trainer.rollout_func, kept)
    return trainer, one.episode_specs[:2]


def trls(path, out, kept, url="", template=None, **more):
    """TRL's own trainer, with the rollout function."""
    from trl import GRPOConfig, GRPOTrainer

    loaded = load_for_training(f"hf:{path}")
    loaded.tokenizer.chat_template = template or loaded.tokenizer.chat_template
    served = {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": url} if url else {}
    drawn = make_specs("bargaining", [1, 2], [0, 1], ["greedy(0.9)"], **{**SMALL, "horizon": 4})
    common = {"max_steps": 1, "per_device_train_batch_size": 8, "num_generations": 4, "temperature": HEAT}
    constrained = more.pop("constrained", False)
    trainer = make_sequence_trainer(GRPOTrainer)(
        model=loaded.model,
        processing_class=loaded.tokenizer,
        args=GRPOConfig(str(out), **common, report_to="none", use_cpu=True, bf16=False, **served, **more),
        train_dataset=rows_of(drawn),
        rollout_func=watched(make_rollout(max_new_tokens=24, constrained=constrained), kept),
        reward_funcs=[match_reward],
    )
    return trainer, drawn


def step(trainer, drawn):
    """What a step learns from."""
    trainer.current_gradient_accumulation_steps = trainer.args.steps_per_generation
    trainer.model.train()
    return trainer._generate_and_score_completions([{"prompt": one.to_json()} for one in drawn for _ in range(4)])


def gradients(trainer, made):
    trainer.model.zero_grad()
    trainer._compute_loss(trainer.model, made).backward()
    return [one.grad.clone() for one in trainer.model.parameters()]


@pytest.mark.parametrize("build", [ours, pytest.param(trls, marks=pytest.mark.slow)])
def test_a_step_by_the_server_is_the_step_by_transformers(taught, tmp_path, server, build):
    """It samples with the weights of the learner, which TRL's client has brought it."""
    shifted(server.loaded.model)  # what it begins with does not matter
    (here, drawn), (there, _) = (build(taught, tmp_path / str(i), [], url) for i, url in enumerate(["", server.url]))
    one, other = step(here, drawn), step(there, drawn)
    assert one["completion_ids"].equal(other["completion_ids"])
    own = (other["completion_mask"] * other["tool_mask"]).bool()
    assert other["sampling_per_token_logps"][own].allclose(other["old_per_token_logps"][own], atol=1e-4)
    assert other["importance_sampling_ratio"].allclose(other["importance_sampling_ratio"].new_ones(()), atol=1e-3)
    pairs = list(zip(gradients(here, one), gradients(there, other), strict=True))
    assert all(a.allclose(b, atol=1e-5, rtol=1e-3) for a, b in pairs)
    assert max(a.abs().max() for a, _ in pairs) > 1e-3
    assert server.paths("/v1/completions", "/update_weights", "/reset_prefix_cache")[:2] == [
        "/update_weights",
        "/reset_prefix_cache",
    ]


STALE = [(ours, "token_truncate", LAST), (ours, "sequence_mask", LAST), (ours, "token_mask", None)]
STALE += [(trls, "sequence_mask", None), (trls, "sequence_truncate", LAST)]


@pytest.mark.slow
@pytest.mark.parametrize(("build", "mode", "template"), STALE)
def test_stale_weights_are_corrected_as_trl_says(taught, tmp_path, server, build, mode, template):
    """Also where a match is several sequences: each token by what the learner says of it in its own sequence."""
    import torch

    server.frozen = True
    fields = {"vllm_importance_sampling_mode": mode, "vllm_importance_sampling_clip_max": 1.5}
    more = {"trl": [f"{name}={value}" for name, value in fields.items()]} if build is ours else fields
    shifted(server.loaded.model)
    trainer, drawn = build(taught, tmp_path, kept := [], server.url, template, constrained=bool(template), **more)
    made = step(trainer, drawn)
    assert any(sample.starts for sample in kept) == bool(template)
    made["advantages"] = torch.linspace(-1, 2, 8)
    found = gradients(trainer, made)
    trainer.model.zero_grad()
    wanted, ratios = 0.0, []
    for sample, advantage in zip(kept, made["advantages"], strict=True):
        now = alone(trainer.model, sample, HEAT)
        sampled = torch.tensor([score for score, own in zip(sample.scores, sample.own_mask, strict=True) if own])
        by_token = now.detach() - sampled
        ratio = (by_token if mode.startswith("token") else by_token.sum()).exp()
        ratios.append(ratio.max())
        ratio = ratio.clamp(max=1.5) if mode.endswith("truncate") else ratio * (ratio <= 1.5)
        wanted = wanted - advantage * (ratio * now).sum()
    (wanted / made["num_items_in_batch"]).backward()
    for one, other in zip(found, trainer.model.parameters(), strict=True):
        assert one.allclose(other.grad, atol=1e-5, rtol=1e-3)
    assert max(one.abs().max() for one in found) > 1e-4
    assert min(ratios) < 0.98 or max(ratios) > 1.02


@pytest.mark.slow
def test_a_schema_holds_the_replies_of_a_server(tiny, tmp_path):
    """Tokens that it was given no choice about are masked out; the legal JSON is read as it stands."""
    with TokenServer(copy_of(tiny)) as server, without_nccl(server):
        trainer, drawn = ours(tiny, tmp_path, kept := [], server.url, constrained=True, max_new_tokens=48)
        step(trainer, drawn)
        for sample in kept:
            assert [turn.error is None for turn in sample.turns] == [not span.is_cut for span in sample.spans]
            assert 0 < sum(sample.own_mask) < len(sample.own_mask)
            assert all(score < 0 for score, own in zip(sample.scores, sample.own_mask, strict=True) if own)
        times = [turn.seconds for sample in kept for turn in sample.turns]
        assert len(set(times)) == len(times) > len(kept)  # each reply's own, not the mean of those asked together
        asked = [request for path, request in server.asked if path == "/v1/completions"]
        assert all(request["structured_outputs"]["json"] for request in asked)
        assert len({request["seed"] for request in asked}) == len(asked)


@pytest.mark.slow
def test_a_whole_training_with_a_server(taught, tmp_path, server, capsys):
    """Weights go over once before each generation and once before the last validation, not twice in a step."""
    train_grpo(recipe(taught, tmp_path, server.url, steps=2, eval=1, eval_every=2, checkpoint_every=0))
    assert len(learning_curve(tmp_path)) == 3
    assert changed(weights(taught), trained := weights(tmp_path))
    assert server.paths("/start_weight_update", "/update_weights", "/finish_weight_update") == [
        *("/start_weight_update", "/update_weights", "/finish_weight_update") * 3
    ]
    assert not changed(trained, server.loaded.model.state_dict())
    assert server.url in (tmp_path / "config.toml").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("lacks", ["token_ids", "logprobs"])
def test_a_server_that_gives_less_ends_the_run_in_one_line(taught, tmp_path, lacks):
    with TokenServer(copy_of(taught), (lacks,)) as server, without_nccl(server):
        trainer, drawn = ours(taught, tmp_path, [], server.url)
        with refuses(ModelError, server.url, "log-probabilities"):
            step(trainer, drawn)


def test_what_the_server_says_is_told(taught, tmp_path, server):
    trainer, drawn = ours(taught, tmp_path, [], server.url)
    server.loaded = None
    with refuses(ModelError, server.url, "Request failed: 400"):
        trainer.rollout_func([drawn[0].to_json()] * 4, trainer)


def test_processes_that_hand_over_no_weights_ask_all_the_same(taught, tmp_path, server):
    trainer, _ = ours(taught, tmp_path, [], server.url)
    assert client_of(trainer) is trainer.vllm_generation.vllm_client
    del trainer.vllm_generation.vllm_client
    client = client_of(trainer)
    assert client is client_of(trainer)
    assert len(client.generate([[1, 2]], max_tokens=3, generation_kwargs={"seed": 0, "stop_token_ids": []})) == 4


def test_other_ways_of_vllm_are_refused_by_name(taught, tmp_path, server):
    trainer, drawn = trls(taught, tmp_path, [], server.url)
    trainer.vllm_generation.mode = "colocate"
    with refuses(ValueError, "vllm_mode='colocate'", "server"):
        trainer.rollout_func([drawn[0].to_json()], trainer)
    for wrong, *named in (
        ({"server": "localhost:8000"}, "server='localhost:8000'"),
        ({"server": "", "trl": ["use_vllm=true"]}, "use_vllm", "--server"),
        ({"server": "", "trl": ["vllm_importance_sampling_mode=token_mask"]}, "vllm_importance_sampling_mode"),
        ({"server": server.url, "trl": ["vllm_mode=colocate"]}, "vllm_mode", "--server"),
    ):
        with refuses(ValueError, *named):
            train_grpo(recipe(taught, tmp_path / "out", **wrong))


def test_without_vllm_it_is_refused_before_anything_is_loaded(tmp_path):
    with refuses(ImportError, "vLLM"):
        train_grpo(recipe("nowhere", tmp_path / "out", "http://127.0.0.1:9"))
    assert not (tmp_path / "out").exists()
