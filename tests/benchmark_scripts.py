"""Scripts of ``benchmarks/`` as modules."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any


def load_benchmark(name: str) -> Any:
    """Run a script up to its main function, and return it as a module."""
    module = ModuleType(f"benchmark_{name}")
    path = Path(__file__).resolve().parents[1] / "benchmarks" / f"{name}.py"
    SourceFileLoader(module.__name__, str(path)).exec_module(module)
    return module
