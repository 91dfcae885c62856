"""Public modules that were moved are found under their old names, with a warning that says the new one."""

from __future__ import annotations

import re
import sys
from importlib import import_module

import pytest

import econzoo
from econzoo.envs.core import registry
from econzoo.envs.moved_modules import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_the_old_name_gives_the_same_module(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match=re.escape(f"{old} is now {new}")):
        found = import_module(old)
    assert found is import_module(new)


def test_what_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=re.escape("econzoo.envs.core.nothing")):
        import_module("econzoo.envs.core.nothing")


def test_the_makers_are_found_in_the_registry() -> None:
    with pytest.warns(
        DeprecationWarning, match=re.escape("econzoo.envs.core.registry.make_vec is now econzoo.make_vec")
    ):
        assert registry.make_vec is econzoo.make_vec
    with pytest.raises(AttributeError, match="no attribute 'made'"):
        _ = registry.made
