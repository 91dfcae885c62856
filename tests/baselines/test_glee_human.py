"""Players who do again what somebody did in recorded games."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econzoo.baselines import Player, player
from econzoo.baselines.glee_human import DISTANCE_PER_DECADE, Step, distance, offer_value, threshold
from econzoo.envs.core.record import RecordFile
from econzoo.evaluate.run import play_match
from exhaustive import examples
from refusals import refuses


class Person(Player):
    """Plays its moves in order, whoever sits opposite."""

    def __init__(self, *moves, name="human"):
        super().__init__(name)
        self.moves = moves

    def reset(self, seat, info, seed):
        if self.moves and not hasattr(self, "left"):
            self.left = list(self.moves)

    def act(self, observation, info):
        return self.left.pop(0)


def offer(amount, message="", key="gain"):
    return {"kind": "offer", key: amount, **({"message": message} if message else {})}


ACCEPT, REJECT = {"kind": "accept"}, {"kind": "reject"}


@pytest.fixture
def recorded(tmp_path):
    """Writes matches between persons; returns the file."""

    def write(game, *matches, **params):
        file = RecordFile(tmp_path / "people.jsonl")
        for seed, (first, second) in enumerate(matches):
            who = Person(*first), Person(*second, name="other")
            file.append(play_match(game, who, seed, **params))
        return file.path

    return write


LONG = ([offer(70.0, "70?"), REJECT, offer(60.0, "60!"), ACCEPT], [REJECT, offer(50.0), REJECT, offer(45.0, "Last.")])


def moves(record):
    return [turn.action for turn in record.turns]


def test_both_seats_of_a_game_play_it_again(recorded):
    path = recorded("bargaining", LONG, money=100, horizon=12)
    again = play_match("bargaining", [f"glee-human:{path}", f"glee-human:{path}?player=other"], 9, money=100)
    assert moves(again) == [
        offer(70.0, "70?"),
        REJECT,
        offer(50.0),
        REJECT,
        offer(60.0, "60!"),
        REJECT,
        offer(45.0, "Last."),
        ACCEPT,
    ]


def test_offers_are_the_same_part_of_the_money_and_words_stay(recorded):
    path = recorded("bargaining", LONG, money=100)
    first, third, fifth = offers_of([f"glee-human:{path}", "greedy(1.0)"], 5000)
    assert first == offer(3500.0, "70?")
    assert third == fifth == offer(3000.0, "60!")  # after the last recorded offer it stays


def offers_of(players, money, **params):
    record = play_match("bargaining", players, money=money, horizon=5, **params)
    return [turn.action for turn in record.turns if turn.seat == 0 and turn.action["kind"] == "offer"]


def test_without_messages_nothing_is_said(recorded):
    path = recorded("bargaining", LONG, money=100)
    assert offers_of([f"glee-human:{path}", "greedy(1.0)"], 100, messages=False)[0] == offer(70.0)


# Acceptance


def answered(round_number, offered, kind, money=100.0):
    return Step({"round": round_number, "offered": offered, "money": money}, kind, 0.0, "")


THRESHOLDS = [  # round: the least share, whether it must be exceeded
    (1, 0.30, True),
    (2, 0.30, True),
    (3, 0.35, True),
    (4, 0.40, True),
    (5, 0.42, True),
    (6, 0.44, False),
    (9, 0.44, False),
]


def test_the_threshold_runs_through_the_answers():
    for now, share, exceed in THRESHOLDS:
        answers = [answered(2, 30.0, "reject"), answered(4, 40.0, "reject"), answered(6, 44.0, "accept")]
        found = threshold(answers, now)
        assert found[0] == pytest.approx(share), (now, share, exceed)
        assert found[1] == exceed, (now, share, exceed)


def test_in_negotiation_the_threshold_is_on_the_gain():
    for seat, offered, gain in ((0, 11_000.0, 0.1), (0, 9_000.0, -0.1), (1, 11_000.0, -0.1), (1, 9_000.0, 0.1)):
        seen = {"seat": seat, "offered": offered, "own_value": 10_000.0, "money": 10_000.0}
        assert offer_value(seen) == pytest.approx(gain), (seat, offered, gain)


def post(price):
    return offer(price, key="price")


def test_a_person_who_left_leaves_what_is_not_better(recorded):
    for price, answer in ((110.0, "opt_out"), (90.0, "opt_out"), (89.0, "accept")):
        buyer = [REJECT, post(80.0), {"kind": "opt_out"}]
        path = recorded("negotiation", ([post(130.0), REJECT, post(90.0)], buyer), money=100)
        seller = Person(post(130.0), REJECT, post(price), name="seller")
        again = play_match("negotiation", [seller, f"glee-human:{path}?player=other"], money=100)
        assert moves(again) == [post(130.0), REJECT, post(80.0), REJECT, post(price), {"kind": answer}], (price, answer)


# Sellers and buyers


def said(text):
    return {"kind": "say", "message": text}


def test_a_seller_says_what_was_said_about_the_same_quality(recorded):
    words = [said(f"word {i}") for i in range(1, 9)]
    path = recorded("persuasion", (words, [{"kind": "decline"}] * 8), rounds=8)
    again = play_match("persuasion", [f"glee-human:{path}", f"glee-human:{path}?player=other"], 99, rounds=8)
    first = play_match("persuasion", [Person(*words), Person(*[{"kind": "decline"}] * 8)], 0, rounds=8)
    by_quality = {q: [i for i in range(8) if first.chance[i] == q] for q in (0.0, 1.0)}
    for i, turn in enumerate(again.turns[::2]):
        same = by_quality[again.chance[i]]
        nearest = min(same, key=lambda at: abs(at - i))
        assert turn.action == words[nearest]


def test_a_buyer_follows_advice_as_the_person_did(recorded):
    seller = [{"kind": kind} for kind in ("recommend", "discourage", "recommend", "discourage")]
    buyer = [{"kind": kind} for kind in ("buy", "decline", "decline", "decline")]
    path = recorded("persuasion", (seller, buyer), rounds=4, message_type="binary")
    other = [{"kind": kind} for kind in ("discourage", "discourage", "discourage", "recommend")]
    spec = f"glee-human:{path}?player=other"
    again = play_match("persuasion", [Person(*other), spec], rounds=4, message_type="binary")
    assert [turn.action["kind"] for turn in again.turns[1::2]] == ["decline", "decline", "decline", "decline"]
    again = play_match("persuasion", [Person(*seller), spec], rounds=4, message_type="binary")
    assert [turn.action for turn in again.turns[1::2]] == buyer


# Which game is drawn


def fields(**given):
    return {"money": 100.0, "horizon": None, "own_delta": 0.9, "other_delta": None, **given}


DISTANCES = [
    (fields(), fields(), True, (0, 0.0)),
    (fields(), fields(), False, (1, 0.0)),
    (fields(own_delta=0.8), fields(own_delta=0.95), True, (0, 0.15)),
    (fields(other_delta=0.8), fields(), True, (1, 0.0)),
    (fields(other_delta=0.8, own_delta=1.0), fields(horizon=12.0), False, (3, 0.1)),
    (fields(horizon=12.0), fields(horizon=4.0), True, (0, 1 / 4 - 1 / 12)),
    (fields(), fields(money=1e6), True, (0, 4 * DISTANCE_PER_DECADE)),
]


def test_distances_by_hand():
    for one, other, words, expected in DISTANCES:
        found = distance("bargaining", one, other, words)
        assert found[0] == expected[0], (one, other, words, expected)
        assert math.isclose(found[1], expected[1], abs_tol=1e-12), (one, other, words, expected)


def test_the_nearest_market_is_drawn_and_ties_by_seed(recorded):
    quick = ([offer(90.0)], [ACCEPT])
    for delta, share in ((0.8, 80.0), (0.95, 60.0), (0.95, 55.0)):
        path = recorded("bargaining", ([offer(share)], [ACCEPT]), delta=(delta, 0.9), money=100)
    path = recorded("bargaining", quick, delta=(0.9, 0.9), money=100, messages=False)
    spec = f"glee-human:{path}"

    def first(seed, **params):
        return play_match("bargaining", [spec, "acceptor(0.0)"], seed, money=100, **params).turns[0].action["gain"]

    assert {first(seed, delta=(0.82, 0.9)) for seed in range(10)} == {80.0}
    assert {first(seed, delta=(0.94, 0.9)) for seed in range(20)} == {60.0, 55.0}
    assert {first(seed, delta=(0.9, 0.9)) for seed in range(10)} <= {80.0, 60.0, 55.0}  # words count first
    assert {first(seed, delta=(0.8, 0.9), messages=False) for seed in range(10)} == {90.0}
    assert first(3, delta=(0.94, 0.9)) == first(3, delta=(0.94, 0.9))


def test_who_never_answered_borrows_the_next_nearest(recorded):
    recorded("bargaining", ([offer(60.0)], [ACCEPT]), money=100, delta=(0.9, 0.9))
    path = recorded("bargaining", LONG, money=100, delta=(0.5, 0.5))
    again = play_match("bargaining", [f"glee-human:{path}", "fair"], money=100, delta=(0.9, 0.9))
    assert moves(again)[:2] == [offer(60.0), REJECT]
    assert moves(again)[3] == REJECT  # 50 of 100 in round 2, as in the other game
    assert moves(again)[2]["gain"] == 50.0


SETTINGS = st.one_of(
    st.tuples(
        st.just("bargaining"),
        st.fixed_dictionaries(
            {"money": st.floats(0.01, 1e12), "horizon": st.sampled_from([1, 5, None]), "messages": st.booleans()}
        ),
    ),
    st.tuples(
        st.just("negotiation"),
        st.fixed_dictionaries(
            {"money": st.floats(0.01, 1e9), "horizon": st.sampled_from([1, 5]), "outside_option": st.booleans()}
        ),
    ),
    st.tuples(
        st.just("persuasion"),
        st.fixed_dictionaries(
            {
                "rounds": st.integers(1, 6),
                "message_type": st.sampled_from(["text", "binary"]),
                "buyer": st.sampled_from(["long-living", "myopic"]),
                "messages": st.booleans(),
            }
        ),
    ),
)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Random players under a person's name in one market of each family; their messages are too long elsewhere."""
    file = RecordFile(tmp_path_factory.mktemp("crowd") / "crowd.jsonl")
    for game in ("bargaining", "negotiation", "persuasion"):
        for seed in range(4):
            file.append(play_match(game, ["random", "random"], seed))
    long = Person(offer(1.0, "m" * 2000)), Person(ACCEPT)
    file.append(play_match("bargaining", long, max_message=2000))
    return file.path


@examples(30)
@given(SETTINGS, st.integers(0, 2**32), st.booleans())
def test_no_move_is_ever_illegal(crowd, market, seed, second):
    game, params = market
    players = [f"glee-human:{crowd}?player=random", "random"]
    record = play_match(game, players[::-1] if second else players, seed, **params)
    assert record.errors == [0, 0]
    assert record.status in ("finished", "truncated")


def test_words_are_cut_where_they_are_too_long(crowd):
    said = play_match("bargaining", [f"glee-human:{crowd}", "fair"], 1).turns[0].action["message"]
    assert said == "m" * 500
    record = play_match("bargaining", [f"glee-human:{crowd}", "fair"], 1, max_message=100)
    assert record.status == "finished"
    assert record.errors[0] == 1  # it cannot know; asked again, it says nothing


# Refusals


def test_nobody_in_that_seat(recorded):
    path = recorded("bargaining", LONG, money=100)
    with refuses(ValueError, 1):
        play_match("bargaining", ["fair", f"glee-human:{path}"])
    with refuses(ValueError, "negotiation", "bargaining (seat 0)"):
        play_match("negotiation", [f"glee-human:{path}", "random"])


def test_bad_specs(recorded, tmp_path):
    path = recorded("bargaining", LONG, money=100)
    with refuses(ValueError, "'nobody'", "human", "other"):
        player(f"glee-human:{path}?player=nobody")
    with refuses(ValueError, "temperature", "player=NAME"):
        player(f"glee-human:{path}?temperature=0")
    with refuses(FileNotFoundError, tmp_path / "nothing.jsonl"):
        player(f"glee-human:{tmp_path / 'nothing.jsonl'}")
    with refuses(ValueError, f"'glee-human:{tmp_path}"):
        player(f"glee-human:{tmp_path}")
    with refuses(ValueError, "'glee-human:'"):
        player("glee-human:")


def test_records_that_do_not_follow_the_rules_are_refused(recorded):
    for action in ({"kind": "dance"}, {"kind": "offer"}, {"kind": "offer", "gain": 1.0, "tip": 2.0}):
        path = recorded("bargaining", LONG, money=100, horizon=12)
        lines = path.read_text().splitlines()
        broken = json.loads(lines[0])
        broken["turns"][0]["action"] = action
        path.write_text(json.dumps(broken) + "\n")
        with refuses(ValueError, broken["id"], "bargaining"):
            player(f"glee-human:{path}", "bargaining")
