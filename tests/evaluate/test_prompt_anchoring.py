"""How much the form of an answer moves it: everything for who copies an example, nothing for who does not read."""

from __future__ import annotations

import csv
import json

import pytest

from econzoo.__main__ import main
from econzoo.envs.core import games
from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.faces import parse_reply
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.prompt_anchoring import arms, set_decoding
from econzoo.evaluate.analyses.prompt_anchoring.answers import FirstAnswer, is_text, measures, usual_ranges
from econzoo.evaluate.analyses.prompt_anchoring.arms import Arm
from econzoo.evaluate.analyses.prompt_anchoring.formats import ANSWER, HIGH, LOW, ORDER, PLACEHOLDER, RANGE, Format
from econzoo.evaluate.analyses.prompt_anchoring.formats import formats
from econzoo.evaluate.analyses.prompt_anchoring.page import effects
from econzoo.evaluate.analyses.prompt_anchoring.questions import first_questions
from econzoo.evaluate.run import read_folder, replay
from refusals import refuses, says

pytestmark = pytest.mark.slow

COPIES, DRAWS = "mock:=", "mock:*"


def forms_of(game, **params):
    return {(q.role, form.name): (q, form) for q in first_questions(game, "random", params) for form in formats(q)}


def played(tmp_path, *options, game="bargaining", players=(COPIES,), answers=16):
    """The rows of the table, by player, role, measure and form."""
    command = ["run", "anchoring", *players, "--game", game, "--seeds", str(answers), "--out", str(tmp_path)]
    for line in ([*command, *options], ["analyze", str(tmp_path), "anchoring", "--format", "csv", "--format", "json"]):
        with pytest.raises(SystemExit) as ended:
            main(line)
        assert not ended.value.code
    with (tmp_path / "anchoring" / "anchoring.csv").open(encoding="utf-8") as file:
        return {(row["player"], row["role"], row["measure"], row["format"]): row for row in csv.DictReader(file)}


def test_who_copies_the_example_is_moved_by_all_of_it(tmp_path, capsys):
    rows = played(tmp_path)
    asked = {form: rows[COPIES, "Alice", "offer gain", form] for form in (PLACEHOLDER, LOW, HIGH)}
    assert [float(asked[form]["median"]) for form in (LOW, HIGH)] == [1000.0, 9000.0]
    assert [float(asked[form]["copied"]) for form in (LOW, HIGH)] == [1.0, 1.0]
    for form, example in ((LOW, 1000.0), (HIGH, 9000.0)):
        found = asked[form]
        assert float(found["shift"]) == pytest.approx(example - float(asked[PLACEHOLDER]["mean"]))
        assert float(found["shift_low"]) < float(found["shift"]) < float(found["shift_high"])
        assert float(found["shift_low"]) * float(found["shift_high"]) > 0, "the interval leaves 0 out"
        assert found["pairs"] == found["answers"] == "16"
    accepts = [float(rows[COPIES, "Bob", "accept", form]["mean"]) for form in (LOW, HIGH)]
    assert accepts == [1.0, 0.0], "the examples of a question without numbers are its first and its last kind"
    assert "mock:= as Alice: offer gain" in capsys.readouterr().out


def test_numbers_beyond_their_usual_range_count_as_its_end():
    """A bid of a billion is legal, and worth no more than all that one has: one of them is not the mean."""
    (question,) = first_questions("water_allocation", "random", {})
    low, high = usual_ranges(question)["bid bid"]
    arms = [Arm(question, Format(form, {}), None) for form in (PLACEHOLDER, LOW)]

    def said(form, seed, bid):
        move = {"kind": "bid", "bid": bid}
        return FirstAnswer("who", question.seat, question.role, form, seed, f"{form}{seed}", "", True, move, "")

    answers = [said(form, seed, bid) for seed in range(8) for form, bid in ((PLACEHOLDER, high - seed), (LOW, 1e9))]
    found = {one.format: one for one in effects(arms, answers) if one.measure == "bid bid"}
    assert low == 0.0
    assert found[LOW].shift == sum(range(8)) / 8
    assert found[LOW].median == 1e9, "what was answered is told as it was"


def test_every_number_that_is_measured_has_a_usual_range():
    for name in games():
        for question in first_questions(name, "random", {}):
            fields = [one for one in measures(question) if " " in one and not is_text(question.actions, one)]
            ranges = usual_ranges(question)
            assert set(fields) <= set(ranges), name
            possible = [one for one in fields if question.legal.kinds[question.actions.index[one.partition(" ")[0]]]]
            assert all(ranges[one][0] <= ranges[one][1] for one in possible), name


def test_who_does_not_read_the_form_is_moved_by_nothing(tmp_path):
    rows = played(tmp_path, players=["fair", DRAWS], answers=12)
    moved = {key: row["shift"] for key, row in rows.items() if key[3] not in (PLACEHOLDER, ORDER) and row["shift"]}
    assert len(moved) == 12, "three other forms of the offer and of the acceptance for each; words have no mean"
    assert {float(shift) for shift in moved.values()} == {0.0}


def test_the_records_carry_the_forms_and_replay_and_the_command_goes_on(tmp_path, capsys):
    played(tmp_path, answers=3)
    before = {path: path.read_text() for path in tmp_path.glob("seat_*/*/records.jsonl")}
    assert len(before) == 9, "four forms of the offer, five of the acceptance"
    rows = played(tmp_path, answers=5)
    assert {row["answers"] for row in rows.values()} == {"5"}
    for path, text in before.items():
        assert path.read_text().startswith(text), "what was there has stayed"
        for record in read_folder(path)[0]:
            assert list(replay(record)) == []
            assert ("prompts" in record.options) == ("example" in str(path) or "range" in str(path))
    raw = json.loads((tmp_path / "anchoring" / "tables.json").read_text())
    assert len(raw["answers"]) == 9 * 5
    assert analyze(tmp_path, "anchoring").to_dict() == raw


def test_an_answer_that_is_no_move_counts_as_asked_and_is_not_asked_again(tmp_path):
    (row,) = {row["legal"] for row in played(tmp_path, players=["mock:No idea."], answers=4).values()}
    assert float(row) == 0.0
    (record, *_), _ = read_folder(tmp_path / "seat_0" / "placeholder")
    assert len([turn for turn in record.turns if turn.seat == 0]) == 1


def test_every_example_can_be_played_and_no_other_form_can():
    for game in games():
        for question, form in forms_of(game).values():
            prompt = form.options.get("prompts", {}).get(ANSWER, "").format()
            said = parse_reply(prompt, question.actions, question.legal)
            assert isinstance(said, Invalid) == (form.example is None), (form.name, prompt)
            if form.example is not None:
                assert question.actions.to_plain(said) == form.example, game


def test_examples_are_low_and_high():
    told = forms_of("public_goods", endowment=20)
    assert [told["Ann", form][1].example["tokens"] for form in (LOW, HIGH)] == [2, 18]
    told = forms_of("matrix")
    assert [told["Alice", form][1].example["kind"] for form in (LOW, HIGH)] == ["C", "D"]


def test_a_question_with_one_kind_has_no_other_order():
    assert ("Alice", ORDER) not in forms_of("bargaining")
    assert forms_of("bargaining")["Bob", ORDER][1].options == {"kind_order": "reversed"}
    words = forms_of("bargaining", messages=False)["Alice", RANGE][1].options["prompts"][ANSWER]
    says(words, '"kind"', "offer", '"gain"', "0 to 10,000")


def test_the_way_of_decoding_is_written_into_the_spec():
    assert set_decoding(["hf:a", "openai:b?temperature=0"], "both") == [
        "hf:a?constrained=yes",
        "hf:a?constrained=no",
        "openai:b?temperature=0&constrained=yes",
        "openai:b?temperature=0&constrained=no",
    ]
    assert set_decoding(["fair"], None) == ["fair"]
    for players, how, named in (
        (["fair"], "on", ("'fair'",)),
        (["hf:a?constrained=no"], "on", ("constrained",)),
        (["hf:a"], "free", ("on, off, both",)),
    ):
        with refuses(ValueError, *named):
            set_decoding(players, how)


def test_what_the_forms_set_cannot_be_set():
    for name, value in (("kind_order", "reversed"), ("max_cycles", 3), ("prompts", {})):
        with refuses(ValueError, name):
            arms("bargaining", ["fair"], 2, **{name: value})


def test_an_opponent_leaves_the_seats_that_it_cannot_take():
    assert [question.role for question in first_questions("persuasion", "honest", {})] == ["Bob"]
    assert [question.role for question in first_questions("persuasion", "trust", {})] == ["Alice"]
