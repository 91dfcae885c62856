"""What made a folder or a page: the command that is running, and the version of the package."""

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
"""Of a server, as it stands in a spec or by itself; what follows its question mark are options."""


_USER = re.compile(r"(?<=://)[^\s/?#'\"@]*@|(?<=://)[^\s/?#'\":@]+:[^\s/?#'\"]*?(?=\.\.\.)")
"""Of an address: who asks, up to the ``@``; where a message was cut before it, all that is left of it."""

_KEY = re.compile(r"([?&;][\w.-]*(?:key|token|secret|passw|auth|sig)[\w.-]*=)[^&;\s'\"]*", re.IGNORECASE)
"""A part of a query whose name says that it is a secret."""


class Provenance(NamedTuple):
    """What made something.

    Attributes:
        command: As it is typed, without the addresses of servers; empty: no command, but Python.
        version: Of the package.
    """

    command: str
    version: str


@contextmanager
def record_command(words: Sequence[str]) -> Iterator[None]:
    """While a command runs.

    Args:
        words: Of the command line, the program first.
    """
    token = _COMMAND_WORDS.set(words)
    try:
        yield
    finally:
        _COMMAND_WORDS.reset(token)


def strip_addresses(text: str) -> str:
    """A text of others without the addresses of servers in it."""
    return _ADDRESS.sub("", text)


def strip_secrets(text: str) -> str:
    """A text without user names, passwords and keys in the addresses of servers; options of a spec stay."""
    return _KEY.sub(r"\1...", _USER.sub("", text))


def current_provenance() -> Provenance:
    """What makes whatever is written now."""
    return Provenance(shlex.join(strip_addresses(word) for word in _COMMAND_WORDS.get()), version("econzoo"))
