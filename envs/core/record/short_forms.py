"""Distinct short forms of texts, for labels of tables and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import takewhile

from econzoo.envs.core.contract.validation import clean

ELLIPSIS = "…"


def elide(text: str, length: int) -> str:
    """Shorten a text to one line of a length, keeping beginning and end.

    The result has no control or bidirectional characters.
    """
    text = " ".join(clean(text).split())
    if len(text) <= length:
        return text
    end = (length - 1) // 2
    return f"{text[: length - 1 - end]}{ELLIPSIS}{text[len(text) - end :]}"


def distinct_short_forms(texts: Iterable[str], length: int) -> dict[str, str]:
    """Shorten texts to a length such that no two are equal.

    Texts that fit are unchanged. Others are elided (`elide`), or, if ambiguous, reduced to the part where they first
    differ; texts that look the same are numbered.

    Args:
        texts: Texts to shorten.
        length: Maximum characters of a short form, >= 16.
    """
    every = sorted(set(texts))
    choices = {}
    for at, text in enumerate(every):
        tag = f" ({at + 1})"
        forms = elide(text, length), _difference(every, at, length), elide(text, length - len(tag)) + tag
        choices[text] = list(dict.fromkeys(forms))
    return distinct_forms(choices, [text for text in every if choices[text][0] == text])


def _difference(every: Sequence[str], at: int, length: int) -> str:
    """Return the beginning of a sorted text and the part from where it differs from its neighbours."""
    text = every[at]
    beside = [*every[at - 1 : at], *every[at + 1 : at + 2]]
    begin = max((_common_prefix_length(text, other) for other in beside), default=0)
    head = length // 3
    part = elide(text[max(begin - 4, 0) :][: 2 * length], 3 * length)
    return f"{elide(text[:head], head)}{ELLIPSIS}{part[: length - head - 2]}{ELLIPSIS}"


def _common_prefix_length(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def distinct_forms(choices: Mapping[str, Sequence[str]], kept_names: Collection[str] = ()) -> dict[str, str]:
    """Choose the best form of each name such that no two are equal, given distinct last forms.

    Args:
        choices: Name to its forms, best first.
        kept_names: Names that keep their best forms if others can change.
    """
    level = dict.fromkeys(choices, 0)
    while True:
        shown = {name: choices[name][at] for name, at in level.items()}
        count = Counter(shown.values())
        able = [name for name in choices if count[shown[name]] > 1 and level[name] + 1 < len(choices[name])]
        if not able:
            return shown
        for name in [name for name in able if name not in kept_names] or able:
            level[name] += 1
