"""Judges at work: what is judged, in which order, what is written down, and what is not asked again."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from econzoo.baselines import ModelError
from econzoo.evaluate.analyses.judging import find_items, new_judge, new_judgement, read_judgements, run_panel
from econzoo.evaluate.analyses.judging import shuffle_items
from econzoo.evaluate.analyses.judging.evidence import items_of, sample
from econzoo.evaluate.analyses.judging.model_judge import SCHEMA
from econzoo.evaluate.run import Engine, StoppedError, play_match
from econzoo.evaluate.run.engine import use_engine
from econzoo.evaluate.run.processes import LocalWorker
from refusals import refuses, says


def asked_about(text):
    """The dimension that a model was asked about."""
    return re.findall(r"^(.+): How (?:well|sound|far)", text, flags=re.MULTILINE)[-1]


# Which players, and in which order


def test_every_player_of_every_match_is_an_item(matches):
    items = items_of(matches)
    assert sorted(item.id for item in items) == sorted(f"{r.id}:{seat}" for r in matches for seat in (0, 1))
    assert items == items_of(matches[::-1])


def test_seats_by_role_and_by_number(matches):
    assert {item.seat for item in items_of(matches, "bob")} == {1}
    assert items_of(matches, "Bob") == items_of(matches, "1")
    assert items_of(matches, "Alice, 1") == items_of(matches)
    with refuses(ValueError, "--seats", "'Carol'", "Alice, Bob"):
        items_of(matches, "Carol")


def test_a_sample_is_the_same_for_all_and_drawn_anew_with_another_seed(matches):
    items = items_of(matches)
    assert sample(items, 3, seed=1) == sample(items, 3, seed=1)
    assert len({tuple(i.id for i in sample(items, 3, seed)) for seed in range(20)}) > 5
    assert sample(items, None, 0) == sample(items, 99, 0) == items


def test_every_judge_has_an_order_of_its_own(matches):
    items = items_of(matches)
    orders = {spec: [i.id for i in shuffle_items(items, spec, 0)] for spec in ("a", "b", "human", "human(name='Ann')")}
    assert all(sorted(order) == sorted(i.id for i in items) for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) == 4
    assert orders["a"] == [i.id for i in shuffle_items(items, "a", 0)] != [i.id for i in shuffle_items(items, "a", 1)]


def test_what_cannot_be_judged_is_left_out_with_the_reason(matches, tmp_path):
    path = tmp_path / "mixed.jsonl"
    good, changed, paused = matches[0], replace(matches[1], payoffs=[0.0, 1.0]), replace(matches[2], status="paused")
    path.write_text("\n".join([good.to_json(), "{}", changed.to_json(), paused.to_json()]) + "\n")
    found = find_items(path, None, None, 0)
    assert {item.record.id for item in found.items} == {good.id}
    assert len(found.exclusions) == 4
    assert "line 2" in found.exclusions[0]
    assert "paused" in found.exclusions[1]
    assert all("payoffs" in line for line in found.exclusions[2:])


def test_a_file_without_records_is_refused(tmp_path):
    for text in ["", "{}\n", "hello\n"]:
        path = tmp_path / "none.jsonl"
        path.write_text(text)
        with refuses(ValueError, path):
            find_items(path, None, None, 0)


# Models


def test_a_model_is_asked_every_dimension_of_every_player_once(items, model, alympics, tmp_path):
    judge, out = model(lambda text: len(asked_about(text)) % 5 + 1, concurrent=4), tmp_path / "out" / "j.jsonl"
    assert run_panel([judge], items, alympics, 0, out) == 0
    made = read_judgements(out, alympics)
    names = {d.key: d.name for d in alympics.dimensions if d.needs is None}
    assert [one.item for one in made] == [i.id for i in shuffle_items(items, judge.spec, 0)]
    assert all(one.scores == {key: len(name) % 5 + 1 for key, name in names.items()} for one in made)
    assert all(one.reasons == dict.fromkeys(names, "As the moves show.") for one in made)
    assert len(judge.model.questions) == 5 * len(items)
    assert judge.model.batches == [20, 20]
    assert all(question.schema == SCHEMA for question in judge.model.questions)
    assert {one.player for one in made} == {"fair", "boulware(0.2)", "honest", "trust"}


def test_nobody_is_told_who_played(items, model, alympics, tmp_path):
    judge = model()
    run_panel([judge], items, alympics, 0, tmp_path / "j.jsonl")
    read = "\n".join(m["content"] for question in judge.model.questions for m in question.conversation)
    telling = {"boulware", "honest", "matches.jsonl", *(item.record.id for item in items), "seed"}
    assert not [word for word in telling if word in read]
    assert not re.search(r"\(fair\)|\bspec\b|\bplayer: ", read)


def test_judging_goes_on_where_it_stopped(items, model, alympics, tmp_path):
    """A run that breaks off and is started again gives what one run gives, and asks nothing twice."""
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    run_panel([model()], items, alympics, 7, whole)
    left = 13

    def tired(text):
        nonlocal left
        left -= 1
        if left < 0:
            raise ModelError("the server is gone")
        return 3

    first = model(tired)
    with refuses(StoppedError, 5, "the server is gone"):
        run_panel([first], items, alympics, 7, parts)
    assert len(read_judgements(parts, alympics)) == 2  # 13 answers are two players of five dimensions, and a part
    second = model()
    assert run_panel([second], items, alympics, 7, parts) == 2
    assert len(second.model.questions) == 5 * (len(items) - 2)
    assert timeless(parts, alympics) == timeless(whole, alympics)
    assert run_panel([second], items, alympics, 7, parts) == len(items)
    assert len(second.model.questions) == 5 * (len(items) - 2)


@pytest.mark.slow
def test_judges_in_workers_say_what_they_say_here(items, alympics, tmp_path):
    """A worker is given two players at a time; what was judged before is not judged again."""
    here, far, spec = tmp_path / "here.jsonl", tmp_path / "far.jsonl", 'mock:{"score": 3, "reason": "Of course."}'
    run_panel([new_judge(spec)], items, alympics, 0, here)
    with use_engine(Engine(LocalWorker, 1, remote=True)):
        judge = new_judge(spec, concurrent=2)
        assert run_panel([judge], items[:3], alympics, 0, far) == 0
        assert run_panel([judge], items, alympics, 0, far) == 3
    assert {one["item"]: one for one in timeless(far, alympics)} == {
        one["item"]: one for one in timeless(here, alympics)
    }


def timeless(path, rubric):
    return [{**vars(one), "seconds": 0} for one in read_judgements(path, rubric)]


def test_several_judges_each_judge_all(items, model, alympics, tmp_path):
    out = tmp_path / "j.jsonl"
    run_panel([model(spec="mock:a"), model(lambda text: 5, spec="mock:b")], items, alympics, 0, out)
    made = read_judgements(out, alympics)
    assert {(one.item, one.judge) for one in made} == {(i.id, f"mock:{j}") for i in items for j in "ab"}
    assert {tuple(one.scores.values()) for one in made if one.judge == "mock:b"} == {(5,) * 5}
    with refuses(ValueError, "'mock:a'"):
        run_panel([model(spec="mock:a"), model(spec="mock:a")], items, alympics, 0, out)


def test_a_score_off_the_scale_is_asked_again_and_then_missing(items, model, alympics, tmp_path):
    for bad in [0, 6, 2.5, "NaN", '"five"', "true", "null", "[4]"]:
        judge = model(lambda text, bad=bad: f'{{"score": {bad}, "reason": "Because."}}')
        path = tmp_path / f"{bad}.jsonl"
        run_panel([judge], items[:1], alympics, 0, path)
        (one,) = read_judgements(path, alympics)
        assert set(one.scores.values()) == {None}, bad
        assert one.reasons == {}, bad
        assert len(one.answers) == one.invalid_answers == 5 * 3, bad
        assert len({question.seed for question in judge.model.questions}) == 15, bad
        last = judge.model.questions[-1].conversation
        assert [m["role"] for m in last] == ["system", "user", *["assistant", "user"] * 2], bad
        says(last[-1]["content"], 1, 5)


def test_a_second_answer_counts_if_it_is_a_score(items, model, alympics, tmp_path):
    judge = model(lambda text: 4 if text.startswith("That cannot") else 6)
    run_panel([judge], items[:1], alympics, 0, tmp_path / "j.jsonl")
    (one,) = read_judgements(tmp_path / "j.jsonl", alympics)
    assert set(one.scores.values()) == {4}
    assert one.invalid_answers == 5
    says(one.answers[0]["problem"], 6, 1, 5)


def test_identity_is_asked_where_a_persona_was_told(model, alympics):
    water = play_match("water_allocation", ["random"] * 5, seed=2, days=2, persona=True)
    without = play_match("water_allocation", ["random"] * 5, seed=2, days=2)
    judge = model()
    told, untold = judge.judge([*items_of([water], "Alex"), *items_of([without], "Alex")], alympics, 0)
    assert set(told.scores) - set(untold.scores) == {"identity_alignment"}
    only = alympics._replace(dimensions=alympics.dimensions[-1:])
    assert next(judge.judge(items_of([without], "Alex"), only, 0)).scores == {}


def test_a_model_may_be_asked_without_a_schema(items, model, alympics):
    judge = model(constrained=False)
    assert next(judge.judge(items[:1], alympics, 0)).scores["adaptability"] == 3
    assert {question.schema for question in judge.model.questions} == {None}


# Files


def line(items, words, **changes):
    one = new_judgement(items[0], "a", words, 0)
    one.scores = {"adaptability": 3}
    return json.dumps({**vars(one), **changes})


def test_a_changed_file_of_judgements_is_refused(items, alympics, tmp_path):
    for changes, named in [
        ({"scores": {"adaptability": 6}}, ("adaptability", 6, 1, 5)),
        ({"scores": {"adaptability": True}}, ("adaptability", True, 1, 5)),
        ({"scores": {"courage": 3}}, ("'courage'", "information_utilisation")),
        ({"rubric": "own"}, ("'own'", "'alympics'")),
        ({"digest": "0" * 12}, ("words", "'alympics'")),
        ({"format": 3}, ("format 3", "format 1")),
        ({"seat": "0"}, ("seat", "'0'")),
        ({"mood": "good"}, ("'mood'",)),
    ]:
        path = tmp_path / "j.jsonl"
        path.write_text(line(items, alympics) + "\n" + line(items, alympics, **changes) + "\n")
        with refuses(ValueError, path, "line 2", *named):
            read_judgements(path, alympics)


def test_records_are_no_judgements(file, items, model, alympics):
    with pytest.raises(ValueError, match="line 1: "):
        run_panel([model()], items, alympics, 0, file)


def test_of_two_judgements_of_one_judge_on_one_player_the_last_counts(items, alympics, tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_text(line(items, alympics) + "\n" + line(items, alympics, scores={"adaptability": 5}) + "\n")
    assert [one.scores for one in read_judgements(path, alympics)] == [{"adaptability": 5}]


# Specs


def test_a_judge_is_a_model_or_a_person():
    assert new_judge("human").spec == "human"
    assert new_judge("human(name='Ann')").spec == "human(name='Ann')"
    judge = new_judge('mock:{"score": 2, "reason": "ok"}', length=700, concurrent=9)
    assert judge.model.complete([[{"role": "user", "content": "?"}]], [None], [0])[0].text.startswith('{"score": 2')


def test_whoever_else_is_named_is_refused():
    for spec in ["", "fair", "random", "human(3)", "human('a', 'b')", "human(age='3')"]:
        with refuses(ValueError, repr(spec), "human"):
            new_judge(spec)


def test_a_judge_is_not_made_of_parts():
    with refuses(ValueError, "reasoning"):
        new_judge("mock:*?reasoning=cot")
