"""What the traders of a double auction read, word by word where it matters."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import econzoo


def after(*replies: str, chance: tuple[float, ...] = (57.238, 20.001), face: str = "text", **market: Any) -> Any:
    """An environment after these replies of the seats in turn."""
    env = econzoo.make("double_auction", face=face, render_mode="ansi", **market)
    env.reset(seed=0, options={"chance": list(chance)})
    for reply in replies:
        env.step(reply)
    return env


def read(env: Any, agent: str | None = None) -> str:
    return env.observe(agent or env.agent_selection)["text"]


TALK = (
    '{"kind":"say","whom":1,"claim":40,"message":"Times are hard."}',
    '{"kind":"say","whom":0,"claim":30.5}',
)
OFFERS = '{"kind":"offer","price":50}', '{"kind":"offer","price":45}'


def test_the_first_thing_the_buyer_reads() -> None:
    rules, question = read(after()).split("\n\n")
    assert rules == (
        "You are Buyer. You trade with Seller. You can buy one unit of a good: at a price below what it is worth to"
        " you, you win the difference; at a price above, you lose it. What a unit is worth to a trader is drawn by "
        "chance, separately for each: any amount from $0 to $100 is as likely as any other. Each trader learns only"
        " its own value. First you talk, for 1 round: each trader can tell one trader of the other side a value, or"
        " listen. Nobody else hears it, and nobody checks whether it is true. A value can carry a short message. "
        "Then both make a sealed offer at once: the buyer the most that it would pay, the seller the least that it "
        "would take. If the buyer's offer is at least the seller's, they trade at 0.5 times the buyer's offer plus "
        "0.5 times the seller's. Then both see the offers. Your goal is to win as much as you can."
    )
    assert question.startswith(
        "Round 1. A unit is worth $57.23 to you. You can talk to Seller (number 1), or listen. What do you do?\n"
    )


def test_a_market_is_told_with_its_numbers() -> None:
    text = read(after(chance=(), buyers=3, sellers=2, k=0.25, talk=2, messages=False))
    assert "You trade with Buyer 2, Buyer 3, Seller 1 and Seller 2." in text
    assert "First you talk, for 2 rounds:" in text
    assert "0.25 times number 4 plus 0.75 times number 3. Equal offers are ranked by chance." in text
    assert "You can talk to Seller 1 (number 3) or Seller 2 (number 4), or listen." in text
    assert "message" not in text


def test_a_market_without_talk_has_no_word_about_it() -> None:
    text = read(after(talk=0))
    assert not re.search(r"talk|message|hears", text)
    assert "Round 1. A unit is worth $57.23 to you. What is the most that you offer to pay?" in text


def test_the_story_of_both_sides() -> None:
    env = after(*TALK)
    assert read(env, "player_0").splitlines()[2:5] == [
        'Round 1: you told Seller that a unit is worth $40 to you, and: "Times are hard."',
        "Round 1: Seller told you that a unit is worth $30.50 to it.",
        "Round 2. A unit is worth $57.23 to you. What is the most that you offer to pay?",
    ]
    assert read(env, "player_1").splitlines()[2:] == [
        'Round 1: Buyer told you that a unit is worth $40 to it, and: "Times are hard."',
        "Round 1: you told Buyer that a unit is worth $30.50 to you.",
        "Round 2. A unit is worth $20.01 to you. What is the least that you offer to take?",
        'Answer with one JSON object: {"kind":"offer","price":<dollars of your offer, a number from 0 to 100>}',
    ]
    for offer in OFFERS:
        env.step(offer)
        if env.pending:
            assert read(env, "player_0").endswith("Round 2. Others are still to move.")
    assert read(env, "player_0").splitlines()[4:] == [
        "Round 2: you offered $50 and traded at $47.50.",
        "Round 2: Seller offered $45 and traded at $47.50.",
        "The market is closed. You win $9.74.",
    ]
    assert read(env, "player_1").splitlines()[-1] == "The market is closed. You win $27.50."


def test_endings() -> None:
    for face, (bid, ask, buyer, seller) in product(
        ("text", "chat"),
        [
            (30, 40, "You win $0.", "You win $0."),
            (90, 80, "You lose $27.76.", "You win $65."),
            (10, 10, "You win $47.24.", "You lose $10."),
        ],
    ):
        env = after(f'{{"kind":"offer","price":{bid}}}', f'{{"kind":"offer","price":{ask}}}', talk=0, face=face)
        for agent, told in (("player_0", buyer), ("player_1", seller)):
            text = read(env, agent)
            assert text.endswith(f"The market is closed. {told}"), (face, buyer, seller)
            assert ("did not trade" in text) == (bid < ask), (face, buyer, seller)


def test_a_trade_at_the_value_that_is_shown_is_no_loss() -> None:
    for value, to_buyer, to_seller in ((57.239, "57.23", "57.24"), (0.33333, "0.3333", "0.3334")):
        env = after(chance=(value, value), talk=0)
        assert f"A unit is worth ${to_buyer} to you." in read(env, "player_0"), (value, to_seller)
        env.step(OFFERS[0])
        assert f"A unit is worth ${to_seller} to you." in read(env, "player_1"), (value, to_buyer)


def test_spectators_read_claims_words_and_trades() -> None:
    assert after(*TALK, *OFFERS).render().splitlines() == [
        "double_auction: Buyer and Seller",
        '  round   1  Buyer    say  whom 1  claim 40.00  "Times are hard."',
        "  round   1  Seller   say  whom 0  claim 30.50",
        "  round   2  Buyer    offer  price 50.00  (traded at $47.50)",
        "  round   2  Seller   offer  price 45.00  (traded at $47.50)",
        "  payoffs    Buyer 9.74, Seller 27.50",
    ]
