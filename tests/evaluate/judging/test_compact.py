"""How much of a match a judge reads: all of it by default, and what it is told where that is too much."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from econzoo.baselines import LanguageModelPlayer, judges
from econzoo.baselines.models import Completion, FunctionChat, OpenAIChat
from econzoo.evaluate.analyses.judging import evidence, judgements_page, judging_report, new_judgement, ratings_of
from econzoo.evaluate.analyses.judging.evidence import items_of
from econzoo.evaluate.run import play_match
from refusals import says


@pytest.fixture(scope="module")
def town():
    """Days of five bidders, of whom the first gives reasons of 600 characters and more."""
    bid = FunctionChat(lambda conversation, schema, seed: "z" * (600 + len(conversation)) + f'{{"bid":{seed % 50}}}')
    return play_match(
        "water_allocation", [LanguageModelPlayer("mock:x", bid), *["random"] * 4], seed=1, days=12, supply=(30, 60)
    )


def told(record, room, seat=0):
    return evidence(record, seat, lambda shown: room)


def test_a_match_for_which_there_is_room_is_told_word_for_word(town):
    whole = evidence(town, 0)
    assert (whole.form, whole.omitted_characters, whole.full_length) == ("whole", 0, len(whole.transcript))
    assert told(town, len(whole.transcript)) == whole


def test_a_longer_one_keeps_every_number_of_every_day(town):
    shown, bids = told(town, 8000), {}
    assert (shown.form, shown.full_length) == ("compact", len(evidence(town, 0).transcript))
    assert len(shown.transcript) <= 8000 < shown.full_length
    for turn in town.turns:
        if turn.action:
            bids.setdefault(turn.round, []).append(round(turn.action["bid"], 2))
    rows = re.findall(r"^(\d+) \| bid(.*)$", shown.transcript, flags=re.MULTILINE)
    assert {int(day): [float(bid) for bid in re.findall(r"bid ([\d.]+)", f"bid{rest}")] for day, rest in rows} == bids
    supplies = re.search(r"^round \|.* supply.*\n((?:\d+ \|.*\n)+)", shown.transcript, flags=re.MULTILINE)[1]
    assert supplies.count("\n") == max(bids)


def test_what_is_left_out_of_the_words_is_counted_where_it_stands(town):
    """Of every answer as many characters stay; the marks add up to the count."""
    shown = told(town, 8000)
    marks = [int(mark) for mark in re.findall(r"\[\+(\d+)\]$", shown.transcript, flags=re.MULTILINE)]
    assert sum(marks) == shown.omitted_characters > 0
    assert len({len(line) for line in re.findall(r"^Answered: (z+) \[", shown.transcript, flags=re.MULTILINE)}) == 1
    says(shown.transcript, "[+12]", "12 characters")


def test_more_room_leaves_out_less(town):
    assert told(town, 9000).omitted_characters < told(town, 8000).omitted_characters


def test_what_does_not_fit_even_so_is_cut_with_a_note(town):
    shown = told(town, 1500)
    assert shown.form == "cut"
    assert re.search(r"\[\.\.\. [\d,]+ characters ", shown.transcript)


def test_a_newcomer_in_the_seat_is_told_of_with_all_who_sat_there_before():
    """The judge of a market of myopic buyers reads of every buyer."""
    record = play_match("persuasion", ["honest", "trust"], seed=1, rounds=6, buyer="myopic")
    shown = evidence(record, 1, lambda whole: whole.full_length - 1)
    rows = re.findall(r"^(\d) \| say", shown.transcript, flags=re.MULTILINE)
    assert rows == list("123456")


# How much room a judge has


def test_a_model_reads_as_much_as_its_context_holds(town, model, alympics):
    """The question with the transcript fits beside two more answers, and what is said after them."""
    limits = {}
    for limit in (3000, 30_000):
        judge = model()
        judge.model.prompt_limit = limit
        (one,) = judge.judge(items_of([town], "0"), alympics, 0)
        longest = max(sum(len(m["content"]) for m in asked.conversation) for asked in judge.model.questions)
        assert longest <= judges.character_limit(judge.model) - 2 * judges.LONGEST_REASON
        limits[limit] = one.form
    assert limits == {3000: "compact", 30_000: "whole"}


def test_a_server_that_was_given_no_context_is_taken_to_have_the_default(model):
    server = OpenAIChat("m", "http://127.0.0.1:9/v1", context=8000, max_tokens=500)
    assert judges.character_limit(server) == 7500 * judges.CHARACTERS // judges.TOKENS
    default = judges.CONTEXT * judges.CHARACTERS // judges.TOKENS
    assert (
        judges.character_limit(OpenAIChat("m", "http://127.0.0.1:9/v1"))
        == judges.character_limit(model().model)
        == default
    )


def test_a_length_of_the_users_own_goes_before_the_context(town, model, alympics):
    (one,) = model(length=1500).judge(items_of([town], "0"), alympics, 0)
    assert (one.form, one.read_form) == ("cut", "cut")


def test_what_the_model_has_cut_or_left_out_is_written_down(town, model, alympics):
    class Short(FunctionChat):
        def complete(self, conversations, schemas, seeds):
            replies = super().complete(conversations, schemas, seeds)
            return [replace(reply, dropped_turns=1, unsupported=("seed",)) for reply in replies]

    judge = model()
    judge.model = Short(lambda conversation, schema, seed: '{"score": 3, "reason": "So."}')
    assert isinstance(judge.model.complete([[{"role": "user", "content": "?"}]], [None], [0])[0], Completion)
    (one,) = judge.judge(items_of([town], "0"), alympics, 0)
    assert (one.form, one.read_form) == ("whole", "cut")
    assert {tuple(answer["unsupported"]) for answer in one.answers} == {("seed",)}


# What the report says of it


def test_the_report_counts_what_every_judge_read(town, matches, model, alympics):
    near = list(model(length=4000, spec="near").judge(items_of([town, matches[0]]), alympics, 0))
    next(one for one in near if one.form == "compact").form, made = "cut", near[:]
    made += model(spec="far").judge(items_of([town]), alympics, 0)
    made.append(replace(new_judgement(items_of([town])[0], "sheet", alympics, 0), scores={"adaptability": 3}))
    found = judging_report(list(ratings_of(made)), alympics)
    read, far = found.readings
    assert read == ("near", 2, 4, 1, sum(one.characters for one in near), sum(one.left_out for one in near))
    assert far == ("far", 5, 0, 0, sum(one.characters for one in made[7:12]), 0)
    page = judgements_page(found, "x", "x")
    assert page.to_dict()["read"][0]["left_out"] == read.left_out > 0
    assert page.to_dict()["judged"][0]["digest"] == alympics.digest


def test_a_name_that_is_cut_off_does_not_show_its_beginning():
    """Of texts of every length, so that some are cut within the name, in answers as in the messages of a table."""
    name = "openai:brandy-secret-model"
    reply = FunctionChat(
        lambda conversation, schema, seed: json.dumps(
            {"kind": "offer", "gain": 5000, "message": "I am brandy-secret-model. " * 12}
        )
    )
    record = play_match("bargaining", [LanguageModelPlayer(name, reply), "boulware"], seed=1, horizon=8)
    for room in range(1200, 3000, 7):
        shown = told(record, room)
        assert not re.search(r"\bbr(a|an|and|andy|andy-\S*)?\b", shown.transcript), room
