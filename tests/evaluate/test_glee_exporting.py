"""Records go to GLEE's folders and come back as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from glee_files import REPEATED, Game, bargaining, negotiation, persuasion, with_person
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.formats.glee import export_records
from econzoo.evaluate.formats.glee.exporting import to_published_game
from econzoo.evaluate.formats.glee.folders import folder_of, read_published_game, write_published_game
from econzoo.evaluate.formats.glee.importing import import_folder, to_record
from econzoo.evaluate.run import NotImportableError, play_match, replay
from exhaustive import examples
from refusals import refuses, says


def there_and_back(record: Record) -> Record:
    """The record of the folder to which a record is exported."""
    with TemporaryDirectory() as out:
        game = to_published_game(record)
        write_published_game(game, folder_of(game, out))
        return to_record(read_published_game(folder_of(game, out)))[0]


def imported(game: Game, root: Path, **how):
    return to_record(read_published_game(game.save(root, **how)))[0]


def shapes():
    """Games in every form, with how they are saved."""
    yield bargaining((60.0, 40.0, 'a, "b"\r\nc'), "reject", (33.3, 66.7, ""), "accept"), {"old": True}
    yield bargaining(("$600,000", "400000"), "accept", money=1e6, in_args=True, words=False), {"bom": True}
    yield with_person(bargaining((60.0, 40.0, "1000"), "accept", rounds=99)), {"newline": "\r\n", "none": True}
    yield negotiation(9000, "RejectOffer", (1e4, "Last."), "DealWithJhon"), {}
    yield negotiation(-50.25, "AcceptOffer", rounds=30, words=False), {}
    yield persuasion(*REPEATED), {}
    yield persuasion(("high", "Buy!", "yes"), ("low", "1000", "no"), binary=False, myopic=True, c=0.5), {}
    extra = negotiation(9000, "RejectOffer", 8000, "AcceptOffer")
    extra.columns.append("thoughts")
    extra.rows[1] |= {"thoughts": "hm", "message": "no"}
    yield extra, {}


def test_an_imported_game_goes_back_cell_by_cell(tmp_path):
    for number, (game, how) in enumerate(shapes()):
        folder = game.save(tmp_path / f"in-{number}", **how)
        record = to_record(read_published_game(folder))[0]
        out = tmp_path / f"out-{number}"
        assert export_records([record], out).written == 1, how
        back = out / record.game / folder.name
        assert read_published_game(back) == read_published_game(folder), how
        assert b"\r" not in (back / "game.csv").read_bytes().replace(b'"a, ""b""\r\nc"', b""), how
        assert to_record(read_published_game(back))[0] == record, how


def test_own_matches_have_the_columns_of_glee(tmp_path):
    for columns in [
        (bargaining((60, 40), "accept"), "alice_gain,bob_gain,message,player,round,decision"),
        (bargaining((60, 40), "accept", words=False), "alice_gain,bob_gain,player,round,decision"),
        (negotiation(9000, "AcceptOffer"), "message,product_price,player,round,decision"),
        (persuasion(*REPEATED), "round_quality,product_worth,player,round,decision"),
        (persuasion(("low", "Hm.", "no"), binary=False), "round_quality,product_worth,player,round,message,decision"),
    ]:
        game, header = columns
        record = imported(game, tmp_path)
        record.source = None
        assert ",".join(to_published_game(record).columns) == header, columns


def test_own_matches_by_hand():
    game = to_published_game(play_match("bargaining", ["fair", "fair"], money=100, messages=False))
    assert game.config["player_1_args"] == {"public_name": "Alice", "model_name": "fair", "delta": 0.9}
    assert game.config["game_args"]["max_rounds"] == 12
    assert [list(row.values()) for row in game.rows] == [
        ["50.0", "50.0", "Alice", "1", ""],
        ["", "", "Bob", "1", "accept"],
    ]


REFUSED = [
    ("bargaining", {"horizon": 21}, ("horizon", 20)),
    ("bargaining", {"horizon": None, "max_rounds": 20}, ("horizon", 20)),
    ("persuasion", {"rounds": None}, ("number of rounds",)),
    ("negotiation", {"outside_option": False}, ("opt out",)),
    ("persuasion", {"messages": False}, ("messages=False",)),
]


def test_what_glee_cannot_say_is_refused():
    for game, params, named in REFUSED:
        with refuses(NotImportableError, *named):
            to_published_game(play_match(game, ["random", "random"], **params))


def test_unfinished_matches_are_left_out(tmp_path):
    matches = [play_match("bargaining", ["mock('?')", "fair"]), play_match("bargaining", ["fair", "fair"])]
    done = export_records(matches, tmp_path)
    assert (done.written, [kind for _, kind, _ in done.skipped]) == (1, ["not finished"])
    says(done.lines()[-1], "1 written", "1 left out", "not finished: 1")


def test_folders_are_deep_as_in_the_published_data(tmp_path):
    export_records([play_match("bargaining", ["fair", "fair"])], tmp_path, deep=True)
    (file,) = tmp_path.rglob("game.csv")
    name = file.parent.name
    assert file.parent == tmp_path / "bargaining" / name[0] / name[1] / name[2] / name
    assert len(name) == 16
    done = import_folder(tmp_path, tmp_path / "out.jsonl")
    assert [record.players for record in read_record_file(tmp_path / "out.jsonl")] == [["fair", "fair"]]
    assert done.added == 1


# Any match

MESSAGES = st.text(st.characters(codec="utf-8"), max_size=30)
SETTINGS = {
    "bargaining": st.fixed_dictionaries(
        {
            "money": st.floats(0.01, 1e9),
            "delta": st.tuples(st.floats(0.01, 1.0), st.floats(0.01, 1.0)),
            "horizon": st.sampled_from([1, 2, 12, 20, None]),
            "complete_information": st.booleans(),
            "messages": st.booleans(),
        }
    ),
    "negotiation": st.fixed_dictionaries(
        {
            "money": st.floats(0.01, 1e9),
            "seller_value": st.floats(0.0, 10.0),
            "buyer_value": st.floats(0.0, 10.0),
            "horizon": st.sampled_from([1, 10, None]),
            "messages": st.booleans(),
            "bound": st.none(),
        }
    ),
    "persuasion": st.fixed_dictionaries(
        {
            "price": st.floats(0.01, 1e9),
            "prior": st.floats(0.0, 1.0),
            "high_value": st.floats(1.0, 10.0),
            "low_value": st.floats(0.0, 1.0),
            "rounds": st.integers(1, 8),
            "message_type": st.sampled_from(["text", "binary"]),
            "buyer": st.sampled_from(["long-living", "myopic"]),
            "buyer_messages": st.booleans(),
            "buyer_knows_prior": st.booleans(),
        }
    ),
}


@examples(20)
@given(st.sampled_from(sorted(SETTINGS)).flatmap(lambda g: st.tuples(st.just(g), SETTINGS[g])), st.integers(0, 2**32))
def test_any_match_comes_back(market, seed):
    name, params = market
    record = play_match(name, ["random", "random"], seed, **params)
    back = there_and_back(record)
    assert replay(back) == []
    for field in ("game", "params", "players", "chance", "payoffs", "metrics", "status"):
        assert getattr(back, field) == getattr(record, field), field
    assert [(t.seat, t.round, t.action) for t in back.turns] == [(t.seat, t.round, t.action) for t in record.turns]
    assert there_and_back(back) == back


@settings(max_examples=60, deadline=None)
@given(st.lists(MESSAGES, min_size=2, max_size=2), st.booleans(), st.integers(0, 10_000))
def test_any_message_comes_back(messages, first_of_person, cents):
    gains = [cents / 100, 100 - cents / 100]
    game = bargaining((*gains, messages[0]), "reject", (*gains, messages[1]), "accept")
    with TemporaryDirectory() as root:
        record = imported(with_person(game) if first_of_person else game, Path(root))
    assert there_and_back(record) == record
    assert Record.from_json(json.dumps(json.loads(record.to_json()))) == record


def test_a_source_that_is_not_as_the_import_wrote_it_is_told(tmp_path):
    for change in [
        {"id": None},
        {"config": 3},
        {"columns": 7},
        {"cells": "x"},
        {"cells": [[99, "decision", "accept"]]},
    ]:
        record = imported(bargaining((60.0, 40.0, "Fair?"), "accept"), tmp_path)
        source = {name: value for name, value in {**record.source, **change}.items() if value is not None}
        with refuses(NotImportableError, "source"):
            to_published_game(replace(record, source=source))
