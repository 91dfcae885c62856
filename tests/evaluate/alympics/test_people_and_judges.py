"""ALYMPICS' games of people and its judges' sheets: as they are printed, from tables of days, and from Excel."""

from __future__ import annotations

import csv
import struct
import zipfile
from collections import Counter

import pytest

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.analyses import read_paper
from econzoo.evaluate.analyses.alympics import printed_games
from econzoo.evaluate.analyses.alympics.game_collection import read_games
from econzoo.evaluate.analyses.alympics.table_3 import compare_ratings, compare_self_assessment, comparison_figure
from econzoo.evaluate.analyses.judging import load_rubric, read_ratings
from econzoo.evaluate.analyses.judging.rubric import Dimension, Rubric
from econzoo.evaluate.analyses.judging.sheets import import_sheets, parse_scores
from econzoo.evaluate.analyses.verdicts import COMPATIBLE, CONTRADICTS, EQUAL, MISSING, UNIDENTIFIED
from econzoo.evaluate.formats.alympics import import_games
from econzoo.evaluate.formats.alympics.day_tables import COLUMNS
from econzoo.evaluate.run import replay
from econzoo.evaluate.show import number_of
from refusals import refuses, says

PLACES = read_paper("alympics").places
DIMENSIONS = [one.key for one in load_rubric("alympics").dimensions]

# People


def day_table(place, path, change=lambda line: line):
    """The CSV of a printed game."""
    rows = [COLUMNS]
    for day, row in enumerate(place.cells.values(), start=1):
        names = dict.fromkeys(column.split()[0] for column in row if column != "water")
        for name in names:
            told = [row.get(f"{name} {kind}", "") for kind in ("balance", "health", "bid", "no water")]
            rows.append(change((str(day), row.get("water", ""), name, *told)))
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(row for row in rows if row)
    return path


def test_the_games_of_people_follow_from_their_bids_but_for_nine_numbers():
    first, second = printed_games.compare_people_games(PLACES)
    assert first.verdicts() == Counter({EQUAL: 176, CONTRADICTS: 2, MISSING: 77})
    assert second.verdicts() == Counter({EQUAL: 269, CONTRADICTS: 7, MISSING: 109})
    for one in (first, second):
        odd = {(own.row, own.cell) for own in one.numbers if one.verdict(own).word == CONTRADICTS}
        assert odd == {(row, cell) for row, cells in one.place.reasons.items() for cell in cells}, one.place.title
        moves = {cell for cells in one.place.cells.values() for cell in cells} - {own.cell for own in one.numbers}
        assert {cell.split()[-1] for cell in moves} == {"water", "bid"}, one.place.title


def test_the_day_of_the_appendix_follows_from_its_bids():
    assert {one.cell: one.value for one in printed_games.day_by_rules(PLACES["day-7"])} == {
        "served": "Eric",
        "dies": "Bob",
    }


def test_a_table_of_days_becomes_a_record_that_replays(tmp_path):
    """The second game has its printed survivors although PLAYER7 is served on day 10."""
    path = day_table(PLACES["figure-10-second-game"], tmp_path / "people_20_30_2.csv")
    done = import_games(path, tmp_path / "out.jsonl")
    assert (done.added, done.days, [one.day for one in done.odd]) == (0, 20, [1, 8, 10, 20])
    assert import_games(path, tmp_path / "out.jsonl", keep_invalid=True).added == 1
    (record,) = read_record_file(tmp_path / "out.jsonl")
    assert replay(record) == []
    assert (record.players, record.payoffs) == (["human"] * 5, [0, 1, 1, 1, 1])
    assert [turn.action["bid"] for turn in record.turns[:5]] == [70, 71, 50, 99, 100]
    assert not any(turn.calls for turn in record.turns)


def test_a_game_that_two_dollars_decide_counts_as_printed_and_makes_no_record(tmp_path):
    """On day 16 PLAYER5 bids 250, of 251 that are printed and 249 that it has by the rules."""
    path = day_table(PLACES["figure-10-first-game"], tmp_path / "people_10_20_1.csv")
    done = import_games(path, tmp_path / "out.jsonl", keep_invalid=True)
    assert (done.added, [one.day for one in done.odd]) == (0, [6, 12])
    says(done.skipped[0][2], "residents die")
    (game,) = read_games([path]).games
    assert (game.lineup, game.seed) == ("human", 1)
    assert game.alive == (False, False, False, True, True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line[:-1] if line[0] == "3" else line, "line 12 has 6 cells"),
        (lambda line: None if line[0] == "3" else line, "all days from day 1"),
        (lambda line: None if line[0] == "21" else line, "morning after the last"),
        (lambda line: None if line[2] == "PLAYER5" else line, "4 residents"),
        (lambda line: (*line[:5], "much", line[6]) if line[0] == "3" else line, "bid='much'"),
        (lambda line: (*line[:4], "", *line[5:]) if line[0] == "3" else line, "missing health of PLAYER1"),
        (lambda line: ("1", *line[1:]), "duplicate resident"),
    ],
)
def test_a_table_that_says_too_little_is_refused(change, said, tmp_path):
    path = day_table(PLACES["figure-10-first-game"], tmp_path / "people_10_20_1.csv", change)
    says(import_games(path, tmp_path / "out.jsonl").skipped[0][2], said)


def test_a_table_without_the_range_of_its_supply_or_with_other_columns_is_refused(tmp_path):
    path = day_table(PLACES["figure-10-first-game"], tmp_path / "people.csv")
    says(import_games(path, tmp_path / "out.jsonl").skipped[0][2], "file name 'people'")
    path.write_text("day,who\n1,Ann\n")
    says(import_games(path, tmp_path / "out.jsonl").skipped[0][2], "day, who", "no_water_days")


# Judges


def test_what_people_say_of_themselves_is_the_half_of_table_3_that_needs_no_sheets():
    table, people = PLACES["table-3"], PLACES["self-assessment"]
    made = compare_self_assessment(table, people)
    assert {(one.row, one.cell): one.value for one in made.numbers}["people: 3rd quartile", "AD"] == 4.75
    assert made.verdicts() == Counter({EQUAL: 25, MISSING: 30})


HEADS = [
    "Information \nUtilization",
    "LogicalReasoning",
    "strategic Effectiveness",
    "Adaptability and Strategic Evolution",
    "Long-term planning ",
    " Identity Alignment",
]
WORDS = ["Because.", "It is logical to win.", "", "Adapts.", "x", "5 is high"]

LAYOUTS = {
    "in the first column": [["Aspect", *HEADS], ["Score", 4, 3, 5, 2, 1, 4], ["Reasons", *WORDS]],
    "further in, after an empty row": [
        [],
        [None, "Aspect", *HEADS],
        [None, "score", 4, 3, 5, 2, 1, 4],
        ["", "", *WORDS],
    ],
    "with words": [["", *HEADS], ["Score", "4 points", ",3", "5.0", "2\u5206", " 1", 4.0], ["", *WORDS]],
    "one below the other": [
        ["Aspect", "Score", "Reasons"],
        *([head, score, word] for head, score, word in zip(HEADS, [4, 3, 5, 2, 1, 4], WORDS, strict=True)),
    ],
    "below a text that begins like a dimension": [
        ["Information for judges"],
        ["Long games are hard"],
        ["Aspect", *HEADS],
        ["Score", 4, 3, 5, 2, 1, 4],
        ["Reasons", *WORDS],
    ],
}


def save_modern(path, *sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    book.save(path)


def save_old(path, rows):
    """A worksheet as Excel 2 wrote it: a record for each cell."""

    def record(kind, *parts):
        body = b"".join(parts)
        return struct.pack("<HH", kind, len(body)) + body

    made = [record(0x0009, struct.pack("<HH", 2, 0x10))]
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            place = struct.pack("<HHBBB", at, column, 0, 0, 0)
            if isinstance(cell, str) and cell:
                made.append(record(0x0004, place, struct.pack("B", len(cell)), cell.encode("latin-1")))
            elif isinstance(cell, int | float):
                made.append(record(0x0003, place, struct.pack("<d", cell)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join([*made, record(0x000A)]))


def ratings(path):
    table = read_ratings(path, load_rubric("alympics"))
    return {(one.item, one.judge): [] for one in table.ratings} | {
        key: [(one.dimension, one.score) for one in table.ratings if (one.item, one.judge) == key]
        for key in {(one.item, one.judge) for one in table.ratings}
    }, [one.reason for one in table.ratings]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sheet_is_read_in_every_layout(layout, tmp_path):
    pytest.importorskip("xlrd")
    save_modern(tmp_path / "sheets/7/JUDGE2.xlsx", [["a diary", 3], [1, 2]], LAYOUTS[layout])
    done = import_sheets(tmp_path / "sheets", tmp_path / "ratings.csv")
    assert (done.complete, done.data["ratings"]) == (True, 6)
    found, reasons = ratings(tmp_path / "ratings.csv")
    assert found == {("7", "JUDGE2"): list(zip(DIMENSIONS, [4, 3, 5, 2, 1, 4], strict=True))}
    assert reasons == WORDS


def test_old_sheets_archives_and_games_without_personas(tmp_path):
    pytest.importorskip("openpyxl")
    pytest.importorskip("xlrd")
    save_old(
        tmp_path / "one/10/JUDGE1.xls", [["Aspect", *HEADS[:5]], ["Score", 4, 3, 5, 2, 1], ["Reasons", *WORDS[:5]]]
    )
    save_modern(tmp_path / "one/9/JUDGE1.xlsx", LAYOUTS["with words"], [[*HEADS], [1, 1, 1, 1, 1, 1]])
    with zipfile.ZipFile(tmp_path / "sheets.zip", "w") as made:
        for path in sorted(tmp_path.glob("one/*/*")):
            made.write(path, path.relative_to(tmp_path))
        made.writestr("one/9/._JUDGE1.xlsx", "x")
        made.writestr("__MACOSX/9/JUDGE1.xlsx", "x")
    done = import_sheets(tmp_path / "sheets.zip", tmp_path / "ratings.csv")
    assert (done.complete, done.data["sheets"], done.data["ratings"]) == (True, 2, 11)
    says(done.data["notes"][0], "2 sheets", "the first")
    found, _ = ratings(tmp_path / "ratings.csv")
    assert [*found] == [("9", "JUDGE1"), ("10", "JUDGE1")]
    assert found["10", "JUDGE1"] == list(zip(DIMENSIONS[:5], [4, 3, 5, 2, 1], strict=True))


def test_what_is_no_sheet_is_told_and_the_rest_goes_on(tmp_path):
    pytest.importorskip("openpyxl")
    pytest.importorskip("xlrd")
    save_modern(tmp_path / "sheets/1/A.xlsx", LAYOUTS["with words"])
    save_modern(tmp_path / "sheets/1/B.xlsx", [["nothing", 1, 2, 3]])
    (tmp_path / "sheets/1/C.xls").write_text("no workbook")
    (tmp_path / "sheets/1/D.xlsx").write_bytes(b"PK\x03\x04 damaged")
    done = import_sheets(tmp_path / "sheets", tmp_path / "ratings.csv")
    assert (done.complete, done.data["ratings"]) == (False, 6)
    for problem, said in zip(
        done.data["problems"], ("B.xlsx has no scores", "C.xls cannot be read", "D.xlsx cannot"), strict=True
    ):
        says(problem, said)
    (tmp_path / "empty").mkdir()
    with refuses(FileNotFoundError, "xlsx"):
        import_sheets(tmp_path / "empty", tmp_path / "ratings.csv")


def test_table_3_beside_ratings_and_what_is_off_the_scale_is_told(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(
        "item,judge,dimension,score\n" + "".join(f"{item},J,IU,{score}\n" for item, score in enumerate((3, 4, 4, 17)))
    )
    made = compare_ratings(PLACES["table-3"], PLACES["self-assessment"], [str(path)])
    found = {(one.row, one.cell): number_of(one.value) for one in made.numbers if one.row.startswith("agents")}
    assert found["agents: mean", "IU"] == pytest.approx(11 / 3)
    assert found["agents: median", "IU"] == 4
    assert found["agents: sd", "IU"] == pytest.approx((1 / 3) ** 0.5)
    assert {made.verdict(one).word for one in made.numbers if one.row.startswith("agents")} == {UNIDENTIFIED}
    assert made.notes[0] == "3 ratings of 3 players by 1 judge."
    says(made.notes[1], "'17'", "off the scale")
    agents, people = comparison_figure(made).axes[0].lines
    assert agents.get_ydata() == pytest.approx([11 / 3])
    assert people.get_ydata() == pytest.approx([3.6, 3.5, 3.3, 3.7, 3.4])


def test_table_3_is_recounted_from_as_many_sheets_and_estimated_from_others(tmp_path):
    """Scores of 2 to 5 beside the printed mean 3.33 and median 3: 29 players are not the 30 of the paper."""
    for players, mean, median in ((30, CONTRADICTS, EQUAL), (29, COMPATIBLE, UNIDENTIFIED)):
        rows = [f"{item},J{judge},IU,{2 + (item + judge) % 4}\n" for item in range(players) for judge in range(5)]
        path = tmp_path / f"{players}.csv"
        path.write_text("item,judge,dimension,score\n" + "".join(rows))
        made = compare_ratings(PLACES["table-3"], PLACES["self-assessment"], [str(path)])
        words = {one.row: made.verdict(one).word for one in made.numbers if one.cell == "IU"}
        assert (words["agents: mean"], words["agents: median"]) == (mean, median), players
        assert words["people: mean"] == EQUAL


def dimension(name):
    return Dimension(name.lower().replace(" ", "_"), name, "T", "?", ("",) * 5)


def test_dimensions_that_begin_alike_are_read_from_their_own_columns_and_two_are_enough():
    rubric = Rubric("two", "", (dimension("Trust in rules"), dimension("Trust in others")))
    found = parse_scores([["Trust in others", "Trust in rules"], [4, 2]], rubric)
    assert [(one.dimension, one.score) for one in found] == [("trust_in_rules", "2"), ("trust_in_others", "4")]


def test_names_with_superscripts_are_sorted(tmp_path):
    pytest.importorskip("openpyxl")
    pytest.importorskip("xlrd")
    for name in ("m\u00b2", "m3"):
        save_modern(tmp_path / f"sheets/{name}/JUDGE1.xlsx", LAYOUTS["with words"])
    assert import_sheets(tmp_path / "sheets", tmp_path / "ratings.csv").complete
