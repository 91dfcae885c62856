"""GLEE's published games become records that replay, or are listed with the reason."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from glee_files import REPEATED, bargaining, negotiation, persuasion, with_person

from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.formats.glee.folders import read_published_game
from econzoo.evaluate.formats.glee.importing import import_folder, to_record
from econzoo.evaluate.run import NotImportableError, replay
from refusals import refuses, says

DEAL = ((60.0, 40.0, "60/40?"), "reject", (45.0, 55.0, "No."), "accept")


def imported(game, tmp_path, **how):
    """The record of a game, as a file of records would give it back; it replays."""
    record, _ = to_record(read_published_game(game.save(tmp_path, **how)))
    assert replay(record) == []
    line = Record.from_json(record.to_json())
    assert line == record
    return line


def actions(record):
    return [turn.action for turn in record.turns]


# What comes out, by hand


def test_bargaining_by_hand(tmp_path):
    record = imported(bargaining(*DEAL), tmp_path)
    assert (record.game, record.players) == ("bargaining", ["llama-3.3-70b", "gpt-4o"])
    assert record.params == {
        "money": 100.0,
        "delta": [0.9, 0.8],
        "horizon": 12,
        "max_rounds": 99,
        "complete_information": True,
        "messages": True,
    }
    offers = [{"kind": "offer", "gain": 60.0, "message": "60/40?"}, {"kind": "offer", "gain": 55.0, "message": "No."}]
    assert actions(record) == [offers[0], {"kind": "reject"}, offers[1], {"kind": "accept"}]
    assert [(turn.seat, turn.round) for turn in record.turns] == [(0, 1), (1, 1), (1, 2), (0, 2)]
    assert record.payoffs == pytest.approx([45 * 0.9, 55 * 0.8])
    assert record.source["id"] == "AB12CD34EF56GH78"


def test_negotiation_by_hand(tmp_path):
    record = imported(negotiation((12000, "Buy it!"), "RejectOffer", 10500.0, "AcceptOffer"), tmp_path)
    assert record.params["money"] == 10_000.0
    assert (record.params["seller_value"], record.params["buyer_value"]) == (1.0, 1.2)
    assert record.params["outside_option"]
    assert not record.params["complete_information"]
    assert actions(record)[0] == {"kind": "offer", "price": 12000.0, "message": "Buy it!"}
    assert record.payoffs == [500.0, 1500.0]


def test_persuasion_by_hand(tmp_path):
    record = imported(persuasion(*REPEATED), tmp_path)
    assert record.chance == [1.0] * 6 + [0.0] * 14
    assert Counter(action["kind"] for action in actions(record)) == {
        "recommend": 6,
        "buy": 6,
        "discourage": 14,
        "decline": 14,
    }
    assert record.payoffs == [600.0, 1200.0]
    assert record.params["message_type"] == "binary"
    assert record.params["buyer_knows_prior"]


# Every form that the files take


def test_the_form_of_the_files_changes_nothing(tmp_path):
    for how in [{}, {"old": True}, {"bom": True}, {"newline": "\r\n", "none": True}]:
        for in_args in [False, True]:
            plain = imported(with_person(bargaining(*DEAL)), tmp_path / "plain")
            other = imported(with_person(bargaining(*DEAL, in_args=in_args)), tmp_path / "other", **how)
            assert (other.params, actions(other), other.payoffs) == (plain.params, actions(plain), plain.payoffs), how
            assert other.id == plain.id, how


def test_people_are_called_human_and_their_opponent_by_its_model(tmp_path):
    assert imported(with_person(bargaining(*DEAL)), tmp_path).players == ["human", "gemini-1.5-flash"]
    assert imported(with_person(bargaining(*DEAL), 1), tmp_path).players == ["gemini-1.5-flash", "human"]


def test_amounts_are_read_as_they_are_written(tmp_path):
    for split in [(52.5, 47.5), (33.3, 66.7), ("$60", "40"), ("100.00", 0), (0.1 + 0.2, 99.7)]:
        record = imported(bargaining(split, "accept"), tmp_path)
        assert record.payoffs == pytest.approx([float(str(x).strip("$")) for x in split]), split


def test_separators_of_thousands(tmp_path):
    record = imported(bargaining(("$600,000", "400,000.0"), "accept", money=1e6), tmp_path)
    assert record.payoffs == [600_000.0, 400_000.0]


def test_messages_stay_as_they_are(tmp_path):
    for message in ["1000", "50.0", 'naïve, “so” {"x": 1}', "two\r\nlines", "None", "  ", "\u2028", ""]:
        record = imported(bargaining((60.0, 40.0, message), "accept"), tmp_path)
        assert record.turns[0].reply.get("message", "") == message, repr(message)


def test_a_cell_of_none_in_a_persons_game_is_empty(tmp_path):
    record = imported(with_person(bargaining((60.0, 40.0, "None"), "accept")), tmp_path)
    assert "message" not in record.turns[0].action


NONE_FOR_NOTHING = [
    bargaining(*DEAL),
    negotiation(9000, "RejectOffer", (8000, "Last."), "BuyFromJhon"),
    persuasion(("high", "Buy!", "yes"), ("low", "", "no"), binary=False),
]


def test_none_for_nothing_is_read_in_games_of_models_too(tmp_path):
    for game in NONE_FOR_NOTHING:
        plain, other = imported(game, tmp_path / "plain"), imported(game, tmp_path / "other", none=True)
        assert other == plain, game


def test_none_is_a_message_where_nothing_else_is_none(tmp_path):
    said = bargaining((60.0, 40.0, "None"), "accept")
    assert imported(said, tmp_path / "said").turns[0].action["message"] == "None"
    assert "message" not in imported(said, tmp_path / "empty", none=True).turns[0].action


def test_what_is_certain_can_be_drawn(tmp_path):
    for prior, quality in [(1.0, "high"), (0.0, "low")]:
        record = imported(persuasion((quality, "yes", "no"), p=prior), tmp_path)
        assert record.params["prior"] == prior, prior


def test_long_messages_are_kept_whole(tmp_path):
    for length in [500, 501, 3000]:
        record = imported(negotiation((9000, "m" * length), "RejectOffer", 8000, "AcceptOffer"), tmp_path)
        assert len(record.turns[0].action["message"]) == length, length
        assert record.options == ({} if length == 500 else {"max_message": 100_000}), length


def test_every_word_for_leaving(tmp_path):
    for seat in [0, 1]:
        for word in ["SellToJhon", "BuyFromJhon", "DealWithJhon"]:
            before = (9000, "RejectOffer") if seat == 0 else ()
            record = imported(negotiation(*before, 8000.0, word), tmp_path)
            assert record.turns[-1].action == {"kind": "opt_out"}, (word, seat)
            assert record.turns[-1].seat == seat, (word, seat)
            assert record.payoffs == [0.0, 0.0], (word, seat)


def test_the_buyer_is_the_second_seat(tmp_path):
    rounds = [("high", "It is good.", "yes"), ("low", "3000", "no")]
    record = imported(persuasion(*rounds, binary=False, myopic=True), tmp_path)
    assert record.params["buyer"] == "myopic"
    assert [turn.seat for turn in record.turns] == [0, 1, 0, 1]
    assert record.turns[0].action == {"kind": "say", "message": "It is good."}


def test_a_persons_table_has_an_empty_message_column(tmp_path):
    game = with_person(persuasion(*REPEATED))
    game.columns.insert(4, "message")
    game.config["game_args"] |= {"is_buyer_know_p": False, "allow_buyer_message": True, "c": 0}
    record = imported(game, tmp_path, newline="\r\n")
    assert not record.params["buyer_knows_prior"]
    assert record.params["buyer_messages"]


def test_the_first_release_had_v_and_c_swapped(tmp_path):
    game = persuasion(*REPEATED)
    game.config["game_args"] |= {"v": 0.0, "c": 3.0}
    record, note = to_record(read_published_game(game.save(tmp_path)))
    assert (record.params["high_value"], record.params["low_value"]) == (3.0, 0.0)
    says(note, "v", "c")


def test_columns_beside_the_game_stay_in_the_source(tmp_path):
    game = bargaining(*DEAL)
    game.columns.append("reasoning")
    game.rows[1] |= {"reasoning": "too little", "message": "I refuse."}
    record = imported(game, tmp_path)
    assert record.turns[1].action == {"kind": "reject"}
    assert record.source["cells"] == [[1, "message", "I refuse."], [1, "reasoning", "too little"]]


# Horizons: a limit above 20 is not told, and may not be the one in force


def rejections(count):
    return [move for i in range(count) for move in ((60.0, 40.0) if i % 2 == 0 else (40.0, 60.0), "reject")]


HORIZONS = [  # stored limit, rounds, how it ends: horizon, max_rounds, whether that is listed
    (12, 12, "reject", 12, 99, False),
    (20, 3, "accept", 20, 99, False),
    (25, 3, "accept", None, 25, False),
    (30, 30, "reject", None, 30, False),
    (99, 3, "accept", None, 99, False),
    (99, 25, "reject", None, 25, True),
    (99, 99, "reject", None, 99, False),
    (25, 27, "accept", None, 27, True),
    (25, 99, "reject", None, 99, True),
]


def test_horizons(tmp_path):
    for stored, rounds, end, horizon, max_rounds, listed in HORIZONS:
        game = bargaining(*rejections(rounds), rounds=stored, words=False)
        game.rows[-1]["decision"] = end
        record, note = to_record(read_published_game(game.save(tmp_path)))
        assert (record.params["horizon"], record.params["max_rounds"]) == (horizon, max_rounds), (stored, rounds, end)
        assert (note is not None) == listed, (stored, rounds, end)
        assert record.status == "finished", (stored, rounds, end)
        assert replay(record) == [], (stored, rounds, end)


# What is no record


def change(key, value, **more):
    def changed(game):
        game.config["game_args"] |= {key: value, **more}

    return changed


def cell(at, **cells):
    return lambda game: game.rows[at].update(cells)


def drop(key):
    return lambda game: game.config["game_args"].pop(key)


def player(number, **args):
    return lambda game: game.config[f"player_{number}_args"].update(args)


def cut(game):
    game.rows = game.rows[:-1]


def goes_on(game):
    game.add("Alice", 3, alice_gain=50.0, bob_gain=50.0)


BARGAINING = [  # what is wrong, kind of reason, what it names
    (cut, "truncated", (3,)),
    (goes_on, "inconsistent", (4,)),
    (cell(1, player="Alice"), "inconsistent", ("move 2", "Alice", "round 1")),
    (cell(2, round=1), "inconsistent", ("move 3", "Bob", "round 1", "round 2")),
    (cell(2, round="two"), "unknown word", ("round", "'two'")),
    (cell(2, round=1.5), "unknown word", ("round", "'1.5'")),
    (cell(0, player="Carol"), "unknown word", ("player", "'Carol'")),
    (cell(3, decision="Accept"), "unknown word", ("decision", "'Accept'", "accept, reject")),
    (cell(0, bob_gain=41.0), "outside our rules", ("sum", 100)),
    (cell(0, alice_gain=110.0, bob_gain=-10.0), "outside our rules", (0, 100)),
    (cell(0, alice_gain="sixty"), "unknown word", ("alice_gain", "'sixty'")),
    (cell(0, alice_gain="nan"), "unknown word", ("alice_gain", "'nan'")),
    (cell(0, alice_gain=""), "unknown word", ("alice_gain", "''")),
    (cell(0, decision="accept"), "outside our rules", ("move 1", "Alice")),
    (cell(3, alice_gain=44.0, bob_gain=56.0), "inconsistent", ("alice_gain", 44.0, 45.0)),
    (change("money_to_divide", 0), "outside our rules", ("money=0.0", 0.01)),
    (change("money_to_divide", "100"), "config", ("money_to_divide", "'100'")),
    (change("messages_allowed", "yes"), "config", ("messages_allowed", "'yes'")),
    (change("max_rounds", 1), "inconsistent", ("the game ends",)),
    (change("max_rounds", 12.5), "config", ("max_rounds=12.5", "integer")),
    (change("max_rounds", 10**400), "config", ("max_rounds",)),
    (change("delta_1", 0.5), "config", ("delta in player_1_args", "delta_1 in game_args", 0.9, 0.5)),
    (drop("complete_information"), "config", ("complete_information", None)),
    (player(1, model_name=""), "config", ("model_name=''", "player_1_args")),
    (player(1, public_name="Bob"), "config", ("two", "texts")),
    (lambda game: game.config.pop("game_args"), "config", ("game_args", None, "object")),
    (lambda game: game.config.update(game_type="ultimatum"), "config", ("game_type", "'ultimatum'")),
    (
        lambda game: game.config["player_2_args"].pop("delta"),
        "config",
        ("player 2", "delta in player_2_args"),
    ),
    (lambda game: game.rows.clear(), "truncated", ("rows",)),
]
PERSUASION = [
    (cut, "truncated", (3,)),
    (cell(0, product_worth=250.0), "inconsistent", ("product_worth", 250, 300)),
    (cell(0, round_quality="low-quality"), "inconsistent", ("product_worth", 300, 0)),
    (cell(0, round_quality="good"), "unknown word", ("round_quality", "'good'", "high-quality, low-quality")),
    (cell(3, round=1), "inconsistent", ("row 4", "Nature", "round 1")),
    (cell(0, player="Alice"), "inconsistent", ("row 1", "Alice")),
    (cell(1, decision="maybe"), "unknown word", ("decision", "'maybe'", "yes, no")),
    (change("total_rounds", 3), "truncated", (4,)),
    (change("total_rounds", 1), "inconsistent", ("the game ends",)),
    (change("total_rounds", 1.5), "config", ("total_rounds", 1.5)),
    (change("seller_message_type", "song"), "outside our rules", ("message_type='song'",)),
    (change("v", 0.5), "outside our rules", ("high_value=0.5",)),
    (change("p", 1.0), "inconsistent", ("low-quality", "p = 1")),
    (change("p", 0), "inconsistent", ("high-quality", "p = 0")),
]


def test_what_does_not_come_out_is_refused_with_the_reason(tmp_path):
    for base, cases in (
        (bargaining(*DEAL), BARGAINING),
        (persuasion(("high", "yes", "yes"), ("low", "no", "no")), PERSUASION),
    ):
        imported(base.copy(), tmp_path / "right")
        for wrong, kind, named in cases:
            game = base.copy()
            wrong(game)
            with refuses(NotImportableError, *named) as refused:
                to_record(read_published_game(game.save(tmp_path / "wrong")))
            assert refused.value.kind == kind, named


def test_a_rejection_before_the_last_round_is_no_end(tmp_path):
    for stored, rounds in ((12, 11), (99, 24), (99, 30), (25, 26)):
        game = bargaining(*rejections(rounds), rounds=stored, words=False)
        with pytest.raises(NotImportableError) as refused:
            to_record(read_published_game(game.save(tmp_path)))
        assert refused.value.kind in ("truncated", "inconsistent")


def test_files_that_cannot_be_read_are_listed(tmp_path):
    for name, content, kind in [
        ("config.json", b"{", "config.json"),
        ("config.json", b"[]", "config.json"),
        ("config.json", b'{"a": NaN}', "config.json"),
        ("config.json", b'{"a": 1e999}', "config.json"),
        ("config.json", b"\xff\xfe", "config.json"),
        ("game.csv", b"\xff\xfe", "game.csv"),
        ("game.csv", b"", "truncated"),
        ("game.csv", b"a,b\n1\n", "game.csv"),
        ("game.csv", b"a,a\n1,2\n", "game.csv"),
        ("game.csv", None, "incomplete"),
        ("config.json", None, "incomplete"),
        ("game.csv", b'a,b\n"1"x,2\n', "game.csv"),
        ("game.csv", b"a,b\n1,2\n", "unknown word"),
    ]:
        folder = bargaining(*DEAL).save(tmp_path)
        (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
        done = import_folder(tmp_path, tmp_path / "out.jsonl")
        assert [(path, found) for path, found, _ in done.skipped] == [(str(folder), kind)], (name, content)


def test_a_folder_in_the_place_of_a_file_is_listed(tmp_path):
    folder = bargaining(*DEAL).save(tmp_path)
    (folder / "game.csv").unlink()
    (folder / "game.csv").mkdir()
    ((_, kind, why),) = import_folder(tmp_path, tmp_path / "out.jsonl").skipped
    assert kind == "game.csv"
    says(why, "game.csv", "directory")


# Nothing is left behind in silence


def test_messages_where_none_are_allowed_are_told(tmp_path):
    game = bargaining(*DEAL)
    game.config["game_args"]["messages_allowed"] = False
    folder = game.save(tmp_path / "in")
    done = import_folder(tmp_path / "in", tmp_path / "out.jsonl")
    (record,) = read_record_file(tmp_path / "out.jsonl")
    assert all("message" not in action for action in actions(record))
    assert [where for where, _ in done.notes] == [str(folder)]
    says(done.notes[0][1], "messages", 2)
    assert done.added == 1


def test_cells_that_are_no_part_of_a_match_are_counted(tmp_path):
    keys = bargaining(("$60.0", 40.0, "60/40?"), "reject", (45.0, 55.0, "No."), "accept")
    keys.columns.append("reasoning")
    keys.rows[1] |= {"reasoning": "too little", "message": "I refuse."}
    keys.rows[2] |= {"reasoning": "half, about"}
    keys.rows[3] |= {"alice_gain": 45.0, "bob_gain": 55.0}  # repeats the offer, and is checked
    keys.save(tmp_path / "in", "AAAA")
    extra = persuasion(("high", "Buy!", "yes"), binary=False)
    extra.rows[1]["decision"] = "yes"
    extra.save(tmp_path / "in", "BBBB")
    negotiation(9000, "DealWithJhon").save(tmp_path / "in", "CCCC")  # another word for the same
    done = import_folder(tmp_path / "in", tmp_path / "out.jsonl")
    assert done.added == 3
    assert done.beside == {"reasoning": 2, "message": 1, "decision": 1}
    told = "cells outside the matches (stored in the records' sources): message: 1, reasoning: 2, decision: 1"
    assert told in done.lines()
    assert done.notes == []
    assert import_folder(tmp_path / "in", tmp_path / "out.jsonl").beside == {}  # nothing was added


# Folders and files


def test_a_folder_is_imported_once(tmp_path):
    root, out = tmp_path / "Data", tmp_path / "out.jsonl"
    bargaining(*DEAL).save(root / "llm_vs_llm", "AAAA")
    with_person(negotiation(9000, "AcceptOffer")).save(root / "human_vs_llm" / "n" / "0", "00FF")
    bargaining(*DEAL[:3]).save(root, "BBBB")
    first = import_folder(root, out)
    assert (first.added, first.known, len(first.skipped)) == (2, 0, 1)
    says(first.lines()[-1], "2 imported", 0, "1 skipped", "truncated: 1")
    text = out.read_text()
    persuasion(*REPEATED).save(root, "CCCC")
    second = import_folder(root, out)
    assert (second.added, second.known) == (1, 2)
    assert out.read_text().startswith(text)
    assert sorted(record.source["id"] for record in read_record_file(out)) == ["00FF", "AAAA", "CCCC"]


def test_games_of_one_market_and_pair_have_different_ids(tmp_path):
    for name in ("AAAA", "BBBB"):
        bargaining(*DEAL).save(tmp_path, name)
    import_folder(tmp_path, tmp_path / "out.jsonl")
    assert len({record.id for record in read_record_file(tmp_path / "out.jsonl")}) == 2


def test_another_game_of_the_same_id_is_listed(tmp_path):
    bargaining(*DEAL, rounds=25).save(tmp_path / "1")
    bargaining(*DEAL, rounds=99).save(tmp_path / "2")
    done = import_folder(tmp_path, tmp_path / "out.jsonl")
    assert (done.added, len(done.skipped)) == (1, 1)


def test_a_changed_import_does_not_replay(tmp_path):
    given = json.loads(imported(persuasion(*REPEATED), tmp_path).to_json())
    given["chance"][0] = 0.0
    assert replay(given)
    del given["chance"][0]
    assert replay(given)


def test_nature_is_taken_from_the_record_only_where_it_has_a_source(tmp_path):
    record = imported(persuasion(*REPEATED), tmp_path)
    record.source = None
    assert any(problem.field == "chance" for problem in replay(record))
