"""A reader that counts words: which of two things somebody says, by how often each word was said with either before.

Source: multinomial naive Bayes with one more of each word: McCallum, A. and Nigam, K. (1998), A comparison of event
models for naive Bayes text classification.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

WORD = re.compile(r"[a-z']+")


def words_in(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return WORD.findall(text.lower())


def evidence(first: Iterable[str], second: Iterable[str]) -> Mapping[str, float]:
    """Word to the logarithm of how many times likelier it is said with the first than with the second.

    Args:
        first: Texts that say the first.
        second: Texts that say the second.
    """
    counts = [Counter(word for text in texts for word in words_in(text)) for texts in (first, second)]
    known = sorted(counts[0] | counts[1])
    total = [count.total() + len(known) for count in counts]
    return {word: math.log((counts[0][word] + 1) / total[0] * total[1] / (counts[1][word] + 1)) for word in known}


def log_odds(text: str, word_evidence: Mapping[str, float]) -> float:
    """Evidence of a text for the first: above 0; for the second: below 0. Unknown words count nothing."""
    return sum(word_evidence.get(word, 0.0) for word in words_in(text))
