"""A participant goes through a study, page by page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PEOPLE, PROGRAM, file_of, play, study_in, tells
from visitor import phrase

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.study import read_study
from econzoo.people.study_server import prepare_folder
from exhaustive import long_unless
from refusals import says


def until(true: Callable[[], bool]) -> None:
    """Waits for what another thread does."""
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_two_participants_from_the_link_to_the_code(new):
    lab = new(repetitions=2)
    ann, ben = lab.guest("ann"), lab.guest("ben")
    assert lab.study.words.consent in ann.text
    assert lab.study.words.kept in ann.text
    assert phrase("study.pay_fee", fee="EUR 2.00") in ann.text
    ann.agree()
    assert "maple" in ann.text
    assert lab.study.words.instructions in ann.text
    ann.read("Maple ").answer()
    assert ann.where == "waiting"
    assert phrase("study.wait_count", count=1) in ann.text
    assert phrase("study.alone_pay", fee="EUR 2.00") in ann.text
    ben.agree().read().answer()
    assert (ann.where, ben.where) == ("play", "play")
    play(ann, ben)
    assert phrase("study.match_over", match=1, matches=2) in ann.text
    assert phrase("study.next_match") in ann.text
    ann.next()
    assert ann.where == "waiting"
    ben.next()
    play(ann, ben)
    for one in (ann, ben):
        one.next()
        assert one.where == "questionnaire"
        one.tell()
        assert one.where == "debriefing"
        assert lab.study.words.debriefing in one.text
        one.finish()
        assert one.where == "done"
    code = ann.kept.completion_code
    assert code in ann.text
    assert code != ben.kept.completion_code
    # Two matches of two rounds of mutual cooperation.
    payoffs = [Record.from_json(line).payoffs[0] for line in lab.store.record_lines()]
    assert ann.kept.bonus_cents == round(min(max(sum(payoffs) * 10, 25), 150))
    assert [replay(Record.from_json(line)) for line in lab.store.record_lines()] == [[], []]


def test_who_comes_back_is_where_they_were(new):
    """By the link of the study from another browser, and by the personal link."""
    lab = new()
    ann = lab.guest("ann").agree()
    other = lab.guest("ann")
    assert (other.path, other.where) == (ann.path, "instructions")
    by_link = lab.guest()
    assert "maple" in by_link.open(ann.path).raw
    by_link.read()
    assert f'action="{ann.path}/quiz"' in ann.see().text
    assert len(lab.store.participants()) == 1


def test_a_wrong_code_word_has_as_many_attempts_as_the_file_says(new):
    lab = new()
    ann = lab.guest("ann").agree().read("oak")
    assert ann.status == 422
    assert phrase("study.word_wrong", count=1) in ann.text
    assert 'value="oak"' in ann.text
    ann.read(" ")
    assert (ann.kept.attention_left, ann.where) == (1, "instructions")
    ann.read("elm")
    assert (ann.where, ann.kept.excluded_reason) == ("excluded", "code word")
    assert phrase("study.excluded_word") in ann.text
    assert ann.kept.completion_code is None
    ann.read()
    assert ann.where == "excluded"


def test_a_failed_quiz_excludes(new):
    lab = new()
    ann = lab.guest("ann").agree().read().answer("weather")
    assert (ann.status, ann.kept.quiz_left) == (422, 2)  # that is none of the options
    ann.answer("the weather")
    assert phrase("study.quiz_wrong", count=1) in ann.text
    opened_again = ann.client.get(f"{ann.path}/quiz")  # the address of the page with the problem
    assert (opened_again.status_code, opened_again.url.path) == (200, ann.path)
    ann.answer("the weather")
    assert (ann.where, ann.kept.excluded_reason) == ("excluded", "quiz")


def test_an_attempt_that_is_sent_from_two_tabs_counts_once(new):
    lab = new()
    ann = lab.guest("ann").agree()
    form = {"word": "oak", "attempt": "1"}
    for _ in range(2):
        ann.client.post(f"{ann.path}/instructions", data=form)
    assert (ann.where, ann.kept.attention_left) == ("instructions", 1)
    assert [answer for _, _, answer in lab.store.answers_of(ann.kept, "attention")] == ["oak"]


def test_a_move_that_is_sent_from_two_tabs_is_played_once(new):
    lab = new()
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.see()
    tab = lab.guest("ann")
    ann.move("C")
    tab.move("D")
    assert phrase("table.late") in tab.text
    ben.see().move("C")
    (turns,) = [lab.store.match(id).turns for id in lab.store.matches().values()]
    assert [turn.action["kind"] for turn in turns] == ["C", "C"]


def test_the_end_of_a_match_that_is_sent_twice_leads_to_one_next_match(new):
    lab = new(repetitions=3)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for _ in range(2):
        ann.client.post(f"{ann.path}/play", data={"match": "0"})
    assert (ann.kept.repetition, ann.where) == (1, "waiting")
    ben.next()
    ann.client.post(f"{ann.path}/play", data={"match": "1"})  # which is not over
    assert (ann.kept.repetition, ann.where) == (1, "play")


def test_a_wrong_move_is_told_on_the_same_page(new):
    lab = new(text=file_of().replace('"matrix"', '"bargaining"').replace("rounds = 2", "horizon = 2"))
    ann, ben = lab.ready("ann"), lab.ready("ben")
    first = next(one for one in (ann, ben) if one.see().page.move_forms)
    first.move("offer", gain="20000")
    assert first.status == 422
    says(first.problems, 20000, 0, "10,000")
    assert first.problems.count("20000") == 1
    assert 'value="20000"' in first.text
    assert f'action="{first.path}/withdraw"' in first.text
    assert phrase("study.match", match=1, matches=1) in first.text
    first.move("offer", gain="6000")
    assert phrase("study.others_move", count=1) in first.text


# Waiting


def test_who_waits_in_vain_is_paid(new, wait):
    lab = new()
    ann = lab.ready("ann")
    wait(299)
    lab.settle()
    assert ann.where == "waiting"
    wait(2)
    lab.settle()
    assert ann.where == "debriefing"
    ann.see().finish()
    assert ann.where == "done"
    assert ann.kept.completion_code in ann.text
    assert ann.kept.bonus_cents == 25  # the floor
    assert "alone" in [kind for _, kind, _ in lab.store.events_of(ann.kept)]


def test_a_player_takes_the_free_seat(new, wait):
    lab = new(alone="tit-for-tat")
    ann = lab.ready("ann")
    assert phrase("study.alone_program") in ann.text
    wait(301)
    ann.see()
    lab.settle()
    assert ann.where == "play"
    play(ann)
    ann.next().tell()
    assert tells(ann, "study.was_program", program="tit-for-tat")
    late = lab.guest("late")
    assert late.where == "full"  # a program has their place


def test_time_does_not_pass_while_no_server_runs(new, wait):
    lab = new()
    lab.ready("ann")
    wait(200)
    lab.running.tables.uptime.beat()
    lab.start_again()
    lab.settle()
    (ann,) = lab.store.participants()
    assert ann.page == "waiting"
    assert 195 < lab.course.seating.current_seconds() - ann.waits_since < 210


def test_the_study_is_full(new):
    lab = new()
    late = lab.guest("late").agree().read()
    lab.ready("ann"), lab.ready("ben")
    turned_away = lab.guest("nobody")
    assert turned_away.where == "full"
    assert phrase("study.full") in turned_away.text
    assert turned_away.kept.completion_code is None
    late.answer()
    assert late.where == "full"
    assert late.kept.completion_code in late.text  # they have worked for it


# Leaving


PAGES = ["consent", "instructions", "quiz", "waiting", "play", "questionnaire", "debriefing"]


@pytest.mark.parametrize("page", long_unless(("waiting", "play").__contains__, PAGES, "slow"))
def test_one_can_withdraw_on_every_page(new, page):
    lab = new()
    ann, ben = lab.guest("ann"), lab.ready("ben")
    steps = [ann.agree, ann.read, ann.answer, lambda: play(ann, ben), ann.next, ann.tell, ann.finish]
    if page == "waiting":
        ben.leave()
        lab = new(participants=4, partners="partner")
        ann, steps = lab.guest("zoe"), []
        ann.agree().read().answer()
    while ann.where != page:
        steps.pop(0)()
    assert f'action="{ann.path}/withdraw"' in ann.see().text
    ann.leave()
    assert (ann.where, ann.kept.withdrawn) == ("withdrawn", page)
    admitted = page not in ("consent", "instructions", "quiz")
    assert (ann.kept.completion_code is not None) == admitted
    assert (lab.study.words.debriefing in ann.text) == admitted
    assert "/withdraw" not in ann.text


def test_who_withdraws_while_another_is_to_move_has_left_as_soon_as_they_are_asked(new):
    lab = new(arms=PEOPLE.replace("people", "bargainers"))
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.see().move("C")  # nothing more is asked of her
    ann.leave()
    ben.see().move("C")
    lab.settle()
    assert ben.see().page.move_forms
    ben.move("C")
    assert phrase("study.match_over", match=1, matches=1) in ben.text
    (record,) = map(Record.from_json, lab.store.record_lines())
    assert replay(record) == []
    assert sorted(turn.finish for turn in record.turns) == ["", "", "", "left"]
    assert phrase("absent.left") not in ben.text


def test_a_named_player_replaces_who_leaves_and_that_match_does_not_count_for_them(new):
    lab = new(leaving="tit-for-tat")
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.leave()
    play(ben, kind="D")
    assert tells(ben, "study.other_replaced")
    assert "tit-for-tat" not in ben.text
    ben.next().tell()
    assert tells(ben, "study.was_both", program="tit-for-tat")
    ben.finish()
    (record,) = map(Record.from_json, lab.store.record_lines())
    assert replay(record) == []
    assert ann.kept.bonus_cents == 25


def test_a_forfeit_ends_the_match_and_nobody_is_stuck(new):
    lab = new(leaving="forfeit")
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.leave()
    lab.settle()
    play(ben)
    assert phrase("absent.left") not in ben.text
    ben.next().tell().finish()
    assert ben.where == "done"
    (record,) = map(Record.from_json, lab.store.record_lines())
    assert (record.status, replay(record)) == ("abandoned", [])


def test_a_participant_who_does_not_answer_in_time_is_played_for_and_comes_back_to_the_next_match(new, wait):
    lab = new(move=60, repetitions=2, leaving="tit-for-tat", missed=1)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ben.see().move("C")
    wait(61)
    until(lambda: phrase("study.you_replaced") in ann.see().text)
    play(ben)
    ann.see().next()
    ben.next()
    assert (ann.where, ben.where) == ("play", "play")
    play(ann, ben)
    for one in (ann, ben):
        one.next().tell().finish()
    first, second = map(Record.from_json, lab.store.record_lines())
    seats = [plan.players.index(ann.kept.place) for plan in lab.course.seating.pairing.table]
    assert ann.kept.bonus_cents == max(25, round(second.payoffs[seats[1]] * 10))
    assert ben.kept.bonus_cents == max(25, round((first.payoffs[1 - seats[0]] + second.payoffs[1 - seats[1]]) * 10))
    assert phrase("study.no_count") in ann.text


def test_matches_with_somebody_who_has_gone_are_left_out(new):
    lab = new(repetitions=3)
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    ann.leave()
    ben.next()
    assert ben.where == "questionnaire"
    assert [kind for _, kind, _ in lab.store.events_of(ben.kept)].count("skipped") == 2


def test_without_partial_pay_nobody_but_who_finishes_is_paid(new):
    lab = new(partial="false")
    assert phrase("study.pay_whole") in lab.guest("ann").text
    ann, ben = lab.ready("ann"), lab.ready("ben")
    ann.leave()
    assert ann.kept.completion_code is None
    play(ben)
    ben.next().tell().finish()
    assert ben.kept.completion_code


def test_an_operator_excludes_and_forgets(new):
    lab = new(source="prolific")
    ann = lab.guest(PROLIFIC_PID="5f1", STUDY_ID="s", SESSION_ID="t")
    assert lab.store.events_of(ann.kept)[0][2] == {"STUDY_ID": "s", "SESSION_ID": "t"}
    assert lab.course.exclude(ann.kept, "came twice")
    assert phrase("study.excluded_by", reason="came twice") in ann.see().text
    lab.store.forget(ann.kept)
    assert "5f1" not in lab.store._db.execute("SELECT group_concat(external_id) FROM participants").fetchone()[0]
    assert "entry" not in [kind for _, kind, _ in lab.store.events_of(ann.kept)]


def test_who_was_forgotten_still_sees_their_page(new):
    lab = new(arms=PROGRAM, participants=1, source="prolific", url="https://app.example.com/complete?cc={code}")
    ann = lab.guest(PROLIFIC_PID="5f1").agree().read().answer()
    play(ann)
    ann.next().tell().finish()
    lab.store.forget(ann.kept)
    assert phrase("study.thanks") in ann.see().text
    assert ann.kept.completion_code is None


def test_who_was_forgotten_does_not_take_part_again(new):
    lab = new()
    ann, ben = lab.guest("ann").agree(), lab.guest("ben")
    lab.store.forget(ann.kept)
    again = lab.guest("ann")
    assert again.status == 403
    assert phrase("study.forgotten") in again.text
    assert len(lab.store.participants()) == 2
    assert lab.guest("ben").path == ben.path
    lab.start_again()
    assert lab.guest("ann").status == 403


def test_a_page_that_is_another_one_by_now_is_loaded_again(new):
    """What scripts are told: 205, when somebody has moved on; else the part of the page that changes."""
    lab = new()
    ann = lab.ready("ann")
    part = lab.guest().client.get(f"{ann.path}/table?of=waiting.0")
    assert phrase("study.wait_count", count=1) in part.text
    assert "<html" not in part.text
    lab.ready("ben")
    assert lab.guest().client.get(f"{ann.path}/table?of=waiting.0").status_code == 205
    assert phrase("table.moves") in lab.guest().client.get(f"{ann.path}/table?of=play.0").text


def test_a_study_in_german(new):
    lab = new(texts="de", arms=PROGRAM, participants=1)
    ann = lab.guest("ann")
    assert '<html lang="de">' in ann.text
    assert phrase("study.pay_fee", "de", fee="EUR 2,00") in ann.text
    ann.agree().read("Eiche")
    assert phrase("study.word_wrong", "de", count=1) in ann.text
    ann.read().answer()
    assert phrase("study.match", "de", match=1, matches=1) in ann.text
    play(ann)
    ann.next().tell().finish()
    assert phrase("study.code", "de") in ann.text
    own = ann.text.replace("Ask NAME", "")
    assert not re.search(r"\b(the|you|match|waiting)\b", re.sub(r"<[^>]*>", " ", own))


# The questionnaire, and money


def test_wrong_answers_are_told_and_kept_in_the_form(new):
    lab = new(arms=PROGRAM, participants=1)
    ann = lab.ready("ann")
    play(ann)
    ann.next().tell(**{"item.0": "many", "item.1": ""})
    assert ann.status == 422
    assert phrase("study.no_number") in ann.text
    assert phrase("study.choose") in ann.text
    assert 'value="many"' in ann.text
    assert "I liked it." in ann.text
    ann.tell()
    assert [answer for _, _, answer in lab.store.answers_of(ann.kept, "questionnaire")] == [
        "41",
        "people",
        "I liked it.",
    ]


def test_the_link_back_has_the_code(new):
    lab = new(arms=PROGRAM, participants=1, source="prolific", url="https://app.example.com/complete?cc={code}")
    ann = lab.guest(PROLIFIC_PID="5f1").agree().read().answer()
    play(ann)
    ann.next().tell().finish()
    assert f'href="https://app.example.com/complete?cc={ann.kept.completion_code}"' in ann.text


def test_own_texts_are_kept_with_the_study(tmp_path):
    (tmp_path / "own.toml").write_text('lang = "fr"\n', encoding="utf-8")
    study = study_in(tmp_path, texts="own.toml")
    (tmp_path / "study.toml").write_text(study.source, encoding="utf-8")
    folder = prepare_folder(study, tmp_path / "pilot")
    assert read_study(folder / "study.toml").texts == str(folder / "own.toml")
