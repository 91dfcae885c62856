"""What the residents of the dry town read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from econzoo.envs.core.faces.parse import parse_reply
from econzoo.envs.games.water_allocation import RESIDENTS, Bid
from econzoo.envs.games.water_allocation.personas import personas

TRIO = [("Ada", 1, 10.0), ("Ben", 2, 20.5), ("Cy", 3, 3000.0)]


def after(
    *days: tuple[float, ...], face: str = "text", supply: Any = (10, 20), supplies: Any = (), **params: Any
) -> Any:
    """An environment after these bids of the living."""
    env = econzoo.make("water_allocation", face=face, supply=supply, render_mode="ansi", **params)
    env.reset(seed=0, options={"supply": list(supplies)} if supplies else None)
    for bids in days:
        for amount in bids:
            while env.terminations[env.agent_selection]:
                env.step(None)
            env.step(f'{{"bid": {amount}}}')
    return env


def read(env: Any, agent: str | None = None) -> str:
    return env.observe(agent or env.agent_selection)["text"]


def test_the_first_thing_alex_reads() -> None:
    assert read(after(supplies=[17])) == (
        "You are Alex. You live in a dry town with Bob, Cindy, David, Eric. Every resident needs water each day and "
        "earns a salary each morning. Needs and salaries a day: Alex (units 8, $70), Bob (units 9, $75), Cindy (units "
        "10, $100), David (units 11, $120), Eric (units 12, $120). A day brings 10 to 20 units of water, each whole "
        "number as likely as any other. You learn the day's supply before you bid. Each day all residents bid at once, "
        "unseen by each other. The highest bid is served first, then the next, and so on; of equal bids, the one who "
        "needs less comes first. You get either all the water that you need or none: whoever needs more than what is "
        "left is passed over. Whoever is served pays what they bid; the others pay nothing. A bid above your balance "
        "is void for the day. After the day everybody learns all bids, who was served, and how everybody stands. A day "
        "with water adds 2 health points, up to 10. The first day in a row without water costs 1 point, the second "
        "another 2, the third another 3, and so on, so that three dry days in a row cost 6 points together; water ends "
        "the row. Whoever has no points left dies. Your goal is to be alive after day 20. Money is worth nothing "
        "then.\n"
        "\n"
        "Day 1 of 20. Units of water today: 17; you need 8. Your money: $70. Your health points: 8. Your days without "
        "water: 0; without water today you lose 1 health point.\n"
        "Money: Alex $70, Bob $75, Cindy $100, David $120, Eric $120.\n"
        "Health: Alex 8, Bob 8, Cindy 8, David 8, Eric 8.\n"
        "Days without water: Alex 0, Bob 0, Cindy 0, David 0, Eric 0.\n"
        "How much do you bid?\n"
        'Answer with one JSON object: {"bid":<dollars that you bid, a number, 0 or more>}'
    )


def test_a_day_is_told_to_everybody_with_all_bids_and_how_everybody_stands() -> None:
    env = after((1, 20.5, 1000), residents=TRIO, supply=(5, 5))
    assert read(env).splitlines()[2:] == [
        "Day 1 (supply 5): you bid $1 and got no water (day 1 in a row). Left: $10, health 7.",
        "Day 1 (supply 5): Ben bid $20.50 and was served, place 2. Left: $0, health 10.",
        "Day 1 (supply 5): Cy bid $1,000 and was served, place 1. Left: $2,000, health 10.",
        "Day 2 of 20. Units of water today: 5; you need 1. Your money: $20. Your health points: 7. Your days without "
        "water: 1; without water today you lose 2 health points.",
        "Money: Ada $20, Ben $20.50, Cy $5,000.",
        "Health: Ada 7, Ben 10, Cy 10.",
        "Days without water: Ada 1, Ben 0, Cy 0.",
        "How much do you bid?",
        'Answer with one JSON object: {"bid":<dollars that you bid, a number, 0 or more>}',
    ]
    assert "Day 1 (supply 5): you bid $20.50 and were served, place 2." in read(env, "player_1")
    assert "Day 1 (supply 5): Ada bid $1 and got no water (day 1 in a row). Left: $10, health 7." in read(
        env, "player_1"
    )


def test_the_waiting_are_not_asked() -> None:
    env = after((1,), residents=TRIO)
    assert read(env, "player_0").endswith("Day 1 of 20. The others are choosing their bids.")
    assert "How much do you bid?" not in read(env, "player_0")
    assert "Day 1 (" not in read(env, "player_0"), "the own bid is not told before the day is over"


def test_a_day_with_several_deaths_is_told_in_full() -> None:
    """Ada is served every day; the others die on day 2, of whom she hears once."""
    for face in ("text", "chat"):
        env = after((0, 20, 0), (0, 0, 0), residents=TRIO, supply=(1, 1), start_health=3, face=face)
        env.step(None)
        env.step(None)
        assert env.agents == ["player_0"], face
        text = read(env)
        for line in (
            "Day 2 (supply 1): you bid $0 and were served, place 1. Left: $20, health 7.",
            "Day 2 (supply 1): Ben bid $0, got no water (day 2 in a row), and died.",
            "Day 2 (supply 1): Cy bid $0, got no water (day 2 in a row), and died.",
        ):
            assert text.count(line) == 1, face
        assert (
            "\nMoney: Ada $30.\nHealth: Ada 7.\nDays without water: Ada 0.\nDead: Ben (day 2), Cy (day 2).\n" in text
        ), face
        assert ("Day 1 (" in text) == (face == "text")
        env.step('{"bid": 0}')
        assert ("Ben bid" in read(env)) == (face == "text"), "the dead are not told about again"


def test_the_dead_read_when_they_died() -> None:
    env = after((0, 20, 0), (0, 0, 0), residents=TRIO, supply=(1, 1), start_health=3, face="chat")
    assert env.agent_selection == "player_1"
    assert read(env).splitlines() == [
        "Day 2 (supply 1): Ada bid $0 and was served, place 1. Left: $20, health 7.",
        "Day 2 (supply 1): you bid $0, got no water (day 2 in a row), and died.",
        "Day 2 (supply 1): Cy bid $0, got no water (day 2 in a row), and died.",
        "You died on day 2. For you the game is over.",
    ]


def test_survivors_read_that_they_live() -> None:
    env = after((0, 1, 0), residents=TRIO, supply=(1, 1), days=1)
    assert read(env).endswith("The game is over, and you are alive. Your health points: 10. Alive: Ada, Ben, Cy.")


def test_a_stopped_match_is_told_as_such() -> None:
    env = after((0, 1, 0), residents=TRIO, supply=(1, 1), max_cycles=1)
    assert read(env).endswith("The match was stopped before its last day. Your health points: 10.")


def test_a_resident_alone_with_the_same_water_every_day() -> None:
    text = read(after(residents=[("Ada", 1, 10.0)], supply=(1, 1), days=3))
    assert text.startswith("You are Ada. You live alone in a dry place. ")
    assert "Units of water that every day brings: 1." in text
    assert "as likely as any other" not in text


def test_the_goal_is_what_the_reward_counts() -> None:
    for reward, goal in [
        ("survival", "Your goal is to be alive after day 20."),
        ("health", "Your goal is to have as many health points as you can after day 20; the dead have none."),
        ("days", "Your goal is to live for as many of the 20 days as you can."),
    ]:
        text = read(after(reward=reward))
        assert goal in text, reward
        assert text.count("Your goal") == 1, reward


def test_residents_read_who_they_are_if_the_game_says_so() -> None:
    for seat in range(5):
        told, plain = after(persona=True), after()
        name = RESIDENTS[seat][0]
        for env, knows in ((told, True), (plain, False)):
            brief = env.face(f"player_{seat}").rules(env.seen(f"player_{seat}").view)
            for person, who in personas().items():
                for words in who.values():
                    assert (words in brief) == (knows and person == name), "everybody's own persona, and no other's"
        assert f"You are {name}. " in brief, seat


def test_numbers_and_nouns_agree() -> None:
    """Ones of everything: no "1 days", "1 units of" or "1 health points"."""
    env = after((0.0,), residents=[("Ada", 2, 1.0)], supply=(1, 1), start_health=2, days=2)
    assert "health points: 1." in read(env)
    assert not re.search(r"\b1 (days|units|health points|points|dollars)\b", read(env))


def test_replies_are_read() -> None:
    for reply, amount in [
        ('{"bid": 12}', 12.0),
        ('I bid. {"bid":12.5}', 12.5),
        ('```json\n{"bid": 0}\n```', 0.0),
        ('{"bid": 1e3}', 1000.0),
        ('<think>{"bid": 1}</think>{"bid": 2}', 2.0),
    ]:
        env = after()
        assert parse_reply(reply, env.game.actions, env.legal("player_0")) == Bid(amount)


def test_names_are_names_and_no_templates() -> None:
    names = ["{name}", "{0}", 'Bo "the cat"', "Łucja Ö.", "$100"]
    env = after((1, 1, 1, 1, 1), residents=[(name, 5, 10.0) for name in names])
    text = read(env)
    assert 'You are {name}. You live in a dry town with {0}, Bo "the cat", Łucja Ö., $100.' in text
    assert all(text.count(f"{name} $") == 1 for name in names)


def test_spectators_read_what_became_of_every_bid() -> None:
    env = after((1, 20.5, 1000), residents=TRIO, supply=(5, 5), days=1)
    assert env.render().splitlines() == [
        "water_allocation: Ada, Ben and Cy",
        "  round   1  Ada      bid 1.00  (dry day 1; $10, health 7)",
        "  round   1  Ben      bid 20.50  (served, place 2; $0, health 10)",
        "  round   1  Cy       bid 1,000.00  (served, place 1; $2,000, health 10)",
        "  payoffs    Ada 1.00, Ben 1.00, Cy 1.00",
    ]
