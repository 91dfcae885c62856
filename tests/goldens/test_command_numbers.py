"""What commands compute stays as it is kept in ``numbers``, whatever they are called and however they say it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goldens.command_lines import LINES, MODELS, SLOW
from goldens.command_numbers import dumped, kept_numbers, numbers
from goldens.test_goldens import differences

pytestmark = pytest.mark.slow

REMEDY = "write it anew with tests/goldens/write.py only if another number is meant, not because words have changed"


def marked(name: str) -> Any:
    """A parameter with the marks of a command."""
    marks = [mark for mark, names in ((pytest.mark.long, SLOW), (pytest.mark.models, MODELS)) if name in names]
    return pytest.param(name, marks=marks)


@pytest.mark.parametrize("name", [marked(name) for name in LINES])
def test_commands_compute_what_they_did(name: str) -> None:
    kept, made = json.loads(kept_numbers(name).read_text(encoding="utf-8")), numbers(name)
    assert kept == made, f"numbers/{name}.json; {REMEDY}\n{differences(dumped(kept), dumped(made))}"


def test_all_kept_numbers_are_of_a_command() -> None:
    assert {path.stem for path in kept_numbers("any").parent.glob("*.json")} == set(LINES)
