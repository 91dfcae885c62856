"""`econzoo convert`: records as tables that statistics programs read, with a codebook."""

from __future__ import annotations

import csv
import warnings
from dataclasses import replace

import glee_files
import pandas as pd
import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.analyses import frame
from econzoo.evaluate.analyses.tidy import spool
from econzoo.evaluate.analyses.tidy.column import Meaning, column, plain_names
from econzoo.evaluate.analyses.tidy.export import HEADS, export_folder
from econzoo.evaluate.analyses.tidy.tables import common_columns, tables
from econzoo.evaluate.formats.glee.importing import import_folder
from econzoo.evaluate.show import plain_text
from refusals import refuses, says

READERS = {
    "csv": lambda path: pd.read_csv(path, dtype={"match": str}),
    "parquet": pd.read_parquet,
    "stata": pd.read_stata,
}


def read(folder, name, to):
    ending = "dta" if to == "stata" else to
    return READERS[to](folder / f"{name}.{ending}")


def texts(values):
    """Cells as texts: what is missing is nothing, a CSV's apostrophe before formulas is gone."""
    return ["" if pd.isna(value) else plain_text(str(value)) for value in values]


def test_what_is_read_back_is_what_the_records_say(small_folder, small_records, tmp_path):
    for to in READERS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            export_folder(small_folder, tmp_path, to)
        matches, seats, turns = (read(tmp_path, name, to) for name in ("matches", "seats", "turns"))
        assert list(matches["match"]) == [record.id for record in small_records], to
        assert list(matches["param_delta_2"]) == [record.params["delta"][1] for record in small_records], to
        assert set(matches["setting"]) == {"default", "ultimatum"}, to
        assert list(seats["payoff"]) == [payoff for record in small_records for payoff in record.payoffs], to
        played = [turn for record in small_records for turn in record.turns]
        assert texts(turns["move"]) == [turn.action["kind"] for turn in played], to
        assert texts(turns["message"]) == [turn.action.get("message", "") for turn in played], to
        assert turns["move_gain"].dropna().tolist() == [t.action["gain"] for t in played if "gain" in t.action], to


def test_the_keys_join_the_tables(small_folder, tmp_path):
    for to in READERS:
        export_folder(small_folder, tmp_path, to)
        matches, seats, turns = (read(tmp_path, name, to) for name in ("matches", "seats", "turns"))
        joined = turns.merge(seats, on=["match", "seat"], validate="many_to_one", suffixes=("", "_of_seat"))
        joined = joined.merge(matches, on="match", validate="many_to_one", suffixes=("", "_of_match"))
        assert len(joined) == len(turns) == matches["turns"].sum(), to
        assert (joined["player"] == joined["player_of_seat"]).all(), to


def test_the_seats_are_the_table_of_all_statistics(small_records):
    seats = tables(small_records)[1]
    known = frame(small_records)
    for name in ("self_gain", "nash_product", "equilibrium", "share_each", "tokens", "rounds"):
        assert pd.Series(seats[name].values, dtype=float).equals(known[name].astype(float))
    assert [int(value) for value in seats["agreed"].values] == list(known["agreed"])


@pytest.fixture
def odd():
    """A match with words that files, spreadsheets and old formats do not like, and a seed that Stata would round."""
    record = econzoo.play("negotiation", ["concede", "concede"], seed=2**60 + 1)
    turn = record.turns[0]
    words = '=HYPERLINK(1)\n\u05e9\u05dc\u05d5\u05dd \U0001f91d, "half"\0\ud800' + 9 * "and more " * 300
    record.turns[0] = replace(turn, action={**turn.action, "message": words}, reply="x" * 70_000)
    return record


def test_long_and_odd_texts_are_kept(odd, tmp_path):
    RecordFile(tmp_path / "odd.jsonl").append(odd)
    for to in READERS:
        export_folder(tmp_path / "odd.jsonl", tmp_path / "out", to)
        turns = read(tmp_path / "out", "turns", to)
        said = odd.turns[0].action["message"].replace("\0", "?").replace("\ud800", "?")
        assert texts(turns["message"])[0] == said, to
        assert len(turns["reply"][0]) == 70_000, to
        if to == "csv":
            assert turns["message"][0].startswith("'="), to
        assert texts(read(tmp_path / "out", "matches", to)["seed"]) == [str(2**60 + 1)], to


def test_a_match_that_nobody_answered_in_has_no_turns(tmp_path):
    record = econzoo.play("bargaining", ["fair", "fair"])
    RecordFile(tmp_path / "none.jsonl").append(replace(record, turns=[], status="abandoned", forfeit=0))
    export_folder(tmp_path / "none.jsonl", tmp_path / "out", "stata")
    assert pd.read_stata(tmp_path / "out" / "turns.dta").shape == (0, 2)
    assert pd.read_stata(tmp_path / "out" / "seats.dta")["left"].tolist() == ["yes", "no"]


def test_games_of_all_kinds_share_a_table(tmp_path):
    file = RecordFile(tmp_path / "records.jsonl")
    for game, players in (("bargaining", ["fair"] * 2), ("multi_issue", ["random"] * 2), ("matrix", ["random"] * 2)):
        file.append(econzoo.play(game, players))
    export_folder(tmp_path, tmp_path / "out", "stata")
    matches, turns = (pd.read_stata(tmp_path / "out" / f"{name}.dta") for name in ("matches", "turns"))
    one = matches.set_index("game")
    assert one.loc["bargaining", ["param_delta_1", "param_delta_2"]].tolist() == [0.9, 0.9]
    assert one.loc["multi_issue", "param_delta"] == 1.0
    assert one.loc["multi_issue", [f"param_items_{i}" for i in (1, 2, 3)]].tolist() == [3, 2, 1]
    assert one.loc["matrix", "param_stage_game"] == "prisoners-dilemma"
    assert pd.isna(one.loc["matrix", "param_horizon"])
    assert set(turns["move"]) >= {"offer", "accept"}
    assert {"C", "D"} & set(turns["move"])


def test_a_player_is_not_told_the_horizon_and_nothing_stands_there():
    found = tables([econzoo.play("bargaining", ["fair", "fair"], horizon=None)])[0]["param_horizon"]
    assert (found.kind, found.values) == ("whole number", [None])
    says(found.meanings[0].missing, None, "max_rounds")


def test_a_column_is_what_is_declared_where_its_values_are():
    for declared, values, kind, made in [
        ("", [True, None], "flag", [True, None]),
        ("", [1, 2.5], "number", [1.0, 2.5]),
        ("", ["a", 2], "text", ["a", "2"]),
        ("flag", [0.0, 1.0], "flag", [False, True]),
        ("whole number", [3.0, float("nan")], "whole number", [3, None]),
        ("whole number", [2**53 + 1], "text", ["9007199254740993"]),
        ("whole number", ["many"], "text", ["many"]),
        ("choice", ["b"], "choice", ["b"]),
    ]:
        found = column("x", [Meaning("x", declared, levels=("a", "b") if declared == "choice" else ())], values)
        assert (found.kind, found.values) == (kind, made), (declared, values)


def test_names_are_short_plain_and_differ():
    made = plain_names(
        ["param.a.1", "param.a_1", "inequity(0.5,0.25)", "param." + "x" * 40, "param." + "x" * 41, "2nd"]
    )
    assert list(made.values())[2] == "inequity_0_5_0_25"
    assert len({*made.values()}) == 6
    assert max(map(len, made.values())) == 32
    assert made["2nd"] == "v_2nd"


def test_every_column_has_a_row_in_the_codebook(small_folder, tmp_path):
    export_folder(small_folder, tmp_path, texts=True)
    with (tmp_path / "codebook.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == HEADS
    for name in ("matches", "seats", "turns"):
        heads = (tmp_path / f"{name}.csv").read_text().splitlines()[0].split(",")
        assert list(dict.fromkeys(row["column"] for row in rows if row["table"] == name)) == heads
    told = {(row["table"], row["column"]): row for row in rows}
    says(told["matches", "param_money"]["range"], 0.01, "1e12")
    assert told["turns", "move"]["range"] == "1 offer, 2 accept, 3 reject"
    assert "| param_money |" in (tmp_path / "codebook.md").read_text()


def test_no_meaning_is_left_over(small_records):
    shared = plain_names(name for one in common_columns().values() for name in one)
    used = {column.name for table in tables(small_records, texts=True) for column in table.columns}
    rare = {"origin", "source", "position_payoff"}  # of matches that were imported, or cut
    rare |= {"software_libraries", *(name for name in shared.values() if name.startswith("served_"))}  # of models
    assert set(shared.values()) <= used | rare


def test_games_of_glee_say_where_they_come_from(tmp_path):
    glee_files.bargaining((60.0, 40.0, "half, nearly"), "accept").save(tmp_path / "data")
    import_folder(tmp_path / "data", tmp_path / "glee.jsonl")
    export_folder(tmp_path / "glee.jsonl", tmp_path / "out", "parquet")
    matches = pd.read_parquet(tmp_path / "out" / "matches.parquet")
    assert matches["origin"].tolist() == ["AB12CD34EF56GH78"]


def test_what_cannot_be_read_is_told(small_folder, tmp_path, capsys):
    line = next(small_folder.glob("records*.jsonl")).read_text().splitlines()[0]
    (tmp_path / "records.jsonl").write_text(f"{line}\nno record\n")
    with pytest.raises(SystemExit) as end:
        main(["convert", str(tmp_path), str(tmp_path / "out"), "--to", "csv"])
    assert end.value.code == 1
    told = capsys.readouterr()
    says(told.out, "matches.csv", 1)
    says(told.err, "records.jsonl", "line 2", "JSON")
    with refuses(ValueError, "to='xlsx'", "csv, parquet, stata"):
        export_folder(tmp_path, tmp_path / "out", "xlsx")


def test_blocks_give_the_same_files(small_folder, tmp_path, monkeypatch):
    """However few rows are in memory at once, and whenever a column comes up first."""
    export_folder(small_folder, tmp_path / "whole", texts=True)
    monkeypatch.setattr(spool, "BLOCK", 7)
    export_folder(small_folder, tmp_path / "blocks", texts=True)
    written = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert len(written) == 5
    for name in written:
        assert (tmp_path / "blocks" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
