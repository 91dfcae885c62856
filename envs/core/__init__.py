"""What all games share: the contract, environments, faces, records, vectors. Nothing of any one game.

Modules that were here before stand in one of the rooms now. Those that users may have imported are found under their
old names for one more version.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "actions": "contract.actions",
    "aec": "env.aec",
    "checks": "env.checks",
    "game": "contract.game",
    "objectives": "contract.objectives",
    "parallel": "env.parallel",
    "parameters": "contract.parameters",
    "prompts": "faces.prompts",
    "rules": "contract.rules",
    "scenarios": "contract.scenarios",
    "vector_env": "vector.gymnasium_env",
}
"""Public modules by their names in version 0.1, and where they are now; until version 0.3."""


class _Moved(MetaPathFinder, Loader):
    """Finds a module under its old name, and says the new one."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """A specification for the names of `MOVED` only."""
        room, _, module = name.rpartition(".")
        return ModuleSpec(name, self) if room == __name__ and module in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Puts the module of the new name in the place of this one."""
        new = f"{__name__}.{MOVED[module.__name__.rpartition('.')[2]]}"
        warnings.warn(f"{module.__name__} is now {new}", DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(new)


sys.meta_path.append(_Moved())
