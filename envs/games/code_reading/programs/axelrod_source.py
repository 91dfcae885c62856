"""Parsed source files of an installed Axelrod library; nothing is imported or run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.core import LARGE_FILE_BYTES, MissingLibraryError, missing_library_message, read_text

LIBRARY_PURPOSE = "the text of a program"
"""Purpose in the error about the missing library."""

STRATEGIES = "axelrod.strategies"
HELPERS = "axelrod._strategy_utils"
STRATEGY_INDEX = "axelrod.strategies._strategies"


class Place(NamedTuple):
    """Origin of a name.

    Attributes:
        name: The name in it; empty for the module itself.
    """

    module: str
    name: str


def parse_module(text: str) -> ast.Module:
    """Parse source of the library, ignoring warnings on invalid escapes in its docstrings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


class Module:
    """A parsed file of the library, with its full name, such as ``axelrod.strategies.grudger``."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source = name, source
        self.tree = parse_module(source)
        self.lines = source.splitlines()

    @cached_property
    def definitions(self) -> Mapping[str, ast.stmt]:
        """Top-level statement that defines each name, without imports."""
        return {name: node for node in self.tree.body for name in defined_names(node)}

    @cached_property
    def imports(self) -> Mapping[str, Place]:
        """Origin of each imported name."""
        return {name: place for node in self.tree.body for name, place in self._read_imports(node)}

    def _read_imports(self, node: ast.stmt) -> list[tuple[str, Place]]:
        if isinstance(node, ast.Import):
            return [(a.asname or a.name.partition(".")[0], Place(a.name, "")) for a in node.names]
        if isinstance(node, ast.ImportFrom):
            source = self._absolute_module(node)
            return [(a.asname or a.name, Place(source, a.name)) for a in node.names]
        return []

    def _absolute_module(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.name.split(".")[: -node.level]
        return ".".join([*package, node.module] if node.module else package)

    def text(self, node: ast.stmt) -> str:
        """Return the source lines of a top-level statement, including decorators."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *[d.lineno for d in decorators]])
        return "\n".join(self.lines[first - 1 : node.end_lineno])


def defined_names(node: ast.stmt) -> list[str]:
    """Names that a statement defines in its scope."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


class Library:
    """An Axelrod library, with the folder of its package ``axelrod`` as root."""

    def __init__(self, root: Path, version: str) -> None:
        self.root, self.version = root, version
        self._modules: dict[str, Module] = {}

    def module(self, name: str) -> Module:
        """Return a module of the library; cached."""
        if name not in self._modules:
            path = self.root.joinpath(*name.split(".")[1:]).with_suffix(".py")
            try:
                self._modules[name] = Module(name, read_text(path, LARGE_FILE_BYTES))
            except OSError as error:
                raise ValueError(f"Axelrod {self.version} has no module {name}: {error}") from None
        return self._modules[name]

    def find_definition(self, place: Place) -> Place | None:
        """Return where strategies or their helpers define a name; None if elsewhere, or in the index."""
        if place.module == STRATEGIES:
            module_name = self._classes.get(place.name)
            return None if module_name is None else Place(module_name, place.name)
        if place.module == STRATEGY_INDEX or not (place.module.startswith(f"{STRATEGIES}.") or place.module == HELPERS):
            return None
        module = self.module(place.module)
        if place.name in module.definitions:
            return place
        return self.find_definition(module.imports[place.name]) if place.name in module.imports else None

    @cached_property
    def _classes(self) -> Mapping[str, str]:
        """Module of each strategy class."""
        files = sorted(path.stem for path in (self.root / "strategies").glob("[a-z]*.py"))
        modules = [self.module(f"{STRATEGIES}.{stem}") for stem in files]
        return {name: module.name for module in modules for name in module.definitions}


@lru_cache(maxsize=1)
def load_library() -> Library:
    """Load the installed library without importing it; `ImportError` if it is missing."""
    spec = find_spec("axelrod")
    if spec is None or not spec.submodule_search_locations:
        raise MissingLibraryError(missing_library_message(LIBRARY_PURPOSE, "axelrod"), name="axelrod")
    try:
        version = distribution("axelrod").version
    except PackageNotFoundError:
        # A copy of the package without metadata, such as a checkout on the path.
        version = "unknown"
    return Library(Path(spec.submodule_search_locations[0]), version)
