"""Tables: no text in them is a formula, all numbers are numbers, and what is read back is what was written."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from urllib.parse import quote

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from econzoo.evaluate.analyses import read_curve
from econzoo.evaluate.analyses.evolution import matrix_files
from econzoo.evaluate.analyses.evolution.payoff_matrix import matrix_from_payoffs as payoffs_of
from econzoo.evaluate.formats.glee import export_records
from econzoo.evaluate.formats.glee.folders import read_published_game
from econzoo.evaluate.formats.glee.importing import to_record
from econzoo.evaluate.run import play_match
from econzoo.evaluate.show import plain_text, write_csv, write_rows
from econzoo.evaluate.show.csv_files import escape_formula
from econzoo.train.rl.curve import HEADER, Point
from econzoo.train.rl.curve import read_curve as read_points

FORMULAS = [
    *(
        '=HYPERLINK("http://x","y")',
        "=1+1",
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "=",
        "-",
        "+",
        "@",
        "--1",
        "-inf",
    ),
    *("\t=1+1", "\r=1+1", "\n=1+1", "\uff1d1+1", "-1-1", "+1e5x", "'=1", "''@x", "-1_0", "1e5".replace("1", "=1")),
]


def test_a_text_that_a_spreadsheet_would_compute_has_an_apostrophe_before_it() -> None:
    for text in FORMULAS:
        assert escape_formula(text) == f"'{text}", text
        assert plain_text(escape_formula(text)) == text, text


def test_any_other_text_stands_as_it_is() -> None:
    for cell in ["fair", "-5", "+0.5", "-1.5e-7", "-.5", "- 5"[:1] + "3", "'fair'", "1=1", "", "a@b", "it's"]:
        assert escape_formula(cell) == plain_text(cell) == cell, cell


@given(st.text(alphabet="'=+-@\t\r\n1.eEa \uff1d", max_size=6))
def test_every_text_comes_back(text: str) -> None:
    assert plain_text(escape_formula(text)) == text


def test_numbers_stay_numbers() -> None:
    file = io.StringIO()
    numbers = [-1, -0.5, -math.inf, np.float64(-2.5), np.int64(-3), -1e300, math.nan, None]
    write_rows(file, ["=head", "-0.1"], [numbers])
    assert file.getvalue() == "'=head,-0.1\n-1,-0.5,-inf,-2.5,-3,-1e+300,,\n"


def test_a_matrix_of_types_with_such_names_comes_back(tmp_path: Path) -> None:
    types = ('=HYPERLINK("http://x","y")', "-2", "@a", "'=b")
    path = matrix_files.write_matrix_file(payoffs_of(types, np.arange(16.0).reshape(4, 4)), tmp_path / "payoffs.csv")
    cells = [cell for row in csv.reader(path.open(newline="")) for cell in row]
    assert not any(cell[:1] in ("=", "+", "@") for cell in cells)
    assert matrix_files.read_matrix_file(path).types == types
    assert matrix_files.read_matrix_file(path).mean.tolist() == np.arange(16.0).reshape(4, 4).tolist()


def test_a_learning_curve_against_such_an_opponent_comes_back(tmp_path: Path) -> None:
    points = [Point(100, -1.5, -2.0, -1.0, "=1+1"), Point(200, 0.0, -0.5, 0.5, "@x")]
    path = write_csv(tmp_path / "learning_curve.csv", HEADER, points)
    assert read_points(path) == points
    assert sorted(read_curve(path).series) == ["=1+1", "@x"]


def test_formats_of_others_keep_every_sign(tmp_path: Path) -> None:
    """GLEE's tables go back to GLEE, and from there to records, with the words that were said."""
    for number, words in enumerate(['=HYPERLINK("http://x","y")', "+1 for me", "-", "@you", "'=1", "\t=1"]):
        offers = f"mock:{quote(json.dumps({'kind': 'offer', 'gain': 4000.0, 'message': words}))}"
        record = play_match("bargaining", [offers, "acceptor(0.4)"], horizon=3)
        assert record.turns[0].action == {"kind": "offer", "gain": 4000.0, "message": words}
        export_records([record], tmp_path / str(number))
        (place,) = (tmp_path / str(number)).rglob("game.csv")
        with place.open(newline="", encoding="utf-8") as file:
            assert next(csv.DictReader(file))["message"] == words
        again, *_ = to_record(read_published_game(place.parent))
        assert again.turns[0].action == record.turns[0].action, words
