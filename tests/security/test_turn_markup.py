"""No words of a player are read as the markup of a turn, a thought or a tool, whoever reads them."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

import econzoo
from econzoo.baselines import Question
from econzoo.baselines.random_and_mock import MockPlayer
from econzoo.envs.core.faces import break_markup
from econzoo.envs.core.faces.prompts import MARKERS
from econzoo.envs.families.open_source.texts import format_program
from econzoo.testing.playing import has_ended

HOSTILE = " ".join(MARKERS)
PARTS = [" ".join(MARKERS[start : start + 20]) for start in range(0, len(MARKERS), 20)]
"""All markers in messages that are short enough."""
TALKING = ["bargaining", "negotiation", "persuasion", "matrix", "coin_game", "multi_issue", "public_goods"]


def marks_in(text: str) -> list[str]:
    """The markers that stand in a text."""
    return [marker for marker in MARKERS if marker in text]


def test_every_marker_is_broken_and_stays_so() -> None:
    for marker in MARKERS:
        assert break_markup(f"a{marker}b") == f"a{marker[0]} {marker[1:]}b"
    assert marks_in(break_markup(HOSTILE)) == []
    assert break_markup(break_markup(HOSTILE)) == break_markup(HOSTILE)


def test_markers_that_overlap_or_stand_in_each_other_are_all_broken() -> None:
    for text in [
        "[gMASK]~b]",
        "<|im_<|im_end|>end|>",
        "<s></s><s>",
        "<<<SYS>>>",
        "[[INST]]",
        "<|a|>b|>",
        "[/INST][INST]",
    ]:
        assert marks_in(break_markup(text)) == [], text
        assert break_markup(break_markup(text)) == break_markup(text), text


def test_tokens_of_a_known_form_are_broken_without_standing_in_the_list() -> None:
    for token in [
        "<|reserved_special_token_7|>",
        "<\uff5ctool\u2581sep\uff5c>",
        "[|tool|]",
        "<unused42>",
        "<seed:bos>",
    ]:
        assert break_markup(token) == f"{token[0]} {token[1:]}"


def test_other_words_stay_as_they_are() -> None:
    for text in [
        "I <3 you, 5 < 6 > 4",
        "a [b] c",
        "x[0] < y[1]",
        "<b>bold</b>",
        "{}",
        "||",
        "we keep 5|5",
        "\u4f60\u597d",
        "",
    ]:
        assert break_markup(text) == text


def test_programs_are_told_without_it() -> None:
    assert marks_in(format_program(f"def f():\n    return {HOSTILE!r}")) == []


def test_judges_read_none() -> None:
    written: Any = SimpleNamespace(judge="openai:m")
    asked = Question([{"role": "user", "content": HOSTILE}], written, (1,), lambda _: (1, ""), lambda _: None, str)
    assert marks_in(asked.call(None).conversation[0]["content"]) == []


@pytest.mark.parametrize("game", TALKING)
def test_no_player_reads_it_in_a_message(game: str) -> None:
    env: Any = econzoo.make(game, face="chat").unwrapped
    read = ""
    for part in PARTS:
        env.reset(seed=1)
        for _ in range(6):
            if not env.agents or has_ended(env):
                break
            told = env.json_schema(env.agent_selection)
            kinds = told.get("anyOf", [told])
            worded = [one for one in kinds if "message" in one["properties"]] or kinds
            env.step(json.dumps(answer(worded[0], part)))
            read += "".join(env.observe(agent)["text"] for agent in env.agents)
    assert marks_in(read) == []
    assert "< |im_end|>" in read


def answer(schema: dict[str, Any], words: str) -> dict[str, Any]:
    """One within a schema, with these words."""
    fields = schema["properties"].items()
    return {key: words if key == "message" else value_of(field) for key, field in fields}


def value_of(field: dict[str, Any]) -> Any:
    """The first that a field allows."""
    if "prefixItems" in field:
        return [value_of(one) for one in field["prefixItems"]]
    if field.get("type") == "array":
        return [value_of(field["items"])] * field["minItems"]
    return field.get("const", field.get("minimum", 0))


def test_a_record_keeps_both() -> None:
    record = econzoo.play(
        "bargaining", [MockPlayer("proposer", offering(PARTS[0])), MockPlayer("answerer", '{"kind":"accept"}')], seed=1
    )
    offer, answered = record.turns
    assert offer.action["message"] == PARTS[0]
    assert marks_in(answered.prompt) == []
    assert break_markup(PARTS[0]) in answered.prompt


# Whoever asks the model


def offering(words: str) -> str:
    """A reply that says these words."""
    return json.dumps({"kind": "offer", "gain": 5000, "message": words}).replace("|", "\\u007c")


def test_a_served_model_is_sent_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    from local_server import LocalServer, reply

    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with LocalServer(reply('{"kind":"reject"}')) as server:
        model = f"openai:m@{server.url}?memory=table"
        for part in PARTS:
            econzoo.play("bargaining", [MockPlayer("talker", offering(part)), model], seed=1, horizon=1)
    sent = [message["content"] for request in server.requests for message in request["messages"]]
    assert marks_in("".join(sent)) == []
    assert "< |im_end|>" in "".join(sent)


def test_trls_tools_tell_none() -> None:
    from econzoo.train.lm.environment import as_trl_environment

    for part in PARTS:
        environment: Any = as_trl_environment("bargaining", seat=1, opponents=[f"mock:{offering(part)}"], horizon=4)()
        told = environment.reset(seed=1) + environment.reject() + environment.offer(5000.0)
        assert marks_in(told) == []
        assert break_markup(part) in told


def test_added_tokens_of_a_model_are_broken_be_they_special_or_not() -> None:
    pytest.importorskip("transformers")
    from tiny_llama import tiny_tokenizer
    from transformers import AddedToken

    from econzoo.baselines.models import LoadedModel

    tokenizer = tiny_tokenizer()
    plain = ["<think>", "</think>", "<tool_call>", "[OWN_MARK]"]
    tokenizer.add_tokens([AddedToken(token, special=False) for token in [*plain, "dollars"]])
    loaded = LoadedModel(None, tokenizer, frozenset(), 512)
    own = tokenizer.convert_tokens_to_ids(plain)
    said = "".join(plain)
    assert not {*own} & {*loaded.encode([{"role": "user", "content": said}])}
    assert {*own} <= {*loaded.encode([{"role": "assistant", "content": said}])}, "its own thoughts stay what they are"
    assert loaded.escape_markup("5 dollars") == "5 dollars"
