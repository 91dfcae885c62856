"""Three games with nothing of bargaining in them on the same environment: at once, by chance, and until one is left."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import econzoo
from refusals import refuses
from toy_games import TOYS, register_temporarily

HEADS, TAILS, SAY = {"kind": "heads"}, {"kind": "tails"}, {"kind": "say"}


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register_temporarily(*TOYS.values()):
        yield


def started(name: str, face: str = "structured", **kwargs: Any) -> Any:
    options = kwargs.pop("options", None)
    env = econzoo.make(name, face=face, **kwargs)
    env.reset(seed=0, options=options)
    return env


def play(env: Any, *moves: Any) -> Any:
    for move in moves:
        env.step(move)
    return env


def test_toys_are_known_only_while_they_are_played_with() -> None:
    assert set(TOYS) < set(econzoo.games())


# At once: matching pennies


def test_matching_pennies() -> None:
    for moves, wins in [
        ([(HEADS, HEADS)], (1, 0)),
        ([(HEADS, TAILS)], (0, 1)),
        ([(HEADS, HEADS), (TAILS, HEADS), (TAILS, TAILS)], (2, 1)),
        ([(HEADS, TAILS), (TAILS, HEADS), (TAILS, HEADS)], (0, 3)),
    ]:
        env = play(started("pennies", rounds=len(moves)), *[side for pair in moves for side in pair])
        assert all(env.terminations.values()), moves
        assert env.payoffs == wins, moves


def test_the_first_penny_stays_covered_until_the_second_is_shown() -> None:
    env = started("pennies")
    env.step(TAILS)
    assert env.agent_selection == "player_1"
    assert env.events == ()
    assert env.game_state.round == 1
    for agent in env.agents:
        assert env.observe(agent)["history"] == ()
    assert env.render() is None
    env.step(HEADS)
    assert env.last()[0]["history"] == (
        {"seat": 0, "round": 1, "moment": 1, "kind": "tails"},
        {"seat": 1, "round": 1, "moment": 1, "kind": "heads"},
    )


def test_everybody_is_asked_at_once_in_the_parallel_view() -> None:
    env = econzoo.make_parallel("pennies", rounds=2)
    observations, infos = env.reset(seed=0)
    assert env.metadata["is_parallelizable"]
    assert all(seen["action_mask"].all() for seen in observations.values())
    assert list(infos) == env.agents
    _, rewards, terminations, _, _ = env.step({"player_0": 0, "player_1": 0})
    assert not any(terminations.values())
    _, rewards, terminations, _, infos = env.step({"player_0": 0, "player_1": 1})
    assert (rewards, env.agents) == ({"player_0": 0.5, "player_1": 0.5}, [])
    assert all(terminations.values())
    assert infos["player_0"]["payoff"] == 1.0


def test_a_missing_move_is_named() -> None:
    env = econzoo.make_parallel("pennies")
    env.reset(seed=0)
    with refuses(ValueError, "pennies", "player_1", "['player_0']"):
        env.step({"player_0": 0})


def test_a_forfeit_in_a_cycle_leaves_the_other_moves_unplayed() -> None:
    env = play(started("pennies", max_retries=0), HEADS, "nonsense")
    assert env.forfeiting_seat == 1
    assert env.events == ()
    assert env.payoffs == (0.0, 0.0)
    assert [env.infos[a]["forfeit"] for a in env.agents] == [False, True]


# By chance: call the coin


def test_nature_can_be_scripted() -> None:
    for chance, calls, payoffs in [
        ([1.0, 0.0], [HEADS, TAILS], (0.0, 2.0)),
        ([1.0, 0.0], [TAILS, HEADS], (2.0, 0.0)),
        ([0.0, 0.0], [TAILS, HEADS], (1.0, 1.0)),
    ]:
        env = started("coin", options={"chance": chance})
        play(env, SAY, calls[0], SAY, calls[1])
        assert env.payoffs == payoffs, chance
        assert env.chance_draws == chance, chance


def test_only_the_speaker_sees_the_side() -> None:
    env = started("coin", options={"chance": [1.0]})
    assert env.observe("player_0")["coin"] == 1.0
    assert env.observe("player_1")["coin"] is None
    text = started("coin", face="text", options={"chance": [1.0]})
    assert "shows heads" in text.observe("player_0")["text"]
    text.step('{"kind": "say", "message": "Trust me: tails."}')
    assert '"Trust me: tails."' in text.last()[0]["text"]
    assert "shows" not in text.last()[0]["text"]


def test_nature_is_drawn_by_the_seed_and_with_its_probabilities() -> None:
    env, flips = econzoo.make("coin", face="structured", rounds=100, bias=0.8), []
    for seed in range(10):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            env.step(SAY if env.agent_selection == "player_0" else HEADS)
        flips += env.chance_draws
    assert len(flips) == 1000
    assert sum(flips) == pytest.approx(800, abs=50)  # four standard deviations


def test_what_is_impossible_never_happens() -> None:
    for bias in [0.0, 1.0]:
        env = econzoo.make("coin", face="structured", rounds=1, bias=bias)
        for seed in range(20):
            env.reset(seed=seed)
            assert env.chance_draws == [bias], bias


def test_a_move_that_nature_does_not_have_is_named() -> None:
    with refuses(ValueError, "coin", 0.5, 1.0, 0.0):
        started("coin", options={"chance": [0.5]})


def test_what_is_impossible_cannot_be_scripted() -> None:
    for bias in [0.0, 1.0]:
        assert started("coin", options={"chance": [bias]}, bias=bias).chance_draws == [bias], bias
        with refuses(ValueError, "coin", 1 - bias, bias):
            started("coin", options={"chance": [1 - bias]}, bias=bias)


def test_after_the_script_nature_draws_by_itself() -> None:
    scripted, free = started("coin", options={"chance": [1.0]}, rounds=50), started("coin", rounds=50)
    for env in (scripted, free):
        while not any(env.terminations.values()):
            env.step(SAY if env.agent_selection == "player_0" else HEADS)
    assert scripted.chance_draws[0] == 1.0
    assert scripted.chance_draws[1:] == free.chance_draws[:-1], "the script draws nothing from the generator"


# Until one is left: the lowest bid


def bids(*amounts: float) -> list[dict[str, float]]:
    return [{"bid": amount} for amount in amounts]


def test_the_lowest_bid_leaves() -> None:
    env = play(started("lowest_bid"), *bids(5, 3, 9))
    assert env.terminations == {"player_0": False, "player_1": True, "player_2": False}
    assert env.agent_selection == "player_1", "who is out takes its leave first"
    assert env.last()[1:4] == (0.0, True, False)
    assert env.infos["player_1"]["payoff"] == 0.0
    env.step(None)
    assert env.agents == ["player_0", "player_2"]
    assert list(env.rewards) == list(env.infos) == list(env.terminations) == env.agents
    assert env.agent_selection == "player_0"
    play(env, *bids(2, 4))
    assert env.payoffs == (1.0, 0.0, 2.0)
    assert [env.infos[a]["payoff"] for a in env.agents] == [1.0, 2.0]
    play(env, None, None)
    assert env.agents == []


def test_a_seat_that_left_cannot_move_but_can_still_look() -> None:
    env = play(started("lowest_bid"), *bids(5, 3, 9))
    with pytest.raises(ValueError, match="None"):
        env.step({"bid": 4})
    env.step(None)
    env.step({"bid": 1})
    assert env.observe("player_1")["legal_actions"] == ()
    assert env.observe("player_1")["over"] == 1


def test_rewards_come_when_a_seat_leaves() -> None:
    env = econzoo.make("lowest_bid", face="structured", players=4)
    env.reset()
    received: dict[str, list[float]] = {agent: [] for agent in env.agents}
    while env.agents:
        agent = env.agent_selection
        _, reward, terminated, *_ = env.last()
        if terminated:
            received[agent].append(reward)
        env.step(None if terminated else {"bid": float(agent[-1])})
    assert received == {"player_0": [0.0], "player_1": [1 / 3], "player_2": [2 / 3], "player_3": [1.0]}


def test_the_parallel_view_drops_who_has_left() -> None:
    env = econzoo.make_parallel("lowest_bid", face="structured")
    env.reset(seed=0)
    observations, rewards, terminations, *_ = env.step(dict(zip(env.agents, bids(5, 3, 9), strict=True)))
    assert list(observations) == list(rewards) == ["player_0", "player_1", "player_2"]
    assert terminations["player_1"]
    assert env.agents == ["player_0", "player_2"]
    observations, _, terminations, *_ = env.step({"player_0": {"bid": 2}, "player_2": {"bid": 4}})
    assert list(observations) == ["player_0", "player_2"]
    assert all(terminations.values())
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_the_number_of_seats_is_a_parameter_but_not_at_reset() -> None:
    env = started("lowest_bid", players=5)
    assert env.possible_agents == [f"player_{i}" for i in range(5)]
    with refuses(ValueError, "lowest_bid", "options['params']"):
        env.reset(options={"params": {"players": 3}})
    env.reset()
    assert len(env.agents) == env.public_params["players"] == 5


def test_a_truncated_cycle_counts_who_has_left() -> None:
    env = started("lowest_bid", players=4, max_cycles=2)
    play(env, *bids(1, 2, 3, 4), None, *bids(2, 3, 4))
    assert [env.terminations[agent] for agent in env.agents] == [True, False, False], "who left at the cut was paid"
    assert [env.truncations[agent] for agent in env.agents] == [True, True, True]
    assert [env.rewards[agent] for agent in env.agents[1:]] == [0.0, 0.0]
    assert env.payoffs == (0.0, 1.0, 2.0, 2.0)
