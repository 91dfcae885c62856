"""GRPO of a policy with itself: all seats of a match learn, each from its own reward, against the mean of its role."""

from __future__ import annotations

from itertools import cycle

import pytest
from lm_world import SHORT, SMALL, changed, learning_curve, settings, weights
from test_grpo_credit import MARKET, offer
from test_grpo_trainer import parts

import econzoo
from econzoo.baselines.models import load
from econzoo.envs.core.contract import Objective
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm.credit import answer_values
from econzoo.train.lm.episode_specs import EpisodeSpec, make_specs, matches_of
from econzoo.train.lm.group_rollout import groups_without_signal
from econzoo.train.lm.grpo import GRPORecipe, chat_arguments, fast_trainer, train_grpo
from econzoo.train.lm.model import load_for_training
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.sample import Sample
from econzoo.train.reward import PENALTY, Reward
from refusals import refuses, says
from toy_games import LOWEST_BID, register_temporarily

FORFEIT_REWARD = -0.25
"""Of bargaining, in which no result is worth less than 0."""

ACCEPT, REJECT = '{"kind": "accept"}', '{"kind": "reject"}'


def recipe(out="runs/none", model="hf:smollm2", **more):
    small = {"steps": 2, "groups": 2, "group_size": 4, "max_new_tokens": 24, "param": SHORT, "lr": 1e-3, "warmup": 0}
    return GRPORecipe(**{"opponents": ["self"], "dtype": "float32", "out": str(out), "model": model, **small, **more})


def seats_of(drawn):
    learners = [f"learner:{number}" for number in range(len(drawn))]
    return [match.players for match in matches_of(drawn, learners)]


def test_two_seats_of_a_match_are_one_match():
    first, second = make_specs("bargaining", [7, 7], [0, 1], ["self"], **SMALL)
    assert seats_of([first, first, second, second]) == [("learner:0", "learner:2"), ("learner:1", "learner:3")]
    assert seats_of([first, second, second]) == [("learner:0", "learner:1"), ("self", "learner:2")]
    assert seats_of([first]) == [("learner:0", "self")]


def test_what_differs_in_more_than_the_seat_is_another_match():
    others = make_specs("bargaining", [7, 7], [0, 1], ["fair"], **SMALL)
    assert seats_of(others) == [("learner:0", "fair"), ("fair", "learner:1")]
    seeds = make_specs("bargaining", [7, 8], [0, 1], ["self"], **SMALL)
    assert seats_of(seeds) == [("learner:0", "self"), ("self", "learner:1")]


def test_three_seats():
    with register_temporarily(LOWEST_BID):
        drawn = make_specs("lowest_bid", [3] * 3, [0, 1, 2], ["self"])
        assert seats_of(drawn) == [("learner:0", "learner:1", "learner:2")]
        assert seats_of([drawn[2], drawn[0]]) == [("learner:1", "self", "learner:0")]


def test_a_step_has_all_seats_of_its_matches():
    """Also behind the steps, where the matches stand that take the place of others."""
    args = recipe(groups=4, steps=3, param=[], opponents=["self", "fair"])
    assert len(args.episode_specs) == 24
    for one, other in zip(args.episode_specs[::2], args.episode_specs[1::2], strict=True):
        assert (one.seat, other.seat) == (0, 1)
        assert (one.seed, one.params, one.opponents) == (other.seed, other.params, other.opponents)
    assert {one.opponents for one in args.episode_specs} == {("self",), ("fair",)}
    assert len({one.seed for one in args.episode_specs}) == 12


def test_one_seat_learns_if_it_is_asked_for():
    drawn = recipe(seats=[1], groups=3).episode_specs
    assert {(one.seat, one.opponents) for one in drawn} == {(1, ("self",))}
    assert len({one.seed for one in drawn}) == len(drawn)


def test_half_a_match_is_refused(monkeypatch):
    with refuses(ValueError, "groups=3", "2", "self"):
        recipe(groups=3)
    for name, value in {"RANK": 0, "WORLD_SIZE": 2, "LOCAL_RANK": 0}.items():
        monkeypatch.setenv(name, str(value))
    with refuses(ValueError, "groups=6", "4"):
        recipe(groups=6)


@pytest.mark.models
def test_processes_share_spares_by_the_match(monkeypatch):
    for name, value in {"RANK": 1, "WORLD_SIZE": 2, "LOCAL_RANK": 1}.items():
        monkeypatch.setenv(name, str(value))
    args = recipe(groups=4)
    loaded = type("Loaded", (), {"context": 1024, "tokenizer": None})()
    spares = chat_arguments(args, args.policy(loaded))["rollout"]._spares
    assert spares == [*args.episode_specs[10:12], *args.episode_specs[14:16]]


def mirrored(*said):
    """Both seats of a match, as samples without tokens."""
    spoken = [", ".join(map(repr, own)) for own in said]
    record = econzoo.play("bargaining", [f"mock({one})" for one in spoken], **MARKET)
    return [Sample(record, seat, [1], [7], [0], []) for seat in (0, 1)]


def test_a_match_stays_as_long_as_one_of_its_seats_learns():
    """The first seat says the same in both plays; the second one once says what cannot be used, and pays for it."""
    clean, late = mirrored([offer(60)], [ACCEPT]), mirrored([offer(60)], ["hm", ACCEPT])
    groups = [list(seat) for seat in zip(clean, late, strict=True)]
    rewards = [[Reward().compute(one.record, one.seat) for one in group] for group in groups]
    assert rewards[0] == pytest.approx([0.6, 0.6], rel=1e-3)
    assert rewards[1] == pytest.approx([0.4, 0.4 - PENALTY], rel=1e-3)
    assert groups_without_signal(groups, [[[0.0], [0.0]], [[PENALTY / 2], [-PENALTY / 2]]]) == []
    assert groups_without_signal(groups, [[[0.0], [0.0]], [[0.0], [0.0]]]) == [0, 1]


def test_no_solution_knows_what_the_policy_itself_will_do():
    for sample in mirrored([offer(60)], [REJECT, offer(50)]):
        sample.record.players = ["learner:0", "learner:1"]
        assert set(answer_values(sample, PENALTY)) == {None}


class Scripted(Policy):
    """Asks for what it is told, play by play, and accepts whatever it is offered."""

    asks = (20, 40, 60, 80)

    def reply(self, prompts, schemas, role=0):
        rows = [self._row(prompt) for prompt in prompts]
        for row in rows:
            last = self.loaded.tokenizer.decode(list(row.prompt)).rpartition("<|im_start|>user")[2]
            said = offer(next(self.turns)) if "turn to propose" in last else ACCEPT
            (stop, *_) = self.loaded.stop_tokens
            row.tokens = [*self.loaded.encode_reply(said), stop]
            row.own_mask = [1] * len(row.tokens)
        return rows


def scripted(loaded):
    policy = Scripted(loaded, max_new_tokens=24)
    policy.turns = cycle(Scripted.asks)
    return policy


@pytest.mark.models
def test_what_one_seat_gains_the_other_loses(tiny, tmp_path):
    """By hand: asks of 20, 40, 60 and 80 of 100 that are accepted have the mean 50 and the deviation 100 / sqrt(15)."""
    loaded = load_for_training(f"hf:{tiny}")
    args = recipe(tmp_path, f"hf:{tiny}", max_resamples=0)
    trainer = fast_trainer(args, scripted(loaded))
    rows = [{"prompt": one.to_json()} for one in args.episode_specs[:2] for _ in range(4)]
    made = trainer._generate_and_score_completions(rows)
    deviation = (2000 / 3) ** 0.5 / 100
    asked = [(ask / 100 - 0.5) / (deviation + 1e-4) for ask in Scripted.asks]
    assert made["advantages"].tolist() == pytest.approx([*asked, *(-one for one in asked)], rel=1e-3)
    ids, _, keep, own = parts(made)
    wrote = [row[mine] for row, mine in zip(ids[:, -keep:], own, strict=True)]
    said = [loaded.tokenizer.decode(one, skip_special_tokens=True).replace(" ", "") for one in wrote]
    wanted = [*map(offer, Scripted.asks), *[ACCEPT] * 4]
    assert said == [one.replace(" ", "") for one in wanted]


@pytest.mark.models
@pytest.mark.parametrize("share", [1.0, 0.0])
def test_each_seat_has_its_own_reward(tiny, share):
    """Also where fairness counts, which is the same for both."""
    policy = scripted(load(tiny, dtype="float32"))
    drawn = [one for one in make_specs("bargaining", [7, 7], [0, 1], ["self"], **SMALL) for _ in range(4)]
    samples, objective = (
        play_samples(policy, drawn, PlayerCache("bargaining")),
        f"{share}*self_gain + {1 - share}*fairness",
    )
    found = [Reward(Objective(objective)).compute(one.record, one.seat) for one in samples]
    assert [one.seat for one in samples] == [0] * 4 + [1] * 4
    for play in range(4):
        assert samples[play].record is samples[play + 4].record
    if share:
        assert found == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8, 0.6, 0.4, 0.2], rel=1e-3)
    else:
        assert found[:4] == found[4:]


@pytest.mark.models
def test_both_seats_have_the_tokens_that_they_wrote(taught):
    policy = Policy(load(taught, dtype="float32"), max_new_tokens=24)
    pair = make_specs("bargaining", [7, 7], [0, 1], ["self"], **{**SMALL, "horizon": 4})
    samples = play_samples(policy, [one for one in pair for _ in range(3)], PlayerCache("bargaining"))
    assert len({id(one.record) for one in samples}) == 3
    for one in samples:
        wrote = [one.completion[span.begin : span.end] for span in one.spans]
        text = [
            policy.loaded.text([token for token in part if token not in policy.loaded.stop_tokens]) for part in wrote
        ]
        assert text == [turn.reply for turn in one.record.turns if turn.seat == one.seat]
        assert sum(one.own_mask) == sum(map(len, wrote))
    assert sum(len(one.spans) for one in samples) == sum(len(one.record.turns) for one in samples[:3])


@pytest.mark.models
def test_an_unusable_reply_is_the_fault_of_the_seat_that_gave_it(tiny):
    policy = Policy(load(tiny, dtype="float32"), max_new_tokens=2)
    samples = play_samples(
        policy, make_specs("bargaining", [7, 7], [0, 1], ["self"], **SMALL), PlayerCache("bargaining")
    )
    assert [Reward().compute(one.record, one.seat) for one in samples] == [FORFEIT_REWARD, 0.0]
    assert [sum(one.own_mask) > 0 for one in samples] == [True, False], "the other one was never asked"


@pytest.mark.models
def test_a_run_learns_from_all_seats_and_says_so(taught, tmp_path):
    train_grpo(recipe(tmp_path, f"hf:{taught}", credit="decision"))
    assert changed(weights(taught), weights(tmp_path))
    assert len(learning_curve(tmp_path)) == 3
    says((tmp_path / "README.md").read_text(), "self", "2 seats")
    assert settings(tmp_path)["steps"] == 2


def test_a_ticket_alone_is_the_seat_that_it_was():
    (one,) = make_specs("bargaining", [7], [1], ["self"], **SMALL)
    assert EpisodeSpec.from_json(one.to_json()).match("me").players == ("self", "me")
