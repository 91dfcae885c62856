"""What sellers say in words, and what a buyer takes from words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract.validation import Invalid, short_repr
from econzoo.envs.core.faces.parse import find_object
from econzoo.envs.games.persuasion import rules

RECOMMENDED, DISCOURAGED, NOTHING = rules.RECOMMEND, rules.DISCOURAGE, rules.SAY
"""Signals as buyers hear them: for the product, against it, and neither (silence, or words that mean neither)."""

RECOMMENDATION = "I recommend this product to you."
DISCOURAGEMENT = "I advise you against this product."

READING = "reading"
"""Purpose, as records name it, of a call that reads words."""

SIGNALS = {"recommends": RECOMMENDED, "advises against": DISCOURAGED, "says neither": NOTHING}
"""The answers."""

_CANNED = {RECOMMENDATION: RECOMMENDED, DISCOURAGEMENT: DISCOURAGED, "": NOTHING}

_PRAISE = re.compile(
    "recommend|recommended|recommending|buy|buying|high|good|great|excellent|superb|perfect|best|worth|worthwhile"
)
_BLAME = re.compile("low|bad|poor|inferior|worthless|defective|avoid|skip|decline|against|discouraged?|overpriced")
_NEGATION = re.compile(
    "not|no|never|cannot|hardly|without|neither|nor|nothing|[a-z]+n't|cant|dont|wont|isnt|hesitate|doubt|regret"
)
_REACH = 4
"""How many words before a keyword a negation can stand."""

_GREETING = re.compile(r"\bgood (?:day|morning|afternoon|evening)\b")
_UNSURE = re.compile(
    r"\d\s*%|\bout of\b|\b\d+ of \d+\b"
    r"|\b(?:percent|average|rate|ratio|odds|chances?|probability|probably|likelihood|likely|potential|potentially"
    r"|maybe|perhaps|might|may|could|possibly|gamble|sold|sales|previous|previously|past|history|historically|so far)\b"
)
"""Of how often something is so, of what may be, and of what was before: a sentence with such words says nothing
sure of this product."""

_SENTENCE = re.compile(r"(?:[^.!?\n]|(?<=\d)\.(?=\d))+[.!?\n]?")
_CLAUSE = re.compile(r"[^.!?;,\n]+[.!?;,\n]?")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def detect_signal(message: Any) -> int:
    """The signal in a message: `RECOMMENDED`, `DISCOURAGED` or `NOTHING`.

    The sentences of scripted sellers are known exactly. Other words are read with caution, clause by clause: words of
    praise and of blame are counted, a negation up to four words before a word of praise turns it into blame (two
    negations undo each other), and a negated blame ("not bad") counts for nothing. Greetings, questions, and sentences
    of chances, of what may be and of products sold before are passed over: they do not say what this one is. Only if
    all that was found points the same way it is a signal. The reading is English and knows no irony.

    Args:
        message: Whatever stands in the place of a message; what is no text is no signal.
    """
    if not isinstance(message, str):
        return NOTHING
    signal = _CANNED.get(message)
    return _read(message) if signal is None else signal


@lru_cache(maxsize=1024)
def _read(message: str) -> int:
    sentences = _SENTENCE.findall(_GREETING.sub("", message.lower().replace("\u2019", "'")))
    sure = [one for one in sentences if not one.endswith("?") and not _UNSURE.search(one)]
    found = {signal for one in sure for clause in _CLAUSE.findall(one) for signal in _signals(_WORD.findall(clause))}
    return found.pop() if len(found) == 1 else NOTHING


def _signals(words: list[str]) -> set[int]:
    """The signals of the keywords in one clause."""
    out = set()
    for place, word in enumerate(words):
        praise = _PRAISE.fullmatch(word)
        if praise or _BLAME.fullmatch(word):
            negated = sum(_NEGATION.fullmatch(w) is not None for w in words[max(0, place - _REACH) : place]) % 2
            if praise:
                out.add(DISCOURAGED if negated else RECOMMENDED)
            elif not negated:
                out.add(DISCOURAGED)
    return out


def needs_reader(words: str) -> bool:
    """Whether these are words whose meaning is not known exactly."""
    return words not in _CANNED


# What a language model has read


def signal_in(reply: str) -> int | Invalid:
    """The signal of an answer with one JSON object, or what is wrong with it."""
    found = find_object(reply)
    if isinstance(found, Invalid):
        return found
    if list(found) != ["signal"]:
        return Invalid("missing_key", 'it needs the key "signal" and no other')
    said = found["signal"]
    if isinstance(said, str) and said in SIGNALS:
        return SIGNALS[said]
    return Invalid("out_of_range", f"the signal {short_repr(said)} is not allowed; allowed: {', '.join(SIGNALS)}")


def recorded_signal(calls: Iterable[Mapping[str, Any]]) -> int | None:
    """The signal that a buyer's reader took from the seller's words, by the calls of its turn; None: none was asked."""
    replies = [call["reply"] for call in calls if call["purpose"] == READING]
    if not replies:
        return None
    found = signal_in(replies[-1])
    return NOTHING if isinstance(found, Invalid) else found
