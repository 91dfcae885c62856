"""The set ``short``: the facts of the game's own prompts in half of the words, and shares beside amounts."""

from __future__ import annotations

import itertools
import re
from itertools import product
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.contract import Invalid
from econzoo.evaluate.run import replay
from econzoo.train.lm.transcripts import transcripts
from games.facts import facts
from refusals import refuses, says

GAMES = ("bargaining", "negotiation")
SLOW = {"bargaining": ("boulware(0.1)", "boulware(0.2)"), "negotiation": ("tough", "tough")}
HORIZONS = ({}, {"horizon": 1}, {"horizon": 7}, {"horizon": None})
KNOWN = ({}, {"complete_information": False})
MESSAGES = ({"messages": True}, {"messages": False})
OWN = {
    "bargaining": ({"money": 8640.0, "delta": (0.83, 0.71)}, {"delta": (1.0, 0.9)}),
    "negotiation": ({"seller_value": 0.7, "buyer_value": 1.3}, {"outside_option": False}),
}
SETTINGS = [
    (game, OWN[game][(h // 2 + k) % 2] | HORIZONS[h] | KNOWN[k] | MESSAGES[(h + k) % 2])
    for game in GAMES
    for h, k in itertools.product(range(4), range(2))
]
"""Every pair of two values of the four."""


def chats(game: str, params: dict[str, Any], **more: Any) -> list[list[dict[str, str]]]:
    """What each seat reads and writes in a match of two who are slow to agree."""
    record = econzoo.play(game, list(SLOW[game]), seed=3, **params, **more)
    return [chat for seat in (0, 1) for chat in transcripts(record, seat, decimals=0)]


def read(chat: list[dict[str, str]]) -> str:
    return "\n".join(message["content"] for message in chat if message["role"] != "assistant")


def numbers(text: str) -> set[str]:
    return {told.replace(",", "").rstrip(".") for told in re.findall(r"\d[\d,.]*", text)}


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, dict[str, Any], list[dict[str, str]], list[dict[str, str]]]]:
    """For each setting and seat what is read with the usual prompts and with the short ones."""
    return [
        (game, params, usual, short)
        for game, params in SETTINGS
        for usual, short in zip(chats(game, params), chats(game, params, prompts="short"), strict=True)
    ]


def test_all_numbers_of_the_own_prompts_are_told_and_nothing_that_is_hidden(pairs):
    for game, params, usual, short in pairs:
        rules = [chat[0]["content"] for chat in (usual, short)]
        facts = numbers(re.sub(r"So a dollar .*?on\.|in round [12]", "", rules[0]))  # without examples
        assert numbers(rules[1]) == facts, (game, params)
        amounts = {told.replace(",", "") for told in re.findall(r"\$([\d,.]*\d)", read(usual))}
        assert amounts - numbers(rules[0]) <= numbers(read(short)), (game, params)


def test_it_takes_at_most_two_thirds_of_the_words(pairs):
    """Of those of a match of several rounds, and never more; one of a single round has little but the rules."""
    for game, params, usual, short in pairs:
        count = [len(re.findall(r"\w+|[^\w\s]", read(chat))) for chat in (usual, short)]
        assert count[1] <= (1 if params.get("horizon") == 1 else 2 / 3) * count[0], (game, params)


def test_no_text_is_a_move():
    for game, params in SETTINGS:
        env = econzoo.make(game, face="chat", prompts="short", **params).unwrapped
        env.reset(seed=3)
        key = {"bargaining": "gain", "negotiation": "price"}[game]
        for move in (f'{{"{key}": 9000}}', '{"kind": "reject"}', f'{{"{key}": 8000}}'):
            if any(env.terminations.values()):
                break
            for seat, agent in enumerate(env.possible_agents):
                texts = [env.face(agent).rules(env.view(seat)), env.observe(agent)["text"]]
                for text in [*texts, *(line for told in texts for line in told.splitlines())]:
                    assert isinstance(env.face(agent).decode(text, env.legal(env.agent_selection)), Invalid), text
            env.step(move)


def test_matches_replay():
    for game in GAMES:
        record = econzoo.play(game, [SLOW[game][0], "mock:*"], seed=3, prompts="short")
        replay(record)
        assert record.errors == [0, 0], game


def told(game: str, *moves: str, **params: Any) -> str:
    env = econzoo.make(game, face="chat", prompts="short", messages=False, **params).unwrapped
    env.reset(seed=1)
    for move in moves:
        env.step(move)
    return env.last()[0]["text"]


def test_shares_of_the_money():
    assert facts(told("bargaining", '{"gain": 6666}')) == "1 Alice $6,666 66.7% 1 12 $1 $1 $3,334 33.3%"


def test_the_last_round_is_told_in_each_turn_where_it_is_known():
    for game, (horizon, asked) in product(GAMES, ((7, "Round 1 of 7."), (1, "Round 1 (last)."), (None, "Round 1."))):
        assert told(game, horizon=horizon).startswith(asked)


def test_the_last_round_is_told_to_be_the_last():
    for game, key in (("bargaining", "gain"), ("negotiation", "price")):
        first = [f'{{"{key}": 9000}}', '{"kind": "reject"}']
        assert "Round 2 (last)." in told(game, *first, horizon=2), key
        assert "Round 2 (last)." in told(game, *first, f'{{"{key}": 9000}}', horizon=2)
        assert "Round 2." in told(game, *first, horizon=None), key


def test_what_a_price_wins_in_shares_of_the_own_value():
    params = {"money": 10_000.0, "seller_value": 0.8, "buyer_value": 1.2}
    first = ['{"price": 9000}', '{"kind": "reject"}']
    for moves, wins in (
        (['{"price": 9000}'], "gains 25%"),
        (['{"price": 12600}'], "loses 5%"),
        (['{"price": 12000}'], "gains nothing"),
        ([*first, '{"price": 9600}'], "gains 20%"),
        ([*first, '{"price": 6000}'], "loses 25%"),
    ):
        says(told("negotiation", *moves, **params), wins)
    assert facts(told("negotiation", *first[:1], **params)) == "1 Alice $9,000 1 10 $9,000 25%"


def test_who_names_a_price_reads_what_the_last_one_of_the_other_wins():
    params = {"money": 10_000.0, "seller_value": 0.8, "buyer_value": 1.2}
    assert facts(told("negotiation", **params)) == "1 10"
    first = ['{"price": 9000}', '{"kind": "reject"}']
    asked = told("negotiation", *first, **params).splitlines()[-1]
    assert facts(asked) == "2 10 Alice $9,000 25%"
    says(asked, "gains")
    second = [*first, '{"price": 6000}', '{"kind": "reject"}']
    asked = told("negotiation", *second, horizon=3, **params).splitlines()[-1]
    assert facts(asked) == "3 Bob $6,000 25%"
    says(asked, "loses")


def test_other_games_say_what_they_have():
    with refuses(ValueError, "prompts", "short", "TOML", "glee"):
        econzoo.make("persuasion", prompts="short")
    with refuses(ValueError, "prompts", "short", "TOML"):
        econzoo.make("matrix", prompts="short")


def test_what_all_settings_and_seats_share_stands_first():
    """So that a model that keeps what it has read needs to read it once."""
    for game in GAMES:
        told = [chat[0]["content"] for params in OWN[game] for chat in chats(game, params, prompts="short", horizon=7)]
        form = told[0].index("Answer: {")
        if game == "bargaining":
            assert len({rules[:form] for rules in told}) == 1, game
        else:  # the second setting has no way to opt out
            assert told[0][:form] == told[1][:form], game
