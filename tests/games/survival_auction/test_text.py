"""What the players of the survival auction read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from games.facts import facts, tells


def after(*days: tuple[float, ...], face: str = "text", **params: Any) -> Any:
    """An environment after these bids of the living."""
    env = econzoo.make("survival_auction", face=face, render_mode="ansi", **params)
    env.reset(seed=0)
    for bids in days:
        for amount in bids:
            while env.terminations[env.agent_selection]:
                env.step(None)
            env.step(f'{{"bid": {amount}}}')
    return env


def read(env: Any, agent: str | None = None) -> str:
    return env.observe(agent or env.agent_selection)["text"]


def test_the_first_thing_alex_reads() -> None:
    assert read(after()) == (
        "You are Alex. You live in a dry town with Bob, Cindy, David, Eric. Everybody earns $100 each morning and "
        "needs water each day, but each day's water is enough for only one person. Each day everybody bids at the same "
        "time, without seeing the other bids. The highest bidder gets the water and pays the bid; the others get "
        "nothing and pay nothing. After each day everybody learns all the bids, who got the water, and how everybody "
        "stands. If two or more people bid the same highest amount and can pay it, nobody gets the water. If nobody "
        "who bid the highest amount has that much money, nobody gets the water either. A day with water adds 2 health "
        "points, up to 10. The first dry day in a row costs 1 point, the second 2 more, the third 3 more, and so on, "
        "so that three dry days in a row cost 6 points in total; a day with water resets the count. Anyone with no "
        "points left dies. Your goal is to be alive after day 10. Money is worth nothing then.\n"
        "\n"
        "Day 1 of 10. Your money: $100. Your health points: 8. Your days without water: 0; without water today you "
        "lose 1 health point.\n"
        "Money: Alex $100, Bob $100, Cindy $100, David $100, Eric $100.\n"
        "Health: Alex 8, Bob 8, Cindy 8, David 8, Eric 8.\n"
        "Days without water: Alex 0, Bob 0, Cindy 0, David 0, Eric 0.\n"
        "How much do you bid?\n"
        'Answer with one JSON object: {"bid":<dollars that you bid, a number of at least 0>}'
    )


def test_a_day_is_told_to_everybody() -> None:
    env = after((1.5, 99), players=2)
    assert [facts(line) for line in read(env).splitlines()[2:5]] == [
        "1 $1.50 1 $100 7",
        "1 Bob $99 $1 10",
        "2 10 $200 7 1 2",
    ]
    tells(read(env, "player_1"), "1 $99 $1 10")
    env.step('{"bid": 1}')
    tells(read(env, "player_0").splitlines()[-1], "2 10")


def test_deaths_are_told_once() -> None:
    for face in ("text", "chat"):
        env = after((1, 2, 3), players=3, start_health=1, face=face)
        assert env.agent_selection == "player_0", face
        told = ["1 $1 1", "1 Bob $2 1", "1 Cindy $3 $97 3", "1"]
        assert [facts(line) for line in read(env).splitlines()[-4:]] == told, face
        env.step(None)
        env.step(None)
        tells(read(env), "Alex $1 1 1 Bob $2 1 1")
        tells(read(env), "Cindy $197 Cindy 3 Cindy 0 Alex 1 Bob 1")
        env.step('{"bid": 0}')
        assert ("Alex $1" in facts(read(env))) == (face == "text")


def test_survivors_and_stopped_matches() -> None:
    tells(read(after((1, 2), players=2, days=1)).splitlines()[-1], "7 Alex Bob")
    assert facts(read(after((1, 2), players=2, max_cycles=1)).splitlines()[-1]) == "7"


def test_the_goal_is_what_the_reward_counts() -> None:
    told = {reward: read(after(reward=reward)) for reward in ("survival", "health", "days")}
    assert len(set(told.values())) == 3
    assert max(told, key=lambda reward: told[reward].count("health")) == "health"


def test_alone_and_with_ones_of_everything() -> None:
    """No "1 days" and no "1 health points"."""
    env = after((2.0,), players=1, salary=1.0, start_health=2, days=2)
    text = read(env)
    tells(text, "Alex $1")
    assert not re.search(r"\b1 (days|health points|points|dollars)\b", text)


def test_spectators_read_what_became_of_every_bid() -> None:
    env = after((1.5, 99), players=2, start_health=1, days=1)
    assert [facts(line) for line in env.render().splitlines()] == [
        "Alex Bob",
        "1 Alex 1.50 1 $100",
        "1 Bob 99.00 $1 3",
        "Alex 0.00 Bob 1.00",
    ]
