"""Tables on a narrow terminal."""

from __future__ import annotations

from econzoo.evaluate.show import SHARE, TEXT, Column, Table, Text, show


def wide_table(label: str) -> Table:
    """A table whose label and heads want more than a narrow terminal has."""
    heads = ("mutual cooperation", "errors and forfeits", "last")
    columns = [Column("against", kind=TEXT), Column("gain"), *(Column(one, kind=SHARE) for one in heads)]
    return Table("wide", "Wide", columns, [[label, -0.021, 0.083, 0.0, 0.07]])


def test_no_name_and_no_number_is_lost_where_there_is_little_room(capsys, monkeypatch):
    """Labels stay whole, heads fold, and columns that do not fit stand in a second table, labels first."""
    monkeypatch.setenv("COLUMNS", "52")
    show([wide_table("best-response('greedy')")])
    told = capsys.readouterr().out.splitlines()
    assert max(map(len, told)) <= 52
    first, second = (n for n, line in enumerate(told) if "──" in line)
    assert [told[n - 1].split() for n in (first, second)] == [
        ["against", "gain", "cooperation"],
        ["against", "forfeits", "last"],
    ]
    assert told[first + 1].split() == ["best-response('greedy')", "-0.021", "8.3%"]
    assert told[second + 1].split() == ["best-response('greedy')", "0%", "7.0%"]


def test_a_label_as_wide_as_half_the_terminal_stays_whole(capsys, monkeypatch):
    """However many columns want to stand beside it."""
    label = "best-response('" + 23 * "g" + "')"
    monkeypatch.setenv("COLUMNS", "80")
    show([wide_table(label)])
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if label in line]
    assert [number for row in rows for number in row[1:]] == ["-0.021", "8.3%", "0%", "7.0%"]


def test_a_pipe_has_no_width(capsys, monkeypatch):
    """Where there is no terminal and no COLUMNS a row is a line."""
    monkeypatch.delenv("COLUMNS", raising=False)
    table = Table(
        "many", "Many", [Column("player", kind=TEXT), *map(Column, map(str, range(30)))], [["p1", *range(30)]]
    )
    show([table, Text(" ".join(60 * ["word"]))])
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[1:] for line in told if "p1" in line] == [[f"{n}.000" for n in range(30)]]
    assert " ".join(60 * ["word"]) in told
