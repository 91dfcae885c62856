"""Rewards by round: what a round has paid, in every view; their sum is the reward at the end."""

import gymnasium
import numpy as np
import pytest

import econzoo
from econzoo.baselines import make_single_agent
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.vector import LearnerBatch
from exhaustive import long_unless

OBJECTIVES = ("self_gain", "0.5*self_gain + 0.5*fairness", "efficiency", "0.1*payoff - 0.2*self_gain")


def play_aec(name, seed, **settings):
    """Total and last rewards of random legal play, and every reward as it was paid."""
    env = econzoo.make(name, **settings)
    env.reset(seed=seed)
    rng, totals, paid = np.random.default_rng(seed), dict.fromkeys(env.possible_agents, 0.0), []
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        mask = None if terminated or truncated else seen["action_mask"]
        if mask is None:
            action = None
        elif mask.ndim == 1 and hasattr(env.action_space(agent), "n"):
            action = int(rng.choice(np.flatnonzero(mask)))
        else:
            action = env.action_space(agent).sample()
        env.step(action)
        paid.append(dict(env.rewards))
    return totals, paid


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", econzoo.games())
def test_the_sum_is_the_reward_at_the_end(name, objective):
    try:
        at_end, _ = play_aec(name, 3, objective=objective)
    except (TypeError, ValueError) as error:
        pytest.skip(str(error))
    by_round, _ = play_aec(name, 3, objective=objective, rewards="rounds")
    assert by_round == pytest.approx(at_end, abs=1e-12)


@pytest.mark.parametrize("name", ["bargaining", "negotiation", "double_auction"])
def test_games_that_pay_once_pay_at_the_end_bit_for_bit(name):
    assert play_aec(name, 5, rewards="rounds") == play_aec(name, 5)


STAGE = {(0, 0): (3, 3), (0, 1): (0, 5), (1, 0): (5, 0), (1, 1): (1, 1)}


def test_a_round_of_the_dilemma_pays_its_stage_payoffs():
    """Points 0 to 5 become 0 to 1, divided by the rounds of the match."""
    env, rng = econzoo.make_parallel("matrix", rounds=6, rewards="rounds"), np.random.default_rng(0)
    env.reset(seed=1)
    while env.agents:
        moves = tuple(map(int, rng.integers(2, size=2)))
        _, rewards, *_ = env.step(dict(zip(env.agents, moves, strict=True)))
        assert [*rewards.values()] == pytest.approx([point / 5 / 6 for point in STAGE[moves]], abs=1e-12)


def test_a_cut_match_keeps_what_its_rounds_have_paid():
    env = econzoo.make_parallel("matrix", rounds=10, max_cycles=3, rewards="rounds")
    env.reset(seed=1)
    total = 0.0
    while env.agents:
        _, rewards, _, cut, _ = env.step(dict.fromkeys(env.agents, 0))
        total += rewards["player_0"]
    assert cut["player_0"]
    assert total == pytest.approx(3 * 0.6 / 10)


@pytest.mark.parametrize("face", ["numeric", "text"])
def test_one_seat_is_paid_by_round(face):
    env = make_single_agent("matrix", "tit-for-tat", rounds=4, face=face, rewards="rounds")
    env.reset(seed=1)
    answer = 0 if face == "numeric" else '{"kind": "C"}'
    rewards = [env.step(answer)[1] for _ in range(4)]
    assert rewards == pytest.approx([0.6 / 4] * 4)


def test_a_forfeit_takes_back_what_was_paid():
    """Its sum is the reward of a forfeit, below that of any result."""

    def total(when):
        env = make_single_agent("matrix", "tit-for-tat", rounds=4, face="text", max_retries=0, rewards=when)
        env.reset(seed=1)
        return [env.step(answer)[1] for answer in ('{"kind": "C"}', "no")]

    assert sum(total("rounds")) == pytest.approx(sum(total("end")))
    assert total("rounds")[0] > 0 > sum(total("rounds"))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_vector_rewards_are_those_of_one_game_step_by_step(mode):
    pytest.importorskip("numba")
    rounds, rng = 5, np.random.default_rng(2)
    settings = {"seat": 0, "opponent": "tit-for-tat", "rounds": rounds, "rewards": "rounds"}
    vector = econzoo.make_vec("matrix", 3, autoreset_mode=mode, **settings)
    one = make_single_agent("matrix", "tit-for-tat", rounds=rounds, rewards="rounds")
    vector.reset(seed=1)
    for _ in range(3):
        one.reset(seed=1)
        moves = rng.integers(2, size=rounds)
        for move in moves:
            expected = one.step(int(move))[1]
            assert vector.step(np.full(3, move))[1] == pytest.approx([expected] * 3, abs=1e-12)
        if mode == "NextStep":
            assert not vector.step(np.zeros(3, int))[1].any()  # it restarts the games, and pays nothing


@pytest.mark.parametrize("objective", ["self_gain", "0.5*self_gain + 0.5*efficiency"])
@pytest.mark.parametrize(
    "name",
    long_unless(lambda name: name == "matrix", ["matrix", "coin_game", "public_goods", "water_allocation"]),
)
def test_sums_of_compiled_games(name, objective):
    """The same moves in both, against a player whose moves do not depend on the rewards."""
    pytest.importorskip("numba")
    totals = {}
    for when in ("end", "rounds"):
        batch, rng = (
            LearnerBatch(name, 4, seat=0, opponent="random", objective=objective, rewards=when),
            np.random.default_rng(1),
        )
        _, masks = batch.reset(seed=1)
        sums, found = np.zeros(4), []
        while len(found) < 8:
            actions = [int(rng.choice(np.flatnonzero(mask))) for mask in masks]
            _, rewards, done, masks, _ = batch.step(np.array(actions))
            sums += rewards
            found += sums[done].tolist()
            sums[done] = 0.0
        totals[when] = found
    assert totals["rounds"] == pytest.approx(totals["end"], abs=1e-9)


def test_saved_games_go_on_with_what_was_paid():
    pytest.importorskip("numba")

    def new():
        return LearnerBatch("matrix", 2, seat=0, opponent="tit-for-tat", params={"rounds": 4}, rewards="rounds")

    first, second = new(), new()
    first.reset(seed=1)
    first.step(np.zeros(2, int))
    second.reset(seed=2)
    second.restore_state(first.copy_state())
    assert second.step(np.zeros(2, int))[1] == pytest.approx([0.15, 0.15])


def test_only_sums_over_rounds_are_earned_before_the_end():
    assert Objective("2*self_gain - payoff + 5*fairness").sum_rounds(0.5, 3.0) == -2.0


def test_gymnasium_takes_the_option():
    env = gymnasium.make("econzoo:econzoo/Matrix-v0", opponent="tit-for-tat", rounds=2, rewards="rounds")
    env.reset(seed=1)
    assert env.step(0)[1] == pytest.approx(0.3)
    with pytest.raises(ValueError, match="rewards"):
        gymnasium.make("econzoo:econzoo/Matrix-v0", opponent="tit-for-tat", rewards="round")
