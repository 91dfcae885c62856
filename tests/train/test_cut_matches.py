"""Matches that `max_cycles` cut have no result: nothing is learned from them. Nothing here needs torch."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import econzoo
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import RecordFile
from econzoo.train.lm.dpo_trainer import preferences
from econzoo.train.lm.episode_specs import EpisodeSpec, make_specs, make_validation_specs
from econzoo.train.lm.relabelling import rollout_values
from econzoo.train.lm.rollout_function import make_rollout_dataset
from econzoo.train.lm.transcripts import load_records, select
from econzoo.train.reward import Reward
from refusals import refuses, says

PAYOFF, GAIN = Objective("payoff"), Objective("self_gain")


@pytest.fixture(scope="module")
def cut():
    record = econzoo.play("bargaining", ["greedy", "greedy"], horizon=9, max_cycles=2)
    assert record.is_truncated
    return record


@pytest.fixture(scope="module")
def ended():
    return econzoo.play("bargaining", ["fair", "fair"], horizon=9, max_cycles=2)


def test_records_that_are_read_leave_them_out_and_tell_how_many(cut, ended, tmp_path, capsys):
    file = RecordFile(tmp_path / "both.jsonl")
    for record in (cut, ended):
        file.append(record)
    assert load_records([file.path]) == [ended]
    says(capsys.readouterr().err, 1)
    alone = RecordFile(tmp_path / "cut.jsonl")
    alone.append(cut)
    with refuses(ValueError, "bargaining", 1):
        load_records([alone.path])


@pytest.mark.parametrize("objective", [PAYOFF, GAIN], ids=["payoff", "gain"])
def test_none_of_their_seats_is_chosen(cut, ended, objective):
    chosen = select([cut, ended], objective, 1.0)
    assert [one.record for one in chosen] == [ended] * 2
    assert chosen == select([ended], objective, 1.0)


def test_they_are_no_side_of_a_pair(cut):
    """Of plays of one match, the cut one is neither the better nor the worse: only the two that ended are compared."""
    good = replace(cut, status="finished", payoffs=[9000.0, 1000.0], metrics={**cut.metrics, "gains": [0.9, 0.1]})
    bad = replace(good, payoffs=[1000.0, 9000.0], metrics={**cut.metrics, "gains": [0.1, 0.9]})
    found = preferences([good, cut, bad], Reward(), 0.0)
    assert [(one.better.record, one.worse.record) for one in found] == [(good, bad), (bad, good)]
    assert preferences([good, cut], Reward(), 0.0) == []


def test_they_have_no_reward(cut):
    with refuses(ValueError, "truncated"):
        Reward().compute(cut, 0)


def test_an_answer_after_which_the_match_is_cut_has_no_value(cut):
    """The teacher plays on, at best to the cut: to accept ends the match, to reject leads into the cut."""
    accept, reject = (rollout_values(cut, 1, "greedy", PAYOFF)[0][kind] for kind in ("accept", "reject"))
    assert accept > 0
    assert math.isnan(reject)


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: make_specs("bargaining", range(4), max_cycles=3),
        lambda: make_rollout_dataset("bargaining", range(4), max_cycles=3),
        lambda: make_validation_specs("bargaining", 4, [0], {"max_cycles": 3}, []),
        lambda: EpisodeSpec("bargaining", {"max_cycles": 3}, 0, ("fair",), 0).match(),
    ],
)
def test_a_limit_is_refused_by_name(drawn):
    with refuses(ValueError, "max_cycles=3"):
        drawn()


def test_no_limit_is_none():
    assert len(make_specs("bargaining", range(4), max_cycles=None)) == 4
