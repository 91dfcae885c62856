"""Builds this package: setuptools, told which packages there are, and an editable install that is found first.

setuptools finds packages below one folder. Here each top package has a folder of its own (package-dir in
pyproject.toml), so that they are found here and passed on to ``setuptools.setup``.

setuptools lets an editable install be found last. A folder ``econzoo`` on ``sys.path``, which a clone of this
repository is to every script beside it, comes first then, as a namespace package with nothing in it.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import setuptools
from setuptools import build_meta
from setuptools.build_meta import (
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[1]

ROOTS = ("_root", "_root.*")
"""Folders that lie in a top package and are another one."""


def packages() -> list[str]:
    """Import paths of all folders with an ``__init__.py``, sorted."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders: dict[str, str] = pyproject["tool"]["setuptools"]["package-dir"]
    inside = {top: setuptools.find_packages(str(ROOT / folder), exclude=ROOTS) for top, folder in folders.items()}
    return sorted([*folders, *(f"{top}.{name}" for top, names in inside.items() for name in names)])


setuptools.setup = partial(setuptools.setup, packages=packages())

INSTALLS = re.compile(r"^import (\w+); ?\1\.install\(\)", re.MULTILINE)
"""The line of setuptools' .pth file that appends a module's finder to ``sys.meta_path``."""

FIRST = "\nimport sys; sys.meta_path.sort(key=lambda finder: getattr(finder, '__module__', '') != '{module}')\n"
"""The line that is added to it. The order of the other finders stays."""


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel of an editable install (PEP 660).

    Returns:
        Its name in `wheel_directory`.
    """
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    rewrite(Path(wheel_directory, name))
    return name


def rewrite(wheel: Path) -> None:
    """Adds `FIRST` to the .pth files of a wheel that install a finder, and tells its RECORD."""
    with zipfile.ZipFile(wheel) as archive:
        files = {info: archive.read(info) for info in archive.infolist()}
    changed = {info.filename: found_first(data) for info, data in files.items() if info.filename.endswith(".pth")}
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in files.items():
            is_record = info.filename.endswith(".dist-info/RECORD")
            archive.writestr(info, recorded(data, changed) if is_record else changed.get(info.filename, data))


def found_first(pth: bytes) -> bytes:
    """A .pth file whose finder, if it installs one, comes before all others."""
    module = INSTALLS.search(pth.decode())
    return pth + FIRST.format(module=module[1]).encode() if module else pth


def recorded(record: bytes, changed: dict[str, bytes]) -> bytes:
    """A wheel's RECORD with new hashes (RFC 4648 base64url of SHA-256, unpadded) and sizes of changed files."""
    lines = []
    for line in record.decode().splitlines():
        name = line.rsplit(",", 2)[0]
        lines.append(entry(name, changed[name]) if name in changed else line)
    return "\n".join([*lines, ""]).encode()


def entry(name: str, data: bytes) -> str:
    """A line of RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"
