"""Optional dependencies (extras) and errors for missing ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module

PACKAGE = "econzoo"

DISTRIBUTIONS = {
    "PIL": "pillow",
    "yaml": "pyyaml",
    "inspect_ai": "inspect-ai",
    "pyspiel": "open_spiel",
    "google": "google-auth",
}
"""Import name to distribution name, where they differ."""


class MissingLibraryError(ImportError):
    """An optional library is not installed; the message names the feature and the install command."""


@contextmanager
def explain_missing_library(what: str, extra: str = "") -> Iterator[None]:
    """Context manager that explains failed imports of optional libraries.

    Args:
        extra: Extra to install; empty: the smallest one with the missing library.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing_library_error(error, what, extra) from error


def require_libraries(what: str, *libraries: str, extra: str = "") -> None:
    """Check early that libraries are installed by importing them; see `explain_missing_library`."""
    with explain_missing_library(what, extra):
        for library in libraries:
            import_module(library)


def missing_library_error(error: ModuleNotFoundError, what: str = "this", extra: str = "") -> ImportError:
    """Convert an import error to `MissingLibraryError`, unless the module is one of ours."""
    library = (error.name or PACKAGE).partition(".")[0]
    return (
        error
        if library == PACKAGE
        else MissingLibraryError(missing_library_message(what, library, extra), name=library)
    )


def missing_library_message(what: str, library: str, extra: str = "") -> str:
    """Format ``"report needs the library pandas; install it with: pip install 'econzoo[evaluate]'"``."""
    extra = extra or find_extra(library)
    how = f"; install it with: pip install '{PACKAGE}[{extra}]'" if extra else ""
    return f"{what} needs the library {DISTRIBUTIONS.get(library, library)}{how}"


def find_extra(library: str) -> str:
    """Return the smallest extra that includes a library.

    Returns:
        Name of the extra; empty if none includes it.
    """
    wanted = _canonical(DISTRIBUTIONS.get(library, library))
    bring = [name for name, libraries in extras().items() if wanted in libraries]
    return min(bring, key=lambda name: len(extras()[name]), default="")


@cache
def extras() -> dict[str, list[str]]:
    """Return the requirements of each extra from the metadata of the installed package."""
    from importlib import metadata  # slow import, needed only for missing libraries

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
    """Normalize a distribution name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
