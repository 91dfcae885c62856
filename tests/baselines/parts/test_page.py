"""docs/agents.md keeps its word: its examples run, and it names every part."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from econzoo.baselines.parts.reasoning.request import PURPOSES
from econzoo.baselines.parts.spec import MEMORIES, OPTIONS, REASONING
from econzoo.baselines.parts.tools import TOOLS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "agents.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(1, len(EXAMPLES) + 1))
def test_example(code, tmp_path):
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_page_names_every_part():
    parts = [*OPTIONS, *TOOLS, *[purpose for purpose in PURPOSES if purpose != "answer"]]
    assert not [name for name in parts if f"`{name}" not in PAGE]
    assert not [name for name in (*MEMORIES, *REASONING) if not re.search(rf"`{name}(\(\w\))?`", PAGE)]


def test_the_calls_that_the_page_gives_for_k_level():
    """k (m + 1) at once and k (1 + m) + 1 in turns, the answer counted."""
    for level in (1, 2, 4):
        import econzoo

        spec = f"mock:*?reasoning=k-level({level})"
        at_once = econzoo.play("guess_average", [spec, "random", "random", "random", "random"], rounds=1)
        assert len(at_once.turns[0].calls) + 1 == level * 5, level
        in_turns = econzoo.play("bargaining", [spec, "random"], horizon=1)
        assert len(in_turns.turns[0].calls) + 1 == level * 2 + 1, level
