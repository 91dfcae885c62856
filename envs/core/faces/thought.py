"""Detection of tagged thoughts ahead of answers.

Tags are those of published models and servers: names in angle or square brackets (DeepSeek,
Qwen, Mistral, Seed-OSS, MiniMax, LongCat), tokens and channels (gpt-oss, Gemma, Command A, Apertus, OpenThinker, Kimi,
Solar), case-insensitive. A thought ends with a tag of the family that opened it.
"""

from __future__ import annotations

import re
from operator import itemgetter

MAX_TAG_SIGNS = 1_000
"""Maximum `<` characters of a reply that is searched for tags."""

_MAKER_PREFIX = "(?:[a-z]{1,10}[:_])?"
"""Optional vendor prefix, as in ``<seed:think>``."""

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
"""All tags by family, except those in square brackets; the start of an answer is also an end."""

_BRACKETS = "[think]", "[/think]"

_BARE_CHANNEL, _BARE_FINAL = re.compile(r"\s*+analysis[A-Z]"), "assistantfinal"
"""Remains of gpt-oss channels if special tokens are skipped."""

_OPENING_FRAME = re.compile(r"\s*+<(?:answer|response|final_answer|output)>", re.IGNORECASE)
_CLOSING_FRAME = re.compile(
    r"<(?:/(?:answer|response|final_answer|output|s)|eos|turn\||\|close\|>(?:response|message)<\|sep\|"
    r"|\|(?:return|end|end_message|end_response|end_of_solution|end_of_turn_token|end_of_msg|content_model_end_sampling)\|"
    r"|\|(?:im_end|eot_id|endoftext|end_of_text)\|)>\s*+\Z",
    re.IGNORECASE,
)
"""Tokens that frame an answer."""

_MAX_FRAMES, _MAX_FRAME_LENGTH = 5, 40
"""Maximum framing tokens stripped after the answer, and their maximum length."""


def has_too_many_signs(reply: str) -> bool:
    """Whether a reply has too many `<` to be searched for tags."""
    return reply.count("<") + reply.count("\u25c1") > MAX_TAG_SIGNS


def split_thought(reply: str) -> tuple[str, str]:
    """Split a reply into the part up to the last end of a thought (or empty) and the unframed answer after it."""
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
    """Whether a text opens a thought."""
    return bool(_BARE_CHANNEL.match(text)) or any(not is_end for _, is_end, _ in _tags(text))


def has_tags(text: str) -> bool:
    """Whether a text contains tags that could open or end a thought."""
    return is_thinking(text) or split_thought(text)[1] != text


def _tags(text: str) -> list[tuple[str, bool, int]]:
    """Return (family, is_end, end index) of each tag; of bracket tags, the first and the last end."""
    tags = []
    if ("<" in text or "\u25c1" in text) and not has_too_many_signs(text):
        for mark in _TAG.finditer(text):
            group = mark.lastgroup or ""
            tags.append((group.removesuffix("_end"), group.endswith("_end"), mark.end()))
    if "[" in text:
        small = text.replace("\u0130", "i").lower()  # the only letter whose lower case has two characters
        places = (
            (False, small.find(_BRACKETS[0]), len(_BRACKETS[0])),
            (True, small.rfind(_BRACKETS[1]), len(_BRACKETS[1])),
        )
        tags += [("name", is_end, at + length) for is_end, at, length in places if at >= 0]
        tags.sort(key=itemgetter(2))
    return tags


def _strip_frames(reply: str) -> str:
    """Strip framing tokens after the answer."""
    for _ in range(_MAX_FRAMES):
        bare = reply.rstrip()
        mark = _CLOSING_FRAME.search(bare, max(0, len(bare) - _MAX_FRAME_LENGTH)) if bare.endswith(">") else None
        if not mark:
            break
        reply = bare[: mark.start()]
    return reply
