"""Published games become records, and what is in them is checked day by day."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from alympics_files import Day, by_the_rules, tie_fault, with_a_death

from econzoo.__main__ import main
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.analyses.alympics.water_table import published_tables
from econzoo.evaluate.analyses.judging import evidence
from econzoo.evaluate.formats.alympics import check, import_games
from econzoo.evaluate.formats.alympics.importing import ALYMPICS, to_record
from econzoo.evaluate.formats.alympics.published import read_published_game
from econzoo.evaluate.run import NotImportableError, replay
from econzoo.evaluate.show import json_of
from refusals import refuses, says


def read(game, tmp_path, name="WAC_nopersona_3_7_1"):
    return read_published_game(game.save(tmp_path, name))


def run(*arguments, code=0):
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out):
        main(list(map(str, arguments)))
    assert ended.value.code == code
    return out.getvalue()


def test_both_wordings_say_the_same(tmp_path):
    for persona in [False, True]:
        for second in [False, True]:
            game = by_the_rules()
            game.persona, game.second = persona, second
            found = read(game, tmp_path)
            assert found.params == {
                "residents": (("Alex", 3, 10.0), ("Bob", 4, 12.0)),
                "supply": (3, 7),
                "days": 3,
                "start_health": 3,
                "max_health": 5,
                "persona": persona,
                "bound": None,
            }, (persona, second)
            assert [day.result.winners for day in found.days] == [("Bob",), ("Alex", "Bob"), ()], (persona, second)
            # Each day: 3 numbers before and 3 after of both, and the winners.
            assert check(found) == (3, 39, ()), (persona, second)


def test_the_record_plays_the_game_again(tmp_path):
    found = read(by_the_rules(), tmp_path)
    record = to_record(found, check(found))
    assert replay(record) == []
    assert record.payoffs == [1.0, 1.0]
    assert record.chance == [5.0, 7.0, 3.0]
    assert [turn.action for turn in record.turns] == [{"bid": bid} for bid in (4.0, 6.0, 9.0, 9.0, 30.0, 5.0)]
    assert record.source["format"] == ALYMPICS
    assert record.source["rules"][1].startswith("You are Bob.")
    assert record.source["ends"][0].startswith("Round 3: ")
    assert "differences" not in record.source


def test_what_was_read_and_thought_is_kept_word_for_word(tmp_path):
    game = by_the_rules()
    game.answers["Bob", 2] = "Nine.\nNo { more."
    found = read(game, tmp_path)
    record = to_record(found, check(found))
    (call,) = record.turns[3].calls
    assert call["reply"] == "Nine.\nNo { more."
    assert call["prompt"].startswith("Round 1: ")
    assert call["prompt"].endswith("What do you bid?")
    assert "Nine." in evidence(record, 1).transcript
    assert "Nine." not in evidence(record, 0).transcript


def test_the_dead_say_no_more(tmp_path):
    found = read(with_a_death(), tmp_path)
    record = to_record(found, check(found))
    assert record.payoffs == [0.0, 1.0]
    assert [(turn.seat, turn.round, turn.action["bid"]) for turn in record.turns] == [
        (0, 1, 2.0),
        (1, 1, 5.5),
        (1, 2, 0.0),
    ]
    assert replay(record) == []


def test_every_printed_number_of_an_evening_is_compared(tmp_path):
    for seat, place, value, told in [
        ("Alex", 0, 22, (3, "Alex", "balance", 22, 21)),
        ("Bob", 1, 5, (3, "Bob", "health", 5, 4)),
        ("Bob", 2, 3, (3, "Bob", "counter", 3, 2)),
    ]:
        game = by_the_rules()
        state = list(game.days[2].evening[seat])
        state[place] = value
        game.days[2].evening[seat] = tuple(state)
        (found,) = check(read(game, tmp_path)).differences
        assert found == told
        says(found, seat, told[2], value)


def test_an_odd_day_makes_no_odd_days_of_those_that_follow(tmp_path):
    found = check(read(tie_fault(), tmp_path))
    assert found.days_with_differences == [2]
    assert [tuple(one)[1:] for one in found.differences] == [
        ("", "winners", "Alex, Alex", "Alex, Bob"),
        ("Bob", "balance", 18, 9),
        ("Bob", "health", 4, 5),
        ("Bob", "counter", 2, 1),
    ]


def test_the_order_of_the_winners_counts(tmp_path):
    game = by_the_rules()
    game.days[1].winners = ["Bob", "Alex"]
    (found,) = check(read(game, tmp_path)).differences
    assert found == (2, "", "winners", "Bob, Alex", "Alex, Bob")


def test_a_number_in_the_question_is_compared_too(tmp_path):
    chats = by_the_rules().chats()
    chats["A"][4]["content"] = chats["A"][4]["content"].replace("BALANCE:20", "BALANCE:10")
    path = tmp_path / "game.json"
    path.write_text(json.dumps(chats))
    (found,) = check(read_published_game(path)).differences
    assert found == (2, "Alex", "balance when asked", 10.0, 20.0)


def change(chats, key, at, old, new):
    assert old in chats[key][at]["content"]
    chats[key][at]["content"] = chats[key][at]["content"].replace(old, new)


def test_files_that_are_no_games_say_why(tmp_path):
    for spoil, kind, named in [
        (lambda c: c.pop("B"), "rules", (1, 2)),
        (lambda c: c.update(A="text"), "file", ("'A'", "'text'", "role", "content")),
        (lambda c: c.update(A=[{"role": "system"}]), "file", ("'A'", "role", "content")),
        (lambda c: c["A"].insert(0, {"role": "assistant", "content": "hello"}), "file", ("'A'", "answer", "rules")),
        (lambda c: c["A"][1].update(content="well?"), "unreadable", ("NAME", "NO_DRINK", "well?")),
        (lambda c: c["A"].pop(2), "inconsistent", ("Alex, Bob", "Bob")),
        (lambda c: change(c, "A", 3, "Bob bid 6", "Bob bid 7"), "inconsistent", ("day 1",)),
        (lambda c: change(c, "A", 1, "5 units", "6 units"), "inconsistent", ("day 1", 6, 5)),
        (lambda c: change(c, "A", 1, "NAME:Alex", "NAME:Bob"), "inconsistent", ("Alex", "'Bob'")),
        (lambda c: change(c, "A", 0, "3 days", "4 days"), "rules", ("rules differ",)),
        (lambda c: [change(c, key, 0, "Water requirement", "Thirst") for key in "AB"], "rules", ("salary",)),
        (lambda c: [change(c, key, 3, " won.", " took it.") for key in "AB"], "unreadable", ("winners", "Round 1")),
        (lambda c: [c.update({key: c[key][:1] + c[key][4:]}) for key in "AB"], "incomplete", ([2, 3], "day 1")),
    ]:
        chats = by_the_rules().chats()
        spoil(chats)
        path = tmp_path / "game.json"
        path.write_text(json.dumps(chats))
        with refuses(NotImportableError, *named) as error:
            read_published_game(path)
        assert error.value.kind == kind, named
        assert "\n" not in str(error.value), named


def test_files_that_are_something_else_say_so(tmp_path):
    for content, told in ((b"{", "JSON"), (b"\xff", "UTF-8"), (b"[]", "[]"), (b"{}", "{}")):
        path = tmp_path / "game.json"
        path.write_bytes(content)
        with refuses(NotImportableError, told) as error:
            read_published_game(path)
        assert error.value.kind == "file", content


def test_games_outside_the_rules_are_refused(tmp_path):
    for spoil, named in [
        (lambda game: setattr(game.days[0], "supply", 8), ("day 1", 8, 3, 7)),
        (lambda game: setattr(game, "supply", (7, 3)), ("supply=(7, 3)",)),
        (lambda game: game.days[0].bids.update(Alex=-1), ("day 1", -1)),
        (lambda game: game.days[1].evening.update(Alex=(11, 0, 1)), ("day 3", "Alex, Bob")),
        (lambda game: setattr(game, "length", 2), ("3 days", 2)),
    ]:
        game = by_the_rules()
        spoil(game)
        with refuses(NotImportableError, *named):
            check(read(game, tmp_path))


def test_a_game_without_its_last_days_is_no_record(tmp_path):
    game = by_the_rules()
    game.days.pop()
    found = read(game, tmp_path)
    with refuses(NotImportableError, "day 2"):
        to_record(found, check(found))


def test_the_name_of_the_file_says_the_supply_if_the_rules_do_not(tmp_path):
    chats = by_the_rules().chats()
    for key in "AB":
        change(chats, key, 0, "between 3 and 7 units", "some water")
    for name, supply in (("WAC_persona_2_9_4", (2, 9)), ("game", None)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(chats))
        if supply:
            assert read_published_game(path).supply == supply
        else:
            with pytest.raises(NotImportableError) as error:
                read_published_game(path)
            assert error.value.kind == "rules"


@pytest.fixture
def folder(tmp_path):
    """A good game, one with an odd day, one with a death, and two that are none."""
    root = tmp_path / "games"
    by_the_rules().save(root, "good")
    tie_fault().save(root / "more", "odd")
    with_a_death().save(root, "death")
    (root / "broken.json").write_text("{")
    (root / "other.json").write_text('{"a": 1}')
    return root


def test_the_rest_goes_on_and_everything_is_counted(folder, tmp_path):
    out = tmp_path / "out.jsonl"
    done = import_games(folder, out)
    assert (done.added, done.known, len(done.skipped), done.failed_count) == (2, 0, 3, 2)
    assert (done.days, len(done.odd)) == (8, 1)
    assert [record.source["id"] for record in read_record_file(out)] == ["death", "good"]
    says(done.lines()[-2], "7 of 8 days", "94 of 98")
    again = import_games(folder, out, keep_invalid=True)
    assert (again.added, again.known) == (1, 2)
    odd = list(read_record_file(out))[-1]
    assert odd.source["differences"][0] == {
        "day": 2,
        "who": "",
        "what": "winners",
        "printed": "Alex, Alex",
        "ours": "Alex, Bob",
    }
    assert replay(odd) == []


def test_another_game_of_the_same_name_is_not_taken_for_it(folder, tmp_path):
    out = tmp_path / "out.jsonl"
    import_games(folder / "good.json", out)
    with_a_death().save(folder / "elsewhere", "good")
    done = import_games(folder / "elsewhere", out)
    assert [Path(path).name for path, *_ in done.skipped] == ["good.json"]


def test_the_command_lists_odd_days_and_ends_with_1_for_files_that_are_no_games(folder, tmp_path):
    told = run("convert", folder, tmp_path / "out.jsonl", code=1)
    says(told, "odd.json", "day 2", "Alex, Alex", "Alex, Bob", 18, 9, "broken.json", "JSON")
    says(told.splitlines()[-1], "2 imported", 0, "3 skipped", "file: 2", "rules: 1")
    told = run("convert", folder / "good.json", tmp_path / "new.jsonl", "--json")
    (survivors,) = [row for row in json.loads(told)["indicators"] if row["indicator"] == "survivors"]
    assert survivors["value"] == 2.0
    assert run("replay", tmp_path / "new.jsonl").startswith("1 match")


def test_the_table_of_published_games_is_that_of_their_days(tmp_path):
    games = [read(by_the_rules(), tmp_path, "a"), read(tie_fault(), tmp_path, "b")]
    rows = {row["indicator"]: row for row in json_of(published_tables(games))["indicators"]}
    assert (rows["survivors"]["value"], rows["survivors"]["games"]) == (2.0, 2)
    assert rows["rsr_start"]["value"] == pytest.approx(5 / 7)
    # Minimum successful bids: 6, 9 in both games, and nobody is served on day 3.
    assert rows["minimum_bid"]["value"] == 7.5


def in_sums_of_doubles():
    """Alex bids 3.6 of its 20 dollars and has 16.4 left, printed as the sum of doubles that it is."""
    game = by_the_rules()
    game.days[1] = Day(7, {"Alex": 3.6, "Bob": 9}, ["Bob", "Alex"], {"Alex": (16.4, 4, 1), "Bob": (9, 5, 1)})
    game.days[2].evening["Alex"] = (26.4, 3, 2)
    return game


def test_money_is_compared_to_a_millionth(tmp_path):
    for left, odd in [("16.400000000000002", []), ("16.4000004", []), ("16.41", [2, 3])]:
        text = in_sums_of_doubles().save(tmp_path).read_text().replace("BALANCE:16.4", f"BALANCE:{left}")
        path = tmp_path / "game.json"
        path.write_text(text)
        assert check(read_published_game(path)).days_with_differences == odd, left


def test_a_backslash_may_stand_between_the_fields_of_a_state(tmp_path):
    chats = by_the_rules().chats()
    for message in (message for chat in chats.values() for message in chat):
        message["content"] = message["content"].replace("\tHEALTH POINT", "\\HEALTH POINT")
    path = tmp_path / "game.json"
    path.write_text(json.dumps(chats))
    assert "BALANCE:10\\HEALTH POINT:3" in chats["A"][1]["content"]
    assert check(read_published_game(path)) == (3, 39, ())


@pytest.fixture
def archive(tmp_path):
    """Games 2 and 10 of a setting, which are the same, and a file that is no game."""
    path = tmp_path / "records.zip"
    with zipfile.ZipFile(path, "w") as made:
        for number in (10, 2):
            made.write(by_the_rules().save(tmp_path), f"records/WAC_nopersona_3_7_{number}.json")
        made.writestr("records/listfile.py", "")
    return path


def test_an_archive_is_read_as_it_is_and_games_that_stand_in_it_twice_are_told(archive, tmp_path):
    out = tmp_path / "out.jsonl"
    done = import_games(archive, out)
    assert [record.source["id"] for record in read_record_file(out)] == ["WAC_nopersona_3_7_2", "WAC_nopersona_3_7_10"]
    assert any("WAC_nopersona_3_7_10 is identical to WAC_nopersona_3_7_2" in line for line in done.lines())


def test_an_archive_that_is_none_is_refused_and_a_damaged_game_in_one_is_left_out(archive, tmp_path):
    whole = archive.read_bytes()
    archive.write_bytes(whole.replace(b"Alex", b"Axel"))
    (where, kind, why), *_ = import_games(archive, tmp_path / "out.jsonl").skipped
    assert where.endswith("records/WAC_nopersona_3_7_2.json")
    assert kind == "file"
    assert "CRC" in why
    archive.write_bytes(b"no archive")
    with refuses(ValueError, archive):
        import_games(archive, tmp_path / "out.jsonl")


def test_a_bid_of_the_dead_is_no_day(tmp_path):
    game = with_a_death()
    game.days[1] = Day(4, {"Alex": 1, "Bob": 0}, ["Bob"], {"Alex": (20, 0, 3), "Bob": (18.5, 5, 1)})
    with refuses(NotImportableError, "day 2", "Alex, Bob"):
        check(read(game, tmp_path))
