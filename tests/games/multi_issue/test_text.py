"""What the players read, word by word where it matters."""

from __future__ import annotations

from typing import Any

import econzoo

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
    told = [reader.face(agent).text(env.seen(agent)) for agent in env.possible_agents]
    return told[0], told[1]


def test_the_first_thing_alice_reads() -> None:
    alice, bob = texts()
    assert alice.startswith(
        "You are Alice. You and Bob divide 3 books, 2 hats and 1 ball between you. To you a book is worth 1 "
        "point, a hat 3 points and a ball 1 point: 10 points in all. What they are worth to Bob you do "
        "not know, and Bob does not know what they are worth to you. You take turns; Alice begins. In your turn you "
        "offer a division or talk without an offer; if the offer on the table is that of Bob, you can also accept it, "
        "or leave and so end the game. A new offer replaces the one on the table; it lists how many you keep of books, "
        "hats and balls, in this order. An offer can carry a short message, and talk is nothing but a message. Turn 10 "
        "is the last, and in it one can only accept or leave. Without an agreement both of you get nothing.\n"
        "\n"
        "Turn 1 of 10. There is no offer on the table. It is your turn.\n"
    )
    assert "To you a book is worth 2 points, a hat 1 point and a ball 2 points" in bob
    assert bob.endswith("Turn 1 of 10. Alice is to move.")


def test_the_brief_says_what_holds() -> None:
    for params, said, unsaid in [
        ({"complete_information": True}, ["To Bob a book is worth 2 points, a hat 1 point"], ["do not know"]),
        ({"delta": 0.95}, ["keep 95% of the worth", "0.95 in turn 2, 0.9025 in turn 3", "this turn is worth 1."], []),
        ({"delta": 1.0}, [], ["% of the worth", "in this turn is worth"]),
        ({"messages": False}, ["No words are passed on"], ["message"]),
        (
            {"items": (1,), "values": ((1,), (2,))},
            ["To you a book is worth 1 point: 1 point in all."],
            ["hats"],
        ),
        ({"horizon": 2}, ["Turn 2 is the last"], []),
    ]:
        alice, _ = texts(**params)
        assert [words for words in said if words not in alice] == [], (params, said, unsaid)
        assert [words for words in unsaid if words in alice] == [], (params, said, unsaid)


def test_an_offer_is_told_from_both_sides() -> None:
    alice, bob = texts(offer(0, 2, 1, message="I like hats."))
    assert (
        'Turn 1: you offered to keep 2 hats and 1 ball and to leave 3 books to Bob, and said: "I like hats."' in alice
    )
    assert 'Turn 1: Alice offers you 3 books and keeps 2 hats and 1 ball, and says: "I like hats."' in bob
    assert (
        "Turn 2 of 10. On the table is the offer of Alice: 3 books for you, worth 6 points to you, and 2 hats and 1 "
        "ball for Alice. It is your turn." in bob
    )


def test_words_alone_leave_the_offer_on_the_table() -> None:
    alice, bob = texts(offer(3, 2, 1), {"kind": "talk", "message": "No!"}, TALK)
    assert "Turn 1: Alice offers you nothing and keeps 3 books, 2 hats and 1 ball." in bob
    assert 'Turn 2: you said: "No!"\nTurn 3: Alice said nothing.\nTurn 4 of 10. On the table is the offer of' in bob
    assert 'Turn 2: Bob says: "No!"\nTurn 3: you said nothing.' in alice
    own, _ = texts(offer(3, 2, 1), TALK)
    assert (
        "On the table is your own offer: 3 books, 2 hats and 1 ball for you and nothing for Bob. It is your turn."
        in own
    )


def test_the_last_turn() -> None:
    for moves, asked in [
        ([offer(3, 2, 1), TALK], "the last. Bob has not accepted your offer, and none can be made any more."),
        (
            [TALK, offer(3, 0, 1)],
            "2 hats for you, worth 6 points to you, and 3 books and 1 ball for Bob. Do you accept",
        ),
        ([TALK, TALK], "the last. There is no offer on the table, and none can be made any more."),
    ]:
        assert asked in texts(*moves, horizon=3)[0]


def test_the_end() -> None:
    for moves, delta, ends in [
        (
            [offer(0, 2, 0), ACCEPT],
            1.0,
            ("You get 2 hats, worth 6 points to you.", "You get 3 books and 1 ball, worth 8 points to you."),
        ),
        (
            [TALK, offer(3, 2, 0), ACCEPT],
            0.5,
            (
                "You get 1 ball, worth 1 point to you, of which 0.25 are left because you agreed in turn 3.",
                "You get 3 books and 2 hats, worth 8 points to you, of which 2 are left because you agreed in turn 3.",
            ),
        ),
        ([offer(0, 2, 0), LEAVE], 1.0, ("without agreement. Both of you get nothing.",) * 2),
    ]:
        for text, end in zip(texts(*moves, delta=delta), ends, strict=True):
            assert text.endswith(end), (moves, delta, ends)


def test_chat_tells_the_news_only() -> None:
    alice, _ = texts(offer(3, 2, 1), offer(3, 1, 1), face="chat")
    assert alice.startswith("Turn 2: Bob offers you 1 hat and keeps 3 books, 1 hat and 1 ball.\nTurn 3 of 10. On")


def test_numbers_of_a_list_are_named() -> None:
    """In the schema that constrains a model, and so in the questions to a person."""
    env = econzoo.make("multi_issue", face="structured")
    env.reset(seed=0)
    schema = env.game.actions.json_schema(env.legal("player_0"))
    keep = schema["anyOf"][0]["properties"]["keep"]["prefixItems"]
    assert [one["description"] for one in keep] == [
        f"items that you keep: {name}" for name in ("books", "hats", "balls")
    ]
    assert [one["maximum"] for one in keep] == [3, 2, 1]
