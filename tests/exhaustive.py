"""Which cases of a test are run by default; the others are left to ``.ci/run --long``.

A test keeps all its cases: those that stand for a kind of their own by default, and the rest with the mark `long`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import settings


def long_unless(chosen: Callable[..., bool], cases: Iterable[Any], mark: str = "long") -> list[Any]:
    """The cases for `pytest.mark.parametrize`, marked `long` where `chosen` says no.

    Args:
        chosen: Takes the values of one case.
        cases: Values, or tuples of values where there are several names.
        mark: Another mark, such as ``slow``.
    """
    every = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [pytest.param(*case, marks=[] if chosen(*case) else getattr(pytest.mark, mark)) for case in every]


def examples(by_default: int) -> settings:
    """Settings of a property that is tried on so many examples by default, and seven times as many otherwise."""
    usual, now = settings.get_profile("repeatable").max_examples, settings.default.max_examples
    return settings(max_examples=by_default * now // usual)
