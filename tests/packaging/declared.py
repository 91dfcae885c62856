"""What pyproject.toml says, beside what lies in the folders."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = PYPROJECT["project"]
TOOL: dict[str, Any] = PYPROJECT["tool"]["setuptools"]
FOLDERS: dict[str, str] = TOOL["package-dir"]
"""Import path to folder, for the packages that are not simply inside another one."""

DATA = {".toml", ".typed", ".pyi", ".html", ".css", ".js", ".j2", ".svg", ".json", ".template"}
"""Kinds of files that belong to the library besides Python's."""


def _modules(package: str) -> dict[Path, str]:
    """Every file of one top package, with its place under site-packages."""
    folder = ROOT / FOLDERS[package]
    inner = [ROOT / other for other in FOLDERS.values() if other.startswith(f"{FOLDERS[package]}/")]
    files = (f for f in folder.rglob("*") if f.is_file() and f.suffix in {".py", *DATA})
    own = [f for f in files if not any(f.is_relative_to(other) for other in inner) and "__pycache__" not in f.parts]
    return {file: f"{package.replace('.', '/')}/{file.relative_to(folder).as_posix()}" for file in own}


def library_files() -> set[str]:
    """Every file that a wheel must have, as it lies in site-packages."""
    return {place for package in FOLDERS for place in _modules(package).values()}


def packages_on_disk() -> list[str]:
    """Every folder with an ``__init__.py``, as an import path, sorted."""
    found = (Path(place) for place in library_files() if place.endswith("/__init__.py"))
    return sorted(".".join(place.parent.parts) for place in found)


def library_sources() -> list[Path]:
    """Every Python file of the library."""
    return sorted(file for package in FOLDERS for file in _modules(package) if file.suffix == ".py")
