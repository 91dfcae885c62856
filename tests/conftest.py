"""What all tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # `toy_games` and `conformance.playing` import in any import mode

settings.register_profile(
    "repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Skips what needs a library that is not installed: programs to read come from Axelrod."""
    try:
        return (yield)
    except ImportError as missing:
        if missing.name != "axelrod":
            raise
        pytest.skip(str(missing))
