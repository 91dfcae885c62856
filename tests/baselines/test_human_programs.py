"""A person who writes a program at the terminal: line by line, or from a file."""

from __future__ import annotations

import econzoo
from econzoo.envs.families.open_source import library
from people import Screens, lines
from refusals import says

TYPED = ["def strategy_function(a, b, c, d):", "    if not b:", "        return 'C'", "", "    return b[-1]"]


def played(*typed: str, **given):
    screens = Screens(lines(*typed))
    record = econzoo.play("program_matrix", [screens.human(), "clique-bot"], seed=1, **{"rounds": 1, **given})
    return record, screens.shown


def test_lines_are_taken_as_they_are_typed_until_a_single_dot():
    record, shown = played(*TYPED, ".")
    assert record.turns[0].action["program"].strip() == "\n".join(TYPED)
    assert record.rulings[0]["results"][0]["moves"] == "CDDDDDDDDD"
    says(shown, "@FILE")
    assert ". > def strategy" in shown
    assert shown.count("... ") == 5


def test_a_file_is_read_character_by_character(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(library.program("matrix", "clique_bot"))
    record, _ = played(f"@{path}", f" @ {path} ", rounds=2)
    assert record.payoffs == [60.0, 60.0], "it is a copy of the other"


def test_no_program_ends_the_code_block_that_it_is_told_in(tmp_path):
    for fence in ("```", "````", "```python"):
        path = tmp_path / "mine.py"
        path.write_text(f"def strategy_function(a, b, c, d):\n    x = '''\n{fence}\n'''\n    return 'C'\n")
        record, _ = played(f"@{path}")
        assert record.errors == [0, 0], fence
        assert record.turns[0].action["program"].strip() == path.read_text().strip(), fence


def test_what_is_no_program_is_explained_and_asked_for_again():
    for typed, *named in [
        (["@/nowhere/at/all.py"], "/nowhere/at/all.py"),
        (["@"],),
        (["."],),
        (["def f(:", "."], "line 1: invalid syntax"),
        (["x = 1", "."], "strategy_function(my_history, opp_history"),
    ]:
        record, shown = played(*typed, *TYPED, ".")
        says(shown.partition(f" {typed[-1]}\n")[2].partition("\n")[0], *named)
        assert shown.count("@FILE") == 2, typed
        assert record.errors == [0, 0], typed
        assert record.turns[0].action["program"].strip() == "\n".join(TYPED), typed


def test_one_can_leave_in_the_middle_of_a_program():
    record, shown = played(TYPED[0], "quit", "n", "help", *TYPED[1:3], "pause")
    assert record.status == "paused"
    assert shown.count(record.rules[0]) == 2
