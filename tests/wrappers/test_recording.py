from __future__ import annotations

from dataclasses import replace

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import replay
from econzoo.wrappers import RecordMatch, TextObservation


class Plays(Player):
    """Plays canned answers."""

    def __init__(self, face, *answers):
        super().__init__(f"plays-{face}-{hash(str(answers))}")
        self.face, self.answers = face, answers

    def reset(self, seat, info, seed):
        self.left = iter(self.answers)

    def act(self, observation, info):
        return next(self.left)


def match(face):
    if face == "numeric":
        return [60, 101], [102, 55]
    if face == "structured":
        return [{"kind": "offer", "gain": 6000, "message": "Hi"}, {"kind": "accept"}], [
            {"kind": "accept", "why": float("nan")},
            {"kind": "reject"},
            {"kind": "offer", "gain": 5500.5},
        ]
    return ['{"kind": "offer", "gain": 6000}', "so: {'kind'", '{"kind": "accept"}'], [
        '{"kind": "reject"}',
        '{"kind": "offer", "gain": 5500.5}',
    ]


def loop(env, answers):
    left = [iter(a) for a in answers]
    env.reset(seed=3)
    for agent in env.agent_iter():
        _, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else next(left[env.possible_agents.index(agent)]))


def same(one, other):
    """Equal up to times."""
    turns = [[replace(t, seconds=0.0) for t in r.turns] for r in (one, other)]
    return turns[0] == turns[1] and replace(one, turns=[], seconds=0) == replace(other, turns=[], seconds=0)


@pytest.mark.parametrize("face", ["numeric", "structured", "text", "chat"])
def test_the_record_is_that_of_a_match_at_the_table(face, tmp_path):
    answers = match(face)
    players = [Plays(face, *answers[0]), Plays(face, *answers[1])]
    env = RecordMatch(econzoo.make("bargaining", face=face), [p.spec for p in players], tmp_path / "r.jsonl")
    loop(env, answers)
    wanted = econzoo.play("bargaining", players, seed=3)
    assert same(env.record, wanted)
    assert wanted.turns
    loop(env, answers)
    records = list(read_record_file(tmp_path / "r.jsonl"))
    assert len(records) == 2
    assert same(records[0], wanted)


def test_inside_another_wrapper():
    env = TextObservation(RecordMatch(econzoo.make("bargaining", face="structured"), ["a", "b"]))
    loop(env, (['{"kind": "offer", "gain": 1}'], ['{"kind": "accept"}']))
    assert env.record.payoffs == [1.0, 9999.0]
    assert env.record.status == "finished"


def test_options_are_kept():
    env = RecordMatch(econzoo.make("bargaining", face="structured", max_retries=0, on_error="default"), ["a", "b"])
    loop(env, (["what"], [{"kind": "accept"}]))
    assert env.record.options == {"max_retries": 0, "on_error": "default"}
    assert env.record.defaults == [1, 0]
    assert env.record.turns[0].default


def test_wrong_number_of_players():
    with pytest.raises(ValueError, match="2 names"):
        RecordMatch(econzoo.make("bargaining"), ["a"])


def test_own_prompts_are_in_the_record_as_in_a_match_at_the_table():
    own = {"turn.propose": "Your move, {name}."}
    env = RecordMatch(econzoo.make("bargaining", face="text", prompts=own, horizon=1), ["one", "other"])
    env.reset(seed=3)
    env.step('{"kind":"offer","gain":6000}')
    env.step('{"kind":"accept"}')
    assert env.record.options == {"prompts": own}
    assert "Your move, Alice." in env.record.turns[0].prompt
    assert replay(env.record) == []


@pytest.mark.parametrize("on_error", ["default", "forfeit"])
def test_what_is_outside_the_space_replays_on_any_grid(on_error, tmp_path):
    for wrong in (10**6, -1, "60", 3.0):
        env = RecordMatch(
            econzoo.make("bargaining", grid=5, on_error=on_error, horizon=1), ["a", "b"], tmp_path / "all"
        )
        loop(env, ([wrong], [5]))
        assert env.record.turns[0].error[0] == "outside_space"
        assert env.record.options == {"grid": 5, "on_error": on_error}
        assert replay(env.record) == []
        env.record.turns[0].error[0] = "out_of_range"
        assert replay(env.record), "what is told of an answer is checked"
    assert all(replay(record) == [] for record in read_record_file(tmp_path / "all"))
