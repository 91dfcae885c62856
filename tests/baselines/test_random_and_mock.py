"""The players of every game that need no thought: chance and canned replies."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.envs.core.record import Record
from toy_games import TOYS, register_temporarily


def moves(record: Record, seat: int) -> list[dict]:
    return [turn.action for turn in record.turns if turn.seat == seat]


def randoms(many: int, **given: object) -> list[Record]:
    return [econzoo.play("bargaining", ["random", "random"], seed=seed, **given) for seed in range(many)]


def test_random_asks_uniformly_and_accepts_half_of_the_time():
    records = randoms(200, horizon=1, money=200.0)
    asks = [moves(record, 0)[0]["gain"] for record in records]
    accepted = [moves(record, 1)[0]["kind"] == "accept" for record in records]
    assert all(0.0 <= ask <= 200.0 for ask in asks)
    for quarter in range(4):
        assert 30 <= sum(50 * quarter <= ask < 50 * (quarter + 1) for ask in asks) <= 70
    assert 75 <= sum(accepted) <= 125


def test_random_amounts_are_easy_to_read():
    for money, unit in ((10_000.0, 1.0), (100.0, 0.01), (1e12, 1e8), (0.01, 1e-6)):
        for seed in range(20):
            gain = moves(econzoo.play("bargaining", ["random", "fair"], seed=seed, money=money), 0)[0]["gain"]
            assert gain / unit == pytest.approx(round(gain / unit), abs=1e-6), (money, unit)


def test_random_speaks_sometimes_and_only_if_it_may():
    assert 0 < sum("message" in moves(record, 0)[0] for record in randoms(50, horizon=1)) < 50
    assert not any("message" in moves(record, 0)[0] for record in randoms(50, horizon=1, messages=False))


def test_random_depends_on_the_seed_and_on_the_seat_and_on_nothing_else():
    def first(seed: int, seat: int = 0) -> object:
        return moves(econzoo.play("bargaining", ["random", "random"], seed=seed, horizon=2), seat)[0]

    assert first(1) == first(1)
    assert len({str(first(seed)) for seed in range(20)}) == 20
    record = econzoo.play("bargaining", ["random", "fair"], seed=3, horizon=None)
    again = econzoo.play("bargaining", ["random", "greedy"], seed=3, horizon=None)
    assert moves(record, 0)[0] == moves(again, 0)[0]


def test_random_plays_every_kind_of_game():
    for name in list(TOYS):
        with register_temporarily(TOYS[name]):
            seats = TOYS[name].facts.seats
            for seed in range(20):
                record = econzoo.play(name, ["random"] * seats, seed=seed)
                assert record.status == "finished", name
                assert record.errors == record.defaults == [0] * seats, name


# mock

ACCEPT = '{"kind": "accept"}'


def test_a_mock_gives_its_replies_in_order_and_repeats_the_last():
    offer, reject = '{"kind": "offer", "gain": 60}', 'No! {"kind": "reject"}'
    record = econzoo.play("bargaining", [f"mock('{offer}', '{reject}', '{offer}')", "greedy"], money=100, horizon=3)
    assert [turn.reply for turn in record.turns if turn.seat == 0] == [offer, reject, offer]
    assert record.payoffs == pytest.approx([0.81 * 60, 0.81 * 40])
    record = econzoo.play("bargaining", ["fair", 'mock(\'{"kind": "reject"}\')'], horizon=1)
    assert [turn.reply for turn in record.turns if turn.seat == 1] == ['{"kind": "reject"}']


def test_a_mock_starts_afresh_in_every_match():
    mock = econzoo.player(f"mock('{ACCEPT}', 'junk')")
    for _ in range(2):
        assert econzoo.play("bargaining", ["fair", mock]).payoffs == [5000.0, 5000.0]


def test_junk_is_recorded_asked_for_again_and_then_a_forfeit():
    for reply, code in [
        ("", "empty"),
        ("I accept", "no_json"),
        ('{"kind": "accept"', "bad_json"),
        (ACCEPT + ACCEPT, "many_json"),
        ('{"kind": "flee"}', "unknown_kind"),
        ('{"kind": "offer", "gain": 1}', "illegal_now"),
        ('{"kind": "accept", "\U0001f91d": 1}', "unknown_key"),
        ("\u202e" * 10_000, "no_json"),
        ("x" * 100_001, "too_long"),
    ]:
        mock = econzoo.player(f"mock({reply!r})")
        record = econzoo.play("bargaining", ["fair", mock])
        assert [turn.error[0] for turn in record.turns if turn.seat == 1] == [code] * 3, (reply, code)
        assert (record.status, record.forfeit, record.errors) == ("forfeited", 1, [0, 3]), reply
        assert record.payoffs == [0.0, 0.0], reply
        assert record.turns[1].reply == reply, (reply, code)
        assert record.turns[1].action is None, (reply, code)


def test_one_good_reply_after_junk_is_played():
    mock = econzoo.player(f"mock('well', '', '{ACCEPT}')")
    record = econzoo.play("bargaining", ["fair", mock])
    assert (record.status, record.errors, record.payoffs) == ("finished", [0, 2], [5000.0, 5000.0])


def test_the_environment_can_answer_for_a_mock_and_says_so():
    record = econzoo.play("bargaining", ["mock('junk')", "fair"], max_retries=0, on_error="default")
    assert (record.status, record.errors, record.defaults) == ("finished", [1, 0], [1, 0])
    assert record.payoffs == [5000.0, 5000.0]
