"""How a reply ended, as far as whoever made it says: by itself, cut at its limit of tokens, withheld, or refused.

What was cut away might have changed the answer. So a cut reply counts at once only where it is nothing but one whole
answer. Otherwise the model is told, and asked again; when nobody is asked again, a whole answer in it stands: to throw
a finished program away for the prose behind it would be wrong too. An answer that was itself cut never counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.objects import regions
from econzoo.envs.core.faces.parse import Reply, read_reply

if TYPE_CHECKING:
    from econzoo.envs.core.contract.moves import Legal
    from econzoo.envs.core.faces.prompts import Prompts
    from econzoo.envs.core.faces.wording import Wording

LENGTH, THOUGHT, FILTER, REFUSAL, REASONING = "length", "thought", "content_filter", "refusal", "reasoning"

FINISHES = {
    LENGTH: "it was cut at its limit of tokens",
    THOUGHT: "it was cut at its limit of tokens before an answer began, while the model still thought",
    FILTER: "a content filter of the provider withheld it, or its question",
    REFUSAL: "the provider says that it is a refusal",
    REASONING: "its server gave all of it as thoughts and none as text",
}
"""How a reply can end otherwise than by itself."""

TIMEOUT, LEFT, BROKEN = "timeout", "left", "broken"

NO_REPLY_REASONS = {
    TIMEOUT: "no answer came within {limit} seconds",
    LEFT: "the person has left the match",
    BROKEN: "the player failed and gave no answer",
}
"""What stands in the place of a reply where there is none, and what is told of it; nobody is asked again."""

CUT, THINKING, FILTERED, IN_REASONING = "cut", "thinking", "filtered", "in_reasoning"

NO_REPLY_CODES = (CUT, FILTERED, REFUSAL, "empty", THINKING, IN_REASONING)
"""Codes of unusable answers that say that there was no whole reply; everything else is wrong with what was replied."""

FINISH_TEMPLATES = {
    CUT: "format.cut",
    THINKING: "format.cut_thought",
    FILTERED: "format.filtered",
    REFUSAL: "format.refusal",
}
"""Code to the template that tells the model of it, for replies that did not end by themselves."""

_CODE_OF_FINISH = {THOUGHT: THINKING, FILTER: FILTERED, REFUSAL: REFUSAL, REASONING: IN_REASONING}

NO_TEXT = Invalid(IN_REASONING, "the reply has no text: all of it is reasoning; end the reasoning, and answer after it")
_FENCED_BLOCK = re.compile(r"(`{3,}|~{3,})[\w+-]*[ \t]*\n(?:(?!`{3}|~{3}).*\n)*\1")


def no_reply_error(reply: Any) -> Invalid | None:
    """Why there is no reply, where something stands in its place that says so; else None."""
    code = reply.finish if isinstance(reply, Reply) else ""
    return Invalid(code, NO_REPLY_REASONS[code].format(limit=reply.limit)) if code in NO_REPLY_REASONS else None


def check_finish(reply: Any, texts: Prompts) -> Invalid | None:
    """What is wrong with a reply because of how it ended; None: it can be read like any other.

    Args:
        reply: As it came.
        texts: Those of `TEXTS` among them.
    """
    code = _finish_code(reply) if isinstance(reply, Reply) else ""
    if code in NO_REPLY_REASONS:
        return no_reply_error(reply)
    if code == IN_REASONING:
        return NO_TEXT
    return Invalid(code, texts[FINISH_TEMPLATES[code]].format(limit=reply.limit)) if code else None


def _finish_code(reply: Reply) -> str:
    if reply.finish != LENGTH:
        return reply.finish if reply.finish in NO_REPLY_REASONS else _CODE_OF_FINISH.get(reply.finish, "")
    if reply.is_too_long:
        return CUT
    return "" if _is_one_answer(reply.answer.strip()) else THINKING if reply.is_thinking else CUT


def _is_one_answer(text: str) -> bool:
    """Whether a text is nothing but one object, or one fenced block, that is closed."""
    if not text.startswith("{"):
        return _FENCED_BLOCK.fullmatch(text) is not None
    found = regions(text)
    return not isinstance(found, Invalid) and len(found) == 1 and found[0].end == len(text)


def find_cut_move(reply: Any, words: Wording, legal: Legal) -> Any:
    """The move in a reply that was cut, where the answer in it is whole; None: there is none.

    An answer in a sentence is none: its number may have been cut.

    Args:
        reply: As it came.
        words: Those in which the seat answers.
        legal: What the seat may do now.
    """
    if not isinstance(reply, Reply) or reply.finish != LENGTH or reply.is_too_long:
        return None
    plain = reply.object if words.is_plain else reply.search_object(words.repair_numbers)
    if words.actions.source is None:
        found = plain if isinstance(plain, Invalid) else read_reply(reply, words, legal)
    else:
        key, mark = words.actions.source
        whole = mark.find_in_cut_reply(reply) if mark.find_in_cut_reply else None
        found = words.actions.parse(plain if whole is None else {key: whole}, legal)
    return None if isinstance(found, Invalid) else found
