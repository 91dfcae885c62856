"""What the players read, word by word where it matters."""

from __future__ import annotations

from typing import Any

import econzoo
from games.facts import facts, tells
from refusals import says

ACCEPT, LEAVE, TALK = {"kind": "accept"}, {"kind": "leave"}, {"kind": "talk"}


def offer(*keep: int, **words: str) -> dict[str, Any]:
    return {"kind": "offer", "keep": list(keep), **words}


def texts(*moves: Any, face: str = "text", **params: Any) -> tuple[str, str]:
    """What Alice and Bob read after these moves."""
    env = econzoo.make("multi_issue", face="structured", **params)
    env.reset(seed=0)
    for move in moves:
        env.step(move)
    reader = econzoo.make("multi_issue", face=face, **params)
    reader.reset(seed=0)
    told = [reader.face(agent).text(env.information_state(agent)) for agent in env.possible_agents]
    return told[0], told[1]


def test_the_first_thing_alice_reads() -> None:
    alice, bob = texts()
    assert alice.startswith(
        "You are Alice. You and Bob divide 3 books, 2 hats and 1 ball between you. To you a book is worth 1 "
        "point, a hat 3 points and a ball 1 point: 10 points in all. You do not know what they are worth to Bob, "
        "and Bob does not know what they are worth to you. You take turns; Alice begins. On your turn you offer a "
        "division or talk without making an offer; if the offer on the table is Bob's, you can also accept it, or "
        "leave, which ends the game. A new offer replaces the one on the table; it lists how many you keep of books, "
        "hats and balls, in this order. An offer can include a short message; talk is only a message. Turn 10 is the "
        "last, and in it you can only accept or leave. Without an agreement you both get nothing.\n"
        "\n"
        "Turn 1 of 10. There is no offer on the table. It is your turn.\n"
    )
    tells(bob, "2 1 2 10 Alice")
    assert facts(bob.splitlines()[-1]) == "1 10 Alice"


def test_the_brief_says_what_holds() -> None:
    usual, _ = texts()
    for params, said, unsaid in [
        ({"complete_information": True}, "Bob 2 1", "not know"),
        ({"delta": 0.95}, "0.95 2 0.9025 3", "10,"),
        ({"messages": False}, "3 2 1", "message"),
        ({"items": (1,), "values": ((1,), (2,))}, "1 1", "hats"),
        ({"horizon": 2}, "1 2", "10."),
    ]:
        alice, _ = texts(**params)
        assert alice != usual, params
        tells(alice, said)
        assert unsaid not in alice, params
    assert "%" not in usual, "nothing is lost by waiting"


def test_an_offer_is_told_from_both_sides() -> None:
    alice, bob = texts(offer(0, 2, 1, message="I like hats."))
    tells(alice, '1 2 1 3 Bob "I like hats."')
    tells(bob, '1 Alice 3 2 1 "I like hats."')
    tells(bob, "2 10 Alice 3 6 2 1 Alice")


def test_words_alone_leave_the_offer_on_the_table() -> None:
    alice, bob = texts(offer(3, 2, 1), {"kind": "talk", "message": "No!"}, TALK)
    tells(bob, "1 Alice 3 2 1")
    tells(bob, '2 "No!" 3 Alice 4 10')
    tells(alice, '2 Bob "No!" 3')
    own, _ = texts(offer(3, 2, 1), TALK)
    tells(own, "3 2 1 Bob")


def test_the_last_turn() -> None:
    for moves, asked in [
        ([offer(3, 2, 1), TALK], "3 Bob"),
        ([TALK, offer(3, 0, 1)], "2 6 3 1 Bob"),
        ([TALK, TALK], "3"),
    ]:
        assert facts(texts(*moves, horizon=3)[0]).removesuffix(' "kind"').endswith(asked), moves


def test_the_end() -> None:
    for moves, delta, ends in [
        ([offer(0, 2, 0), ACCEPT], 1.0, ("2 6", "3 1 8")),
        ([TALK, offer(3, 2, 0), ACCEPT], 0.5, ("1 1 0.25 3", "3 2 8 2 3")),
        ([offer(0, 2, 0), LEAVE], 1.0, ("", "")),
    ]:
        for text, end in zip(texts(*moves, delta=delta), ends, strict=True):
            assert facts(text.splitlines()[-1]) == end, moves


def test_chat_tells_the_news_only() -> None:
    alice, _ = texts(offer(3, 2, 1), offer(3, 1, 1), face="chat")
    tells(alice, "2 Bob 1 3 1 1 3 10")


def test_numbers_of_a_list_are_named() -> None:
    """In the schema that constrains a model, and so in the questions to a person."""
    env = econzoo.make("multi_issue", face="structured")
    env.reset(seed=0)
    schema = env.game.actions.json_schema(env.legal("player_0"))
    keep = schema["anyOf"][0]["properties"]["keep"]["prefixItems"]
    for one, name in zip(keep, ("books", "hats", "balls"), strict=True):
        says(one["description"], name)
    assert [one["maximum"] for one in keep] == [3, 2, 1]
