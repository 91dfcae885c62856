"""Transcripts of any record, and the filter: nothing here needs torch."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_world import SMALL, RandomChat

import econzoo
from econzoo.baselines import LanguageModelPlayer
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import Record, RecordFile
from econzoo.envs.core.record.record import Turn
from econzoo.train.lm.transcripts import load_records, select, transcript
from econzoo.train.reward import outcome_of
from refusals import refuses
from toy_games import TOYS, register_temporarily

# No schema says which numbers do not go together: a random model would have to be asked again.
GAMES = ["bargaining", *[name for name, toy in TOYS.items() if toy.rules.refuses is None]]


@pytest.fixture(autouse=True, scope="module")
def _toys():
    with register_temporarily(*TOYS.values()):
        yield


def seats_of(game):
    return game_object(game).seats(game_object(game).params()[1])


def game_object(game):
    return econzoo.game(game)


@pytest.mark.parametrize("game", GAMES)
@given(seed=st.integers(0, 2**32), other=st.sampled_from(["random", "model"]))
def test_the_transcript_is_what_a_language_model_had(game, seed, other):
    """Property: for random matches, exactly the chat that `LanguageModelPlayer` kept."""
    seats = seats_of(game)
    players = [LanguageModelPlayer(f"m{i}", RandomChat(game)) for i in range(seats)]
    if other == "random":
        players[1:] = ["random"] * (seats - 1)
    record = econzoo.play(game, players, seed=seed)
    again = Record.from_json(record.to_json())
    for seat, player in enumerate(players):
        if isinstance(player, LanguageModelPlayer):
            assert transcript(again, seat) == transcript_of(record, seat)


def transcript_of(record, seat):
    """From the prompts and replies that were written down while it was played."""
    chat = [{"role": "system", "content": record.rules[seat]}]
    for turn in record.turns:
        if turn.seat == seat:
            chat.append({"role": "user", "content": turn.prompt})
            chat.append({"role": "assistant", "content": turn.reply})
    return chat


@given(seed=st.integers(0, 2**32))
def test_it_is_also_the_players_own_memory(seed):
    player = LanguageModelPlayer("m", RandomChat("bargaining"))
    player.fork = lambda: player  # so that the seated player can be looked at
    record = econzoo.play("bargaining", [player, "random"], seed=seed)
    assert transcript(record, 0) == player.transcript


@given(seed=st.integers(0, 2**32))
def test_scripted_play_is_told_the_same_way(seed):
    """The same moves give the same chat, whoever made them and through whatever face."""
    record = econzoo.play("bargaining", ["random", "random"], seed=seed)
    for seat in (0, 1):
        chat = transcript(record, seat)
        assert [m["role"] for m in chat] == ["system", *["user", "assistant"] * ((len(chat) - 1) // 2)]
        assert len(chat) // 2 == sum(turn.seat == seat for turn in record.turns)


def test_unusable_answers_are_left_out():
    chat = RandomChat("bargaining", nonsense=0.5)
    found = 0
    for seed in range(20):
        record = econzoo.play("bargaining", [LanguageModelPlayer("m", chat), "fair"], seed=seed)
        words = " ".join(message["content"] for message in transcript(record, 0))
        assert "rather not" not in words
        told = [turn.error[1] for turn in record.turns if turn.seat == 0 and turn.error]
        assert not [problem for problem in told if problem in words]
        found += record.errors[0]
    assert found


def test_long_amounts_are_rounded_in_the_reply_only():
    record = econzoo.play("bargaining", ["spe", "greedy(0.99)"], seed=0, delta=(0.87, 0.73), horizon=7)
    exact, rounded = transcript(record, 0), transcript(record, 0, decimals=2)
    assert [m for m in exact if m["role"] == "user"] == [m for m in rounded if m["role"] == "user"]
    assert exact != rounded
    assert all(len(m["content"]) < 300 for m in rounded if m["role"] == "assistant")


def test_a_record_that_breaks_the_rules_is_refused():
    record = econzoo.play("bargaining", ["fair", "fair"], seed=0, **SMALL)
    with refuses(ValueError, record.id, "gain", 101.0):
        transcript(replace(record, turns=[Turn(0, 1, None, {"kind": "offer", "gain": 101.0})]), 0)
    with refuses(ValueError, record.id, "seat 1"):
        transcript(replace(record, turns=[Turn(1, 1, None, {"kind": "accept"})]), 0)
    with refuses(ValueError, 2):
        transcript(record, 2)


def fake(number, players, gains, forfeit=None, game="bargaining"):
    """A record with just what the filter reads."""
    metrics = {"gains": list(gains), "efficiency": sum(g or 0 for g in gains), "fairness": None, "agreed": True}
    turns = [Turn(seat, 1, None, {"kind": "accept"}) for seat in range(len(players))]
    return Record(
        game, {}, {}, number, list(players), ["structured"] * 2, turns=turns, payoffs=list(gains), metrics=metrics,
        forfeit=forfeit,
    )  # fmt: skip


GAINS = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.floats(0, 1)), min_size=1, max_size=40)


@given(drawn=GAINS, keep=st.floats(0.01, 1.0))
def test_the_best_share_of_every_group_is_kept(drawn, keep):
    records = [fake(i, ["me", other], (gain, 0.0)) for i, (other, gain) in enumerate(drawn)]
    kept = select(records, Objective("self_gain"), keep, seats=[0])
    assert [one.record.seed for one in kept] == sorted(one.record.seed for one in kept)
    for other in {name for name, _ in drawn}:
        group = sorted((gain for name, gain in drawn if name == other), reverse=True)
        values = sorted((one.value for one in kept if one.record.players[1] == other), reverse=True)
        assert values == group[: math.ceil(keep * len(group) - 1e-9)]


def test_easy_opponents_do_not_crowd_out_hard_ones():
    records = [fake(i, ["me", "easy"], (0.9, 0.1)) for i in range(10)]
    records += [fake(i, ["me", "hard"], (0.2, 0.8)) for i in range(10)]
    kept = select(records, Objective("self_gain"), 0.2, seats=[0])
    assert [one.record.players[1] for one in kept] == ["easy"] * 2 + ["hard"] * 2


def test_seats_players_forfeits_and_undefined_values():
    records = [fake(0, ["a", "b"], (0.6, 0.4)), fake(1, ["b", "a"], (0.7, 0.3)), fake(2, ["a", "b"], (1, 0), 0)]
    goal = Objective("self_gain")
    assert [(one.record.seed, one.seat) for one in select(records, goal, 1.0)] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (2, 1),
    ]
    assert [(one.record.seed, one.seat) for one in select(records, goal, 1.0, seats=[1])] == [(0, 1), (1, 1), (2, 1)]
    assert [(one.record.seed, one.seat) for one in select(records, goal, 1.0, players=["a"])] == [(0, 0), (1, 1)]
    with refuses(ValueError, "--seats", "--players"):
        select(records, goal, 1.0, players=["nobody"])
    with refuses(ValueError, "--seats", "--players"):
        select(records, Objective("fairness"), 1.0)
    for keep in (0, -1, 1.5, math.nan):
        with pytest.raises(ValueError, match="keep="):
            select(records, goal, keep)


def test_the_objective_is_that_of_the_match():
    record = econzoo.play("bargaining", ["boulware(0.2)", "conceder(2)"], seed=3)
    outcome = outcome_of(record)
    assert outcome.gains == tuple(record.metrics["gains"])
    for spec in ("self_gain", "efficiency", "fairness", "nash_product", "0.5*self_gain+0.5*inequity(1,0.5)"):
        made = select([record], Objective(spec), 1.0, seats=[1])[0].value
        assert made == Objective(spec)(record.payoffs, outcome, 1)


def test_files_of_records(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_records([tmp_path / "none.jsonl"])
    (tmp_path / "empty.jsonl").write_text("")
    with refuses(ValueError, tmp_path / "empty.jsonl"):
        load_records([tmp_path / "empty.jsonl"])
    (tmp_path / "torn.jsonl").write_text('{"format": 1')
    with pytest.raises(ValueError, match=r"torn\.jsonl, line 1"):
        load_records([tmp_path / "torn.jsonl"])
    RecordFile(tmp_path / "one.jsonl").append(econzoo.play("bargaining", ["fair", "fair"]))
    assert len(load_records([tmp_path / "one.jsonl", tmp_path / "one.jsonl"])) == 2
