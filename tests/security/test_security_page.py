"""The page on security: every row of its table names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.repo

PAGE = Path(__file__).parents[2] / "docs" / "hosting.md"
TABLE = PAGE.read_text().partition("| what | trusted?")[2].partition("\n\n")[0]
ROWS = [line.split(" | ") for line in TABLE.splitlines() if line.startswith("| ")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip("| ")[:40])
def test_every_row_has_its_tests(row: list[str]) -> None:
    named = re.findall(r"\]\(\.\./(tests/[\w/]+\.py)\)", row[-1])
    assert named
    for name in named:
        assert "\ndef test_" in (PAGE.parents[1] / name).read_text()


def test_every_test_here_stands_in_the_table() -> None:
    named = set(re.findall(r"tests/security/(\w+\.py)", PAGE.read_text()))
    here = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}
    assert named == here
    assert len(ROWS) >= 12
