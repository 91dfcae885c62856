"""Modules that tests import when they run: collecting all tests imports no torch, in none of several processes."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """A module that is imported when something is first taken from it.

    Args:
        name: Of the module.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks whether it is a test
            raise AttributeError(name)
        return getattr(import_module(self._name), name)
