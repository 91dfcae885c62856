"""Examples in docstrings run as they are pasted."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import econzoo
from exhaustive import long_unless
from import_scanner import FILES, tree_of

pytestmark = pytest.mark.repo

BLOCK = re.compile(r"(?:^|\n\n)((?:    .*\n?|\n)+)")
ELSEWHERE = {
    "evaluate/adapters/inspect_task.py": "a paid model",
    "evaluate/adapters/openenv.py": "a server",
    "evaluate/adapters/openspiel.py": "open_spiel",
    "evaluate/suites/sparc/benchmark.py": "a model's weights, and minutes",
    "train/lm/rollout_function.py": "a trainer's own model",
}
"""Files whose examples need what is not there, and what."""


def examples(file: str) -> Iterator[str]:
    """Indented blocks of docstrings that are Python and do something."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for found in BLOCK.finditer(ast.get_docstring(node) or ""):
                code = textwrap.dedent(found[1]).strip("\n")
                try:
                    first = ast.parse(code).body[:1]
                except SyntaxError:
                    continue
                if any(isinstance(one, ast.Assign | ast.Import | ast.ImportFrom | ast.With) for one in first):
                    yield code


EXAMPLES = {file: found for file in sorted(FILES) if (found := [*examples(file)]) and not file.startswith("tests")}


def test_what_is_not_run_has_examples() -> None:
    assert not ELSEWHERE.keys() - EXAMPLES.keys()
    assert "envs/_root/__init__.py" in EXAMPLES


@pytest.mark.parametrize(
    "file", long_unless(lambda file: "glee" not in file, sorted(EXAMPLES.keys() - ELSEWHERE.keys()))
)
def test_an_example_runs(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.chdir(tmp_path)
    if "read_records" in "".join(EXAMPLES[file]):
        econzoo.run("bargaining", "runs/first", players=["fair", "boulware(0.2)"], seeds=2)
    names: dict[str, object] = {}
    for code in EXAMPLES[file]:
        exec(compile(code.replace("jobs=2", "jobs=1"), file, "exec"), names)
