"""Public modules that were moved are found under their old names, with a warning that says the new one."""

from __future__ import annotations

import re
import sys
from importlib import import_module

import pytest

from econzoo.envs.core import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_the_old_name_gives_the_same_module(old: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, new = f"econzoo.envs.core.{old}", f"econzoo.envs.core.{MOVED[old]}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.warns(DeprecationWarning, match=re.escape(f"{name} is now {new}")):
        found = import_module(name)
    assert found is import_module(new)


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=re.escape("econzoo.envs.core.nothing")):
        import_module("econzoo.envs.core.nothing")
