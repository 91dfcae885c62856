"""The check for texts that suggest an answer finds what is planted, and nothing in what is not one."""

from __future__ import annotations

import json
from typing import Any

import pytest

import econzoo
from econzoo.testing.texts import find_playable, request_texts, strings

OFFER = '{"kind":"offer","gain":5000}'
AS_TEMPLATE = OFFER.replace("{", "{{").replace("}", "}}")

PLANTED = {
    "in the rules": {"brief.game": f"You divide ${{money}}. {AS_TEMPLATE}"},
    "in the question": {"turn.propose": f"Round {{round}}. Answer as in {AS_TEMPLATE}, please."},
    "on a line of the question": {"turn.propose": f"Round {{round}}.\n{AS_TEMPLATE}"},
    "with other quotes": {"turn.propose": f"Round {{round}}. {AS_TEMPLATE.replace(chr(34), chr(39))}"},
    "with escaped quotes": {"turn.propose": "Round {round}. " + AS_TEMPLATE.replace('"', '\\"')},
    "in a fence": {"format.answer": f"{{form}}\n```json\n{AS_TEMPLATE}\n```"},
    "in the feedback": {"format.feedback": f"{{problem}}. Write {AS_TEMPLATE}"},
    "in prose": {"turn.propose": "Round {round}. You might keep an amount, for example 5,000 dollars."},
    "in prose of the brief": {"brief.game": "You divide ${money}, e.g. $50 for you."},
    "a kind in prose": {"format.feedback": "{problem}. Choose a kind such as offer"},
}


def found(env: Any, agent: str = "player_0") -> list[str]:
    return [piece for words in request_texts(env, agent) if (piece := find_playable(env, agent, words, set()))]


def test_what_is_planted_in_a_text_is_found() -> None:
    for where, prompts in PLANTED.items():
        env = econzoo.make_raw("bargaining", face="text", prompts=prompts)
        env.reset(seed=0)
        assert found(env), where


def test_what_is_planted_in_a_schema_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    env = econzoo.make_raw("bargaining", face="text")
    env.reset(seed=0)
    move: Any = json.loads(OFFER)
    for planted in ({"default": move}, {"examples": [move]}, {"description": f"such as {OFFER}"}, {"const": OFFER}):
        monkeypatch.setattr(env, "json_schema", lambda agent, planted=planted: {"type": "object", **planted})
        assert found(env), planted


def test_a_program_in_a_schema_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    env = econzoo.make_raw("program_matrix", face="text")
    env.reset(seed=0)
    assert not found(env)
    source = env.game.actions.kinds[0].source.library()[0]
    schema = {
        "type": "object",
        "properties": {"program": {"type": "string", "examples": [f"```python\n{source}\n```"]}},
    }
    monkeypatch.setattr(env, "json_schema", lambda agent: schema)
    assert found(env)


def test_ranges_and_placeholders_are_no_suggestion() -> None:
    env = econzoo.make_raw("bargaining", face="text")
    env.reset(seed=0)
    for words in ("from 0 to 10,000", "Round 3, for example", "for example 20,000", "such as <your offer>"):
        assert find_playable(env, "player_0", words, set()) is None, words


def test_every_text_in_a_value_is_looked_at_without_its_escapes() -> None:
    assert list(strings({"a": ['{"b":1}', 2]})) == ['{"a": ["{\\"b\\":1}", 2]}', '["{\\"b\\":1}", 2]', '{"b":1}']
