"""What the traders of a double auction read, word by word where it matters."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import econzoo
from games.facts import facts, tells


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
        "You are Buyer. You trade with Seller. You can buy one unit of a good: at a price below what it is worth to "
        "you, you gain the difference; at a price above that, you lose the difference. What a unit is worth to a "
        "trader is drawn at random, independently for each: every amount from $0 to $100 is equally likely. Each "
        "trader learns only its own value. First you talk, for 1 round: each trader can tell one trader on the other "
        "side a value, or listen. Nobody else hears it, and nobody checks whether it is true. A value can come with a "
        "short message. Then both make sealed offers at the same time: the buyer the most it would pay, the seller the "
        "least it would accept. If the buyer's offer is at least the seller's, they trade at 0.5 times the buyer's "
        "offer plus 0.5 times the seller's. Then both see the offers. Your goal is to gain as much as you can."
    )
    assert question.startswith(
        "Round 1. A unit is worth $57.23 to you. You can talk to Seller (number 1), or listen. What do you do?\n"
    )


def test_a_market_is_told_with_its_numbers() -> None:
    text = read(after(chance=(), buyers=3, sellers=2, k=0.25, talk=2, messages=False))
    tells(text, "Buyer 2 Buyer 3 Seller 1 Seller 2")
    tells(text, "0.25 4 0.75 3")
    tells(text, "Seller 1 3 Seller 2 4")
    assert "message" not in text


def test_a_market_without_talk_has_no_word_about_it() -> None:
    text = read(after(talk=0))
    assert not re.search(r"talk|message|hears", text)
    tells(text, "1 $57.23")


def test_the_story_of_both_sides() -> None:
    env = after(*TALK)
    assert [facts(line) for line in read(env, "player_0").splitlines()[2:5]] == [
        '1 Seller $40 "Times are hard."',
        "1 Seller $30.50",
        "2 $57.23",
    ]
    assert [facts(line) for line in read(env, "player_1").splitlines()[2:]] == [
        '1 Buyer $40 "Times are hard."',
        "1 Buyer $30.50",
        "2 $20.01",
        '"kind" "offer" "price" 0 100',
    ]
    for offer in OFFERS:
        env.step(offer)
        if env.pending:
            assert facts(read(env, "player_0").splitlines()[-1]) == "2"
    assert [facts(line) for line in read(env, "player_0").splitlines()[4:]] == [
        "2 $50 $47.50",
        "2 Seller $45 $47.50",
        "gain $9.74",
    ]
    assert facts(read(env, "player_1").splitlines()[-1]) == "gain $27.50"


def test_endings() -> None:
    for face, (bid, ask, *ends) in product(
        ("text", "chat"),
        [(30, 40, "gain $0", "gain $0"), (90, 80, "lose $27.76", "gain $65"), (10, 10, "gain $47.24", "lose $10")],
    ):
        env = after(f'{{"kind":"offer","price":{bid}}}', f'{{"kind":"offer","price":{ask}}}', talk=0, face=face)
        assert [facts(read(env, agent).splitlines()[-1]) for agent in env.agents] == ends, (face, bid, ask)


def test_a_trade_at_the_value_that_is_shown_is_no_loss() -> None:
    for value, to_buyer, to_seller in ((57.239, "57.23", "57.24"), (0.33333, "0.3333", "0.3334")):
        env = after(chance=(value, value), talk=0)
        tells(read(env, "player_0"), f"1 ${to_buyer}")
        env.step(OFFERS[0])
        tells(read(env, "player_1"), f"1 ${to_seller}")


def test_spectators_read_claims_words_and_trades() -> None:
    assert [facts(line) for line in after(*TALK, *OFFERS).render().splitlines()] == [
        "Buyer Seller",
        '1 Buyer 1 40.00 "Times are hard."',
        "1 Seller 0 30.50",
        "2 Buyer 50.00 $47.50",
        "2 Seller 45.00 $47.50",
        "Buyer 9.74 Seller 27.50",
    ]
