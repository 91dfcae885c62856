"""Errors and lines as tests hold them: their class and the values that they name, so that their words can change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def says(text: object, *named: object) -> None:
    """Holds a text to naming each value as a word or a number of its own: 2 is neither in 12 nor in 2.5.

    Args:
        text: What is read, or an exception.
        named: What was wrong, and what is allowed.
    """
    missing = [
        str(one) for one in named if not re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(str(one))}(?!\w|[.,]\d)", str(text))
    ]
    assert not missing, f"{missing} not named in: {text}"


@contextmanager
def refuses(
    kind: type[BaseException] | tuple[type[BaseException], ...], *named: object
) -> Iterator[pytest.ExceptionInfo]:
    """Holds a block to an error of this class that names each value, as `says` does; a failure tells the case."""
    try:
        with pytest.raises(kind) as told:
            yield told
    except BaseException as other:
        other.add_note(f"of the case of {named}")
        raise
    says(told.value, *named)
