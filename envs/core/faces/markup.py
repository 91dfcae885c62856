"""Chat-template markup of published models, and how to neutralize it in messages of players.

Tokenizers and servers interpret such strings in any text as special tokens: the end of a turn, a thought, a tool
result. So a blank is inserted after the first character of each in messages of players.
"""

from __future__ import annotations

import re

_MARKER_LIST = """
<s> </s> <bos> <eos> <pad> <unk> <mask> <sop> <eop> <eot> <eod> <eoh> <eoa> <BOS_TOKEN> <EOS_TOKEN> <PAD> <UNK> <CLS>
<SEP> [BOS] [EOS] [PAD] [UNK] [CLS] [SEP] [MASK] [gMASK] [sMASK] [EOT] <unused0> [unused0] <extra_id_0> <SPECIAL_10>
<start_of_turn> <end_of_turn> <start_of_image> <end_of_image> <end_of_utterance> <image> <AI> <\u7528\u6237>
[INST] [/INST] <<SYS>> <</SYS>> [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [THINK] [/THINK] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS]
[TOOL_CALLS] [/TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CONTENT] [/TOOL_CONTENT] [MODEL_SETTINGS]
[/MODEL_SETTINGS] [ARGS] [CALL_ID] [PREFIX] [MIDDLE] [SUFFIX] [IMG] [IMG_BREAK] [IMG_END]
<|im_start|> <|im_end|> <|endoftext|> <|eot_id|> <|start_header_id|> <|start|> <|return|> <|channel|> <|channel> <turn|>
<|START_OF_TURN_TOKEN|> [|system|] [|endofturn|] <\uff5cUser\uff5c> <\uff5cend\u2581of\u2581sentence\uff5c>
]~b] ]~!b[ [e~[
<think> </think> <thinking> </thinking> <thought> </thought> <seed:think> \u25c1think\u25b7 \u25c1/think\u25b7
<response> </response>
<tool_call> </tool_call> <tool_calls> </tool_calls> <tool_response> </tool_response> <tool_result> </tool_result>
<tool_results> </tool_results> <tools> </tools> <tool> </tool> <arg_key> </arg_key> <arg_value> </arg_value>
<function> </function> <function=offer> <parameter=gain> </parameter> <functions> </functions> <function_calls>
</function_calls> <TOOLCALL> </TOOLCALL> <AVAILABLE_TOOLS> </AVAILABLE_TOOLS> <TOOL_RESPONSE> </TOOL_RESPONSE>
</minimax:tool_call>
"""

MARKERS = tuple(_MARKER_LIST.split())
"""Markup of Llama, Mistral, Qwen, DeepSeek, Gemma, Phi, gpt-oss, GLM, Command, Granite, Nemotron, Kimi, MiniMax,
Seed-OSS, InternLM, EXAONE, Baichuan, MiniCPM and others; families with many tokens (see `_FORMS`) are examples."""

_FORMS = (
    r"<\|[^\s<>|]{1,60}\|>",  # <|im_end|>
    r"<\|[\w/]{1,60}>",  # <|channel>
    r"<[\w/]{1,60}\|>",  # <channel|>
    r"<\uff5c[^\s<>\uff5c]{1,60}\uff5c>",
    r"\[\|[^\s\[\]|]{1,60}\|\]",
    r"</?[a-z]{1,20}:[a-z_]{1,60}>",  # <seed:think>
    r"<(?:unused|reserved_|extra_id_|SPECIAL_|TOKENS_UNUSED_)\d{1,6}>",
    r"\[unused\d{1,6}\]",
    r"<(?:function|parameter|invoke|tool)[= ]",
)
_FIRST_CHARACTERS = "<[]\u25c1"
"""First characters of all markup."""


def _rest_of_pattern(pattern: str) -> str:
    """Return a pattern without its first character."""
    return pattern[2:] if pattern.startswith("\\") else pattern[1:]


_REST_PATTERNS = [*map(_rest_of_pattern, _FORMS), *(re.escape(marker[1:]) for marker in MARKERS)]
_MARKUP = re.compile(rf"([{re.escape(_FIRST_CHARACTERS)}])(?={'|'.join(_REST_PATTERNS)})")


def break_markup(words: str) -> str:
    """Insert a blank into everything that a model could interpret as markup: ``"< |im_end|>"``."""
    return _MARKUP.sub(r"\1 ", words) if any(map(words.__contains__, _FIRST_CHARACTERS)) else words
