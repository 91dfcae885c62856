"""``program:FILE``: what a file must hold, and what is said of one that does not."""

from __future__ import annotations

import os
from errno import ENOENT
from os import strerror

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.envs.families.open_source import library
from refusals import refuses

MATRIX = "def strategy_function(mine, others, own, other):\n    return 'C'\n"
COIN = "def strategy_function(state, mine, others, own, other):\n    return 'UP'\n"


@pytest.fixture
def file(tmp_path):
    def write(content: str | bytes) -> str:
        path = tmp_path / "program.py"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return f"program:{path}"

    return write


def test_a_program_from_a_file_plays_its_game(file):
    for game, other, source, moves in [
        ("program_matrix", "defect", MATRIX, "C" * 10),
        ("program_coin", "greedy", COIN, "U" * 10),
    ]:
        record = econzoo.play(game, [file(source), other], rounds=2)
        assert [ruling["results"][0]["moves"] for ruling in record.rulings] == [moves] * 2, (game, other, source, moves)
        assert record.errors == record.defaults == [0, 0], (game, other, source, moves)
        assert [turn.action["program"].strip() for turn in record.turns if turn.seat == 0] == [source.strip()] * 2, game


def test_a_file_with_a_clique_bot_is_a_clique_bot(file):
    """The two sources are the same text, however they came to the table."""
    record = econzoo.play("program_matrix", [file(library.program("matrix", "clique_bot")), "clique-bot"], rounds=1)
    assert record.payoffs == [30.0, 30.0]


def test_what_is_no_program_is_refused_in_one_line(file):
    for content, *named in [
        ("",),
        ("  \n",),
        (b"\xff\xfe\x00", "UTF-8"),
        ("def strategy_function(a, b, c, d)\n    return 'C'", "line 1: expected ':'"),
        ("import os\n" + MATRIX, "line 1", "'os'", "re, math, random, json"),
        ("def play(a, b, c, d):\n    return 'C'", "strategy_function(my_history", "strategy_function(state"),
        ("def strategy_function(a, b):\n    return 'C'", "line 1", 4, 5),
        ("def strategy_function(a, b, *c):\n    return 'C'", "line 1", 4, 5),
        ("#" * 20_001, "20,000"),
        (f"```python\n{MATRIX}```\n", "(```)"),
        (f"My plan:\n\n```\n{COIN}```\n", "(```)"),
    ]:
        with refuses(ValueError, f"'{file(content)}'", *named) as refused:
            player(file(content))
        assert len(str(refused.value).splitlines()) == 1, content


def test_missing_files_and_folders_are_refused(tmp_path):
    for path, why in ((tmp_path / "none.py", strerror(ENOENT)), (tmp_path, tmp_path)):
        with refuses(ValueError, f"'program:{path}'", why, "UTF-8"):
            player(f"program:{path}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_devices_and_pipes_are_refused_without_waiting_for_them(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe"):
        with refuses(ValueError, f"program:{path}", "regular file"):
            player(f"program:{path}")


def test_no_more_of_a_file_is_read_than_a_program_may_be_long(tmp_path):
    with (tmp_path / "huge.py").open("wb") as huge:
        huge.truncate(2**40)  # a hole: takes no place on the disk, but no memory could hold it
    with refuses(ValueError, "huge.py", "20,000"):
        player(f"program:{tmp_path / 'huge.py'}")


def test_a_mark_of_the_byte_order_is_no_part_of_the_program(file):
    assert player(file(b"\xef\xbb\xbf" + MATRIX.encode())).source == MATRIX


def test_fences_inside_of_a_text_are_allowed(file):
    assert player(file(f'"""\n```\n"""\n{MATRIX}')).only_game == "program_matrix"


def test_a_program_plays_no_other_game(file):
    with refuses(ValueError, "program_coin", "program_matrix"):
        econzoo.play("program_matrix", [file(COIN), "defect"])
    with refuses(ValueError, "program_matrix", "bargaining"):
        econzoo.play("bargaining", [file(MATRIX), "fair"])


def test_a_program_takes_no_options(file):
    with refuses(ValueError, "speed"):
        player(file(MATRIX) + "?speed=2")
