"""The ALYMPICS games in every way of playing: in turn, all together, many at once, and with a seat that learns."""

from __future__ import annotations

from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

import econzoo
from econzoo.baselines import make_single_agent
from econzoo.envs.core import gymnasium_id
from econzoo.envs.core.contract import CHANCE, SEVERAL, Move
from econzoo.envs.core.vector import GameBatch
from econzoo.testing.playing import draw, encode, freeze, has_ended, random_policy
from exhaustive import long_unless
from refusals import refuses

NAMES = ("water_allocation", "guess_average", "survival_auction")
FACES = ("numeric", "structured", "text", "chat")
DEADLY: dict[str, dict[str, Any]] = {
    "water_allocation": {"supply": (8, 24), "start_health": 3},
    "guess_average": {"health": 3},
    "survival_auction": {"start_health": 3},
}
"""Settings in which some seats leave early in most matches, and others go on."""

CASES = [(name, params) for name in NAMES for params in ({}, DEADLY[name])]
IDS = [f"{name}-{'deadly' if params else 'default'}" for name, params in CASES]


def both(game: str, face: str, seed: int, **params: Any) -> tuple[Any, Any]:
    """The same match in both views."""
    aec, parallel = econzoo.make(game, face=face, **params), econzoo.make_parallel(game, face=face, **params)
    aec.reset(seed=seed)
    parallel.reset(seed=seed)
    return aec, parallel


def until_asked(env: Any) -> None:
    while env.agents and has_ended(env):
        env.step(None)


# -- one agent after the other, and all together -----------------------------------------------------------------------


def test_both_views_show_the_same_match() -> None:
    """Observations, infos and rewards of every agent on every day, until nobody is left."""
    for (game, params), face in [*product(DEADLY.items(), FACES), *product([(name, {}) for name in NAMES], FACES[:1])]:
        seed = FACES.index(face)
        aec, parallel = both(game, face, seed, **params)
        observations, infos = parallel.reset(seed=seed)
        choose, days, sizes = random_policy(seed), 0, []
        while parallel.agents:
            days, agents, actions = days + 1, list(parallel.agents), {}
            sizes.append(len(agents))
            for agent in agents:
                until_asked(aec)
                assert aec.agent_selection == agent, (game, face)
                assert freeze(aec.last()[0]) == freeze(observations[agent]), (game, face)
                assert freeze(aec.last()[4]) == freeze(infos[agent]), (game, face)
                actions[agent] = choose(aec, agent)
                aec.step(actions[agent])
            observations, rewards, terminations, _, infos = parallel.step(actions)
            assert aec.game_state == parallel.aec.game_state, (game, face)
            assert aec.events == parallel.aec.events, (game, face)
            assert list(rewards) == list(infos) == list(terminations) == agents, (game, face)
            for agent in agents:
                assert terminations[agent] == aec.terminations[agent], (game, face)
                assert rewards[agent] == aec.rewards[agent], (game, face)
                assert freeze(observations[agent]) == freeze(aec.observe(agent)) or not terminations[agent], (
                    game,
                    face,
                )
                if terminations[agent]:
                    assert freeze(infos[agent]) == freeze(aec.infos[agent]), (game, face)
            assert parallel.agents == [agent for agent in agents if not terminations[agent]], (game, face)
        assert sizes == sorted(sizes, reverse=True), (game, face)
        assert (aec.payoffs, aec.moves) == (parallel.aec.payoffs, parallel.aec.moves), (game, face)


def test_seats_do_leave_early_in_the_deadly_settings() -> None:
    for game in NAMES:
        left = 0
        for seed in range(6):
            env = econzoo.make_parallel(game, face="structured", **DEADLY[game])
            env.reset(seed=seed)
            choose = random_policy(seed)
            while env.agents:
                before = len(env.agents)
                env.step({agent: choose(env.aec, agent) for agent in env.agents})
                left += 0 < len(env.agents) < before
        assert left >= 3, game


def test_infos_tell_how_everybody_alive_stands_on_every_day() -> None:
    for game, params in CASES:
        own = ("wins",) if game == "guess_average" else ("balance", "no_water_days")
        fields = ("health", "alive", *own)
        env = econzoo.make_parallel(game, face="structured", **params)
        _, infos = env.reset(seed=2)
        choose = random_policy(2)
        while env.agents:
            state = env.aec.game_state
            for agent in env.agents:
                seat = env.possible_agents.index(agent)
                told = {name: infos[agent][name] for name in fields}
                assert told["alive"] is True, (game, params)
                assert told["health"] == state.health[seat], (game, params)
                if "balance" in told:
                    assert (told["balance"], told["no_water_days"]) == (state.balance[seat], state.dry[seat]), game
                else:
                    assert told["wins"] == state.wins[seat], (game, params)
            *_, terminations, _, infos = env.step({agent: choose(env.aec, agent) for agent in env.agents})
            for agent, over in terminations.items():
                gone = env.aec.game_state.out if game == "guess_average" else env.aec.game_state.died
                assert infos[agent]["alive"] == (gone[env.possible_agents.index(agent)] == 0), (game, params)
                assert over or infos[agent]["alive"], (game, params)
                assert ("payoff" in infos[agent]) == over, (game, params)


def test_the_public_result_of_a_day_has_a_bid_of_everybody_who_lived() -> None:
    for game, params in CASES:
        env = econzoo.make_parallel(game, face="structured", **params)
        observations, _ = env.reset(seed=5)
        choose, days = random_policy(5), []
        while env.agents:
            days.append([env.possible_agents.index(agent) for agent in env.agents])
            observations, *_ = env.step({agent: choose(env.aec, agent) for agent in env.agents})
        history = next(iter(observations.values()))["history"]
        for day, seats in enumerate(days, 1):
            told = [event for event in history if event["round"] == day]
            assert [event["seat"] for event in told] == seats, (game, params)
            wanted = {
                "water_allocation": {"bid", "supply", "place", "balance", "health", "no_water_days"},
                "survival_auction": {"bid", "won", "balance", "health", "no_water_days"},
                "guess_average": {"number", "mean", "target", "won", "health"},
            }[game]
            assert all(event.keys() == {"seat", "round", "moment"} | wanted for event in told), (game, params)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo() -> None:
    for (game, params), face in product(DEADLY.items(), FACES):
        api_test(econzoo.make(game, face=face, **params), num_cycles=40)
        parallel_api_test(econzoo.make_parallel(game, face=face, **params), num_cycles=40)


def test_max_cycles_are_days() -> None:
    """Also when some seats have left: they are counted as if they passed."""
    for game, cycles in product(NAMES, (1, 2, 3)):
        for seed in range(3):
            aec, parallel = both(game, "structured", seed, max_cycles=cycles, **DEADLY[game])
            days, truncated, choose = 0, False, random_policy(seed)
            while parallel.agents:
                *_, truncations, _ = parallel.step({agent: choose(parallel.aec, agent) for agent in parallel.agents})
                days, truncated = days + 1, any(truncations.values())
            choose = random_policy(seed)
            while aec.agents:
                aec.step(None if has_ended(aec) else choose(aec, aec.agent_selection))
            assert days == cycles or (days < cycles and parallel.aec.game_state.over), game
            assert truncated == (not parallel.aec.game_state.over), game
            assert aec.events == parallel.aec.events, game
            assert {event.round for event in aec.events} == set(range(1, days + 1)), game


def test_a_match_that_is_stopped_has_no_survivors() -> None:
    """What counts at the end counts for nothing before it; else nonsense on day 1 would be the best of plans."""
    for (game, move, payoffs), how in product(
        [
            ("water_allocation", "bid", {"survival": 0.0, "health": 0.0, "days": 1.0}),
            ("survival_auction", "bid", {"survival": 0.0, "health": 0.0, "days": 1.0}),
        ],
        ("forfeit", "truncated"),
    ):
        for reward, payoff in payoffs.items():
            limit = 1 if how == "truncated" else None
            options = {"max_retries": 0, "on_error": "forfeit", "max_cycles": limit}
            env = econzoo.make(game, face="structured", reward=reward, **options)
            env.reset(seed=0)
            for seat in range(5):
                env.step({move: 1.0 + seat})
            if how == "forfeit":
                env.step({move: "nonsense"})
            assert env.over, (game, move, payoffs)
            assert env.payoffs == (payoff,) * 5, (game, move, payoffs)
            assert not env.outcome().agreed, (game, move, payoffs)


def test_objectives_and_penalties_reach_every_seat() -> None:
    for game, view in product(NAMES, (econzoo.make, econzoo.make_parallel)):
        env = view(game, face="structured", objective="payoff", penalty=0.25, on_error="default", max_retries=1)
        env.reset(seed=1)
        inner = getattr(env, "aec", env)
        got, rng = dict.fromkeys(env.agents, 0.0), np.random.default_rng(0)
        while env.agents:
            if view is econzoo.make:
                env.step(
                    None
                    if has_ended(env)
                    else inner.game.actions.to_plain(draw(rng, inner.game, inner.legal(env.agent_selection)))
                )
                told = env.rewards
            else:
                moves = {a: inner.game.actions.to_plain(draw(rng, inner.game, inner.legal(a))) for a in env.agents}
                _, told, *_ = env.step({**moves, "player_0": {}} if "player_0" in moves else moves)
            for agent, reward in told.items():
                got[agent] += reward
        errors = inner.errors
        assert list(got.values()) == [payoff - 0.25 * n for payoff, n in zip(inner.payoffs, errors, strict=True)], game
        assert (errors[0] > 0) == (view is econzoo.make_parallel), game


# -- many matches at once ----------------------------------------------------------------------------------------------


GAMES = 20


@pytest.fixture(scope="module")
def batches(interpreted: None) -> Any:
    """Made once for all tests of this file."""
    made: dict[tuple[str, int], GameBatch] = {}

    def batch(game: str, case: int) -> GameBatch:
        if (game, case) not in made:
            made[game, case] = GameBatch(game, GAMES, CASES[case][1] if case >= 0 else {}, seed=3, autoreset=False)
        return made[game, case]

    return batch


@pytest.mark.parametrize(
    "case", [pytest.param(i, id=IDS[i], marks=[pytest.mark.slow] * (i % 2)) for i in range(len(CASES))]
)
def test_a_batch_plays_by_the_rules(batches: Any, case: int) -> None:
    """Every game of a batch stands where the scalar rules lead, with the supply that nature announced to it."""
    game, _ = CASES[case]
    batch = batches(game, case)
    batch.reset(seed=3)
    rules, rng, left = batch.game.rules, np.random.default_rng(case), set()
    whole = batch.game.actions.kinds[0].is_integer
    for _ in range(25):
        before = [batch.position(number) for number in range(batch.num_games)]
        spans = np.stack([batch.span(seat)[:, 0] for seat in range(batch.seats)], 1)
        amounts = spans[..., 0] + (spans[..., 1] - spans[..., 0]) * rng.choice([0.0, 0.25, 0.5, 1.0], spans.shape[:2])
        amounts = np.floor(amounts) if whole else amounts * rng.choice([1.0, 1.0, 2.0], spans.shape[:2])
        payoffs, done = batch.step(np.zeros(amounts.shape, int), amounts)
        for number, (p, s) in enumerate(before):
            if rules.to_act(p, s) != SEVERAL:
                assert not done[number]
                continue
            living = [seat for seat in range(batch.seats) if rules.alive(p, s, seat)]
            left.add(len(living))
            then = rules.apply(p, s, tuple([Move(0, (float(amount),)) for amount in amounts[number]]))
            stands = batch.position(number)[1]
            if rules.to_act(p, then) == CHANCE:
                assert stands.supply in {outcome for outcome, _ in rules.chance(p, then)}
                then = rules.apply(p, then, (Move(CHANCE, (stands.supply,)),))
            assert stands == then
            assert [type(x) for x in stands] == [type(x) for x in then]
            assert done[number] == then.over
            assert tuple(payoffs[number]) == (rules.payoffs(p, then) if then.over else (0.0,) * batch.seats)
            for seat in range(batch.seats):
                seen = np.array(rules.features(rules.observe(p, then, seat)), np.float32)
                assert np.array_equal(batch.observe(seat, np.array([number]))[0], seen)
                assert tuple(batch.legal(seat, np.array([number]))[0]) == rules.legal(p, then, seat)
    assert not batch.errors.any()
    assert len(left) >= (3 if CASES[case][1] else 1), "seats left in many of the games"


@pytest.mark.usefixtures("interpreted")
def test_a_batch_draws_every_supply_as_often() -> None:
    batch = GameBatch("water_allocation", 3_300, seed=1)
    supplies = [batch.position(number)[1].supply for number in range(batch.num_games)]
    values, times = np.unique(supplies, return_counts=True)
    assert list(values) == list(range(10, 21))
    assert (abs(times - 300) < 83).all()  # five standard deviations of 16.5


def test_a_batch_refuses_halves_where_only_whole_numbers_are_moves(batches: Any) -> None:
    batch = batches("guess_average", IDS.index("guess_average-default"))
    batch.reset(seed=0)
    numbers = np.full((GAMES, 5), 40.0)
    numbers[:, 0] = 40.5
    numbers[:, 1] = 101.0
    batch.step(np.zeros((GAMES, 5), int), numbers)
    assert (batch.errors == [1, 1, 0, 0, 0]).all()
    assert set(batch.position(0)[1].number[:2]) == {100.0}, "the default action, which is the greatest number"


# -- a seat that learns ------------------------------------------------------------------------------------------------


def test_a_learner_that_is_eliminated_has_reached_its_end() -> None:
    """A learner that never gets water, or never wins: its episode ends with its life."""
    for game, face in product(NAMES, FACES):
        env = make_single_agent(game, opponent="random", seat=1, face=face, **DEADLY[game])
        ends = []
        for seed in range(8):
            observation, _ = env.reset(seed=seed)
            over, days = False, 0
            while not over:
                assert env.observation_space.contains(observation), (game, face)
                inner = env.unwrapped._env
                worst = inner.legal("player_1").bounds[0][1 if game == "guess_average" else 0]
                action = encode(inner, "player_1", inner.game.actions.make(0, (worst,)))
                observation, reward, terminated, truncated, info = env.step(action)
                over, days = terminated or truncated, days + 1
                assert over or reward == 0.0, (game, face)
            assert info["payoffs"][1] == info["payoff"], (game, face)
            assert terminated, (game, face)
            ends.append((days, inner.over, info["alive"]))
            with refuses(RuntimeError, "reset"):
                env.step(action)
        assert any(not over and not alive for _, over, alive in ends), "the others went on without it"


def test_an_episode_is_determined_by_its_seed() -> None:
    for game, seat in product(NAMES, (0, 4)):

        def episode(seed: int, game: str = game, seat: int = seat) -> list[Any]:
            env = make_single_agent(game, opponent="random", seat=seat, **DEADLY[game])
            out: list[Any] = [freeze(env.reset(seed=seed)[0])]
            while True:
                *rest, _ = env.step(30)
                out.append(tuple(map(freeze, rest)))
                if rest[2] or rest[3]:
                    return out

        assert episode(1) == episode(1), (game, seat)
        assert len({tuple(episode(seed)) for seed in range(6)}) > 1, (game, seat)


def anything_legal(observations: Any, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("game", long_unless(lambda game: game == "water_allocation", NAMES))
@pytest.mark.parametrize("opponent", [anything_legal, "random"], ids=["compiled", "sync"])
@pytest.mark.slow
def test_many_learners_play_at_once(game: str, opponent: Any) -> None:
    made: dict[str, Any] = {"num_envs": 3, "opponent": opponent, "seat": 1, **DEADLY[game]}
    compiled = callable(opponent)
    env = econzoo.make_vec(game, **made) if compiled else gymnasium.make_vec(gymnasium_id(game, 0), **made)
    observation, _ = env.reset(seed=1)
    env.action_space.seed(1)
    assert observation["observation"].shape[0] == 3
    finished = 0
    for _ in range(60):
        observation, rewards, terminations, truncations, _ = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation)
        assert (rewards[~(terminations | truncations)] == 0).all()
        finished += int((terminations | truncations).sum())
    assert finished > 3
    env.close()


@pytest.mark.models
@pytest.mark.parametrize("game", long_unless(lambda game: game == "survival_auction", NAMES))
@pytest.mark.slow
def test_masked_ppo_learns_in_it(game: str, tmp_path: Any) -> None:
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    small = {"n_envs": 2, "n_steps": 32, "batch_size": 32, "epochs": 1, "net": [8], "timesteps": 128}
    small |= {"algorithm": "sb3", "eval_every": 128, "eval_episodes": 2, "checkpoint_every": 128, "progress": False}
    policy = train_ppo(PPORecipe(game, out=tmp_path, opponents=["random"], **small))
    assert policy.is_file()
    match = econzoo.play(game, [f"ppo:{policy}", *["random"] * 4], seed=1)
    assert match.status == "finished"
