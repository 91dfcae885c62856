"""Builds this package: setuptools, told which packages there are, and an editable install of links.

setuptools finds packages below one folder. Here each top package has a folder of its own (package-dir in
pyproject.toml), so that they are found here and passed on to ``setuptools.setup``.

An editable install of such folders is a hook of the import system, which no type checker and no editor reads. So they
are laid out as links below one folder, build/editable, and the install is a line of a .pth file that names it.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import setuptools
from setuptools import build_meta
from setuptools.build_meta import build_sdist, build_wheel, get_requires_for_build_editable
from setuptools.build_meta import get_requires_for_build_sdist, get_requires_for_build_wheel
from setuptools.build_meta import prepare_metadata_for_build_editable, prepare_metadata_for_build_wheel

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "lay_out",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[1]

LINKS = ROOT / "build" / "editable"
"""Where the package lies as it would in site-packages; what is built goes to other folders of build/."""

CACHE = "__pycache__"

ROOTS = ("_root", "_root.*")
"""Folders that lie in a top package and are another one."""


def folders() -> dict[str, str]:
    """The folder of each top package, by its import path."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, str] = pyproject["tool"]["setuptools"]["package-dir"]
    return found


def packages() -> list[str]:
    """Import paths of all folders with an ``__init__.py``, sorted."""
    inside = {top: setuptools.find_packages(str(ROOT / folder), exclude=ROOTS) for top, folder in folders().items()}
    return sorted([*folders(), *(f"{top}.{name}" for top, names in inside.items() for name in names)])


setuptools.setup = partial(setuptools.setup, packages=packages())


def lay_out() -> None:
    """Makes `LINKS`: the folder econzoo with a link to everything in the root package and to each other folder.

    Where that is what lies there, nothing is touched: other processes may be importing from it.

    Raises:
        OSError: There can be no links: Windows makes them for administrators and in its developer mode only.
    """
    (root, own), *others = folders().items()
    parts = {file.name: file for file in (ROOT / own).iterdir()} | {top.split(".")[1]: ROOT / at for top, at in others}
    place = LINKS / root
    wanted = {name: os.path.relpath(part, place) for name, part in parts.items() if name != CACHE}
    found = {path.name: path.is_symlink() and os.readlink(path) for path in place.glob("*") if path.name != CACHE}
    if found == wanted:
        return
    shutil.rmtree(LINKS, ignore_errors=True)
    place.mkdir(parents=True)
    for name, target in wanted.items():
        (place / name).symlink_to(target, target_is_directory=parts[name].is_dir())


class Linked(setuptools.Distribution):
    """The package as it lies in `LINKS`, which setuptools installs by the path of that folder."""

    def parse_config_files(self, *args: Any, **kwargs: Any) -> None:
        """Reads pyproject.toml, and replaces its package-dir."""
        super().parse_config_files(*args, **kwargs)
        self.package_dir = {"": LINKS.relative_to(ROOT).as_posix()}


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel of an editable install (PEP 660); without links it is the one that setuptools makes.

    Returns:
        Its name in `wheel_directory`.
    """
    try:
        lay_out()
    except OSError:
        pass
    else:
        setuptools.setup = partial(setuptools.setup, distclass=Linked)
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    return name
