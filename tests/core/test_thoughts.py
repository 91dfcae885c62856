"""Thoughts that models write before they answer, in the forms in which they are published."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import Invalid, Legal
from econzoo.envs.core.faces import parse_reply
from econzoo.envs.families.open_source.source import extract_program
from econzoo.envs.games.bargaining import ACTIONS, Offer

OFFER, ACCEPT = '{"kind": "offer", "gain": 60}', '{"kind": "accept"}'


def read(reply: str) -> Any:
    return parse_reply(reply, ACTIONS, Legal((True, True, True), ((0.0, 100.0),), True))


PUBLISHED = {
    "DeepSeek R1, Qwen 3": ("<think>", "</think>"),
    "Claude, asked to think": ("<thinking>", "</thinking>"),
    "EXAONE": ("<thought>", "</thought>"),
    "Seed-OSS": ("<seed:think>", "</seed:think>"),
    "MiniMax M3": ("<mm:think>", "</mm:think>"),
    "LongCat": ("<longcat_think>", "</longcat_think>"),
    "LLaVA-CoT": ("<REASONING>", "</REASONING>"),
    "Reflection": ("<reflection>", "</reflection>"),
    "Magistral": ("[THINK]", "[/THINK]"),
    "Kimi": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    "Kimi K3": ("<|open|>think<|sep|>", "<|close|>think<|sep|><|open|>response<|sep|>"),
    "gpt-oss": ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "gpt-oss, held to JSON": ("<|channel|>analysis<|message|>", "<|channel|>final <|constrain|>json<|message|>"),
    "gpt-oss, no special tokens": ("analysisWell, ", "assistantfinal"),
    "Gemma 4": ("<|channel>thought\n", "<channel|>"),
    "Command A": ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    "OpenThinker": ("<|begin_of_thought|>", "<|end_of_thought|>\n\n<|begin_of_solution|>"),
    "Apertus": ("<|inner_prefix|>", "<|inner_suffix|>"),
    "Inkling": ("<|content_thinking|>", "<|end_message|><|message_model|><|content_text|>"),
    "Hunyuan": ("<think>\n", "\n</think>\n<answer>\n"),
}
"""How models write what they think and then answer, as their chat templates and the parsers of vLLM and SGLang say."""

ENDS = (
    "",
    "\n",
    "<|return|>",
    "<|end|>",
    "</answer>",
    "<|END_RESPONSE|>",
    "<turn|>\n",
    "<|end_of_solution|><|im_end|>",
)


def test_what_follows_a_thought_of_any_published_form_is_the_answer() -> None:
    for model, (opening, end) in PUBLISHED.items():
        for behind in ENDS:
            assert read(f"{opening}Say\n{ACCEPT}\nor {OFFER}?{end}{OFFER}{behind}") == Offer(60.0), model
            assert read(f"{opening}Say {ACCEPT}?{end}\n```json\n{OFFER}\n```\n{behind}") == Offer(60.0), model


def test_nothing_in_a_cut_off_thought_of_any_published_form_is() -> None:
    for behind in ["", "\n", " But is it wise?", "<|end|>"]:
        for model in PUBLISHED:
            answer = read(f"{PUBLISHED[model][0]}Say\n\n{ACCEPT}{behind}")
            assert isinstance(answer, Invalid), (model, behind)
            assert answer.code in ("thinking", "no_json", "empty"), (model, behind)


def test_a_program_is_found_behind_a_thought_of_any_published_form() -> None:
    for model, (opening, end) in PUBLISHED.items():
        program = "def strategy_function(a, b, c, d):\n    return 'C'"
        assert extract_program(f"{opening}\n```\nx\n```\n{end}\n```\n{program}\n```\n") == program, model
        assert extract_program(f"{opening}\n```\n{program}\n```\n").code == "thinking", model


def test_a_tag_of_another_family_does_not_end_a_thought() -> None:
    for reply in [
        f"<think>The tag <|end|> ends it. {ACCEPT}",
        f"<|channel|>analysis<|message|>Not </think> but\n{ACCEPT}",
        f"<|channel|>commentary to=functions.move <|constrain|>json<|message|>{ACCEPT}<|call|>",
        f"<|channel|>analysis<|message|>Now <|channel|>final:\n{ACCEPT}",
        f"\u25c1think\u25b7 {ACCEPT} </think>\n{ACCEPT}",
    ]:
        answer = read(reply)
        assert isinstance(answer, Invalid), reply
        assert answer.code in ("thinking", "not_alone"), reply
