"""Matches that end in TRL's environment without the learner's doing."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core import game as find_game
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm.environment import GAME_OVER, as_trl_environment
from refusals import refuses, says


@pytest.mark.parametrize("game", econzoo.games())
def test_a_match_that_others_end_is_an_episode(game):
    """Also before the learner's first move, in any seat, alone or at once with others."""
    outcomes = set()
    for place in range(len(econzoo.make_raw(game).possible_agents)):
        environment = as_trl_environment(game, seat=place, opponents=["mock:hello"])()
        told = environment.reset(seed=1)
        assert told.startswith(environment._record.rules[place] if environment._record else told[:1])
        for tool in [*find_game(game).actions.names] * (environment._record is not None):
            with refuses(ValueError, GAME_OVER[:20]):
                getattr(environment, tool)()
        outcomes.add(environment._record and (environment._record.status, environment.get_reward()))
    assert None in outcomes, "seat 0 moves first, or all move at once"
    assert outcomes <= {None, ("forfeited", 0.0)}


def test_learners_beside_each_other_have_matches_of_their_own():
    kind = as_trl_environment("bargaining", seat=1, opponents=["mock:hello"])
    ended, fresh = kind(), as_trl_environment("bargaining", seat=0, opponents=["fair"])()
    ended.reset(seed=1)
    fresh.reset(seed=1)
    assert "accepted" in fresh.offer(gain=1.0)
    assert (ended.get_reward(), ended.reset(seed=1)) == (0.0, kind().reset(seed=1))


@pytest.mark.parametrize("where", ["reset", "act"])
def test_a_match_in_which_another_player_fails_is_not_learned_from(where, capsys):
    class Broken(Player):
        def act(self, observation, info):
            return {"kind": "reject"}

    def fail(self, *given):
        raise RuntimeError("no more memory")

    setattr(Broken, where, fail)
    environment = as_trl_environment("bargaining", opponents=["fair"], money=100.0)()
    environment._cast = Broken
    said = environment.reset(seed=1)
    said = environment.offer(50.0) if where == "act" else said
    assert said == GAME_OVER
    assert environment.get_reward() is None
    says(capsys.readouterr().err, "no more memory", environment._record.id)
    environment._cast = PlayerCache("bargaining")
    assert "You are Alice" in environment.reset(seed=1)
