"""Matches of a training on the chat face in which another player fails: told of, and not learned from."""

from __future__ import annotations

import math

import pytest
from lm_world import SMALL

from econzoo.baselines import Player
from econzoo.baselines.models import load
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm.credit import decision_advantages
from econzoo.train.lm.dataset import play_self_matches
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.group_rollout import GroupRollout
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.rollout_function import MatchRollout, match_reward
from econzoo.train.reward import Reward
from refusals import says

pytestmark = pytest.mark.models


class Broken(Player):
    """Accepts everything, and fails in every other match."""

    def reset(self, seat, info, seed):
        self.number = FAILURES.append(seed) or len(FAILURES)

    def act(self, observation, info):
        if self.number % 2:
            raise RuntimeError("no more memory")
        return {"kind": "accept"}


FAILURES: list[int] = []


class AlwaysBroken(Broken):
    def act(self, observation, info):
        raise RuntimeError("no more memory")


@pytest.fixture
def policy(tiny):
    FAILURES.clear()
    return Policy(load(tiny, dtype="float32"), max_new_tokens=24, constrained=True)


def drawn():
    return [one for one in make_specs("bargaining", [1, 2], [0], ["fair"], **{**SMALL, "horizon": 1}) for _ in range(4)]


@pytest.mark.parametrize("credit", [None, decision_advantages])
def test_half_of_the_matches_fail(policy, capsys, credit):
    """They have no reward, no advantage and no tokens; the others are compared with each other alone."""
    rollout = GroupRollout(Reward(), policy, Broken, 4, credit=credit)
    samples = rollout._play(policy, drawn())
    assert [one.record.status for one in samples] == ["failed", "finished"] * 4
    said = capsys.readouterr().err
    says(said, "no more memory", samples[0].record.id)
    assert said.count("failed and is left out of training") == 4
    for one in samples[::2]:
        assert (len(one.completion), one.own_mask, one.spans, one.turns) == (1, [0], [], [])
    ended = [Reward().compute(one.record, one.seat) for one in samples[1::2]]
    assert rollout.statistics["drawn_reward"] == pytest.approx(sum(ended) / 4)
    assert rollout.statistics["agreed"] == sum(bool(one.record.metrics["agreed"]) for one in samples) / 4
    assert not any(any(one) for one in (rollout.advantages or [])[::2])


def test_the_columns_of_a_match_that_failed_are_empty(policy):
    from test_lm_rollout_function import stand_in

    rollout = MatchRollout(Reward(), lambda trainer: policy, lambda game: Broken)
    out = rollout([one.to_json() for one in drawn()], stand_in(policy.loaded.model, policy.loaded.tokenizer))
    assert [value is None for value in out["value"]] == [True, False] * 4
    assert [value is None for value in out["gain"]] == [True, False] * 4
    seen = {}
    assert match_reward(**{name: out[name] for name in out if name != "logprobs"}, log_metric=seen.__setitem__)
    assert seen["answers"] >= 1.0


def test_a_step_whose_matches_all_fail_teaches_nothing(policy):
    rollout = GroupRollout(Reward(), policy, AlwaysBroken, 4, credit=decision_advantages)
    rollout._play(policy, drawn())
    assert math.isnan(rollout.statistics["drawn_reward"])
    assert rollout.statistics["spread"] == 0.0
    assert rollout.advantages == [[0.0]] * 8


def test_an_error_of_the_policy_ends_the_run(policy):
    policy.reply = lambda *given: 1 / 0
    with pytest.raises(ZeroDivisionError):
        GroupRollout(Reward(), policy, PlayerCache("bargaining"), 4)._play(policy, drawn())


def test_own_plays_leave_them_out(policy, tmp_path):
    found = play_self_matches(policy, drawn()[::4], 2, Broken, tmp_path / "plays.jsonl")
    assert [one.status for one in found] == ["finished"] * 2
    assert len((tmp_path / "plays.jsonl").read_text().splitlines()) == 2
