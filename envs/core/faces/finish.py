"""Finish reasons of replies: completed, truncated at the token limit, filtered or refused.

The missing part of a truncated reply might have changed the answer, so it counts at once only if it is exactly one
complete answer. Otherwise the model gets feedback and a retry; after the last retry a complete answer in it counts
(discarding a finished program for the prose after it would be wrong). A truncated answer never counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.faces.parse import Reply, read_reply, regions

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Legal
    from econzoo.envs.core.faces.prompts import Prompts
    from econzoo.envs.core.faces.wording import Wording

LENGTH, THOUGHT, FILTER, REFUSAL, REASONING = "length", "thought", "content_filter", "refusal", "reasoning"
RECITATION, MALFORMED = "recitation", "malformed_call"

FINISHES = {
    LENGTH: "it was cut at its limit of tokens",
    THOUGHT: "it was cut at its limit of tokens before an answer began, while the model still thought",
    FILTER: "a content filter of the provider withheld it, or its question",
    REFUSAL: "the provider says that it is a refusal",
    REASONING: "its server gave all of it as thoughts and none as text",
    RECITATION: "the provider withheld it twice, as the text of a source",
    MALFORMED: "the provider could not read it twice, as the call of a tool",
}
"""Finish reasons other than completion, with their feedback texts."""

TIMEOUT, LEFT, BROKEN = "timeout", "left", "broken"

NO_REPLY_REASONS = {
    TIMEOUT: "no answer came within {limit} seconds",
    LEFT: "the person has left the match",
    BROKEN: "the player failed and gave no answer",
}
"""Reasons for a missing reply, with their texts; there are no retries."""

CUT, THINKING, FILTERED, IN_REASONING = "cut", "thinking", "filtered", "in_reasoning"

NO_REPLY_CODES = (CUT, FILTERED, REFUSAL, "empty", THINKING, IN_REASONING)
"""Codes of invalid answers without a complete reply."""

FINISH_TEMPLATES = {
    CUT: "format.cut",
    THINKING: "format.cut_thought",
    FILTERED: "format.filtered",
    REFUSAL: "format.refusal",
}
"""Error code to feedback template, for incomplete replies."""

_CODE_OF_FINISH = {
    THOUGHT: THINKING,
    FILTER: FILTERED,
    RECITATION: FILTERED,
    REFUSAL: REFUSAL,
    REASONING: IN_REASONING,
    MALFORMED: "bad_json",
}

UNREADABLE_CALL = Invalid("bad_json", "the reply is a call that cannot be read; answer with text, without calls")
NO_TEXT = Invalid(IN_REASONING, "the reply has no text: all of it is reasoning; end the reasoning, and answer after it")
_FENCED_BLOCK = re.compile(r"(`{3,}|~{3,})[\w+-]*[ \t]*\n(?:(?!`{3}|~{3}).*\n)*\1")


def no_reply_error(reply: Any) -> Invalid | None:
    """Return why a reply is missing, or None."""
    code = reply.finish if isinstance(reply, Reply) else ""
    return Invalid(code, NO_REPLY_REASONS[code].format(limit=reply.limit)) if code in NO_REPLY_REASONS else None


def check_finish(reply: Any, texts: Prompts) -> Invalid | None:
    """Return what is wrong with a reply because of its finish reason, or None."""
    code = _finish_code(reply) if isinstance(reply, Reply) else ""
    if code in NO_REPLY_REASONS:
        return no_reply_error(reply)
    if code == IN_REASONING:
        return NO_TEXT
    if code == UNREADABLE_CALL.code:
        return UNREADABLE_CALL
    return Invalid(code, texts[FINISH_TEMPLATES[code]].format(limit=reply.limit)) if code else None


def _finish_code(reply: Reply) -> str:
    if reply.finish != LENGTH:
        return reply.finish if reply.finish in NO_REPLY_REASONS else _CODE_OF_FINISH.get(reply.finish, "")
    if reply.is_too_long:
        return CUT
    return "" if _is_one_answer(reply.answer.strip()) else THINKING if reply.is_thinking else CUT


def _is_one_answer(text: str) -> bool:
    """Whether a text is exactly one complete object or fenced block."""
    if not text.startswith("{"):
        return _FENCED_BLOCK.fullmatch(text) is not None
    spans = regions(text)
    return not isinstance(spans, Invalid) and len(spans) == 1 and spans[0].end == len(text)


def find_cut_move(reply: Any, words: Wording, legal: Legal) -> Any:
    """Return the move in a truncated reply if its answer is complete, else None.

    Answers in sentences do not count, because their number may be truncated.
    """
    if not isinstance(reply, Reply) or reply.finish != LENGTH or reply.is_too_long:
        return None
    plain = reply.object if words.is_plain else reply.search_object(words.repair_numbers)
    if words.actions.source is None:
        move = plain if isinstance(plain, Invalid) else read_reply(reply, words, legal)
    else:
        key, mark = words.actions.source
        source = mark.find_in_cut_reply(reply) if mark.find_in_cut_reply else None
        move = words.actions.parse(plain if source is None else {key: source}, legal)
    return None if isinstance(move, Invalid) else move
