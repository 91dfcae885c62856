"""Finds public modules under the names that they had in version 0.1, for one more version."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

CORE = "econzoo.envs.core"

MOVED = {
    f"{CORE}.actions": f"{CORE}.contract.actions",
    f"{CORE}.aec": f"{CORE}.env.aec",
    f"{CORE}.checks": f"{CORE}.env.checks",
    f"{CORE}.game": f"{CORE}.contract.game",
    f"{CORE}.objectives": f"{CORE}.contract.objectives",
    f"{CORE}.parallel": f"{CORE}.env.parallel",
    f"{CORE}.parameters": f"{CORE}.contract.parameters",
    f"{CORE}.prompts": f"{CORE}.faces.prompts",
    f"{CORE}.rules": f"{CORE}.contract.rules",
    f"{CORE}.scenarios": f"{CORE}.contract.scenarios",
    f"{CORE}.vector_env": f"{CORE}.vector.gymnasium_env",
    "econzoo.envs.programs": "econzoo.envs.families.open_source",
    "econzoo.envs.programs.library": "econzoo.envs.families.open_source.library",
}
"""Names in version 0.1, and those of now. They go with version 0.3."""


class _Moved:
    """A finder and a loader; without their base classes, whose import takes longer than all this module does."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """A specification for the names of `MOVED` only."""
        return ModuleSpec(name, self) if name in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty one, as usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Puts the module of the new name in the place of this one."""
        old = module.__name__
        warnings.warn(f"{old} is now {MOVED[old]}", DeprecationWarning, stacklevel=2)
        sys.modules[old] = import_module(MOVED[old])


def find_moved() -> None:
    """Makes the old names known to ``import``."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Moved())
