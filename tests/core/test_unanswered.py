"""Nobody answers: time ran out, a person left, a player failed. The policy follows at once, and the record says why."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.faces import NO_REPLY_REASONS, Reply
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from refusals import says


class Silent(Player):
    """Somebody for whom nobody answers."""

    def __init__(self, face: str, why: str) -> None:
        super().__init__("random")
        self.face, self.why = face, why  # type: ignore[misc]

    def act(self, observation: object, info: object) -> Reply:
        return Reply("", self.why, 60)


def test_the_default_action_is_played_at_once():
    """The proposer who is silent offers half, by default; nobody is asked a second time."""
    for why in NO_REPLY_REASONS:
        for face in ["chat", "text", "structured", "numeric"]:
            record = econzoo.play("bargaining", [Silent(face, why), "fair"], on_error="default", horizon=1)
            first, second = record.turns
            assert first.default, (face, why)
            assert (first.error[0], first.finish, first.limit) == (why, why, 60), (face, why)
            assert second.action["kind"] == "accept", (face, why)
            assert replay(Record.from_json(record.to_json())) == [], (face, why)


def test_or_the_seat_forfeits():
    record = econzoo.play("bargaining", [Silent("chat", "timeout"), "fair"], on_error="forfeit")
    assert (record.status, record.forfeit, record.errors) == ("forfeited", 0, [1, 0])
    code, text = record.turns[0].error
    assert code == "timeout"
    says(text, 60)
    assert replay(Record.from_json(record.to_json())) == []


def test_a_move_beside_it_is_none():
    """Whatever else stands there: there was no answer."""

    class Late(Silent):
        def act(self, observation: object, info: object) -> Reply:
            return Reply('{"kind": "offer", "gain": 9999}', self.why, 60)

    record = econzoo.play("bargaining", [Late("chat", "timeout"), "fair"], on_error="default", horizon=1)
    assert record.turns[0].action["gain"] == 5000.0


def test_who_took_whose_seat_stands_in_the_record_and_is_not_replayed():
    record = econzoo.play("bargaining", ["fair", "fair"])
    assert "replacements" not in record.to_json()
    record.replacements = [{"seat": 0, "turn": 0, "player": "fair", "reason": "left"}]
    again = Record.from_json(record.to_json())
    assert again.replacements == record.replacements
    assert replay(again) == []


def test_seats_that_forfeit_or_play_a_default_action_are_told_from_those_that_answer_late():
    once = "mock:nothing|*"
    for players, option, seats in [
        (["mock:nothing", "fair"], "forfeit", {0}),
        (["fair", "mock:nothing"], "default", {1}),
        (["mock:nothing", "mock:nothing"], "default", {0, 1}),
        (["fair", "mock:nothing"], "forfeit", {1}),
        ([once, "fair"], "forfeit", set()),
    ]:
        record = econzoo.play("bargaining", players, on_error=option, horizon=2)
        assert record.defaulting_seats == seats, (players, option)
    record.replacements = [{"seat": 1, "turn": 0, "player": "fair", "reason": "left"}]
    assert record.defaulting_seats == {1}


def test_replacements_have_a_form():
    for wrong in [{"seat": 2}, {"turn": -1}, {"player": None}, {"reason": "bored"}]:
        record = econzoo.play("bargaining", ["fair", "fair"])
        record.replacements = [{"seat": 0, "turn": 0, "player": "fair", "reason": "left"} | wrong]
        with pytest.raises(ValueError, match=f"replacement 1, {next(iter(wrong))}"):
            Record.from_json(record.to_json())
