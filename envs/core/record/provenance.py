"""Provenance of folders and pages: command and package version."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import version
from typing import NamedTuple

_COMMAND_WORDS: ContextVar[Sequence[str]] = ContextVar("words", default=())

_ADDRESS = re.compile(r"@?\b[A-Za-z][\w+.-]*://[^\s?'\"]*")
"""Server address, in a spec or alone; its query holds options."""


_USER = re.compile(r"(?<=://)[^\s/?#'\"@]*@|(?<=://)[^\s/?#'\":@]+:[^\s/?#'\"]*?(?=\.\.\.)")
"""User part of an address, up to ``@``, or to the end in truncated messages."""

_KEY = re.compile(r"([?&;][\w.-]*(?:key|token|secret|passw|auth|sig)[\w.-]*=)[^&;\s'\"]*", re.IGNORECASE)
"""Query parameter whose name indicates a secret."""


class Provenance(NamedTuple):
    """Command and version that created something.

    Attributes:
        command: Command line without server addresses; empty: Python API.
        version: Version of the package.
    """

    command: str
    version: str


@contextmanager
def record_command(words: Sequence[str]) -> Iterator[None]:
    """Context manager that sets the current command.

    Args:
        words: Command line, including the program.
    """
    token = _COMMAND_WORDS.set(words)
    try:
        yield
    finally:
        _COMMAND_WORDS.reset(token)


def strip_addresses(text: str) -> str:
    """Remove server addresses from a text."""
    return _ADDRESS.sub("", text)


def strip_secrets(text: str) -> str:
    """Remove user names, passwords and keys from server addresses, but keep options of specs."""
    return _KEY.sub(r"\1...", _USER.sub("", text))


def current_provenance() -> Provenance:
    """Return the current provenance."""
    return Provenance(shlex.join(strip_addresses(word) for word in _COMMAND_WORDS.get()), version("econzoo"))
