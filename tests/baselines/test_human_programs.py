"""A person who writes a program at the terminal: line by line, or from a file."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.envs.families.open_source import library
from people import Screens, lines

TYPED = ["def strategy_function(a, b, c, d):", "    if not b:", "        return 'C'", "", "    return b[-1]"]


def played(*typed: str, **given):
    screens = Screens(lines(*typed))
    record = econzoo.play("program_matrix", [screens.human(), "clique-bot"], seed=1, **{"rounds": 1, **given})
    return record, screens.shown


def test_lines_are_taken_as_they_are_typed_until_a_single_dot():
    record, shown = played(*TYPED, ".")
    assert record.turns[0].action["program"].strip() == "\n".join(TYPED)
    assert record.rulings[0]["results"][0]["moves"] == "CDDDDDDDDD"
    assert "Your program: @FILE, or its lines and then a line with a single . > def strategy" in shown
    assert shown.count("... ") == 5


def test_a_file_is_read_character_by_character(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(library.program("matrix", "clique_bot"))
    record, _ = played(f"@{path}", f" @ {path} ", rounds=2)
    assert record.payoffs == [60.0, 60.0], "it is a copy of the other"


@pytest.mark.parametrize("fence", ["```", "````", "```python"])
def test_no_program_ends_the_code_block_that_it_is_told_in(fence, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"def strategy_function(a, b, c, d):\n    x = '''\n{fence}\n'''\n    return 'C'\n")
    record, _ = played(f"@{path}")
    assert record.errors == [0, 0]
    assert record.turns[0].action["program"].strip() == path.read_text().strip()


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["@/nowhere/at/all.py"], "/nowhere/at/all.py cannot be read"),
        (["@"], "A file without a name cannot be read"),
        (["."], "That cannot be played: there is no program."),
        (["def f(:", "."], "That cannot be played: line 1: invalid syntax."),
        (["x = 1", "."], "does not define def strategy_function(my_history, opp_history"),
    ],
)
def test_what_is_no_program_is_explained_and_asked_for_again(typed, says):
    record, shown = played(*typed, *TYPED, ".")
    assert says in shown
    assert record.errors == [0, 0]
    assert record.turns[0].action["program"].strip() == "\n".join(TYPED)


def test_one_can_leave_in_the_middle_of_a_program():
    record, shown = played(TYPED[0], "quit", "n", "help", *TYPED[1:3], "pause")
    assert record.status == "paused"
    assert shown.count("Program matrix") == 2
