"""Provenance of records, trainings, folders and pages: versions of package and libraries, commit, command."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import PACKAGE
from econzoo.envs.core.contract import parse_json

_COMMAND_WORDS: ContextVar[Sequence[str]] = ContextVar("words", default=())

_ADDRESS = re.compile(r"@?\b[A-Za-z][\w+.-]*://[^\s?'\"]*")
"""Server address, in a spec or alone; its query holds options."""


_USER = re.compile(r"(?<=://)[^\s/?#'\"@]*@|(?<=://)[^\s/?#'\":@]+:[^\s/?#'\"]*?(?=\.\.\.)")
"""User part of an address, up to ``@``, or to the end in truncated messages."""

_KEY = re.compile(r"([?&;][\w.-]*(?:key|token|secret|passw|auth|sig)[\w.-]*=)[^&;\s'\"]*", re.IGNORECASE)
"""Query parameter whose name indicates a secret."""


COMMIT_LENGTH = 12
"""Hexadecimal digits of a commit."""

GIT_SECONDS = 5
"""Timeout of git; the commit is then unknown."""


class Software(NamedTuple):
    """Software that made a record, a policy or another file.

    Attributes:
        commit: Its commit, with ``-dirty`` if its checkout had uncommitted changes; empty: unknown.
    """

    version: str
    commit: str = ""
    libraries: Mapping[str, str] = {}

    def to_plain(self) -> dict[str, Any]:
        """Return the known values for a file."""
        values = {**self._asdict(), "libraries": dict(self.libraries)}
        return {name: value for name, value in values.items() if value}

    @property
    def of_package(self) -> Software:
        """The same without libraries."""
        return self._replace(libraries={})

    def __str__(self) -> str:
        package = f"EconZoo {self.version}" + (f" (commit {self.commit})" if self.commit else "")
        return ", ".join([package, *(f"{name} {one}" for name, one in self.libraries.items())])


def is_software(value: Any) -> bool:
    """Whether a value is `Software` in plain form."""
    if not isinstance(value, dict) or not {"version"} <= value.keys() <= {*Software._fields}:
        return False
    libraries = value.get("libraries", {})
    texts = value["version"], value.get("commit", "")
    return isinstance(libraries, dict) and all(isinstance(one, str) for one in (*texts, *libraries.values()))


@cache
def current_software(*libraries: str) -> Software:
    """Return the present software; computed once per process. Libraries that are not installed are omitted."""
    from importlib.metadata import PackageNotFoundError, version  # slow import

    found = {}
    for name in sorted({one.replace("_", "-") for one in libraries}):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return Software(sys.modules[PACKAGE].__version__, package_commit(), found)


@cache
def package_commit() -> str:
    """Return the commit of the installed package (PEP 610) or of its checkout; empty if unknown."""
    from importlib.metadata import PackageNotFoundError, distribution

    with suppress(PackageNotFoundError, ValueError, AttributeError):
        origin = parse_json(distribution(PACKAGE).read_text("direct_url.json") or "{}")
        if commit := origin.get("vcs_info", {}).get("commit_id"):
            return str(commit)[:COMMIT_LENGTH]
    return checkout_commit(Path(__file__).resolve())


def checkout_commit(file: Path) -> str:
    """Return the commit of the checkout that tracks a file, ``-dirty`` after changes; empty without one."""
    # Inside a hook these variables name the repository of the hook.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}

    def git(*words: str) -> str:
        call = ["git", "-C", str(file.parent), *words]
        made = subprocess.run(
            # Without locks, so that asking never blocks a git command of the user.
            call,
            env={**environment, "GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            timeout=GIT_SECONDS,
            check=True,
        )
        return made.stdout.decode().strip()

    with suppress(OSError, subprocess.SubprocessError, UnicodeDecodeError):
        git("ls-files", "--error-unmatch", file.name)  # an environment may lie inside another project's checkout
        # No tag matches, so that the description is the commit.
        return git("describe", "--always", "--dirty", f"--abbrev={COMMIT_LENGTH}", "--exclude=*")
    return ""


class Provenance(NamedTuple):
    """Command line without server addresses (empty: Python API) and `Software` that created something."""

    command: str
    version: str
    commit: str = ""
    libraries: Mapping[str, str] = {}

    @property
    def software(self) -> Software:
        return Software(*self[1:])


def distinct_provenance(found: Iterable[Provenance]) -> list[Provenance]:
    """Return each provenance once, in order."""
    distinct: list[Provenance] = []
    for one in found:
        if one not in distinct:
            distinct.append(one)
    return distinct


@contextmanager
def record_command(words: Sequence[str]) -> Iterator[None]:
    """Context manager that sets the current command line, including the program."""
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


def current_provenance(*libraries: str) -> Provenance:
    """Return the current provenance; see `current_software`."""
    words = shlex.join(strip_addresses(word) for word in _COMMAND_WORDS.get())
    return Provenance(words, *current_software(*libraries))
