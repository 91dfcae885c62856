"""How the loops over many games run in a test: compiled, as for users, or as Python, which plays the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_AS_PYTHON: dict[Any, Any] = {}


@contextmanager
def loops_compiled(yes: bool) -> Iterator[None]:
    """Compiles the loops of games that are made in the block, or runs them as Python.

    Args:
        yes: Whether they are compiled; nothing that was compiled before is used then.
    """
    numba, compiling = (pytest.importorskip(name) for name in ("numba", "econzoo.envs.core.vector.compiling"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", str(int(not yes)))  # of processes that are started
        patch.setattr(numba.config, "DISABLE_JIT", int(not yes))
        patch.setattr(compiling, "_COMPILED_GAMES", {} if yes else _AS_PYTHON)
        yield
