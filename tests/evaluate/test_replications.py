"""Published tables beside our numbers."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from econzoo.__main__ import main
from econzoo.envs.core import MissingLibraryError
from econzoo.envs.games.code_reading.items import items, set_members
from econzoo.envs.games.code_reading.programs.axelrod_source import load_library
from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, Place, compare_paper, read_paper
from econzoo.evaluate.analyses.paper_numbers import KINDS, PAPERS_PACKAGE
from econzoo.evaluate.analyses.programs import replication
from econzoo.evaluate.analyses.sparc import dataset
from econzoo.evaluate.analyses.verdicts import CONTRADICTS, EQUAL, INCOMPARABLE, MISSING, UNIDENTIFIED, VERDICTS
from econzoo.evaluate.run import play_match
from econzoo.evaluate.show import Table, Text, json_of, write_value
from econzoo.evaluate.show.files import write_parts
from econzoo.evaluate.stats import wilson
from refusals import says


def test_a_cell_shows_what_is_printed_what_we_have_and_the_difference(tmp_path):
    printed = {"a": {"x": "0.51", "y": "0.40", "w": "7", "v": "1", "who": "Bob"}, "b": {"who": "Ann"}}
    place = Place("T", "table", printed, "paper", 10, ["A note."], digits=1, reasons={"a": {"x": "A slip."}})
    own = [
        OwnNumber("a", "x", 0.537, 10),
        OwnNumber("a", "y", 0.4, 10),
        OwnNumber("a", "z", 28.75, 2),
        OwnNumber("a", "w", None, reason="Nobody kept it."),
        OwnNumber("a", "who", "Bob"),
        OwnNumber("b", "who", None, reason="Not readable."),
    ]
    made = compare_paper(
        Paper("P", "arXiv:1", {"t": place, "u": place._replace(title="U")}), [Comparison("t", place, own)]
    )
    counts, table = [part for part in made if isinstance(part, Table)]
    # Two are equal, one contradicts, of two the data cannot say, and v is not compared.
    own_counts, no_counts = (dict(zip(VERDICTS, row[4:], strict=True)) for row in counts.rows)
    assert Counter(own_counts) == Counter({EQUAL: 2, CONTRADICTS: 1, UNIDENTIFIED: 2, MISSING: 1})
    assert Counter(no_counts) == Counter({MISSING: 6})
    assert [row[3] for row in counts.rows] == [6, 6]
    shown = [[write_value(column, cell) for column, cell in zip(table.columns, row, strict=True)] for row in table.rows]
    assert [row[2:] for row in shown] == [
        ["0.51", "0.54", "+0.03", "0", "contradicts", "A slip.", "10", "0.51"],
        ["0.40", "0.40", "0.00", "0", "equal", "", "10", "0.40"],
        ["-", "28.8", "-", "-", "", "", "2", ""],
        ["7", "-", "-", "0", "not identifiable", "Nobody kept it.", "-", "7"],
        ["Bob", "Bob", "-", "-", "equal", "", "-", "Bob"],
        ["Ann", "-", "-", "-", "not identifiable", "Not readable.", "-", "Ann"],
    ]
    texts = [part.text for part in made if isinstance(part, Text)]
    assert texts[-4:-1] == ["a: x. A slip.", "a: w. Nobody kept it.", "b: who. Not readable."]
    says(
        next(part.text for part in made if isinstance(part, Text) and "Of 6" in part.text),
        "2 equal",
        "1 number of ours",
    )
    assert made[-1] == Text("A note.", "note")
    write_parts(made, tmp_path)
    with (tmp_path / "t.csv").open() as file:
        assert [(row["paper"], row["verdict"]) for row in csv.DictReader(file)] == [
            ("0.51", "contradicts"),
            ("0.4", "equal"),
            ("", ""),
            ("7.0", "not identifiable"),
            ("Bob", "equal"),
            ("Ann", "not identifiable"),
        ]
    assert "a & x & $0.51$ & $0.54$ & $+0.03$ & $0$ & contradicts" in (tmp_path / "t.tex").read_text()
    assert [row["paper"] for row in json_of(made)["t"]] == [0.51, 0.4, None, 7.0, "Bob", "Ann"]


@pytest.mark.parametrize("path", sorted(Path(str(files(PAPERS_PACKAGE))).glob("*.toml")), ids=lambda path: path.stem)
def test_what_papers_print_are_texts_and_reasons_belong_to_cells(path):
    paper = read_paper(path.stem)
    assert "arXiv:" in paper.source
    for key, place in paper.places.items():
        assert place.kind in KINDS, key
        assert place.size > 0, key
        assert all(isinstance(text, str) for row in place.cells.values() for text in row.values()), key
        assert {(row, one) for row, own in place.reasons.items() for one in own} <= {
            (row, one) for row, own in place.cells.items() for one in own
        }, key


def test_cells_of_one_reason_are_told_together():
    cells = {str(row): {"x": "1", "y": "1"} for row in range(5)}
    own = [OwnNumber(row, cell, None, reason="Lost.") for row in cells for cell in "xy"]
    made = compare_paper(
        Paper("P", "arXiv:1", {"t": Place("T", "table", cells)}), [Comparison("t", Place("T", "table", cells), own)]
    )
    assert [part.text for part in made if isinstance(part, Text)][-1] == "0 to 4: x, y. Lost."


def test_payoffs_are_points_of_a_meta_round():
    """Ten turns: mutual cooperation 30, defection against a cooperator 50 and 0."""
    pairs = [("cooperate", "defect"), ("cooperate", "cooperate"), ("defect", "defect")]
    table = replication.dyadic_table(
        [play_match("program_matrix", one, 1, **replication.params_of("dyadic")) for one in pairs]
    )
    assert {(row[1], row[2]): row[3].mean for row in table.rows} == {
        ("cooperate", "cooperate"): 30,
        ("cooperate", "defect"): 0,
        ("defect", "cooperate"): 50,
        ("defect", "defect"): 10,
    }


def test_shares_of_programs_that_look_for_likeness_stand_beside_the_papers_counts():
    """Ten matches of twenty turns have 400 moves; after nine turns late-defector defects, and cooperate never does."""
    place = read_paper("open_source").places["similarity"]
    table = replication.similarity_table(
        place, [play_match("program_matrix", ["late-defector", "cooperate"], 1, turns=20)]
    )
    (_, paper, ours, _), (_, after, _, _) = table.rows
    assert (paper.mean, paper.rows, after.mean, after.rows) == (342 / 400, 400, 305 / 306, 306)
    assert ours.mean == pytest.approx(29 / 40)
    assert paper == wilson(342, 400)


def test_the_number_of_seeds_is_chosen_here_and_not_comparable():
    one = next(one for one in replication.checks(read_paper("open_source")) if one.key == "settings")
    assert one.verdicts() == Counter({EQUAL: 8, INCOMPARABLE: 2, MISSING: 0})
    assert {own.cell for own in one.numbers if one.verdict(own).word == INCOMPARABLE} == {"seeds"}


@pytest.mark.slow
def test_sparcs_strategies_are_counted_as_the_papers_code_counts_them():
    """The first dictionary of a file calls four stochastic that the library does not, and six the other way round."""
    files = pytest.importorskip("axelrod") and load_library()
    found = [items()[number] for number in set_members("all")]
    other = {one.name: one.stochastic for one in found if one.stochastic != dataset.is_stochastic(files, one)}
    assert sorted(name for name, drawn in other.items() if not drawn) == [
        "MetaHunter",
        "MetaHunterAggressive",
        "MetaWinnerDeterministic",
        "WinShiftLoseStay",
    ]
    assert sorted(name for name, drawn in other.items() if drawn) == [
        "NMWEDeterministic",
        "PSOGambler1_1_1",
        "PSOGambler2_2_2",
        "PSOGambler2_2_2_Noise05",
        "PSOGamblerMem1",
        "ZDMem2",
    ]
    (beside, *rest) = replication.checks(read_paper("open_source"))
    assert beside.verdicts() == Counter({EQUAL: 6, MISSING: 0})
    assert sum((one.verdicts() for one in rest), Counter())[CONTRADICTS] == 0


def test_without_the_library_its_strategies_are_not_identifiable(monkeypatch):
    def missing():
        raise MissingLibraryError("pip install econzoo[programs]")

    monkeypatch.setattr(replication, "load_library", missing)
    beside, *_ = replication.checks(read_paper("open_source"))
    assert beside.verdicts()[UNIDENTIFIED] == 6


def told(*arguments, code=0):
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(list(map(str, arguments)))
    assert ended.value.code == code, err.getvalue()
    return out.getvalue() if code == 0 else err.getvalue()


@pytest.mark.long
def test_one_command_plays_the_studies_of_models_and_goes_on(tmp_path):
    """Two models whose programs always do the same; in the coin game, with an argument more, they fail."""
    program = "mock:def strategy_function(own, other, mine, theirs):%0A    return '{}'"
    models = (f"PM={program.format('D')}", f"CPM={program.format('C')}")
    line = ("run", "open-source", *models, "--alike", "clique-bot")
    found = json.loads(told(*line, "--out", tmp_path, "--json"))
    matrix, coins = (found["dyadic"][at : at + 4] for at in (0, 4))
    assert [(row["game"], row["points"]["mean"]) for row in coins] == [("program_coin", None)] * 4
    assert [(row["author"], row["opponent"], row["points"]["mean"]) for row in matrix] == [
        ("PM", "PM", 10.0),
        ("PM", "CPM", 50.0),
        ("CPM", "PM", 0.0),
        ("CPM", "CPM", 30.0),
    ]
    assert [row["ours"]["mean"] for row in found["similarity"] if row.get("share")] == [1.0, 1.0]
    before = (tmp_path / "dyadic" / "records.jsonl").read_bytes()
    told(*line, "--out", tmp_path)
    assert (tmp_path / "dyadic" / "records.jsonl").read_bytes() == before
