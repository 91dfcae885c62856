"""Rewards, pairs and filters: silence is worth less than every result, in every game and by every objective."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.baselines import make_single_agent
from econzoo.envs.core.contract import Objective, reward_scale
from econzoo.envs.core.record import Record
from econzoo.envs.core.vector import LearnerBatch
from econzoo.evaluate.adapters.open_table import OpenTable
from econzoo.testing.playing import positions_of, random_policy, settings_of
from econzoo.train.lm.dpo_trainer import preferences
from econzoo.train.lm.transcripts import select
from econzoo.train.reward import PENALTY, Reward, describe_reward, played_value
from extreme_play import extreme_policy
from players_that_quit import MUTE, QUITTER, RANDOM, adding_quitters
from refusals import refuses, says
from toy_games import TOYS

OBJECTIVES = (
    "self_gain",
    "efficiency",
    "fairness",
    "nash_product",
    "payoff",
    "inequity(1, 0.5)",
    "0.5*self_gain + 0.5*fairness",
    "-self_gain",
)
PROGRAM_GAMES = [name for name in sorted(econzoo.games()) if econzoo.game(name).referee is not None]
"""Games that take seconds a match, in a sandbox."""

GAMES = [name for name in sorted(econzoo.games()) if name not in PROGRAM_GAMES]
ERRORS = 40
"""Invalid replies of a match that went on."""


@cache
def played(name: str, *players: str, seed: int = 0) -> Record:
    return econzoo.play(name, list(players), seed=seed)


def result_of(env: Any) -> Record:
    """The position of an environment as a finished match, each seat of which was often asked again."""
    seats, (gains, efficiency, fairness, agreed) = len(env.possible_agents), env.outcome()
    metrics = {"gains": list(gains), "efficiency": efficiency, "fairness": fairness, "agreed": agreed}
    found = replace(played("bargaining", "fair", "fair"), game=env.game.name, params=env.public_params, metrics=metrics)
    return replace(found, payoffs=list(env.payoffs), errors=[ERRORS] * seats, defaults=[0] * seats)


def results(name: str, setting: dict[str, Any], seed: int) -> list[Record]:
    """Positions of random and of extreme play; others may end the match by a forfeit in any of them."""
    found = []
    for policy in (random_policy(seed), extreme_policy(seed)):
        env = econzoo.make(name, face="structured", **setting)
        found += [result_of(env) for _ in itertools.islice(positions_of(env, policy, seed), 60)][-4:]
        found.append(result_of(env))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_a_forfeit_is_worth_less_than_every_result_however_often_it_was_retried(name: str) -> None:
    game, rng = econzoo.game(name), np.random.default_rng(3)
    drawn = [game.sample(split, rng) for split in game.scenarios.DISTRIBUTIONS]
    for seed, setting in enumerate([*settings_of(game)[:10], *drawn]):
        short = {**setting, **({"rounds": 8} if (setting.get("rounds") or 0) > 8 else {})}
        for record in results(name, short, seed):
            for spec, seat in itertools.product(OBJECTIVES, range(min(len(record.payoffs), 3))):
                reward = Reward(Objective(spec))
                value, forfeit = reward.compute(record, seat), reward.compute(replace(record, forfeit=seat), seat)
                assert forfeit < value, (spec, setting, record.metrics)
                assert forfeit < 0
                once = replace(record, defaults=[1] * len(record.payoffs))
                assert forfeit <= reward.compute(once, seat) < value, "a replaced answer is no result either"


@pytest.mark.parametrize("name", [*GAMES, *(pytest.param(one, marks=pytest.mark.slow) for one in PROGRAM_GAMES)])
def test_who_never_answers_or_stops_when_behind_comes_last(name: str) -> None:
    others = ("random",) * (econzoo.game(name).facts.seats - 1)
    with adding_quitters():
        found = {
            who: [played(name, who, *others, seed=seed) for seed in range(6 if name in GAMES else 3)]
            for who in (RANDOM, MUTE, QUITTER)
        }
    heard, quit_matches = found[RANDOM], [one for one in found[QUITTER] if 0 in one.defaulting_seats]
    assert len(quit_matches) > 0
    silent = [*found[MUTE], *quit_matches]
    for reward in (Reward(Objective(spec)) for spec in OBJECTIVES):
        earned = {who: [reward.compute(one, 0) for one in records] for who, records in found.items()}
        assert max(reward.compute(one, 0) for one in silent) < min(earned[RANDOM])
        assert all(quits <= answers for quits, answers in zip(earned[QUITTER], earned[RANDOM], strict=True))
        assert all(played_value(one, 0, reward.objective) <= 0 for one in silent)
        alike = [replace(one, faces=heard[0].faces, options={}) for one in (*silent, *heard)]
        pairs = preferences(alike, reward, 0.0, seats=[0])
        assert {one.better.record.players[0] for one in pairs} == {RANDOM}
        assert {one.record.players[0] for one in select(alike, reward.objective, 1.0, seats=[0])} <= {RANDOM}


def test_where_random_play_loses_more_than_a_quarter_a_forfeit_loses_more_still() -> None:
    """In these games a forfeit at -0.25 would be the best way out of a bad match."""
    for name, seat, forfeit in [
        ("negotiation", 0, -1.25),
        ("coin_game", 0, -2.25),
        ("double_auction", 0, -1.25),
        ("persuasion", 1, -1.25),
    ]:
        gains = [played(name, "random", "random", seed=seed).metrics["gains"][seat] for seed in range(25)]
        scale = Reward().scale(name, played(name, "random", "random").params, {}, seat)
        assert forfeit == scale.forfeit < min(gains) < -0.25


def test_rewards_of_ordinary_matches_are_the_value_less_the_penalties() -> None:
    scale = reward_scale(econzoo.game("bargaining"), econzoo.game("bargaining").params()[1], Objective("self_gain"), 0)
    assert scale == (0.0, -0.25, False)
    for value, fines in itertools.product((0.0, 0.25, 0.5, 1.0), (0, 1, 3, 6)):
        assert scale.reward(value, fines * PENALTY) == value - fines * PENALTY
    assert scale.reward(0.5, 8 * PENALTY) == 0.25
    assert scale.reward(0.0, 8 * PENALTY) == -0.25 + 2 * PENALTY  # not lower, else a forfeit were worth more
    replaced = [scale.reward(1.0, 0.0, share) for share in (0.1, 0.5, 1.0)]
    assert replaced == sorted(replaced, reverse=True)
    assert replaced[-1] == -0.25
    assert replaced[0] < scale.reward(-1.0, 9.0)


def test_values_below_the_range_that_counts_count_as_its_end() -> None:
    """Fairness of -3 would make all other differences in its group look alike."""
    game = econzoo.game("negotiation")
    scale = reward_scale(game, game.params()[1], Objective("fairness"), 0)
    assert scale == (-1.0, -1.25, True)
    assert scale.reward(-3.4) == scale.reward(-1.0) == -1.0
    assert scale.reward(-0.9) == -0.9
    dollars = reward_scale(game, game.params()[1], Objective("payoff"), 0)
    assert dollars == (-10_000.0, -11_750.0, False)
    free = game.params(bound=None)[1]
    assert reward_scale(game, free, Objective("self_gain"), 1) == (-1.0, -1.25, True)


def test_a_given_reward_that_is_not_below_every_result_is_refused() -> None:
    record = played("negotiation", "random", "random")
    for forfeit in (-0.25, -1.0, -1.0001, 3.0):
        with refuses(ValueError, "negotiation", forfeit, "self_gain"):
            Reward(forfeit=forfeit).compute(record, 0)
    assert Reward(forfeit=-2.0).compute(replace(record, forfeit=0), 0) == -2.0
    free = replace(record, params={**record.params, "bound": None})
    with refuses(ValueError, "payoff", "forfeit_reward"):
        Reward(Objective("payoff")).compute(free, 0)
    given = Reward(Objective("payoff"), forfeit=-8e4)
    assert given.compute(replace(free, forfeit=0), 0) == pytest.approx(-8e4, rel=1e-4)
    assert given.compute(replace(free, payoffs=[-1e9, 1e9]), 0) > -8e4


def test_a_training_says_what_a_forfeit_gets_and_which_term_of_a_mix_decides() -> None:
    one, other = ("negotiation", {}, {}, 0), ("bargaining", {}, {}, 1)
    (line,) = describe_reward(Reward(), [one, one])
    says(line, -1.25, "self_gain")
    says(describe_reward(Reward(), [one, other])[0], -1.25, -0.25)
    says(describe_reward(Reward(Objective("fairness")), [one])[0], -1)
    mix = describe_reward(Reward(Objective("self_gain + 0.001*payoff")), [one])
    says(mix[1], "0.001*payoff", -10, 14)
    assert len(describe_reward(Reward(Objective("0.5*self_gain + 0.5*efficiency")), [other])) == 1
    says(describe_reward(Reward(Objective("0.1*self_gain + fairness")), [one])[1], "fairness", -5.76)
    assert len(describe_reward(Reward(Objective("self_gain + fairness")), [one])) == 1, "6.76 against 2.4"


def test_environments_and_adapters_for_learners_pay_less_for_silence_than_for_any_result() -> None:
    """Rules pay by the position; `GameEnv` does, too, because it is the game."""
    for name, forfeit in (("negotiation", -1.25), ("bargaining", -0.25), ("water_allocation", -0.25)):
        env = make_single_agent(name, face="text")
        env.reset(seed=1)
        over, reward = False, 0.0
        while not over:
            _, reward, over, *_ = env.step("nothing to say")
        assert reward == forfeit, name
        table = OpenTable(name, ["agent", *["random"] * (econzoo.game(name).facts.seats - 1)], 1, "agent")
        while not table.is_over:
            table.play_reply("nothing to say")
        for spec in OBJECTIVES:
            mute, other = (table.reward(seat, Objective(spec)) for seat in (0, 1))
            assert mute < 0.0
            assert other == Objective(spec).reward(table.env.payoffs, table.env.outcome(), 1)


def test_compiled_games_that_an_illegal_action_ends_pay_less_for_it_than_for_any_result() -> None:
    for name, objective, forfeit in (("negotiation", "self_gain", -1.25), ("bargaining", "fairness", -0.25)):
        batch = LearnerBatch(name, 4, seat=0, opponent="random", on_error="forfeit", grid=5, objective=objective)
        _, masks = batch.reset(seed=1)
        _, rewards, done, *_ = batch.step(masks.argmin(axis=1))
        assert done.all()
        assert set(rewards) == {forfeit}


def test_a_game_that_declares_no_ranges_counts_losses_down_to_the_whole_stake() -> None:
    game = TOYS["pennies"]
    params = game.params()[1]
    assert reward_scale(game, params, Objective("self_gain"), 0) == (-1.0, -1.25, True)
    assert reward_scale(game, params, Objective("0.5*efficiency + fairness"), 1) == (-1.5, -1.75, True)
    with refuses(ValueError, "pennies", "payoff", "forfeit_reward"):
        reward_scale(game, params, Objective("payoff"), 0)
    for wrong in (5.0, 0.0, -0.1, float("nan"), float("inf"), float("-inf")):
        for spec in ("payoff", "self_gain"):
            with refuses(ValueError, "pennies", "forfeit_reward", str(wrong)):
                reward_scale(game, params, Objective(spec), 0, forfeit=wrong)
    assert reward_scale(game, params, Objective("payoff"), 0, forfeit=-10.0) == (-8.75, -10.0, True)
