"""Thoughts that models write between tags before they answer: where they end, and whether they do.

The tags are those of published models and of the servers that run them: names in angle or square brackets (DeepSeek,
Qwen, Mistral, Seed-OSS, MiniMax, LongCat), tokens and channels (gpt-oss, Gemma, Command A, Apertus, OpenThinker, Kimi,
Solar), all in any letters. A thought ends with a tag of the family that opened it.
"""

from __future__ import annotations

import re
from operator import itemgetter

MAX_TAG_SIGNS = 1_000
"""Of those with which tags begin, brackets aside; a reply with more is not searched for tags."""

_MAKER_PREFIX = "(?:[a-z]{1,10}[:_])?"
"""As in ``<seed:think>``."""

_TAG = re.compile(
    rf"""
    [<\u25c1](?:
        (?P<arrow_end> /think\u25b7 )
      | (?P<arrow> think\u25b7 )
      | (?P<name_end> /{_MAKER_PREFIX}(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad)> )
      | (?P<name> {_MAKER_PREFIX}(?:think|thought|reasoning) | (?:reason|reflection|analysis|scratchpad)> )
      | (?P<token_end>
            \|channel\|>\s{{0,9}}final[^<]{{0,99}}(?:<\|constrain\|>[^<]{{0,99}})?<\|message\|>
          | \|(?:end|/think|end_thinking|end_of_thought|inner_suffix|end_message|close\|>think<\|sep)\|>
          | \|(?:start_response|begin_of_solution|content_text|open\|>response<\|sep)\|> | channel\|> )
      | (?P<token>
            \|channel\|?> | \|(?:think|start_thinking|begin_of_thought|inner_prefix|content_thinking)\|>
          | \|open\|>think<\|sep\|> ) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""All tags but those in square brackets, by family; what begins an answer is an end too."""

_BRACKETS = "[think]", "[/think]"

_BARE_CHANNEL, _BARE_FINAL = re.compile(r"\s*+analysis[A-Z]"), "assistantfinal"
"""What is left of the channels of gpt-oss where special tokens are left out."""

_OPENING_FRAME = re.compile(r"\s*+<(?:answer|response|final_answer|output)>", re.IGNORECASE)
_CLOSING_FRAME = re.compile(
    r"<(?:/(?:answer|response|final_answer|output|s)|eos|turn\||\|close\|>(?:response|message)<\|sep\|"
    r"|\|(?:return|end|end_message|end_response|end_of_solution|end_of_turn_token|end_of_msg|content_model_end_sampling)\|"
    r"|\|(?:im_end|eot_id|endoftext|end_of_text)\|)>\s*+\Z",
    re.IGNORECASE,
)
"""What frames an answer."""

_MAX_FRAMES, _MAX_FRAME_LENGTH = 5, 40
"""How many of them behind it are left out, and the characters of one."""


def has_too_many_signs(reply: str) -> bool:
    """Whether a reply is not searched for tags."""
    return reply.count("<") + reply.count("\u25c1") > MAX_TAG_SIGNS


def split_thought(reply: str) -> tuple[str, str]:
    """A reply until the last end of a thought (empty if there is none), and the answer behind it without its frame."""
    reply = _strip_frames(reply)
    if _BARE_CHANNEL.match(reply):
        thought, end, answer = reply.rpartition(_BARE_FINAL)
        return thought + end, answer
    start, family = 0, ""
    for kind, is_end, place in _tags(reply):
        if not is_end:
            family = family or kind
        elif family in ("", kind):
            start, family = place, ""
    mark = _OPENING_FRAME.match(reply, start)
    return reply[:start], reply[mark.end() if mark else start :]


def is_thinking(text: str) -> bool:
    """Whether a thought is opened in a text."""
    return bool(_BARE_CHANNEL.match(text)) or any(not is_end for _, is_end, _ in _tags(text))


def has_tags(text: str) -> bool:
    """Whether a text that is quoted in a reply could be read as one that opens or ends a thought."""
    return is_thinking(text) or split_thought(text)[1] != text


def _tags(text: str) -> list[tuple[str, bool, int]]:
    """Family of each tag, whether it is an end, and where it ends; of tags in brackets the first and the last end."""
    found = []
    if ("<" in text or "\u25c1" in text) and not has_too_many_signs(text):
        for mark in _TAG.finditer(text):
            group = mark.lastgroup or ""
            found.append((group.removesuffix("_end"), group.endswith("_end"), mark.end()))
    if "[" in text:
        small = text.replace("\u0130", "i").lower()  # the only letter that becomes two
        places = (
            (False, small.find(_BRACKETS[0]), len(_BRACKETS[0])),
            (True, small.rfind(_BRACKETS[1]), len(_BRACKETS[1])),
        )
        found += [("name", is_end, at + length) for is_end, at, length in places if at >= 0]
        found.sort(key=itemgetter(2))
    return found


def _strip_frames(reply: str) -> str:
    """A reply without what stands behind its answer."""
    for _ in range(_MAX_FRAMES):
        bare = reply.rstrip()
        mark = _CLOSING_FRAME.search(bare, max(0, len(bare) - _MAX_FRAME_LENGTH)) if bare.endswith(">") else None
        if not mark:
            break
        reply = bare[: mark.start()]
    return reply
