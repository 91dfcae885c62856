"""Libraries that come with extras of this package, and what is said where one of them is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module

PACKAGE = "econzoo"

DISTRIBUTIONS = {"PIL": "pillow", "yaml": "pyyaml", "inspect_ai": "inspect-ai", "pyspiel": "open_spiel"}
"""Imports whose distribution has another name than they."""


class MissingLibraryError(ImportError):
    """A library of an extra is not installed; the message says what needs it and how to get it."""


@contextmanager
def explain_missing_library(what: str, extra: str = "") -> Iterator[None]:
    """Says what a library is needed for, and how to get it, if an import within fails for lack of it.

    Args:
        what: Begins the sentence, for example ``"the report"``.
        extra: That brings all that is needed; empty: the smallest one with the library that is missing.

    Raises:
        MissingLibraryError: Instead of the error of the import, which stays its cause.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing_library_error(error, what, extra) from error


def require_libraries(what: str, *libraries: str, extra: str = "") -> None:
    """Imports libraries, to know before a long work begins that they are there; see `explain_missing_library`."""
    with explain_missing_library(what, extra):
        for library in libraries:
            import_module(library)


def missing_library_error(error: ModuleNotFoundError, what: str = "this", extra: str = "") -> ImportError:
    """The error that says more; the same one if it is a module of this package that is missing."""
    library = (error.name or PACKAGE).partition(".")[0]
    return (
        error
        if library == PACKAGE
        else MissingLibraryError(missing_library_message(what, library, extra), name=library)
    )


def missing_library_message(what: str, library: str, extra: str = "") -> str:
    """``"report needs the library pandas; install it with: pip install 'econzoo[evaluate]'"``."""
    extra = extra or find_extra(library)
    how = f"; install it with: pip install '{PACKAGE}[{extra}]'" if extra else ""
    return f"{what} needs the library {DISTRIBUTIONS.get(library, library)}{how}"


def find_extra(library: str) -> str:
    """The extra with the fewest requirements that brings a library.

    Args:
        library: As it is imported.

    Returns:
        Its name; empty if no extra brings the library by itself.
    """
    wanted = _canonical(DISTRIBUTIONS.get(library, library))
    bring = [name for name, libraries in extras().items() if wanted in libraries]
    return min(bring, key=lambda name: len(extras()[name]), default="")


@cache
def extras() -> dict[str, list[str]]:
    """What each extra requires, as the installed package says: names of distributions, and of this one for others."""
    from importlib import metadata  # slow to import, and needed only where a library is missing

    try:
        lines = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for line in lines:
        extra = re.search(r"""extra == ['"](.+?)['"]""", line)
        name = re.match(r"[\w.-]+", line)
        if extra and name:
            found.setdefault(extra[1], []).append(_canonical(name[0]))
    return found


def _canonical(name: str) -> str:
    """A distribution's name as PEP 503 compares them."""
    return re.sub(r"[-_.]+", "-", name).lower()
