"""Tables on a narrow terminal."""

from __future__ import annotations

from econzoo.evaluate.show.parts import SHARE, TEXT, Column, Table
from econzoo.evaluate.show.terminal import show


def test_no_name_and_no_number_is_lost_where_there_is_little_room(capsys, monkeypatch):
    """Names fold, and columns that do not fit stand in a second table, names first."""
    monkeypatch.setenv("COLUMNS", "52")
    heads = ("mutual cooperation", "errors and forfeits", "last")
    columns = [Column("against", kind=TEXT), Column("gain"), *(Column(one, kind=SHARE) for one in heads)]
    show([Table("wide", "Wide", columns, [["best-response('greedy')", -0.021, 0.083, 0.0, 0.07]])])
    told = capsys.readouterr().out.splitlines()
    assert max(map(len, told)) <= 52
    first, second = (n for n, line in enumerate(told) if "──" in line)
    assert [told[n - 1].split() for n in (first, second)] == [
        ["against", "gain", "cooperation", "forfeits"],
        ["against", "last"],
    ]
    assert told[first + 1].split()[1:] == ["-0.021", "8.3%", "0%"]
    assert told[first + 1].split()[0] + told[first + 2].strip() == "best-response('greedy')"
    assert told[second + 1].split() == ["best-response('greedy')", "7.0%"]
