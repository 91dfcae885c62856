"""Makes a tokenizer fit for tool calls: a chat template that shows them, and a parser that finds them.

Recorded matches become tool calls: what a model reads and writes under ``grpo --mode tools``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from econzoo.baselines.models.loading import Loaded
from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.train.lm.environment import ASKING, as_trl_environment
from econzoo.train.lm.tokens import Tokens
from econzoo.train.lm.transcripts import transcript

__all__ = ["make_tool_ready"]

CHATML_TOOLS = """\
{%- if messages[0]['role'] == 'system' or tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] + '\\n' }}{%- endif %}
{%- if tools %}
{{- 'You act by calling a tool, in this form:\\n' }}
{{- '<tool_call>{"name": NAME, "arguments": {...}}</tool_call>\\nYour tools:' }}
{%- for tool in tools %}
{%- set about = tool.function if tool.function is defined else tool %}
{{- '\\n' + about.name + '(' }}
{%- for name, field in about.parameters.properties.items() %}
{{- (', ' if not loop.first else '') + name + ': ' + field.type }}
{%- endfor %}
{{- '): ' + about.description }}
{%- endfor %}
{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'assistant' %}
{{- '<|im_start|>assistant\\n' + (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{%- set made = call.function if call.function is defined else call %}
{{- '<tool_call>{"name": "' + made.name + '", "arguments": ' }}
{{- made.arguments if made.arguments is string else made.arguments | tojson }}
{{- '}</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- elif message.role == 'tool' %}
{{- '<|im_start|>user\\n<tool_response>' + message.content + '</tool_response><|im_end|>\\n' }}
{%- elif not (message.role == 'system' and loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""
"""ChatML with tools, which prints arguments that are JSON text as they are."""

RESPONSE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "tool_calls": {
            "open": "<tool_call>",
            "close_pattern": r"</tool_call>\s*",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
        "content": {"close_pattern": r"<\|im_end\|>\s*", "content": "text"},
    },
}
"""How a reply is read back."""


def make_tool_ready(tokenizer: Any) -> Any:
    """Gives a ChatML tokenizer without tools (SmolLM2's) a template with them; others stay as they are.

    Raises:
        ValueError: The tokenizer has neither a template with tools nor the ChatML markup.
    """
    from trl.chat_template_utils import supports_tool_calling

    if supports_tool_calling(tokenizer):
        return tokenizer
    known = tokenizer.get_vocab()
    if not {"<|im_start|>", "<|im_end|>"} <= known.keys():
        raise ValueError("this model's chat template shows no tools; use --mode chat, or a tool-calling model")
    tokenizer.chat_template = CHATML_TOOLS
    tokenizer.response_template = RESPONSE
    return tokenizer


DONE = "Done."
"""What the model says after the end: TRL always asks once more."""


def tool_chat(record: Record, seat: int, decimals: int | None = None) -> list[dict[str, Any]]:
    """The transcript of a seat as a chat with tool calls.

    Returns:
        One user message with the rules and the first news, then calls and their results, and `DONE`.
    """
    rules, first, *rest = transcript(record, seat, decimals, prompts=ASKING)
    names = find_game(record.game).actions.names
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"{rules['content']}\n\n{first['content']}"}]
    for message in rest:
        if message["role"] == "assistant":
            messages.append(call(message["content"], names[0]))
        else:
            called = messages[-1]["tool_calls"][0]["function"]["name"]
            messages.append({"role": "tool", "name": called, "content": message["content"]})
    return [*messages, {"role": "assistant", "content": DONE}]


def call(reply: str, only_kind: str) -> dict[str, Any]:
    """A JSON reply as a tool call.

    The arguments are JSON text, as OpenAI's interface has them: were they a dictionary, a table of such messages
    would give every call the arguments of all tools, filled with nulls.
    """
    plain = from_json(reply)
    name = plain.pop("kind", only_kind)
    function = {"name": name, "arguments": json.dumps(plain, ensure_ascii=False, separators=(",", ":"))}
    return {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}


def tool_tokens(loaded: Loaded, record: Record, seat: int, limit: int, decimals: int | None = None) -> Tokens:
    """The token sequence of a seat with its calls as the model's own tokens; turns beyond `limit` are left out."""
    make_tool_ready(loaded.tokenizer)
    chat, out = tool_chat(record, seat, decimals), Tokens()
    offered = tools(record.game)
    for at, message in enumerate(chat):
        if message["role"] != "assistant":
            continue
        prompt = render(loaded, chat[:at], offered, answer=True)
        read = loaded.tokenizer(prompt, add_special_tokens=False)["input_ids"]
        said = render(loaded, chat[: at + 1], offered, answer=False)[len(prompt) :]
        reply = _up_to_the_end(loaded, loaded.tokenizer(said, add_special_tokens=False)["input_ids"])
        if len(read) + len(reply) > limit or read[: len(out.ids)] != out.ids:
            break
        out.read(read[len(out.ids) :])
        out.write(reply)
    return out


def _up_to_the_end(loaded: Loaded, ids: list[int]) -> list[int]:
    last = next((at for at, token in enumerate(ids) if token in loaded.stops), len(ids) - 1)
    return ids[: last + 1]


def tools(game_name: str) -> list[Any]:
    """The tools of a game in the order in which TRL offers them: that of their names."""
    environment = as_trl_environment(game_name, opponents=["random"])()
    return [getattr(environment, name) for name in sorted(find_game(game_name).actions.names)]


def render(loaded: Loaded, chat: Sequence[dict[str, Any]], offered: Sequence[Any], answer: bool) -> str:
    """A chat with tools as the model reads it; `answer` opens the next reply."""
    return loaded.tokenizer.apply_chat_template(
        list(chat), tools=list(offered), tokenize=False, add_generation_prompt=answer
    )
