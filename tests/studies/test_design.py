"""Files of studies: what is read, and what is refused on which line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from given import FILE, TEXT, study, text

import econzoo
from econzoo.people.study import Item, read_study
from econzoo.people.study.declaration import Arm, Attention, Leaving, Payment
from econzoo.people.study.items import Question
from econzoo.people.study.study_file import parse_study
from econzoo.people.study.toml_reading import key_lines
from refusals import refuses


def line(start: str) -> int:
    """Where a line stands in the file."""
    return next(number for number, one in enumerate(TEXT.split("\n"), start=1) if one.startswith(start))


def test_a_file_is_read() -> None:
    read = study()
    assert (read.name, read.games, read.texts, read.leaving) == ("pilot", ("bargaining",), "en", Leaving())
    assert read.params("bargaining") == [{"money": 100.0, "horizon": 12}, {"money": 10000.0, "horizon": 12}]
    assert [one.person_seat for one in read.settings] == [None, None]
    assert read.arms[1] == Arm("program", ("person", "boulware(0.2)"), blinded=True)
    assert read.attention == Attention("maple", "The code word is {code_word}.", 2)
    assert read.attention.sentence_with_word == "The code word is maple."
    assert read.quiz == (Question(question="Who answers first?", options=("I", "the other"), answer="the other"),)
    assert read.questionnaire == (Item("How old are you?", "number"),)
    assert read.payment == Payment(fee=1.0, rate=0.0005, cap=5.0)
    assert read.source == TEXT


def test_what_is_wrong_is_refused_on_its_line() -> None:
    for key, written, *named in (
        ("name", 'name = "a b"', "name", "'a b'", 1, 60),
        ("game", 'game = "chess"', "game", "chess", "bargaining"),
        ("texts", 'texts = "none.toml"', "none.toml"),
        ("money", "money = [100, -1]", "settings.money", -1, 0.01),
        ("money", "monney = 100", "monney", "bargaining", "money"),
        ("horizon", 'horizon = "long"', "horizon", "long", 1),
        ("blinded", "blinded = 1", "arms[2].blinded", 1, "True", "False"),
        ("participants", "participants = 0", "matching.participants", 0, 1),
        ("partners", 'partners = "friends"', "matching.partners", "friends", "partner", "stranger", "random"),
        ("kept", 'kept = " "', "words.kept", "' '"),
        ("debriefing", 'debriefing = ""', "words.debriefing", "''"),
        ("answer", 'answer = "both"', "quiz[1].answer", "both", "I, the other"),
        ("kind", 'kind = "drawing"', "drawing", "choice", "number", "text"),
        ("currency", 'currency = "dollars"', "payment.currency", "dollars"),
        ("fee", 'fee = "1"', "payment.fee", "'1'", 0, "1,000,000"),
        ("fee", "fee = 0.005", "payment.fee", 0.005, 0, "1,000,000"),
        ("fee", "fee = nan", "payment.fee", "nan"),
        ("fee", f"fee = {'9' * 400}", "payment.fee", 0, "1,000,000"),
        ("rate", f"rate = {'9' * 400}", "payment.rate", 0, 1000000),
        ("cap", "cap = -1", "payment.cap", -1),
        ("cap", "cap = 1e308", "payment.cap", "1e+308"),
        ("kept", f'kept = "{"W" * 20_001}"', "words.kept", "20,000"),
        ("code_word", r'code_word = "ma\u202eple"', "attention.code_word", 1, 60),
        ("code_word", r'code_word = "ma\u0000ple"', "attention.code_word", 1, 60),
        ("code_word", 'code_word = " maple"', "attention.code_word", 1, 60),
        ("repetitions", "repetitions = 10000", "matching.repetitions", 10000, "100,000"),
        ("seed", f"seed = {'9' * 5000}", "TOML"),
        ("floor", "flor = 0.0", "payment.flor", "currency, fee, rate, floor, cap, partial"),
        ("source", 'source = "friends"', "friends", "links", "prolific", "mturk"),
        ("waiting", "waiting = 0", "time.waiting", 0, 1, 86400),
        ("alone", 'alone = "deep-blue"', "time.alone", "deep-blue", "pay"),
        ("policy", 'policy = "human"', "leaving.policy", "human", "default, forfeit"),
        ("policy", 'policy = "boulware(x)"', "boulware(x)"),
    ):
        with refuses(ValueError, *named) as refused:
            study(**{key: written})
        assert str(refused.value).startswith(f"{FILE}, line {line(f'{key} =')}: ")


def test_seats_that_are_not_filled_are_refused() -> None:
    for seats, *named in (
        ('["person"]', "bargaining", 2),
        ('["boulware(0.2)", "fair"]', "person"),
        ('["person", "human"]', "arms[1].seats", "human", "person"),
        ("[]", "arms[1].seats", 1),
    ):
        with refuses(ValueError, *named) as refused:
            parse_study(TEXT.replace('["person", "person"]', seats), FILE)
        assert f"line {line('seats =')}: " in str(refused.value)


def test_who_cannot_sit_there_is_refused() -> None:
    wrong = text(game='game = "persuasion"', money="rounds = [5, 10]", horizon="").replace("boulware(0.2)", "honest")
    with refuses(ValueError, "honest", "seat 1"):
        parse_study(wrong, FILE)


@pytest.mark.parametrize("table", ["words", "payment", "matching"])
def test_tables_that_must_be_there(table: str) -> None:
    whole = re.sub(rf"\n\[{table}\]\n.*?(?=\n\[)", "\n", TEXT, flags=re.DOTALL)
    with refuses(ValueError, f"[{table}]"):
        parse_study(whole, FILE)


def test_a_missing_key_is_told_on_the_line_of_its_table() -> None:
    with refuses(ValueError, "words.consent") as refused:
        parse_study(re.sub('consent = """.*?"""\n', "", TEXT, flags=re.DOTALL), FILE)
    assert f"line {line('[words]')}: " in str(refused.value)


def test_a_file_that_is_no_toml_is_refused_with_the_line() -> None:
    with refuses(ValueError, "pilot.toml, line 3", "TOML"):
        parse_study(text(game="game = "), FILE)
    with refuses(FileNotFoundError, "nowhere.toml"):
        read_study("nowhere.toml")


def test_a_study_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pilot.toml"
    for encoding in ("utf-8", "utf-8-sig"):  # as editors on Windows write it
        path.write_text(TEXT, encoding=encoding)
        assert read_study(path).arms == study().arms


def test_texts_stand_beside_the_study(tmp_path: Path) -> None:
    path = tmp_path / "pilot.toml"
    (tmp_path / "own.toml").write_text('lang = "fr"\n', encoding="utf-8")
    path.write_text(text(texts='texts = "own.toml"'), encoding="utf-8")
    assert read_study(path).texts == str(tmp_path / "own.toml")
    path.write_text(text(texts='texts = "../own.toml"'), encoding="utf-8")
    with refuses(ValueError, "line 4", "../own.toml"):
        read_study(path)


# Settings


def settings(written: str) -> tuple[dict[str, object], ...]:
    return tuple(study(money="", horizon=written).params("bargaining"))


def test_lists_are_crossed_but_a_value_that_is_a_list_is_one_value() -> None:
    assert settings("delta = [0.9, 0.8]") == ({"delta": [0.9, 0.8]},)
    assert settings("delta = [[0.9, 0.8], [1.0, 1.0]]\nmoney = [1, 2]") == (
        {"delta": [0.9, 0.8], "money": 1.0},
        {"delta": [0.9, 0.8], "money": 2.0},
        {"delta": [1.0, 1.0], "money": 1.0},
        {"delta": [1.0, 1.0], "money": 2.0},
    )


def test_none_is_written_as_a_word() -> None:
    assert settings('horizon = ["none", 3]') == ({"horizon": None}, {"horizon": 3})


def test_without_settings_the_game_is_played_as_usual() -> None:
    plain = parse_study(TEXT.replace("[settings]\nmoney = [100, 10000]\nhorizon = 12\n", ""), FILE)
    assert plain.params("bargaining") == [{}]


TABLES = "[[settings]]\nmoney = 100\nperson_seat = 1\n\n[[settings]]\nmoney = 100\nperson_seat = 0\n"
ONE_PERSON = TEXT.replace('["person", "person"]', '["person", "fair"]')


def test_a_setting_may_say_where_the_participant_sits() -> None:
    read = parse_study(ONE_PERSON.replace("[settings]\nmoney = [100, 10000]\nhorizon = 12\n", TABLES), FILE)
    assert read.params("bargaining") == [{"money": 100.0}] * 2
    assert [read.seats(read.arms[0], setting) for setting in (0, 1)] == [("fair", "person"), ("person", "fair")]


def test_an_arm_of_two_people_has_no_place_for_such_a_setting() -> None:
    with refuses(ValueError, '"person"', "line"):
        parse_study(TEXT.replace("[settings]\nmoney = [100, 10000]\nhorizon = 12\n", TABLES), FILE)


def test_a_setting_that_comes_twice_is_refused() -> None:
    with refuses(ValueError, "line 7", "settings"):
        study(money="money = [100, 100]")


# Lines


def test_lines_are_found_in_a_long_text_too() -> None:
    found = key_lines(f'a = """{"W" * 2_000_000}"" \\" b = 1\n"""""\nc = 2\n')
    assert found == {("a",): 1, ("c",): 3}


def test_the_line_of_every_key() -> None:
    found = key_lines('a = 1\n[b]\nc = """\nd = 2\n"""\ne = [\n  "f = 3", # g = 4\n]\n[[h]]\ni = 1\n[[h]]\ni.j = "#"\n')
    assert found == {
        ("a",): 1,
        ("b",): 2,
        ("b", "c"): 3,
        ("b", "e"): 6,
        ("h", 0): 9,
        ("h", 0, "i"): 10,
        ("h", 1): 11,
        ("h", 1, "i", "j"): 12,
    }


def test_players_of_every_game_can_sit_beside_people() -> None:
    for name in econzoo.games():
        seats = econzoo.game(name).facts.seats
        written = ", ".join(['"person"', *['"random"'] * (seats - 1)])
        file = text(game=f'game = "{name}"', money="", horizon="").replace('"person", "person"', written)
        file = file.replace('"person", "boulware(0.2)"', written)
        if seats > 1:
            assert parse_study(file, FILE).games == (name,)
