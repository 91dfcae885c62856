"""What the residents of the dry town read, word by word where it matters."""

from __future__ import annotations

import re
from typing import Any

import econzoo
from econzoo.envs.core.faces import parse_reply
from econzoo.envs.games.water_allocation import RESIDENTS, Bid
from econzoo.envs.games.water_allocation.personas import personas
from games.facts import facts, tells

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
        "earns a salary each morning. Daily needs and salaries: Alex (units 8, $70), Bob (units 9, $75), Cindy (units "
        "10, $100), David (units 11, $120), Eric (units 12, $120). Each day brings 10 to 20 units of water, every "
        "whole number being equally likely. You learn the day's supply before you bid. Each day all residents bid at "
        "the same time, without seeing each other's bids. The highest bid is served first, then the next highest, and "
        "so on; if bids are equal, the resident who needs less comes first. You get either all the water you need or "
        "none: anyone who needs more than what is left is passed over. Whoever is served pays their bid; the others "
        "pay nothing. A bid above your balance is void for that day. After each day everybody learns all the bids, who "
        "was served, and how everybody stands. A day with water adds 2 health points, up to 10. The first dry day in a "
        "row costs 1 point, the second 2 more, the third 3 more, and so on, so that three dry days in a row cost 6 "
        "points in total; a day with water resets the count. Anyone with no points left dies. Your goal is to be alive "
        "after day 20. Money is worth nothing then.\n"
        "\n"
        "Day 1 of 20. Units of water today: 17; you need 8. Your money: $70. Your health points: 8. Your days without "
        "water: 0; without water today you lose 1 health point.\n"
        "Money: Alex $70, Bob $75, Cindy $100, David $120, Eric $120.\n"
        "Health: Alex 8, Bob 8, Cindy 8, David 8, Eric 8.\n"
        "Days without water: Alex 0, Bob 0, Cindy 0, David 0, Eric 0.\n"
        "How much do you bid?\n"
        'Answer with one JSON object: {"bid":<dollars that you bid, a number of at least 0>}'
    )


def test_a_day_is_told_to_everybody_with_all_bids_and_how_everybody_stands() -> None:
    env = after((1, 20.5, 1000), residents=TRIO, supply=(5, 5))
    assert [facts(line) for line in read(env).splitlines()[2:]] == [
        "1 5 $1 1 $10 7",
        "1 5 Ben $20.50 2 $0 10",
        "1 5 Cy $1,000 1 $2,000 10",
        "2 20 5 1 $20 7 1 2",
        "Ada $20 Ben $20.50 Cy $5,000",
        "Ada 7 Ben 10 Cy 10",
        "Ada 1 Ben 0 Cy 0",
        "",
        '"bid" 0',
    ]
    tells(read(env, "player_1"), "1 5 $20.50 2")
    tells(read(env, "player_1"), "1 5 Ada $1 1 $10 7")


def test_the_waiting_are_not_asked() -> None:
    env = after((1,), residents=TRIO)
    tells(read(env, "player_0").splitlines()[-1], "1 20")
    assert "$1" not in facts(read(env, "player_0")).split(), "the own bid is not told before the day is over"


def test_a_day_with_several_deaths_is_told_in_full() -> None:
    """Ada is served every day; the others die on day 2, of whom she hears once."""
    for face in ("text", "chat"):
        env = after((0, 20, 0), (0, 0, 0), residents=TRIO, supply=(1, 1), start_health=3, face=face)
        env.step(None)
        env.step(None)
        assert env.agents == ["player_0"], face
        text = read(env)
        tells(text, "2 1 $0 1 $20 7")
        tells(text, "2 1 Ben $0 2 2 1 Cy $0 2")
        tells(text, "Ada $30 Ada 7 Ada 0 Ben 2 Cy 2")
        assert ("1 1 Ben" in facts(text)) == (face == "text")
        env.step('{"bid": 0}')
        assert ("1 Ben $0" in facts(read(env))) == (face == "text"), "the dead are not told about again"


def test_the_dead_read_when_they_died() -> None:
    env = after((0, 20, 0), (0, 0, 0), residents=TRIO, supply=(1, 1), start_health=3, face="chat")
    assert env.agent_selection == "player_1"
    assert [facts(line) for line in read(env).splitlines()] == [
        "2 1 Ada $0 1 $20 7",
        "2 1 $0 2",
        "2 1 Cy $0 2",
        "2",
    ]


def test_survivors_read_that_they_live() -> None:
    env = after((0, 1, 0), residents=TRIO, supply=(1, 1), days=1)
    tells(read(env).splitlines()[-1], "10 Ada Ben Cy")


def test_a_stopped_match_is_told_as_such() -> None:
    env = after((0, 1, 0), residents=TRIO, supply=(1, 1), max_cycles=1)
    assert facts(read(env).splitlines()[-1]) == "10"


def test_a_resident_alone_with_the_same_water_every_day() -> None:
    text = read(after(residents=[("Ada", 1, 10.0)], supply=(1, 1), days=3))
    assert facts(text).startswith("Ada Ada 1 $10")
    assert "20 units" not in text


def test_the_goal_is_what_the_reward_counts() -> None:
    told = {reward: read(after(reward=reward)) for reward in ("survival", "health", "days")}
    assert len(set(told.values())) == 3
    assert max(told, key=lambda reward: told[reward].count("health")) == "health"


def test_residents_read_who_they_are_if_the_game_says_so() -> None:
    for seat in range(5):
        told, plain = after(persona=True), after()
        name = RESIDENTS[seat][0]
        for env, knows in ((told, True), (plain, False)):
            brief = env.face(f"player_{seat}").rules(env.information_state(f"player_{seat}").view)
            for person, who in personas().items():
                for words in who.values():
                    assert (words in brief) == (knows and person == name), "everybody's own persona, and no other's"
        assert f"You are {name}. " in brief, seat


def test_numbers_and_nouns_agree() -> None:
    """Ones of everything: no "1 days", "1 units of" or "1 health points"."""
    env = after((0.0,), residents=[("Ada", 2, 1.0)], supply=(1, 1), start_health=2, days=2)
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
    tells(text, '0 "the cat" $100')
    assert all(text.count(f"{name} $") == 1 for name in names)


def test_spectators_read_what_became_of_every_bid() -> None:
    env = after((1, 20.5, 1000), residents=TRIO, supply=(5, 5), days=1)
    assert [facts(line) for line in env.render().splitlines()] == [
        "Ada Ben Cy",
        "1 Ada 1.00 1 $10 7",
        "1 Ben 20.50 2 $0 10",
        "1 Cy 1,000.00 1 $2,000 10",
        "Ada 1.00 Ben 1.00 Cy 1.00",
    ]
