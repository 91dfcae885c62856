"""Makes a tokenizer fit for tool calls: a chat template that shows them, and a parser that finds them."""

from __future__ import annotations

from typing import Any

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
