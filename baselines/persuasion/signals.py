"""Signals in sellers' messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract import Invalid, short_repr
from econzoo.envs.core.faces import find_object
from econzoo.envs.games.persuasion import rules

RECOMMENDED, DISCOURAGED, NOTHING = rules.RECOMMEND, rules.DISCOURAGE, rules.SAY
"""Signals for the product, against it, and neither (silence, or other messages)."""

RECOMMENDATION = "I recommend this product to you."
DISCOURAGEMENT = "I advise you against this product."

READING = "reading"
"""Purpose of a classification call in records."""

SIGNALS = {"recommends": RECOMMENDED, "advises against": DISCOURAGED, "says neither": NOTHING}
"""Signals by answer."""

_CANNED = {RECOMMENDATION: RECOMMENDED, DISCOURAGEMENT: DISCOURAGED, "": NOTHING}

_PRAISE = re.compile(
    "recommend|recommended|recommending|buy|buying|high|good|great|excellent|superb|perfect|best|worth|worthwhile"
)
_BLAME = re.compile("low|bad|poor|inferior|worthless|defective|avoid|skip|decline|against|discouraged?|overpriced")
_NEGATION = re.compile(
    "not|no|never|cannot|hardly|without|neither|nor|nothing|[a-z]+n't|cant|dont|wont|isnt|hesitate|doubt|regret"
)
_REACH = 4
"""Maximum number of words from a negation to a keyword."""

_GREETING = re.compile(r"\bgood (?:day|morning|afternoon|evening)\b")
_UNSURE = re.compile(
    r"\d\s*%|\bout of\b|\b\d+ of \d+\b"
    r"|\b(?:percent|average|rate|ratio|odds|chances?|probability|probably|likelihood|likely|potential|potentially"
    r"|maybe|perhaps|might|may|could|possibly|gamble|sold|sales|previous|previously|past|history|historically|so far)\b"
)
"""Words about frequencies, possibilities and the past: sentences with them do not commit to this product's quality."""

_SENTENCE = re.compile(r"(?:[^.!?\n]|(?<=\d)\.(?=\d))+[.!?\n]?")
_CLAUSE = re.compile(r"[^.!?;,\n]+[.!?;,\n]?")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def detect_signal(message: Any) -> int:
    """Return the signal of a message: `RECOMMENDED`, `DISCOURAGED` or `NOTHING`.

    Sentences of scripted sellers are matched exactly. Other messages are classified conservatively by clause: words of
    praise and blame count, a negation up to four words ahead of praise makes it blame (two negations cancel), and
    negated blame ("not bad") is ignored. Greetings, questions, and sentences about frequencies, possibilities and
    earlier products are skipped. All evidence must agree. The classifier is for English and ignores irony.
    """
    if not isinstance(message, str):
        return NOTHING
    signal = _CANNED.get(message)
    return _read(message) if signal is None else signal


@lru_cache(maxsize=1024)
def _read(message: str) -> int:
    # Models often write typographic apostrophes, which contractions need as ASCII.
    sentences = _SENTENCE.findall(_GREETING.sub("", message.lower().replace("\u2019", "'")))
    sure = [one for one in sentences if not one.endswith("?") and not _UNSURE.search(one)]
    signals = {signal for one in sure for clause in _CLAUSE.findall(one) for signal in _signals(_WORD.findall(clause))}
    return signals.pop() if len(signals) == 1 else NOTHING


def _signals(words: list[str]) -> set[int]:
    """Return the signals of the keywords in a clause."""
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
    """Whether a message is not one of the fixed sentences."""
    return words not in _CANNED


# Classifications of a language model


def signal_in(reply: str) -> int | Invalid:
    """Parse the signal of an answer with one JSON object, or return what is invalid."""
    fields = find_object(reply)
    if isinstance(fields, Invalid):
        return fields
    if list(fields) != ["signal"]:
        return Invalid("missing_key", 'it needs the key "signal" and no other')
    signal = fields["signal"]
    if isinstance(signal, str) and signal in SIGNALS:
        return SIGNALS[signal]
    return Invalid("out_of_range", f"the signal {short_repr(signal)} is not allowed; allowed: {', '.join(SIGNALS)}")


def recorded_signal(calls: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the signal recorded in the calls of a buyer's turn; None without a classification."""
    replies = [call["reply"] for call in calls if call["purpose"] == READING]
    if not replies:
        return None
    signal = signal_in(replies[-1])
    return NOTHING if isinstance(signal, Invalid) else signal
