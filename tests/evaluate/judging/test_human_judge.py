"""A person who judges, played by a script of typed lines."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from econzoo.evaluate.analyses.judging import human_judge, read_judgements, run_panel
from refusals import says

FIVE = ("4", "good", "3", "", "5", "", "1", "", "2", "poor plan")
"""Scores and reasons of one player without a persona."""


def scores(path, rubric):
    return {one.item: list(one.scores.values()) for one in read_judgements(path, rubric)}


@pytest.fixture
def out(tmp_path):
    return tmp_path / "j.jsonl"


@pytest.fixture
def two(items):
    return items[:2]


def test_scores_and_reasons_are_written_down(person, two, alympics, out):
    run_panel([person(*FIVE)], two[:1], alympics, 0, out)
    (one,) = read_judgements(out, alympics)
    assert list(one.scores.values()) == [4, 3, 5, 1, 2]
    assert one.reasons == {"information_utilisation": "good", "long_term_planning": "poor plan"}
    assert (one.judge, one.skipped, one.answers) == ("human", [], [])


def test_what_is_off_the_scale_is_told_and_asked_again(person, two, alympics, out):
    ann = person("6", "0", "five", "2.5", "", "4", "good", *FIVE[2:])
    run_panel([ann], two[:1], alympics, 0, out)
    told = [text for text in ann.shown if "allowed" in text]
    says(told[0], "'6'", 1, 5)
    assert len(told) == 5
    assert scores(out, alympics)[two[0].id] == [4, 3, 5, 1, 2]


def test_the_person_sees_where_it_is_and_not_who_played(person, two, alympics, out):
    ann = person(*FIVE, *FIVE)
    run_panel([ann], two, alympics, 0, out)
    shown = "\n".join(ann.shown)
    assert "Player 1 of 2: " in shown
    assert "Player 2 of 2: " in shown
    assert "1/5 Information utilisation" in shown
    assert "IU, 1 to 5 > " in ann.shown
    assert not [w for w in ("boulware", "matches.jsonl", *(item.record.id for item in two)) if w in shown]


def test_back_changes_the_answer_before(person, two, alympics, out):
    """From the second question to the first, and from a reason to its score."""
    run_panel(
        [person("4", "good", "back", "2", "no", "3", "back", "5", "", "5", "", "1", "", "2", "")],
        two[:1],
        alympics,
        0,
        out,
    )
    assert scores(out, alympics)[two[0].id] == [2, 5, 5, 1, 2]


def test_back_goes_to_the_player_before_and_its_last_answer_counts(person, two, alympics, out):
    bob = person(*FIVE, "back", "5", "better", *FIVE)
    run_panel([bob], two, alympics, 0, out)
    assert sorted(scores(out, alympics).values()) == [[4, 3, 5, 1, 2], [4, 3, 5, 1, 5]]
    assert len(out.read_text().splitlines()) == 3


def test_there_is_nothing_before_the_first_question(person, two, alympics, out):
    ann = person("back", *FIVE)
    run_panel([ann], two[:1], alympics, 0, out)
    assert any("before" in text for text in ann.shown)
    assert scores(out, alympics)[two[0].id] == [4, 3, 5, 1, 2]


def test_skip_leaves_a_question_without_a_score(person, two, alympics, out):
    run_panel([person("skip", *FIVE[2:])], two[:1], alympics, 0, out)
    (one,) = read_judgements(out, alympics)
    assert list(one.scores.values()) == [None, 3, 5, 1, 2]
    assert one.skipped == ["information_utilisation"]


def test_pass_leaves_a_player_for_another_time(person, two, alympics, out):
    run_panel([person("4", "good", "pass", *FIVE)], two, alympics, 0, out)
    assert len(scores(out, alympics)) == 1
    run_panel([person(*FIVE)], two, alympics, 0, out)
    assert len(scores(out, alympics)) == 2


def test_different_players_are_counted_as_judged(person, items, alympics, out):
    """Of three; what was passed is not judged, and what was gone back to is judged once."""
    for typed, judged in [
        (("quit",), 0),
        (("pass", "quit"), 0),
        (("pass", *FIVE, "quit"), 1),
        ((*FIVE, "pass", "quit"), 1),
        ((*FIVE, "back", "5", "", "quit"), 1),
        ((*FIVE, "back", "quit"), 1),
        ((*FIVE, "back", "pass", "pass", "quit"), 1),
        (("pass", *FIVE, "back", "5", "", *FIVE), 2),
        ((*FIVE, *FIVE, "back", "back", "3", "", "quit"), 2),
    ]:
        ann, progress = person(*typed), []
        out.unlink(missing_ok=True)
        run_panel([ann], items[:3], alympics, 0, out, progress.append)
        assert len(scores(out, alympics)) == judged, typed
        assert sum(progress) == judged, typed
        for text in (text for text in ann.shown if " of 3 " in text and "judged" in text):
            says(text, f"{judged} of 3")


@pytest.mark.parametrize("leaving", [("quit",), ()], ids=["quit", "end of input"])
def test_quit_keeps_whole_players_and_the_command_goes_on_later(person, two, alympics, out, leaving):
    first = person(*FIVE, "5", "", *leaving)
    run_panel([first], two, alympics, 0, out)
    says(first.shown[-1], "1 of 2")
    assert len(scores(out, alympics)) == 1
    second = person(*FIVE)
    assert run_panel([second], two, alympics, 0, out) == 1
    says("\n".join(second.shown), "1 of 1")
    assert len(scores(out, alympics)) == 2


def test_read_shows_the_match_again_and_help_the_commands(person, two, alympics, out):
    ann = person("4", "help", "good", "read", *FIVE[2:])
    run_panel([ann], two[:1], alympics, 0, out)
    assert sum("Player 1 of 1" in text for text in ann.shown) == 2
    assert list(scores(out, alympics).values()) == [[4, 3, 5, 1, 2]]


def test_two_people_judge_in_one_file(person, two, alympics, out):
    people = [person(*FIVE, *FIVE, spec=f"human(name={name!r})") for name in ("Ann", "Ben")]
    run_panel(people, two, alympics, 0, out)
    assert {(one.item, one.judge) for one in read_judgements(out, alympics)} == {
        (i.id, p.spec) for i in two for p in people
    }


def test_the_seconds_of_a_player_are_those_of_all_its_showings(person, two, alympics, out, monkeypatch):
    now = iter([0.0, 5.0, 5.0, 7.0, 7.0, 10.0, 10.0, 20.0])  # 5 s for the first, 2 s for the second, 3 s, 10 s
    monkeypatch.setattr(human_judge, "time", SimpleNamespace(perf_counter=lambda: next(now)))
    run_panel([person(*FIVE, "back", "5", "better", *FIVE)], two, alympics, 0, out)
    assert sorted(one.seconds for one in read_judgements(out, alympics)) == [8.0, 12.0]
