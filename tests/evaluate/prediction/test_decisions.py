"""Which moves are decisions, what was known before them, and whose they are."""

from __future__ import annotations

import csv
from dataclasses import replace

import pytest

import econzoo
from econzoo.baselines import strip_reply_format
from econzoo.evaluate.analyses import replay_texts
from econzoo.evaluate.analyses.prediction.decisions import decisions_of, participants
from econzoo.evaluate.analyses.prediction.study import player_knowledge
from refusals import says


@pytest.fixture(scope="module")
def haggling():
    """Greedy and fair ask for too much until the last of three rounds."""
    return econzoo.play("bargaining", ["greedy", "fair"], seed=3, horizon=3, delta=(0.9, 0.9))


def test_answers_are_decisions_and_offers_are_none(haggling):
    found, _ = decisions_of([haggling], scripts=["spe"])
    kinds = [turn.action["kind"] for turn in haggling.turns]
    assert [one.turn for one in found] == [at for at, kind in enumerate(kinds) if kind != "offer"]
    assert [one.yes for one in found] == [int(kinds[one.turn] == "accept") for one in found]
    assert {one.task for one in found} == {"bargaining: accept"}


def test_theory_is_asked_in_the_place_of_the_player(haggling):
    """Spe takes what is worth no less than what it would get by waiting, which `spe_threshold` says."""
    game = econzoo.game("bargaining")
    params = game.params(**haggling.params)[1]
    found, _ = decisions_of([haggling], scripts=["spe", "grim"])
    for one in found:
        offer = haggling.turns[one.turn - 1].action
        offered = params.money - offer["gain"]
        assert one.script_answers == (offered >= game.solution.spe_threshold(params, one.round) - 1e-6, None)


def test_what_is_shown_ends_before_the_decision(haggling):
    told = replay_texts(haggling)
    for one in decisions_of([haggling]).decisions:
        past = player_knowledge(haggling, told, one.turn).past
        assert past.endswith(strip_reply_format(told.prompts[one.turn])[-1])
        assert "JSON" not in past.rpartition("[Round")[2], "how to answer is for the player, not for who predicts"
        assert all(text not in past for text in told.prompts[one.turn + 1 :] if text)


def test_which_games_have_decisions():
    for game, settings, tasks in (
        ("negotiation", {"horizon": 4}, {"negotiation: accept"}),
        ("persuasion", {"message_type": "binary"}, {"persuasion: buy", "persuasion: recommend"}),
        ("persuasion", {"message_type": "text"}, {"persuasion: buy"}),
        ("matrix", {}, {"matrix: C"}),
        ("guess_average", {"players": 2}, set()),
    ):
        record = econzoo.play(game, ["random"] * 2, seed=1, **settings)
        assert {one.task for one in decisions_of([record]).decisions} == tasks, game


def test_a_person_is_who_is_known(haggling, tmp_path):
    def persons(*players, people=None):
        record = replace(haggling, players=list(players), id="")
        return record.id, [one.person for one in decisions_of([record], people=people).decisions]

    assert set(persons("greedy", "fair")[1]) == {"greedy", "fair"}
    match, unnamed = persons("human", "human")
    assert set(unnamed) == {f"{match}:0", f"{match}:1"}
    with (tmp_path / "seats.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerows([["match", "seat", "participant"], [match, 0, 7], [match, 1, ""], ["", 0, 8]])
    known = participants(tmp_path)
    assert known == {(match, 0): "7"}
    assert set(persons("human", "human", people=known)[1]) == {"participant 7", f"{match}:1"}


def test_a_match_that_is_not_as_the_rules_say_is_left_out(haggling):
    wrong = replace(haggling, payoffs=[1.0, 2.0])
    found, left_out = decisions_of([wrong])
    assert not found
    says(left_out[0], wrong.id)
