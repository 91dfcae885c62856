"""Bag-of-words classifier of two classes of texts.

Source: multinomial naive Bayes with add-one smoothing: McCallum, A. and Nigam, K. (1998), A comparison of event
models for naive Bayes text classification.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

WORD = re.compile(r"[a-z']+")


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return WORD.findall(text.lower())


def evidence(first: Iterable[str], second: Iterable[str]) -> Mapping[str, float]:
    """Return the log-likelihood ratio of each word between two classes; above 0 speaks for the first."""
    counts = [Counter(word for text in texts for word in words_in(text)) for texts in (first, second)]
    known = sorted(counts[0] | counts[1])
    total = [count.total() + len(known) for count in counts]
    return {word: math.log((counts[0][word] + 1) / total[0] * total[1] / (counts[1][word] + 1)) for word in known}


def log_odds(text: str, word_evidence: Mapping[str, float]) -> float:
    """Return the evidence for the first class (above 0) or the second (below 0); unknown words count 0."""
    return sum(word_evidence.get(word, 0.0) for word in words_in(text))
