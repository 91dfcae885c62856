"""``.ci/ledger`` counts the lines of a source by kind."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.repo

LEDGER = runpy.run_path(str(Path(__file__).resolve().parents[1] / ".ci" / "ledger"))

SOURCE = '''"""Of two lines,

and a blank one."""

from pathlib import (
    # of a list
    Path,
)

LIMIT = 2  # a comment behind code
"""A constant."""

TEXT = """
# no comment
)
"""


@staticmethod
def shown(
    name: str,
    # why
    other: Path,
) -> list[str]:
    """Of a function."""

    @staticmethod
    def inner() -> None:
        pass

    # above a line
    return [
        name,
        f"""
        # nor here
        """,
    ]


class Short: ...
'''

COUNTED = {
    "docstrings": 2 + 1 + 1,
    "imports": 3,
    "comments": 3,
    "signatures": 4 + 1,
    "brackets": 1,
    "code": 1 + 4 + 2 + 1 + 5 + 1,
}


def test_each_kind_is_counted() -> None:
    assert LEDGER["count_lines"](SOURCE) == COUNTED
    assert sum(COUNTED.values()) == sum(map(bool, map(str.strip, SOURCE.split("\n"))))


def test_rooms_sums_and_stubs(tmp_path: Path) -> None:
    files = {
        "envs/core/a.py": "x = 1\n",
        "envs/_root/b.py": "y = (\n    2\n)\n",
        "baselines/matrix/c.py": "# why\n",
        "evaluate/run/__init__.pyi": "from .d import e\n\n__all__ = [\n    'e',\n]\n",
        ".ci/tool": "#!/usr/bin/env python3\nz = 3\n",
        ".ci/run": "#!/usr/bin/env bash\necho\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    rooms = LEDGER["measure"](tmp_path)
    shown = {name: {kind: number for kind, number in room.items() if number} for name, room in rooms.items()}
    assert shown == {
        "envs/core": {"modules": 1, "code": 1},
        "envs": {"modules": 1, "code": 2, "brackets": 1},
        "baselines": {"modules": 1, "comments": 1},
        "evaluate/run": {"imports": 4},
        ".ci": {"modules": 1, "code": 1, "comments": 1},
    }
    sums = LEDGER["add_sums"](rooms)
    assert (sums["all source"]["lines"], sums["all source"]["modules"], sums["all tests"]["lines"]) == (9, 3, 2)


def test_changes_stand_below_their_row() -> None:
    before, now = {"envs/core": {"code": 5, "modules": 2}}, {"envs/core": {"code": 3, "modules": 2}}
    rows = [line.split() for line in LEDGER["make_table"](now, before)]
    place = next(number for number, row in enumerate(rows) if row[0] == "envs/core")
    assert rows[place][1:3] == ["2", "3"]
    assert rows[place + 1] == ["-2", "-2"], "of code, and of lines in all"
    assert all(row[0] != "+0" for row in rows)
