"""What is a score, and what is a rubric."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from econzoo.envs.core.contract import Invalid
from econzoo.evaluate.analyses.judging import SCORES, load_rubric
from econzoo.evaluate.analyses.judging.model_judge import read_answer
from econzoo.evaluate.analyses.judging.rubric import parse_score, parse_score_text, rubric_names
from refusals import refuses, says


def test_a_whole_number_from_1_to_5_is_a_score():
    for value in [1, 2, 3, 4, 5, 4.0]:
        assert parse_score(value) == value, value
        assert parse_score_text(f" {value} ") == value, value


def test_nothing_else_is():
    for value in [0, 6, -1, 2.5, 17, "4", "five", True, None, [4], {}, float("nan"), float("inf")]:
        found = parse_score(value)
        assert isinstance(found, Invalid), repr(value)
        says(found.text, 1, 5)


def test_nor_is_any_other_text():
    for text in ["", "0", "6", "2.5", "2 point", ",3", "five", "nan", "1e0", "٣", "4 5", "9" * 5000]:
        found = parse_score_text(text)
        assert isinstance(found, Invalid), repr(text)
        says(found.text, 1, 5)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=3))
def test_whatever_is_given_a_score_is_on_the_scale_or_there_is_none(value):
    found = parse_score(value)
    assert isinstance(found, Invalid) or (found in SCORES and found == value)


def test_an_answer_that_is_no_score_says_why():
    for reply, named in [
        ("", ("empty",)),
        ("I give it a 4.", ("JSON",)),
        ('{"score": NaN, "reason": "ok"}', ("NaN", "JSON")),
        ('{"score": 6, "reason": "great"}', (6, 1, 5)),
        ('{"score": 2.5, "reason": "between"}', (2.5, 1, 5)),
        ('{"score": "five", "reason": "great"}', ("'five'", 1, 5)),
        ('{"score": true, "reason": "great"}', (True, 1, 5)),
        ('{"score": 4}', ('"reason"',)),
        ('{"reason": "great"}', ('"score"',)),
        ('{"score": 4, "reason": " ... "}', ("reason",)),
        ('{"score": 4, "reason": 7}', ("reason",)),
        ('{"score": 4, "reason": "a"} {"score": 5, "reason": "b"}', ("line",)),
    ]:
        found = read_answer(reply)
        assert isinstance(found, Invalid), reply
        says(found.text, *named)


def test_an_answer_may_stand_in_prose():
    assert read_answer('Well:\n```json\n{"score": 4, "reason": "It looked ahead."}\n```') == (4, "It looked ahead.")


def test_the_rubric_of_alympics_asks_for_identity_where_there_is_one():
    rubric = load_rubric("alympics")
    assert rubric_names() == ["alympics"]
    assert [d.short for d in rubric.applicable_dimensions(persona=True)] == ["IU", "LR", "SE", "AD", "LP", "IA"]
    assert [d.short for d in rubric.applicable_dimensions(persona=False)] == ["IU", "LR", "SE", "AD", "LP"]
    assert rubric.find("ia") == rubric.find("Identity alignment") == rubric.find("identity_alignment")
    assert rubric.find("IQ") is None


OWN = {"name": "Courage", "short": "CO", "question": "How brave?", **{str(n): f"level {n}" for n in SCORES}}


def toml(**dimensions):
    lines = ['source = "here"']
    for key, values in dimensions.items():
        lines += [f"[dimension.{key}]", *(f"{name} = {json.dumps(value)}" for name, value in values.items())]
    return "\n".join(lines)


NO_ANCHORS = {name: text for name, text in OWN.items() if not name.isdigit()}


def test_anchors_for_all_dimensions_stand_once_and_a_dimension_may_have_its_own(tmp_path):
    path, scale = tmp_path / "own.toml", "\n".join(f'{n} = "for all {n}"' for n in SCORES)
    valour = {"name": "Valour", "short": "VA", "question": "And how?", "3": "middling"}
    path.write_text(f"{toml(courage=NO_ANCHORS, valour=valour)}\n[scale]\n{scale}")
    courage, valour = load_rubric(str(path)).dimensions
    assert courage.anchors == tuple(f"for all {n}" for n in SCORES)
    assert valour.scale == ["1: for all 1", "2: for all 2", "3: middling", "4: for all 4", "5: for all 5"]


def test_an_introduction_stands_before_every_question_and_counts_among_the_words(tmp_path, items, model):
    path = tmp_path / "own.toml"
    path.write_text(toml(courage=OWN))
    plain = load_rubric(str(path))
    path.write_text('introduction = "You are one of five raters."\n' + toml(courage=OWN))
    rubric, judge = load_rubric(str(path)), model()
    assert rubric.digest != plain.digest
    list(judge.judge(items[:1], rubric, 0))
    (asked,) = judge.model.questions
    assert "You are one of five raters.\n\nCourage: How brave?\n1: level 1" in asked.conversation[-1]["content"]


def test_an_own_rubric(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(toml(courage=OWN))
    rubric = load_rubric(str(path))
    assert (rubric.name, rubric.source) == ("own", "here")
    assert rubric.dimensions[0].scale == [f"{n}: level {n}" for n in SCORES]
    path.write_text(toml(courage={**OWN, "question": "How very brave?"}))
    assert load_rubric(str(path)).digest != rubric.digest


def test_a_file_that_is_no_rubric_is_refused(tmp_path):
    for text, named in [
        ("= 1", ()),
        ("", ("dimension",)),
        ("dimension = 3", ("dimension",)),
        ("scales = 7\n" + toml(courage=OWN), ("'scales'", "source", "introduction", "[scale]")),
        ("scale = 7\n" + toml(courage=OWN), ("[scale]", "'scale'", "1, 2, 3, 4, 5")),
        ("introduction = 7\n" + toml(courage=OWN), ("introduction = 7",)),
        (toml(courage=OWN) + "\n[scale]\n6 = 'six'", ("[scale]", "'6'")),
        (toml(courage=NO_ANCHORS) + "\n[scale]\n1 = 'one'", ("'2'", "[scale]")),
        (toml(courage={k: v for k, v in OWN.items() if k != "3"}), ("[dimension.courage]", "'3'")),
        (toml(courage={**OWN, "name": " "}), ("[dimension.courage]", "'name'")),
        (toml(courage={**OWN, "6": "more"}), ("'6'",)),
        (toml(courage={**OWN, "needs": "luck"}), ("needs = 'luck'", "'persona'")),
        (toml(courage={**OWN, "short": "COURAGE"}), ("COURAGE", 6)),
        (toml(courage=OWN, valour={**OWN, "name": "Valour"}), ("'co'",)),
    ]:
        path = tmp_path / "own.toml"
        path.write_text(text)
        with refuses(ValueError, path, *named):
            load_rubric(str(path))


def test_an_unknown_rubric_is_refused():
    with refuses(ValueError, "'nobody'", "alympics", ".toml"):
        load_rubric("nobody")
