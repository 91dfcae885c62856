"""Dependencies: every import is declared, and constraints.txt pins all of it to one set that fits together."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata

import pytest
from declared import PROJECT, ROOT, library_sources
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.repo

EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

FREE = {"econzoo"}
"""Imports that need no declaration."""

CALLED = {"pyspiel": "open_spiel", "google": "google-auth"}
"""Imports that are called otherwise than their library, which need not be installed."""

MADE_ELSEWHERE = {"nvidia", "cuda", "triton"}
"""First words of what torch's build for Linux pins by itself; not every platform has it, so it is not pinned here."""


@cache
def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    assert all(str(pin.specifier).startswith("==") for pin in pinned), "constraints.txt has nothing but NAME==VERSION"
    return {canonicalize_name(pin.name): str(pin.specifier)[2:] for pin in pinned}


def declared(extra: str | None = None) -> list[Requirement]:
    """The requirements of the core and of one extra, extras of extras resolved."""
    out = []
    for line in PROJECT["dependencies"] + (EXTRAS[extra] if extra else []):
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            out += [inner for name in requirement.extras for inner in declared(name)]
        else:
            out.append(requirement)
    return out


@pytest.mark.parametrize("extra", [None, *EXTRAS], ids=["core", *EXTRAS])
def test_every_requirement_is_pinned_to_a_version_that_it_allows(extra: str | None) -> None:
    unpinned = [str(r) for r in declared(extra) if canonicalize_name(r.name) not in pins()]
    assert not unpinned
    wrong = [str(r) for r in declared(extra) if pins()[canonicalize_name(r.name)] not in r.specifier]
    assert not wrong


def needed() -> Iterator[tuple[str, Requirement]]:
    """Every requirement of everything installed that the extras lead to, with the name of who needs it."""
    todo = [("econzoo", requirement) for extra in EXTRAS for requirement in declared(extra)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while todo:
        owner, requirement = todo.pop()
        yield owner, requirement
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            lines = metadata.requires(requirement.name) or []
        except metadata.PackageNotFoundError:
            continue
        for inner in map(Requirement, lines):
            if inner.marker is None or any(inner.marker.evaluate({"extra": e}) for e in ("", *requirement.extras)):
                todo.append((requirement.name, inner))


def test_everything_that_is_needed_in_turn_is_pinned_and_fits() -> None:
    problems = set()
    for owner, requirement in needed():
        name = canonicalize_name(requirement.name)
        if name.split("-")[0] in MADE_ELSEWHERE:
            continue
        if name not in pins():
            problems.add(f"{owner} needs {requirement}: not in constraints.txt")
        elif not requirement.specifier.contains(pins()[name], prereleases=True):
            problems.add(f"{owner} needs {requirement}: constraints.txt has {pins()[name]}")
    assert not problems


def test_no_local_version_and_no_address_in_the_constraints() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert "+" not in text.replace("# ", "")
    assert "://" not in text
    assert " @ " not in text


@cache
def imported() -> dict[str, set[str]]:
    """Every module that the library imports from outside, with the files that do."""
    out: dict[str, set[str]] = {}
    for file in library_sources():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in names:
                out.setdefault(name.partition(".")[0], set()).add(str(file.relative_to(ROOT)))
    return {name: files for name, files in out.items() if name not in sys.stdlib_module_names | FREE}


def test_every_import_is_declared() -> None:
    known = {canonicalize_name(requirement.name) for extra in (None, *EXTRAS) for requirement in declared(extra)}
    providers = metadata.packages_distributions()  # a library of an extra that is not installed has its own name
    undeclared = {
        name: sorted(files)
        for name, files in imported().items()
        if not known & {canonicalize_name(owner) for owner in (CALLED.get(name, name), *providers.get(name, ()))}
    }
    assert not undeclared, "add them to the extra in pyproject.toml that they belong to"
