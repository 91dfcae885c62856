"""``program:FILE``: what a file must hold, and what is said of one that does not."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.baselines.factory import player
from econzoo.envs.programs import library

MATRIX = "def strategy_function(mine, others, own, other):\n    return 'C'\n"
COIN = "def strategy_function(state, mine, others, own, other):\n    return 'UP'\n"


@pytest.fixture
def file(tmp_path):
    def write(content: str | bytes) -> str:
        path = tmp_path / "program.py"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return f"program:{path}"

    return write


@pytest.mark.parametrize(
    ("game", "other", "source", "moves"),
    [("program_matrix", "defect", MATRIX, "C" * 10), ("program_coin", "greedy", COIN, "U" * 10)],
)
def test_a_program_from_a_file_plays_its_game(file, game, other, source, moves):
    record = econzoo.play(game, [file(source), other], rounds=2)
    assert [ruling["results"][0]["moves"] for ruling in record.rulings] == [moves] * 2
    assert record.errors == record.defaults == [0, 0]
    assert [turn.action["program"].strip() for turn in record.turns if turn.seat == 0] == [source.strip()] * 2


def test_a_file_with_a_clique_bot_is_a_clique_bot(file):
    """The two sources are the same text, however they came to the table."""
    record = econzoo.play("program_matrix", [file(library.program("matrix", "clique_bot")), "clique-bot"], rounds=1)
    assert record.payoffs == [30.0, 30.0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is no program: there is no program"),
        ("  \n", "is no program: there is no program"),
        (b"\xff\xfe\x00", "the file cannot be read"),
        ("def strategy_function(a, b, c, d)\n    return 'C'", "is no program: line 1: expected ':'"),
        ("import os\n" + MATRIX, "line 1: cannot import 'os'; allowed: re, math, random, json"),
        ("def play(a, b, c, d):\n    return 'C'", "does not define def strategy_function(my_history"),
        ("def strategy_function(a, b):\n    return 'C'", "must have exactly 4 parameters"),
        ("def strategy_function(a, b):\n    return 'C'", "must have exactly 5 parameters"),
        ("def strategy_function(a, b, *c):\n    return 'C'", "must have exactly 4 parameters"),
        ("#" * 20_001, "the program has 20001 characters; allowed: 20000"),
    ],
)
def test_what_is_no_program_is_refused_in_one_line(file, content, says):
    with pytest.raises(ValueError, match=r"^player 'program:") as refused:
        player(file(content))
    assert says in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_missing_files_and_folders_are_refused(tmp_path):
    for path in (tmp_path / "none.py", tmp_path):
        with pytest.raises(ValueError, match=r"^player 'program:.*the file cannot be read"):
            player(f"program:{path}")


def test_a_program_plays_no_other_game(file):
    with pytest.raises(ValueError, match="it plays program_coin, not program_matrix"):
        econzoo.play("program_matrix", [file(COIN), "defect"])
    with pytest.raises(ValueError, match="it plays program_matrix, not bargaining"):
        econzoo.play("bargaining", [file(MATRIX), "fair"])


def test_a_program_takes_no_options(file):
    with pytest.raises(ValueError, match="takes no options; got speed"):
        player(file(MATRIX) + "?speed=2")
