"""What sellers say in words, and what a buyer takes from words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from econzoo.envs.games.persuasion import rules

RECOMMENDED, DISCOURAGED, NOTHING = rules.RECOMMEND, rules.DISCOURAGE, rules.SAY
"""Signals as buyers hear them: for the product, against it, and neither (silence, or words that mean neither)."""

FOR = "I recommend this product to you."
AGAINST = "I advise you against this product."

_CANNED = {FOR: RECOMMENDED, AGAINST: DISCOURAGED, "": NOTHING}

_PRAISE = re.compile(
    "recommend|recommended|recommending|buy|buying|high|good|great|excellent|superb|perfect|best|worth|worthwhile"
)
_BLAME = re.compile("low|bad|poor|inferior|worthless|defective|avoid|skip|decline|against|discouraged?|overpriced")
_NEGATION = re.compile(
    "not|no|never|cannot|hardly|without|neither|nor|nothing|[a-z]+n't|cant|dont|wont|isnt|hesitate|doubt|regret"
)
_REACH = 4
"""How many words before a keyword a negation can stand."""

_CLAUSE = re.compile(r"[^.!?;,\n]+[.!?;,\n]?")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def heard(message: Any) -> int:
    """The signal in a message: `RECOMMENDED`, `DISCOURAGED` or `NOTHING`.

    The sentences of scripted sellers are known exactly. Other words are read with caution, clause by clause: words of
    praise and of blame are counted, a negation up to four words before a word of praise turns it into blame (two
    negations undo each other), and a negated blame ("not bad") counts for nothing. Questions are passed over. Only if
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
    clauses = _CLAUSE.findall(message.lower().replace("\u2019", "'"))
    found = {signal for clause in clauses if not clause.endswith("?") for signal in _signals(_WORD.findall(clause))}
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
