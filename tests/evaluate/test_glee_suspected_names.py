"""Names that no greeting gives away: suspicions, a table of decisions, and games that wait for them."""

from __future__ import annotations

import contextlib
import csv
import io
from string import ascii_lowercase

import pytest
from glee_files import bargaining, with_person

from econzoo.__main__ import main
from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.formats.glee import export_records
from econzoo.evaluate.formats.glee.folders import read_published_game
from econzoo.evaluate.formats.glee.importing import import_folder
from econzoo.evaluate.formats.glee.name_decisions import COLUMNS, Decisions, find_suspected_names, names_table_path
from econzoo.evaluate.run import NotImportableError
from refusals import refuses, says


def run(*arguments, code=0):
    """Output of a command."""
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out):
        main(list(map(str, arguments)))
    assert ended.value.code == code
    return out.getvalue()


def save(tmp_path, person, model, name="AB12CD34EF56GH78"):
    """A game in which a person (Alice) and the model that she meets write a message each."""
    made = with_person(bargaining((60.0, 40.0, person), "reject", (45.0, 55.0, model), "accept"))
    return made.save(tmp_path / "in", name)


def test_what_looks_like_a_name_is_suspected(tmp_path):
    for person, model, words in [
        ("ok?", "Dana, let us share.", ["dana"]),
        ("ok?", "dana, let us share.", ["dana"]),
        ("ok?", "That is fair, Dana.", ["dana"]),
        ("ok?", "I offer 45. Dana, that is fair.", ["dana"]),
        ("ok?", "A fair deal for DanaLevi and me.", ["danalevi"]),
        ("ok?", "No deal, Dana Levi", ["dana", "levi"]),
        ("ok?", "Dana's share is 45.", ["dana"]),
        ("ok?", "Dana! Take it.", ["dana"]),
        ("ok?", "thanks dana, but no.", ["dana"]),
        ("ok?", "Let us, DANA, share.", ["dana"]),
        ("take it. regards dana", "No.", ["dana"]),
        ("dana here", "No.", ["dana"]),
        ("I am Dana", "No.", ["dana"]),
        ("Bob be fair -dana", "No.", ["dana"]),
    ]:
        assert sorted(find_suspected_names(read_published_game(save(tmp_path, person, model)))) == words, (
            person,
            model,
        )


def test_what_everybody_writes_is_not(tmp_path):
    for person, model in [
        ("Good", "However, I want a FINAL offer. Well, Alice, take it."),
        ("PLEASE TAKE IT BOB", "Unfortunately, that is low. Let's share. It's fair!"),
        ("best, ok", "I'm willing to pay $8000, Alice. OK? Great!"),
        ("ok", "Regardless, this offer stands. The last Offer: 45, the best offer."),
        ("10k, final", "You take 55 - a fair part."),
        ("I am Somebody", "Somebody, take it. Thanks Somebody!"),  # what stands here for a name
    ]:
        assert find_suspected_names(read_published_game(save(tmp_path, person, model))) == {}, (person, model)


def test_games_of_models_alone_hold_no_names_of_people(tmp_path):
    made = bargaining((60.0, 40.0, "Dana, let us share."), "accept")
    assert find_suspected_names(read_published_game(made.save(tmp_path))) == {}


def decide(path, **decisions):
    """Writes decisions about words into the table, whose other cells stay."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["decision"] = decisions.get(row["word"], row["decision"])
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    return rows


def messages(path):
    return [turn.action.get("message") for record in read_record_file(path) for turn in record.turns if turn.action]


def test_a_game_waits_until_all_its_words_are_decided(tmp_path):
    save(tmp_path, "ok?", "Dana Levi, in Rome we share. Do as Dana Levi did.")
    save(tmp_path, "ok?", "Fair, Alice.", "CC12CD34EF56GH78")
    out = tmp_path / "glee.jsonl"
    done = import_folder(tmp_path / "in", out)
    assert (done.added, [kind for _, kind, _ in done.skipped]) == (1, ["undecided names"])
    assert "Dana" not in out.read_text()
    table = names_table_path(out)
    (said,) = done.undecided
    says(said, "3 possible names", "keep", "role", "decision", table)
    rows = decide(table, dana="role", levi="role", rome="keep")
    assert [row["context"] for row in rows if row["word"] == "rome"] == [
        "Dana Levi, in [Rome] we share. Do as Dana Levi did."
    ]
    done = import_folder(tmp_path / "in", out)
    assert (done.added, done.known, done.undecided) == (1, 1, [])
    assert "Alice, in Rome we share. Do as Alice did." in messages(out)


def test_a_decision_can_be_any_text_and_holds_for_games_that_come_later(tmp_path):
    save(tmp_path, "ok?", "For Dana, 45.")
    out = tmp_path / "glee.jsonl"
    import_folder(tmp_path / "in", out)
    decide(names_table_path(out), dana="NAME")
    save(tmp_path, "ok?", "DANA, take it.", "CC12CD34EF56GH78")
    assert import_folder(tmp_path / "in", out).undecided == []
    assert {"For NAME, 45.", "NAME, take it."} <= set(messages(out))


PUT = (
    *("PERSON", "Somebody", "role", "keep", "A Person", "Kim", "Kelly", "Please", "O'Brien", "Dana", "DanaLevi", "X"),
    *("the other's friend", "Mr. Lee", "my name is Kim", "Hi Kim, dear Lee", "=SUM(A1)", '"Kim", he', "\u00c9lan"),
)
"""What somebody may write into the column ``decision``."""

SAID = (
    *("{}, let us share.", "Thanks {}low, but no.", "A part for {} and me", "{}'s share is 45 - hi {}\u2013ok"),
    *("OK {}!", "OFFER, PLEASE, {}, NOW", "For {}low, 45. Hello {}low"),
)
"""Of a model, with a name in the place of braces; ``low``: in small letters."""


def named(name, people):
    """A game in which a name is said in many ways: by Alice, a person, and by Bob, who may be one too."""
    moves = []
    for said in SAID:
        words = said.format(name, name).replace(f"{name}low", name.lower())
        moves += [(60.0, 40.0, f"in Rome. -{name}"), "reject", (45.0, 55.0, words), "reject"]
    game = with_person(bargaining(*moves[:-1], "accept", rounds=20))
    if people == 2:
        game.config["player_2_type"] = "otree"
    return game


def test_what_was_decided_is_not_asked_about_again(tmp_path):
    """There and back, with no table, every game is the same record, whatever was decided, also between two people."""
    for people in (1, 2):
        folder, out, again = (tmp_path / f"{people}{name}" for name in ("in", "out.jsonl", "again.jsonl"))
        names = {f"Zoe{letter}h": put for letter, put in zip(ascii_lowercase, PUT, strict=False)}
        for at, name in enumerate(names):
            named(name, people).save(folder, f"AB12CD34EF56{at:04}")
        import_folder(folder, out)
        decide(names_table_path(out), rome="keep", offer="keep", **{name.lower(): put for name, put in names.items()})
        done = import_folder(folder, out)
        assert (done.undecided, done.added) == ([], len(PUT)), people
        kept = [name for name, put in names.items() if put == "keep"]
        assert [name for name in names if name.lower() in str(messages(out)).lower()] == kept, people
        run("convert", out, tmp_path / f"games{people}", "--to", "glee")
        run("convert", tmp_path / f"games{people}", again)
        found = [{one.source["id"]: one.to_json() for one in read_record_file(path)} for path in (out, again)]
        assert found[0] == found[1], people


def test_a_decision_about_a_word_that_was_kept_can_change(tmp_path):
    save(tmp_path, "ok?", "For Dana, 45.")
    out = tmp_path / "glee.jsonl"
    import_folder(tmp_path / "in", out)
    decide(names_table_path(out), dana="keep")
    import_folder(tmp_path / "in", out)
    decide(names_table_path(out), dana="role")
    export_records(list(read_record_file(out)), tmp_path / "games", decisions=Decisions(names_table_path(out)))
    (table,) = (tmp_path / "games").rglob("game.csv")
    assert "For Alice, 45." in table.read_text()


def test_what_a_config_says_was_decided_is_checked(tmp_path):
    game = with_person(bargaining((60.0, 40.0, "For Dana, 60."), "accept"))
    for found in (["dana"], {"dana": "yes"}):
        game.config["econzoo_names"] = found
        with refuses(NotImportableError, "econzoo_names", "keep", "put"):
            Decisions(tmp_path / "t.csv").remove_names(read_published_game(game.save(tmp_path)))


def test_what_was_imported_with_names_is_not_exported_before_it_is_decided(tmp_path):
    save(tmp_path, "ok?", "For Dana, 45.")
    out = tmp_path / "glee.jsonl"
    import_folder(tmp_path / "in", out, keep_names=True)
    records = list(read_record_file(out))
    done = export_records(records, tmp_path / "games", decisions=Decisions(names_table_path(out)))
    assert (done.written, len(done.undecided)) == (0, 1)
    decide(names_table_path(out), dana="role")
    assert export_records(records, tmp_path / "games", decisions=Decisions(names_table_path(out))).written == 1
    (table,) = (tmp_path / "games").rglob("game.csv")
    assert "For Alice, 45." in table.read_text()
    assert "Dana" not in table.read_text()


def test_the_commands_end_with_1_and_say_what_to_do(tmp_path):
    save(tmp_path, "ok?", "For Dana, 45.")
    out = tmp_path / "glee.jsonl"
    told = run("convert", tmp_path / "in", out, code=1)
    says(told, "undecided names", "dana", "decision")
    run("convert", tmp_path / "in", out, "--keep-names")
    says(run("convert", out, tmp_path / "games", "--to", "glee", code=1), "1 possible name")
    run("convert", out, tmp_path / "games", "--to", "glee", "--keep-names")


def test_a_table_without_decisions_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("word,context\ndana,x\n")
    with refuses(ValueError, path, "'decision'", "word, decision, games, context"):
        Decisions(path)
    path.write_text("word,decision\ndana,None\n")
    with refuses(ValueError, path, "None", "dana"):
        Decisions(path)
