"""What the players of the survival auction read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo


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
        "needs water each day, but a day's water is enough for one person only. Each day all bid at once, unseen by "
        "each other. The highest bidder gets the water and pays the bid; the others get nothing and pay nothing. After "
        "the day everybody learns all bids, who got the water, and how everybody stands. If two or more who can pay it "
        "bid the same highest sum, nobody gets the water. If nobody who bid the highest sum has that much money, "
        "nobody gets the water either. A day with water adds 2 health points, up to 10. The first day in a row without "
        "water costs 1 point, the second another 2, the third another 3, and so on, so that three dry days in a row "
        "cost 6 points together; water ends the row. Whoever has no points left dies. Your goal is to be alive "
        "after day 10. Money is worth nothing then.\n"
        "\n"
        "Day 1 of 10. Your money: $100. Your health points: 8. Your days without water: 0; without water today you "
        "lose 1 health point.\n"
        "Money: Alex $100, Bob $100, Cindy $100, David $100, Eric $100.\n"
        "Health: Alex 8, Bob 8, Cindy 8, David 8, Eric 8.\n"
        "Days without water: Alex 0, Bob 0, Cindy 0, David 0, Eric 0.\n"
        "How much do you bid?\n"
        'Answer with one JSON object: {"bid":<dollars that you bid, a number, 0 or more>}'
    )


def test_a_day_is_told_to_everybody() -> None:
    env = after((1.5, 99), players=2)
    assert read(env).splitlines()[2:5] == [
        "Day 1: you bid $1.50 and got no water (day 1 in a row). Left: $100, health 7.",
        "Day 1: Bob bid $99 and got the water. Left: $1, health 10.",
        "Day 2 of 10. Your money: $200. Your health points: 7. Your days without water: 1; without water today you "
        "lose 2 health points.",
    ]
    assert "Day 1: you bid $99 and got the water. Left: $1, health 10." in read(env, "player_1")
    env.step('{"bid": 1}')
    assert read(env, "player_0").endswith("Day 2 of 10. The others are choosing their bids.")


def test_deaths_are_told_once() -> None:
    for face in ("text", "chat"):
        env = after((1, 2, 3), players=3, start_health=1, face=face)
        assert env.agent_selection == "player_0", face
        own = ["Day 1: you bid $1, got no water (day 1 in a row), and died."]
        others = [
            "Day 1: Bob bid $2, got no water (day 1 in a row), and died.",
            "Day 1: Cindy bid $3 and got the water. Left: $97, health 3.",
        ]
        assert read(env).splitlines()[-4:] == [*own, *others, "You died on day 1. For you the game is over."], face
        env.step(None)
        env.step(None)
        text = read(env)
        assert text.count("Alex bid $1, got no water (day 1 in a row), and died.") == 1, face
        assert (
            "\nMoney: Cindy $197.\nHealth: Cindy 3.\nDays without water: Cindy 0.\nDead: Alex (day 1), Bob (day 1).\n"
            in text
        ), face
        env.step('{"bid": 0}')
        assert ("Alex bid" in read(env)) == (face == "text")


def test_survivors_and_stopped_matches() -> None:
    assert read(after((1, 2), players=2, days=1)).endswith(
        "The game is over, and you are alive. Your health points: 7. Alive: Alex, Bob."
    )
    assert read(after((1, 2), players=2, max_cycles=1)).endswith(
        "The match was stopped before its last day. Your health points: 7."
    )


def test_the_goal_is_what_the_reward_counts() -> None:
    for reward, goal in [
        ("survival", "Your goal is to be alive after day 10."),
        ("health", "Your goal is to have as many health points as you can after day 10; the dead have none."),
        ("days", "Your goal is to live for as many of the 10 days as you can."),
    ]:
        text = read(after(reward=reward))
        assert goal in text, reward
        assert text.count("Your goal") == 1, reward


def test_alone_and_with_ones_of_everything() -> None:
    """No "1 days" and no "1 health points"."""
    env = after((2.0,), players=1, salary=1.0, start_health=2, days=2)
    text = read(env)
    assert text.startswith("You are Alex. You live alone in a dry place. You earn $1 each morning and need water each")
    assert "Your health points: 1." in text
    assert not re.search(r"\b1 (days|health points|points|dollars)\b", text)


def test_spectators_read_what_became_of_every_bid() -> None:
    env = after((1.5, 99), players=2, start_health=1, days=1)
    assert env.render().splitlines() == [
        "survival_auction: Alex and Bob",
        "  round   1  Alex     bid 1.50  (dry day 1; $100, dead)",
        "  round   1  Bob      bid 99.00  (got the water; $1, health 3)",
        "  payoffs    Alex 0.00, Bob 1.00",
    ]
