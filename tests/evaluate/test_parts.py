"""Tables, texts and figures in every form: terminal, page, CSV, JSON and LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest

from econzoo.evaluate.show import COUNT, FILES, FOLDED, HEADING, MONEY, PAGE, POINTS, RAW, SHARE, TERMINAL, TEXT
from econzoo.evaluate.show import WARNING, Cell, Column, Divider, Page, Table, Text, csv_of, is_known, json_of
from econzoo.evaluate.show import number_of, show, write_interval, write_rows, write_value
from econzoo.evaluate.show.files import latex_of, write_parts
from econzoo.evaluate.show.parts import KINDS, NUMBER, TEXTS, sections
from econzoo.evaluate.show.terminal import render_table
from econzoo.evaluate.stats import Interval
from refusals import says

HOSTILE = "<script>alert('x')</script>"
CONTROL = "\x1b[2Jgone\u202e"


def table(*columns: Column, rows: Any, **more: Any) -> Table:
    """A table with a name."""
    return Table("made", "Made", columns, rows, **more)


def printed(*parts: Any, columns: int = 80) -> str:
    """What a terminal of so many columns shows."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", str(columns))
        show(parts, out=out)
    return out.getvalue()


# Columns know what they hold


def test_the_kind_of_a_column_and_not_its_heading_says_how_it_is_aligned() -> None:
    for head in ["spec", "strategy", "model", "setting", "player", "efficiency"]:
        rows = [["tit-for-tat", "a", 1.0]]
        for kind, justify, letter in ((TEXT, "left", "l"), (NUMBER, "right", "r")):
            row = rows[0] if kind == TEXT else ["tit-for-tat", 2.0, 1.0]
            made = table(Column("player", kind=TEXT), Column("x", head, kind), Column("y"), rows=[row])
            _, drawn = render_table(made)
            assert [column.justify for column in drawn.columns] == ["left", justify, "right"], head
            assert [str(column.header) for column in drawn.columns] == ["player", head, "y"], head
            assert f"\\begin{{tabular}}{{l{letter}r}}" in latex_of(made), head
            page = Page("p", "P", [made]).to_html()
            assert (
                f'<th scope="col"{"" if kind == TEXT else " class=" + chr(34) + "n wrap" + chr(34)}>{head}</th>' in page
            ), head


def test_a_value_is_written_as_its_kind_says() -> None:
    for column, value, written in [
        (Column("x"), 0.12345, "0.123"),
        (Column("x", digits=1), 1234.56, "1,234.6"),
        (Column("x", signed=True), 0.5, "+0.500"),
        (Column("x", signed=True), 0.0, "0.000"),
        (Column("x"), -0.0001, "0.000"),
        (Column("x", kind=COUNT), 12345, "12,345"),
        (Column("x", kind=SHARE), 0.125, "12%"),
        (Column("x", kind=SHARE), 0.0125, "1.2%"),
        (Column("x", kind=POINTS), 0.125, "+12.5"),
        (Column("x", kind=POINTS), -0.125, "-12.5"),
        (Column("x", kind=MONEY), 3.0, "$3.00"),
        (Column("x", kind=MONEY), 0.00123, "$0.0012"),
        (Column("x", kind=TEXT), "fair", "fair"),
        (Column("x"), True, "yes"),
        (Column("x"), Cell(0.5, mark="*"), "0.500*"),
        (Column("x"), Cell(0.5, digits=1), "0.5"),
        (Column("x"), math.inf, "\u221e"),
        (Column("x"), -math.inf, "-\u221e"),
        (Column("x"), Interval(0.5, 0.4, 0.6, 9), "0.500"),
    ]:
        assert write_value(column, value) == written, (column, value)


def test_what_is_not_known_is_a_dash_and_an_empty_cell_in_files() -> None:
    for value in [None, math.nan, Cell(math.nan, mark="*"), Interval(math.nan, math.nan, math.nan, 0)]:
        for kind in KINDS:
            column = Column("x", kind=kind)
            assert write_value(column, value) == "-", (kind, value)
            assert write_interval(column, value) == "", (kind, value)
            assert not is_known(value), (kind, value)
            made = table(Column("name", kind=TEXT), column, rows=[["a", value]])
            assert next(csv.DictReader(io.StringIO(_csv(made))))["x"] == "", (kind, value)
            assert "a & --" in latex_of(table(Column("name", kind=TEXT), column, rows=[["a", value], ["b", "?"]])), (
                kind,
                value,
            )
            plain = json_of([made])["made"][0]["x"]
            assert (plain if not isinstance(plain, dict) else plain["mean"]) is None, (kind, value)
            json.loads(json.dumps(json_of([made]), allow_nan=False))


def test_a_column_without_any_value_is_shown_nowhere_but_in_files() -> None:
    made = table(Column("name", kind=TEXT), Column("tokens", kind=COUNT), Column("x"), rows=[["a", math.nan, 1.0]])
    assert "tokens" not in printed(made)
    assert "tokens" not in Page("p", "P", [made]).to_html()
    assert "tokens" in csv_of(made)[0]


# Estimates


def test_an_interval_is_written_as_the_kind_of_its_column_says() -> None:
    for column, found, written in [
        (Column("x"), Interval(0.5, 0.49, 0.55, 9), "0.49\u20130.55"),
        (Column("x"), Interval(-0.5, -0.55, -0.49, 9), "-0.55 to -0.49"),
        (Column("x"), Interval(0.5, 0.5, 0.5, 9), ""),
        (Column("x", kind=SHARE), Interval(0.5, 0.25, 0.75, 9), "25%\u201375%"),
        (Column("x", kind=POINTS), Interval(0.1, -0.05, 0.25, 9), "-5.0 to +25.0"),
        (Column("x", signed=True), Interval(0.1, 0.05, 0.25, 9), "+0.050 to +0.250"),
        (Column("x", kind=MONEY), Interval(3.0, 2.0, 4.0, 9), "$2.00\u2013$4.00"),
        (Column("x"), Cell(Interval(0.5, 0.4, 0.6, 9), mark="*"), "0.40\u20130.60"),
        (Column("x"), 0.5, ""),
    ]:
        assert write_interval(column, found) == written, (column, found)


ESTIMATES = table(
    Column("player", kind=TEXT),
    Column("gain", show_interval=True),
    Column("errors", kind=SHARE),
    Column("matches", kind=COUNT),
    rows=[
        ["fair", Interval(0.5, 0.4, 0.6, 9), Interval(0.1, 0.0, 0.2, 9), 3],
        ["spe", 0.25, Interval(0.5, math.nan, math.nan, 1), 4],
    ],
    note="A note.",
)


def test_an_estimate_has_its_interval_everywhere() -> None:
    told = printed(ESTIMATES)
    assert [line.split() for line in told.splitlines() if "fair" in line or "spe" in line] == [
        ["fair", "0.500", "0.40\u20130.60", "10%", "3"],
        ["spe", "0.250", "-", "50%", "4"],
    ]
    assert "95%" in told
    assert "0.500 <small>0.40\u20130.60</small></td>" in Page("p", "P", [ESTIMATES]).to_html()
    assert "fair & $0.500$ & $10\\%$ & $3$ \\\\\n & {\\scriptsize $0.40$--$0.60$} & " in latex_of(ESTIMATES)
    assert [number_of(row[1]) for row in ESTIMATES.rows if not isinstance(row, Divider)] == [0.5, 0.25]


def test_csv_has_the_ends_of_intervals_in_columns_of_their_own() -> None:
    heads, rows = csv_of(ESTIMATES)
    assert heads == [
        *("player", "gain", "gain_low", "gain_high", "gain_n"),
        *("errors", "errors_low", "errors_high", "errors_n", "matches"),
    ]
    fair, spe = (dict(zip(heads, row, strict=True)) for row in rows)
    assert fair == {
        **{"player": "fair", "gain": 0.5, "gain_low": 0.4, "gain_high": 0.6, "gain_n": 9},
        **{"errors": 0.1, "errors_low": 0.0, "errors_high": 0.2, "errors_n": 9, "matches": 3},
    }
    assert [spe[name] for name in heads[1:5]] == [0.25, None, None, None]
    assert _csv(ESTIMATES).splitlines()[2] == "spe,0.25,,,,0.5,,,1,4"


def test_json_has_estimates_as_objects() -> None:
    found = json_of([ESTIMATES, Text("left out")])
    assert [*found] == ["made"]
    assert found["made"][0]["gain"] == {"mean": 0.5, "low": 0.4, "high": 0.6, "rows": 9}
    assert found["made"][1] == {
        **{"player": "spe", "gain": 0.25, "matches": 4},
        "errors": {"mean": 0.5, "low": None, "high": None, "rows": 1},
    }


def _csv(made: Table) -> str:
    """The file of a table."""
    file = io.StringIO()
    write_rows(file, *csv_of(made))
    return file.getvalue()


# Dividers, places and texts


def test_a_divider_is_a_line_for_people_and_a_column_in_files() -> None:
    rows = [Divider("As Alice", "first"), ["fair", 1.0], Divider("As Bob"), ["fair", 2.0]]
    made = table(Column("player", kind=TEXT), Column("gain"), rows=rows)
    assert csv_of(made) == (["group", "player", "gain"], [["As Alice", "fair", 1.0], ["As Bob", "fair", 2.0]])
    assert [row["group"] for row in json_of([made])["made"]] == ["As Alice", "As Bob"]
    assert "\\multicolumn{2}{l}{\\textit{As Alice (first)}} \\\\" in latex_of(made)
    lines = [line.strip() for line in printed(made).splitlines()]
    assert lines.index("As Alice (first)") < lines.index("As Bob")
    assert '<th scope="rowgroup" colspan="2">As Alice <span class="note">first</span></th>' in (
        Page("p", "P", [made]).to_html()
    )


def test_a_part_is_shown_where_it_belongs(tmp_path: Path) -> None:
    for place in [TERMINAL, PAGE, FILES, RAW]:
        made = table(Column("player", kind=TEXT), Column("gain"), rows=[["someone", 0.321]], places=(place,))
        words = Text("Some words.", places=(place,))
        page = Page("p", "P", [made, words])
        written = {path.name for path in write_parts(page.parts, tmp_path)}
        assert ("0.321" in printed(*page.parts), "Some words." in printed(*page.parts)) == (place == TERMINAL,) * 2, (
            place
        )
        assert ("0.321" in page.to_html(), "Some words." in page.to_html()) == (place == PAGE,) * 2, place
        assert ("made.csv" in written) == (place in (FILES, RAW)), place
        assert ("made" in page.to_dict()) == (place == FILES), place


def test_texts_begin_sections_and_what_is_folded_is_for_pages() -> None:
    parts = [Text("Before"), *(Text(f"A {kind}.", kind, title="More") for kind in TEXTS)]
    first, second = sections(parts)
    assert (first.heading, second.heading) == ("", "A heading.")
    assert len(first.parts) + len(second.parts) == len(TEXTS)
    told, page = printed(*parts), Page("p", "P", parts).to_html()
    assert [f"A {kind}." in told for kind in TEXTS] == [kind != FOLDED for kind in TEXTS]
    assert all(f"A {kind}." in page for kind in TEXTS)
    assert '<div class="cautions" role="note"><p>A warning.</p></div>' in page


def test_a_legend_is_said_once_below_tables_that_share_it() -> None:
    columns = (Column("player", kind=TEXT), Column("gain", meaning="Gain: what it earned"))
    one, two = (Table(key, key, columns, [["fair", 1.0]], note="Means.") for key in ("one", "two"))
    assert printed(one, two).count("Means. Gain: what it earned.") == 1
    assert Page("p", "P", [one, two]).to_html().count('<p class="note">Means. Gain: what it earned.</p>') == 2


def test_a_table_without_rows_is_left_out(tmp_path: Path) -> None:
    empty = table(Column("player", kind=TEXT), rows=[])
    assert printed(empty) == ""
    assert "<table" not in Page("p", "P", [empty]).to_html()
    assert write_parts([empty], tmp_path) == []


# Names of others


def test_hostile_names_are_harmless_on_a_page() -> None:
    made = table(
        Column("player", HOSTILE, TEXT, meaning=HOSTILE),
        Column("gain", HOSTILE),
        rows=[Divider(HOSTILE, HOSTILE), [Cell(HOSTILE, tip=HOSTILE, mark="*"), Cell(1.0, tip=HOSTILE)]],
        note=HOSTILE,
    )
    texts = [Text(HOSTILE, kind, title=HOSTILE) for kind in TEXTS]
    page = Page("p", HOSTILE, [made, *texts], [HOSTILE], [HOSTILE]).to_html()
    assert "<script" not in page
    assert "alert(&#39;x&#39;)" in page
    assert "\x1b" not in Page("p", CONTROL, [table(Column("x", kind=TEXT), rows=[[CONTROL]])]).to_html()


def test_hostile_names_change_nothing_on_a_terminal() -> None:
    made = table(Column("player", kind=TEXT), Column("[red]x[/red]"), rows=[[CONTROL, 1.0], ["[bold]b[/bold]", 2.0]])
    told = printed(made, Text(CONTROL), Text(CONTROL, HEADING), Text(CONTROL, WARNING))
    assert all(one.isprintable() for line in told.splitlines() for one in line)
    assert "[bold]b[/bold]" in told
    assert "[red]x[/red]" in told


def test_latex_prints_every_sign_as_it_is() -> None:
    name = "a_b & 50% of $1 #2 {x} ~^\\ <y> [z]"
    made = table(
        Column("player", "p_1", TEXT), Column("x", kind=MONEY), rows=[[name, 1234.5], [CONTROL, 0.0]], note=name
    )
    text = latex_of(made)
    row = (
        r"a\_b \& 50\% of \$1 \#2 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} "
        r"\textless{}y\textgreater{} {[}z{]} & $\$1{,}234.50$ \\"
    )
    assert row in text
    assert r"p\_1 & x \\" in text
    assert "\x1b" not in text
    for line in text.splitlines():
        bare = line.replace("\\\\", "").replace("\\{", "").replace("\\}", "")
        assert bare.count("{") == bare.count("}")


def test_csv_has_no_formulas() -> None:
    made = table(Column("player", kind=TEXT), Column("x"), rows=[["=1+1", -1.0], ["@sum", 2.0], ["-5", 3.0]])
    assert _csv(made).splitlines()[1:] == ["'=1+1,-1.0", "'@sum,2.0", "-5,3.0"]


def test_a_page_needs_nothing_else_and_says_what_was_not_read(capsys: pytest.CaptureFixture[str]) -> None:
    page = Page("p", "Title", [ESTIMATES], ["2 matches"], [f"line {number}" for number in range(7)])
    html = page.to_html()
    assert "default-src 'none'" in html
    assert "http" not in html.replace("http-equiv", "")
    assert all(f"<li>line {number}</li>" in html for number in range(7))
    page.show()
    told = capsys.readouterr().out
    assert [f"line {number}" in told for number in range(7)] == [True] * 5 + [False] * 2
    says(told, "2 more")
    assert [row["problem"] for row in page.to_dict()["problems"]] == [f"line {number}" for number in range(7)]


# Terminals


def test_a_table_that_is_too_wide_is_split_and_loses_nothing() -> None:
    for columns in [60, 80, 120]:
        keys = [f"measure number {number}" for number in range(12)]
        names = ["a-very-long-name-of-somebody-that-folds?temperature=0.7&reasoning=cot", "fair"]
        rows = [[name, *(at + 100 * place for at in range(12))] for place, name in enumerate(names)]
        made = table(
            Column("player", kind=TEXT),
            *(Column(key, digits=1, show_interval=key == keys[0]) for key in keys),
            rows=rows,
        )
        told = printed(made, columns=columns)
        assert max(map(len, told.splitlines())) <= columns, columns
        blocks = told.count("fair")
        assert blocks > 1, columns
        assert told.count("player") == blocks, "every part says who is in its rows"
        words = told.split()
        for place in range(2):
            assert [f"{at + 100 * place:.1f}" in words for at in range(12)] == [True] * 12, columns
        firsts = "".join(line.split()[0] for line in told.splitlines() if line.strip())
        assert names[0] in firsts, "a name folds and is not cut"
        assert told.splitlines()[0].strip() == "Made", columns
        assert sum(line.strip() == "Made" for line in told.splitlines()) == 1, columns


def test_a_table_that_fits_is_one() -> None:
    assert printed(ESTIMATES).count("player") == 1
    assert printed(Text("Made: all", HEADING), ESTIMATES).count("Made") == 1, "the heading says it already"
