from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from toy_players import Asks, Babbles, Counts, Noisy, Writes

import econzoo
from econzoo.wrappers import SingleAgentEnv
from refusals import refuses
from toy_games import COIN, LOWEST_BID, PENNIES, register_temporarily

FACES = ("numeric", "structured", "text", "chat")


def make(opponents=None, **kwargs):
    return SingleAgentEnv("bargaining", opponents or Asks(0.5), **kwargs)


def legal_action(env, info, rng):
    return int(rng.choice(np.flatnonzero(info["action_mask"])))


def play(env, seed, rng_seed=0, episodes=3):
    """Everything that happens in a few episodes of legal random play."""
    rng, seen = np.random.default_rng(rng_seed), []
    for number in range(episodes):
        observation, info = env.reset(seed=seed if number == 0 else None)
        seen.append((observation["observation"].tolist(), None, sorted(info)))
        over = False
        while not over:
            observation, reward, terminated, truncated, info = env.step(legal_action(env, info, rng))
            over = terminated or truncated
            rest = {k: v for k, v in info.items() if k != "action_mask"}
            seen.append((observation["observation"].tolist(), reward, rest))
    return seen


def test_gymnasium_check():
    """Every face, and every way to take a seat."""
    for face, seat in zip(FACES, (0, 1, "both", 0), strict=True):
        env = make([Asks(0.5), Noisy(), Writes()], seat=seat, face=face, render_mode="ansi")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", ".*alternative render modes.*")
            check_env(env)


@pytest.mark.parametrize("seat", [0, 1])
def test_reward_is_the_objective_at_the_end_and_zero_before(seat):
    env = make(Asks(0.5), seat=seat, delta=(0.8, 0.8), face="structured")
    observation, _ = env.reset(seed=1)
    if seat == 0:
        observation, reward, *_ = env.step({"kind": "offer", "gain": 9000.0})
        assert reward == 0.0
        assert observation["offered"] == 5000.0
        assert observation["round"] == 2
        _, reward, terminated, truncated, info = env.step({"kind": "accept"})
        assert reward == pytest.approx(0.4)
    else:
        _, reward, terminated, truncated, info = env.step({"kind": "accept"})
        assert reward == 0.5
    assert (terminated, truncated) == (True, False)
    assert info["payoff"] == pytest.approx(reward * 10_000)
    assert info["payoffs"][seat] == info["payoff"]
    assert info["outcome"]["agreed"] is True
    assert info["opponent"] == "asks(0.5)"
    assert info["params"]["delta"] == (0.8, 0.8)
    assert info["seat"] == seat
    assert info["forfeited"] is None


def test_another_objective():
    env = make(Asks(0.5), objective="fairness", face="structured")
    env.reset(seed=0)
    assert env.step({"kind": "offer", "gain": 5000})[1] == 1.0


def test_unusable_answers_are_asked_again_and_then_forfeit():
    env = make(face="structured", max_retries=1)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step({"kind": "accept"})
    assert (reward, terminated) == (0.0, False)
    assert info["error_code"] == "illegal_now"
    assert "error" not in env.step({"kind": "offer", "gain": 6000})[4]
    env = make(face="structured", max_retries=2)
    env.reset(seed=0)
    attempts = [env.step("what?")[4].get("attempt") for _ in range(2)]
    assert attempts == [1, 2]
    _, _, terminated, _, info = env.step("what?")
    assert terminated
    assert info["forfeit"]
    assert info["errors"] == 3
    assert info["forfeited"] == 0


def test_illegal_numeric_action_is_the_default_and_counted():
    env = make()
    env.reset(seed=0)
    info = env.step(102)[4]
    assert "defaults" in info  # the default offer, half, was accepted
    assert info["defaults"] == info["errors"] == 1


def test_action_outside_the_space_is_refused():
    env = make()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="0 to 102"):
        env.step(103)


def test_step_before_reset_and_after_the_end():
    env = make()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(50)
    env.reset(seed=0)
    env.step(50)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(50)


def test_truncation():
    env = make(Asks(0.9), max_cycles=2)
    env.reset(seed=0)
    assert env.step(90)[2:4] == (False, False)
    observation, reward, terminated, truncated, info = env.step(102)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert observation["action_mask"].all()
    assert info["position_payoffs"] == (0.0, 0.0)
    assert not {"payoff", "payoffs", "outcome"} & set(info)


def market(rng):
    return {"delta": (float(rng.uniform(0.5, 1)), 0.9), "horizon": int(rng.integers(1, 9)), "money": 100.0}


def test_one_seed_determines_all():
    for seat in [0, "both"]:
        made = [make([Asks(0.4), Noisy(), Asks(0.6)], seat=seat, settings=market) for _ in range(2)]
        first, again = play(made[0], seed=5), play(made[1], seed=5)
        assert first == again, seat
        assert play(made[0], seed=5) == first, seat
        assert play(made[1], seed=6) != first, seat
        assert first[0] != first[2], seat


def test_reset_without_a_seed_goes_on():
    env = make([Asks(0.4), Asks(0.6)], seat="both", settings=market)
    env.reset(seed=3)
    drawn = []
    for _ in range(30):
        env.reset()
        drawn.append((env.seat, env._players[1 - env.seat].spec, env._env.public_params["horizon"]))
    assert {d[0] for d in drawn} == {0, 1}
    assert {d[1] for d in drawn} == {"asks(0.4)", "asks(0.6)"}
    assert len({d[2] for d in drawn}) > 4


def test_markets_and_seats_do_not_depend_on_the_opponents():
    """Equal seeds compare opponents on equal games."""
    one = make(Asks(0.4), seat="both", settings=market)
    other = make([Asks(0.6), Noisy(), Writes()], seat="both", settings=market)
    for seed in range(10):
        one.reset(seed=seed)
        other.reset(seed=seed)
        assert one.seat == other.seat
        assert one._env.public_params == other._env.public_params


def test_interleaved_instances_do_not_disturb_each_other():
    alone = play(make(Noisy(), settings=market), seed=2)
    env, disturbing = make(Noisy(), settings=market), make(Noisy(), settings=market)
    disturbing.reset(seed=9)
    assert play(env, seed=2) == alone


def test_clones_in_the_middle_of_an_episode():
    for clone in [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]:
        env = make([Asks(0.55), Noisy()], seat=1, settings=market, delta=(0.9, 0.9))
        env.reset(seed=4)
        twin = clone(env)
        rng, other = np.random.default_rng(1), np.random.default_rng(1)
        for _ in range(20):
            results = []
            for each, generator in ((env, rng), (twin, other)):
                mask = each.action_masks()
                results.append(each.step(int(generator.choice(np.flatnonzero(mask)))))
                if results[-1][2] or results[-1][3]:
                    results[-1] += each.reset()
            assert repr(results[0]) == repr(results[1])


def test_markets_that_leave_parameters_out_get_the_fixed_ones():
    drawn = iter([{"horizon": 3}, {}, {"delta": (0.5, 0.5)}])
    env = make(settings=lambda rng: next(drawn), horizon=7)
    horizons = []
    for _ in range(3):
        env.reset()
        horizons.append(env._env.public_params["horizon"])
    assert horizons == [3, 7, 7]


def test_action_space_follows_the_money():
    env = make(settings=lambda rng: {"money": 50.0}, face="structured")
    env.reset(seed=0)
    assert {"kind": "offer", "gain": 51.0} not in env.action_space
    assert env.action_space.sample() in env.action_space


def test_parameters_at_reset_stay_for_later_episodes_and_go_before_drawn_ones():
    drawn = iter(({"money": 50.0, "horizon": 3}, {"money": 70.0, "horizon": 4}))
    env = make(settings=lambda rng: next(drawn), delta=(0.9, 0.9))
    env.reset(seed=0, options={"params": {"horizon": 1}})
    assert (env._env.public_params["money"], env._env.public_params["horizon"]) == (50.0, 1)
    with refuses(ValueError, "horizon=0"):
        make().reset(options={"params": {"horizon": 0}})
    env.reset()
    assert (env._env.public_params["money"], env._env.public_params["horizon"]) == (70.0, 1)


def test_masks_for_sb3():
    env = make()
    _, info = env.reset(seed=0)
    assert env.action_masks().dtype == bool
    assert (env.action_masks() == info["action_mask"]).all()
    with pytest.raises(ValueError, match="numeric"):
        make(face="text").action_masks()


def test_nothing_returned_is_shared():
    env = make(Asks(0.9), face="structured")
    env.reset(seed=0)
    first = env.step({"kind": "offer", "gain": 9000})[0]
    first["history"][0]["gain"] = -1
    assert env.step({"kind": "reject"})[0]["history"][0]["gain"] == 9000.0


def test_chat_learner_gets_the_rules_with_reset():
    _, info = make(face="chat").reset(seed=0)
    assert "10,000" in info["rules"]
    assert "rules" not in make(face="text").reset(seed=0)[1]


def test_schema_of_the_learner():
    env = make(face="chat", seat=1)
    env.reset(seed=0)
    assert "accept" in str(env.json_schema())


def test_opponent_that_reads_text():
    env = make(Writes(), horizon=3)
    env.reset(seed=0)
    observation = env.step(60)[0]
    assert observation["observation"][9] == 0.5
    assert env.step(101)[1] == pytest.approx(0.45)


def test_game_that_ends_before_the_learner_moves():
    env = make(Babbles(), seat=1)
    _, info = env.reset(seed=0)
    assert info["action_mask"].all()
    assert env.action_masks().all()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (0.0, True)
    assert info["forfeited"] == 0
    assert not info["forfeit"]


def test_opponents_are_told_of_the_end_once():
    asks = Asks(0.5)
    env = make(asks)
    for _ in range(3):
        env.reset()
        env.step(50)
    assert asks.finished == 0  # a fork played
    assert env._pools[1][0].finished == 3


def test_human_rendering_prints_every_line_once(capsys):
    env = make(Asks(0.5), render_mode="human", seat=0)
    env.reset(seed=0)
    env.step(90)
    env.render()
    env.step(101)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(set(lines)) == 6
    assert "payoffs" in lines[-1]


def test_ansi_rendering():
    env = make(Asks(0.5), render_mode="ansi")
    env.reset(seed=0)
    env.step(90)
    assert "gain 5,000.00" in env.render()


def test_bad_arguments():
    for kwargs, *named in [
        ({"seat": 2}, "seat=2", 0, 1),
        ({"seat": "left"}, "seat='left'"),
        ({"seat": True}, "seat=True"),
        ({"seat": None}, "seat=None"),
        ({"face": "braille"}, "face='braille'"),
        ({"face": ["text", "text"]}, "face"),
        ({"opponents": []}, "opponents"),
        ({"opponents": {0: Asks()}}, "opponents"),
        ({"opponents": {1: Asks(), 2: Asks()}}, "opponents"),
        ({"horizon": 0}, "horizon=0"),
        ({"settings": {"horizon": 0}}, "horizon=0"),
        ({"settings": 3}, "settings=3"),
        ({"settings": {"colour": 1}}, "'colour'"),
        ({"frobnicate": 1}, "'frobnicate'"),
        ({"objective": "wealth"}, "objective='wealth'"),
        ({"render_mode": "video"}, "render_mode='video'"),
    ]:
        with refuses(ValueError, *named):
            SingleAgentEnv("bargaining", **{"opponents": Asks(0.5), **kwargs})


def test_bad_arguments_of_gymnasium_make():
    for kwargs, *named in [
        ({"settings": 3}, "settings=3"),
        ({"settings": ["train"]}, "settings=['train']"),
        ({"flat": "yes"}, "flat='yes'", True, False),
        ({"flat": True, "face": "text"}, "face", "'text'", "flat=True", "numeric"),
    ]:
        with refuses(ValueError, *named):
            gymnasium.make("econzoo:econzoo/Bargaining-v0", **kwargs)


def test_bad_arguments_of_reset():
    for given, named in [
        ({"seed": -1}, "seed=-1"),
        ({"seed": "a"}, "seed='a'"),
        ({"seed": True}, "seed=True"),
        ({"options": 5}, "options=5"),
        ({"options": {"params": 5}}, "options['params'] must be a mapping of parameters by name, got 5"),
        ({"options": {"horizon": 1}}, "options={'params': {'horizon': ...}}"),
        ({"options": {"parms": {}}}, "did you mean 'params'?"),
    ]:
        with refuses(ValueError, named):
            make().reset(**given)


def test_opponents_by_seat():
    env = make({1: [Asks(0.2), Asks(0.3)]}, seat=0)
    specs = set()
    for seed in range(20):
        env.reset(seed=seed)
        specs.add(env._players[1].spec)
    assert specs == {"asks(0.2)", "asks(0.3)"}


@pytest.mark.parametrize("game", [PENNIES, COIN, LOWEST_BID], ids=lambda game: game.name)
def test_other_kinds_of_game(game):
    """Simultaneous moves, chance, and seats that leave early."""
    with register_temporarily(game):
        for seat in (0, 1, "both"):
            env = SingleAgentEnv(game, Counts(), seat=seat, render_mode="ansi")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check_env(env)
            assert play(env, 1) == play(SingleAgentEnv(game, Counts(), seat=seat), 1), seat
            ends = [s for s in play(env, 2, episodes=10) if s[1] is not None and "payoffs" in s[2]]
            assert len(ends) == 10, seat


def test_flat_observation():
    env, beside = make(Asks(0.4), seat="both", flat=True), make(Asks(0.4), seat="both")
    observation, info = env.reset(seed=0)
    assert (observation == beside.reset(seed=0)[0]["observation"]).all()
    assert observation in env.observation_space
    assert isinstance(env.observation_space, gymnasium.spaces.Box)
    assert (env.action_masks() == info["action_mask"]).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)


def test_gymnasium_vector_environments_take_it():
    envs = gymnasium.vector.SyncVectorEnv([lambda: make(Noisy(), seat="both", settings=market, flat=True)] * 3)
    envs.reset(seed=0)
    for _ in range(40):
        envs.step(envs.action_space.sample())
    envs.close()


# -- opponents by name ---------------------------------------------------------------------------------------


def test_opponents_are_players_or_their_specs():
    for opponents in ["fair", ["fair"], {1: "fair"}, {1: ["fair"]}, [econzoo.player("fair")]]:
        env = SingleAgentEnv("bargaining", opponents, face="structured", money=100.0)
        env.reset(seed=1)
        _, reward, terminated, _, info = env.step({"kind": "offer", "gain": 50.0})
        assert (terminated, reward) == (True, 0.5), opponents
        assert info["opponent"] == "fair", opponents


def test_what_is_no_opponent_is_named():
    for opponents in [None, 3, [], [None], {}, {0: "fair"}, {1: [7]}, [["fair"]], object()]:
        with refuses(ValueError, "opponents"):
            SingleAgentEnv("bargaining", opponents)


def test_an_unknown_spec_is_answered_with_the_known_ones():
    with refuses(ValueError, "'fare'", "bargaining", "fair"):
        SingleAgentEnv("bargaining", ["fare"])
