"""First names that people typed stay out of records."""

from __future__ import annotations

from glee_files import bargaining, with_person

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.formats.glee.folders import read_published_game
from econzoo.evaluate.formats.glee.importing import import_folder
from econzoo.evaluate.formats.glee.scrubbing import scrub_names


def game(person, model, tmp_path, names=()):
    """Messages of a person (Alice) and of the model she meets, after scrubbing."""
    made = with_person(bargaining((60.0, 40.0, person), "reject", (45.0, 55.0, model), "accept"))
    found = scrub_names(read_published_game(made.save(tmp_path)), names)
    return [row["message"] for row in found.game.rows if row["message"]], found.messages


def test_names_that_are_greeted_or_introduced(tmp_path):
    for person, model, left in [
        ("ok?", "Hi Dana, no.", ["ok?", "Hi Alice, no."]),
        ("dana here", "Thanks, Dana! But no.", ["Alice here", "Thanks, Alice! But no."]),
        ("my name is dana", "No deal, Dana", ["my name is Alice", "No deal, Alice"]),
        ("ok?", "Hello Anne-Marie! Anne-Marie's share is 45.", ["ok?", "Hello Alice! Alice's share is 45."]),
        ("ok?", "Hi there! Hello Alice, thanks. Dear Sir, no.", None),
        ("ok?", "However, Hi is no name. Thank you for that.", None),
        ("Hi Bob!", "Danae, Dana", None),
    ]:
        said, changed = game(person, model, tmp_path)
        assert said == (left or [person, model]), (person, model)
        assert changed == sum(a != b for a, b in zip(said, [person, model], strict=True)), (person, model)


def test_further_names_can_be_given(tmp_path):
    assert game("I am Dana.", "Well, Dana...", tmp_path, ["dana"])[0] == ["I am Somebody.", "Well, Somebody..."]


def test_models_alone_are_left_as_they_are(tmp_path):
    made = bargaining((60.0, 40.0, "Hi Dana, how are you?"), "accept")
    assert scrub_names(read_published_game(made.save(tmp_path))).messages == 0


def test_a_public_name_becomes_the_role_everywhere(tmp_path):
    made = bargaining((60.0, 40.0, "Dana Levi asks, Bob."), "reject", (45.0, 55.0, "No, dana levi."), "accept")
    made.config["player_1_args"]["public_name"] = "Dana Levi"
    for row in made.rows:
        row["player"] = row["player"].replace("Alice", "Dana Levi")
        if "alice_gain" in row:
            row["dana_levi_gain"] = row.pop("alice_gain")
    made.columns[0] = "dana_levi_gain"
    made.save(tmp_path / "in")
    for keep, there in ((False, False), (True, True)):
        out = tmp_path / f"{keep}.jsonl"
        done = import_folder(tmp_path / "in", out, keep_names=keep)
        assert (done.added, len(done.notes)) == (1, int(not keep))
        assert ("Dana" in out.read_text()) == there
        assert [record.payoffs for record in read_record_file(out)] == [[45 * 0.9, 55 * 0.8]]
