"""GRPO: a real step on SmolLM2, and everything around it on a tiny Llama."""

from __future__ import annotations

import re

import pytest
from lm_world import SHORT, SMALL, changed, learning_curve, settings, weights

import econzoo
from econzoo.baselines.models import load
from econzoo.envs.core.contract import Objective
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.grpo import GRPORecipe, train_grpo
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.transcripts import transcript
from econzoo.train.reward import PENALTY, Reward, outcome_of
from exhaustive import long_unless
from refusals import refuses, says

FORFEIT_REWARD = -0.25
"""Of bargaining, in which no result is worth less than 0."""

pytestmark = pytest.mark.models


def policy_of(path, **options):
    return Policy(load(path, dtype="float32"), **{"max_new_tokens": 24, **options})


def owned(sample, loaded):
    """Texts of the stretches that the policy wrote."""
    runs, before = [], 0
    for token, own in zip(sample.completion, sample.own_mask, strict=True):
        if own and not before:
            runs.append([])
        if own:
            runs[-1].append(token)
        before = own
    return [loaded.tokenizer.decode(run, skip_special_tokens=True).strip() for run in runs]


@pytest.mark.parametrize("model", long_unless(lambda model: model == "tiny", ["tiny", "taught"]))
def test_the_masked_in_tokens_are_exactly_the_replies(model, request):
    policy = policy_of(request.getfixturevalue(model))
    drawn = make_specs("bargaining", range(12), [0, 1], ["fair", "random"], **{**SMALL, "horizon": 4})
    samples = play_samples(policy, drawn, PlayerCache("bargaining"))
    for sample, ticket in zip(samples, drawn, strict=True):
        said = [turn.reply for turn in sample.record.turns if turn.seat == ticket.seat]
        assert owned(sample, policy.loaded) == said
        assert len(sample.own_mask) == len(sample.completion)
        assert sample.own_mask[0] == 1
        assert sample.seat == ticket.seat
        assert sample.record.seed == ticket.seed


def trimmed(text):
    """A chat whose replies do not begin or end with white space, as in records."""
    return re.sub(r"(?<=assistant\n)\s+|\s+(?=<\|im_end\|>)", "", text)


def test_the_sequence_is_the_chat(taught):
    """Rules, news and markup around the replies are those of play, token by token where the reply has usual tokens."""
    policy = policy_of(taught)
    drawn = make_specs("bargaining", range(8), [0, 1], ["fair", "random"], **{**SMALL, "horizon": 4})
    compared = 0
    for sample in play_samples(policy, drawn, PlayerCache("bargaining")):
        chat = [{"role": "system", "content": sample.record.rules[sample.seat]}]
        for turn in sample.record.turns:
            if turn.seat == sample.seat:
                chat += [{"role": "user", "content": turn.prompt}, {"role": "assistant", "content": turn.reply}]
        assert sample.prompt == policy.loaded.encode(chat[:2])
        whole = policy.loaded.tokenizer.decode([*sample.prompt, *sample.completion])
        if "<|im_end|>" in policy.loaded.tokenizer.decode(sample.completion[-1:]):
            told = policy.loaded.tokenizer.apply_chat_template(chat, tokenize=False).rstrip("\n")
            assert trimmed(whole) == told
            compared += 1
        if not sample.record.errors[sample.seat]:
            assert [m for m in transcript(sample.record, sample.seat) if m["role"] == "user"] == chat[1::2]
    assert compared


def test_forced_tokens_are_masked_out(tiny):
    policy = policy_of(tiny, constrained=True, max_new_tokens=16)
    samples = play_samples(
        policy, make_specs("bargaining", range(6), [0, 1], ["fair"], **SMALL), PlayerCache("bargaining")
    )
    for sample in samples:
        assert sample.record.errors == [0, 0]
        assert 0 < sum(sample.own_mask) < len(sample.own_mask)
        assert sample.own_mask[0] == 0  # '{"kind":"' leaves no choice


def test_a_group_plays_one_match_and_differs(taught):
    """Equal tickets: same seed, market and opponent, other samples; another run with the seed gives them again."""
    (ticket,) = make_specs("bargaining", [7], [1], ["random"], ["train"], messages=False)
    groups = [play_samples(policy_of(taught, seed=5), [ticket] * 6, PlayerCache("bargaining")) for _ in range(2)]
    firsts = {repr([t.action for t in s.record.turns if t.seat == 0][:1]) for s in groups[0]}
    assert len(firsts) == 1
    assert len({(s.record.seed, repr(s.record.params)) for s in groups[0]}) == 1
    assert len({tuple(s.completion) for s in groups[0]}) > 1
    assert [s.completion for s in groups[0]] == [s.completion for s in groups[1]]


def test_rewards_are_the_objective_of_the_record(taught):
    goal = Objective("0.5*self_gain+0.5*fairness")
    policy = policy_of(taught, temperature=1.5)
    for s in play_samples(
        policy, make_specs("bargaining", range(24), [0, 1], ["fair"], **SMALL), PlayerCache("bargaining")
    ):
        wanted = goal(s.record.payoffs, outcome_of(s.record), s.seat) - PENALTY * s.record.errors[s.seat]
        assert Reward(goal).compute(s.record, s.seat) == pytest.approx(
            FORFEIT_REWARD if s.has_forfeited else wanted, rel=1e-4
        )


def test_junk_is_asked_again_and_then_forfeited(tiny):
    policy = policy_of(tiny, max_new_tokens=4)
    (sample,) = play_samples(policy, make_specs("bargaining", [0], **SMALL), PlayerCache("bargaining"))
    assert sample.record.errors == [3, 0]
    assert Reward().compute(sample.record, 0) == FORFEIT_REWARD
    assert len(owned(sample, policy.loaded)) == 3
    assert "could not be used" in policy.loaded.tokenizer.decode(sample.completion)


def test_a_match_that_outgrows_its_length_is_forfeited(tiny, capsys):
    long = play_samples(policy_of(tiny), make_specs("bargaining", [0], **SMALL), PlayerCache("bargaining"))[0]
    room = len(long.prompt) + 24 + 10
    (cut,) = play_samples(
        policy_of(tiny, max_length=room), make_specs("bargaining", [0], **SMALL), PlayerCache("bargaining")
    )
    assert cut.has_forfeited
    assert len(cut.prompt) + len(cut.completion) <= room
    says(capsys.readouterr().err, 1, room, "max_length")


def test_a_length_without_room_for_the_first_reply_is_refused(tiny):
    with refuses(ValueError, "max_length=30"):
        play_samples(policy_of(tiny, max_length=30), make_specs("bargaining", [0], **SMALL), PlayerCache("bargaining"))


def test_a_match_may_grow_to_what_the_model_can_read(tiny):
    assert Policy(load(tiny, dtype="float32")).max_length == 1024
    assert policy_of(tiny, max_length=10**6).max_length == 1024


def test_against_itself(taught):
    drawn = make_specs("bargaining", range(6), [0, 1], ["self"], **SMALL)
    for sample, ticket in zip(play_samples(policy_of(taught), drawn, PlayerCache("bargaining")), drawn, strict=True):
        assert sample.record.players[1 - ticket.seat] == "self"
        assert sample.own_mask[0] == 1


def arguments(path, out, **more):
    small = {"steps": 2, "groups": 2, "group_size": 4, "max_new_tokens": 24, "param": SHORT, "lr": 1e-3, "warmup": 0}
    small["dtype"] = "float32"
    return GRPORecipe(**{"model": f"hf:{path}", "out": str(out), **small, **more})


@pytest.mark.parametrize("rank", long_unless(lambda rank: rank == 4, [0, 4]))
def test_weights_change_and_the_checkpoint_plays(taught, tmp_path, rank):
    args = arguments(taught, tmp_path, lora=rank, seats=[0, 1], opponents=["fair", "random"], eval=2, micro_batch=4)
    train_grpo(args)
    assert changed(weights(taught), weights(tmp_path))
    header, *rows = learning_curve(tmp_path)
    assert header[:2] == ["steps", "reward"]
    assert [row[0] for row in rows] == ["1", "2"]
    written = settings(tmp_path)
    assert (written["first_validation"]["steps"], written["last_validation"]["steps"]) == (0, 2)
    record = econzoo.play("bargaining", [f"hf:{tmp_path}", "fair"], **SMALL)
    assert record.status == "finished"
    assert record.errors == [0, 0]


@pytest.mark.slow
def test_nothing_to_learn_changes_nothing(tiny, tmp_path):
    """All replies unusable: rewards are equal, advantages are exactly 0, and no weight moves."""
    train_grpo(arguments(tiny, tmp_path, max_new_tokens=2, steps=2))
    rows = learning_curve(tmp_path)[1:]
    assert [(float(row[1]), float(row[2])) for row in rows] == [(FORFEIT_REWARD, 0.0)] * 2
    assert not changed(weights(tiny), weights(tmp_path))


def test_wrong_arguments(tiny, tmp_path):
    for wrong, *named in (
        ({"game": "chess"}, "chess", "bargaining"),
        ({"opponents": ["nobody"]}, "nobody", "fair"),
        ({"objective": "wealth"}, "objective='wealth'"),
        ({"settings": ["moon"]}, "moon", "ultimatum"),
        ({"param": ["money=-5"]}, "money=-5"),
        ({"param": ["money"]}, "NAME=VALUE", "money"),
        ({"seats": [2]}, "seat=2"),
        ({"mode": "speech"}, "mode='speech'"),
        ({"group_size": 1}, "group_size=1"),
        ({"steps": 0}, "steps=0"),
        ({"temperature": 0.0}, "temperature=0.0"),
        ({"max_new_tokens": 2000}, "max_new_tokens=2000"),
        ({"micro_batch": 3}, "micro_batch=3"),
        ({"model": "hf:/nowhere"}, "hf:/nowhere"),
        ({"mode": "tools", "opponents": ["self"]}, "self", "tools"),
        ({"mode": "tools", "constrained": True}, "constrained=True"),
    ):
        with refuses(ValueError, *named):
            train_grpo(arguments(tiny, tmp_path / "out", **{"steps": 1, **wrong}))
        assert not (tmp_path / "out" / "training.json").exists()


@pytest.mark.long
@pytest.mark.smollm2
def test_real_steps_on_smollm2(tmp_path):
    """Constrained, because without any training it does not answer in JSON, and equal rewards teach nothing."""
    few = {"steps": 2, "groups": 1, "group_size": 2, "max_new_tokens": 16, "lora": 4, "warmup": 0, "lr": 1e-3}
    param = ["money=100", "horizon=1", "messages=false"]
    train_grpo(GRPORecipe(out=tmp_path, opponents=["fair"], param=param, constrained=True, temperature=1.5, **few))
    header, *rows = learning_curve(tmp_path)
    assert len(rows) == 2
    assert all(float(row[header.index("forfeits")]) == 0 for row in rows)
    spec = f"hf:{tmp_path}?max_new_tokens=16"
    record = econzoo.play("bargaining", [spec, "fair"], money=100, horizon=1, messages=False)
    assert record.errors == [0, 0]
