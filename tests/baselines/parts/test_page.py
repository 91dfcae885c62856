"""docs/players.md keeps its word: its examples run, and it names every part."""

from __future__ import annotations

import re
from pathlib import Path

import econzoo
from econzoo.baselines.parts import OPTIONS
from econzoo.baselines.parts.reasoning.request import PURPOSES
from econzoo.baselines.parts.spec import MEMORIES, REASONING
from econzoo.baselines.parts.tools import TOOLS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "players.md").read_text(encoding="utf-8")
_, _, AGENTS = PAGE.partition("## Language-model agents")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", AGENTS, flags=re.MULTILINE | re.DOTALL)


def test_examples(tmp_path, monkeypatch, capsys):
    assert EXAMPLES
    monkeypatch.chdir(tmp_path)
    for code in EXAMPLES:
        exec(code, {})
        assert capsys.readouterr().out, code


def test_the_page_names_every_part():
    parts = [*OPTIONS, *TOOLS, *[purpose for purpose in PURPOSES if purpose != "answer"]]
    assert not [name for name in parts if f"`{name}" not in PAGE]
    assert not [name for name in (*MEMORIES, *REASONING) if not re.search(rf"`{name}(\(\w\))?`", PAGE)]


def test_the_calls_that_the_page_gives_for_k_level():
    """k (m + 1) at once and k (1 + m) + 1 in turns, the answer counted."""
    for level in (1, 2, 4):
        spec = f"mock:*?reasoning=k-level({level})"
        at_once = econzoo.play("guess_average", [spec, "random", "random", "random", "random"], rounds=1)
        assert len(at_once.turns[0].calls) + 1 == level * 5, level
        in_turns = econzoo.play("bargaining", [spec, "random"], horizon=1)
        assert len(in_turns.turns[0].calls) + 1 == level * 2 + 1, level
