"""What a teacher would have done in matches of others: the labels of positions that its own play does not lead to."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.train.lm_advice import advice
from econzoo.train.lm_records import transcripts


def own_moves(record, seat):
    return [turn.action for turn in record.turns if turn.seat == seat]


@pytest.mark.parametrize(
    ("game", "players"),
    [
        ("bargaining", ("spe", "linear")),
        ("bargaining", ("greedy(0.9)", "boulware(0.2)")),
        ("bargaining", ("fair", "random")),
        ("negotiation", ("concede", "tough")),
        ("persuasion", ("honest", "bayes")),
        ("matrix", ("tit-for-tat", "random")),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_who_follows_from_what_it_sees_advises_what_it_played(game, players, seat):
    record = econzoo.play(game, players, seed=3)
    if players[seat] != "random":
        assert advice(record, seat, players[seat]) == own_moves(record, seat)


def test_it_speaks_of_the_positions_of_the_match_and_not_of_its_own():
    """Greedy rejects the half that Fair offers, until the last round; Fair would have accepted it each time."""
    record = econzoo.play("bargaining", ["greedy(0.9)", "fair"], seed=0, horizon=6, delta=[0.9, 0.9])
    assert [move["kind"] for move in own_moves(record, 0)] == ["offer", "reject", "offer", "reject", "offer", "accept"]
    advised = advice(record, 0, "fair")
    assert [move["kind"] for move in advised] == ["offer", "accept"] * 3
    assert {move["gain"] for move in advised[::2]} == {record.params["money"] / 2}


def test_it_is_told_beside_what_was_said():
    record = econzoo.play("bargaining", ["greedy(0.9)", "fair"], seed=0, horizon=4, messages=False)
    (chat,) = transcripts(record, 0, 0, meant=advice(record, 0, "fair"))
    offer, answer, *_ = [one for one in chat if one["role"] == "assistant"]
    assert (offer["content"], offer["meant"]) == ('{"kind":"offer","gain":9000}', '{"kind":"offer","gain":5000}')
    assert (answer["content"], answer["meant"]) == ('{"kind":"reject"}', '{"kind":"accept"}')


@pytest.mark.parametrize(("grain", "gain"), [(0.0, 8800), (0.05, 9000), (0.25, 10000), (0.5, 10000)])
def test_its_amounts_are_as_coarse_as_wanted(grain, gain):
    record = econzoo.play("bargaining", ["fair", "fair"], seed=0, messages=False)
    (chat,) = transcripts(record, 0, 0, meant=advice(record, 0, "greedy(0.88)"), grain=grain)
    assert chat[-1]["meant"] == f'{{"kind":"offer","gain":{gain}}}'


def test_who_reads_text_cannot_advise():
    record = econzoo.play("bargaining", ["fair", "fair"], seed=0)
    with pytest.raises(ValueError, match="it reads text; allowed: scripts and policies"):
        advice(record, 0, "mock:*")
