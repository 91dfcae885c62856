"""Tables on a narrow terminal."""

from __future__ import annotations

from econzoo.evaluate.show.console import show, table


def test_no_name_and_no_number_is_lost_where_there_is_little_room(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "64")
    heads = ["against", "gain", "95%", "mutual cooperation", "errors and forfeits", "last"]
    show(table("Wide", heads, [["best-response('greedy')", "-0.021", "-0.13 to 0.09", "8.3%", "0%", "7"]]))
    told = capsys.readouterr().out.splitlines()
    assert max(map(len, told)) <= 64
    names, rule = [line[1:12].strip() for line in told], next(n for n, line in enumerate(told) if "──" in line)
    assert names[rule - 1] == "against"
    assert "".join(names[rule + 1 :]).startswith("best-response('greedy')")
    assert told[rule + 1].split()[1:] == ["-0.021", "-0.13", "to", "0.09", "8.3%", "0%", "7"]
    assert told[rule - 1].split()[-3:] == ["cooperation", "forfeits", "last"]
