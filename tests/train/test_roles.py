"""Learning in games whose players are bound to a role: sellers and buyers of persuasion."""

from __future__ import annotations

import numpy as np
import pytest

import econzoo
from econzoo.baselines import filter_by_seat, make_single_agent, pool
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.transcripts import transcript, transcripts
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses, says

BINARY = {"message_type": "binary", "rounds": 3}
SELLERS, BUYERS = ["honest", "trust-builder(3)"], ["bayes", "grim", "never"]


def test_pools_are_filtered_by_seat():
    assert filter_by_seat("persuasion", [*SELLERS, *BUYERS, "always", "random"], 0) == [*SELLERS, "always", "random"]
    assert filter_by_seat("persuasion", [*SELLERS, *BUYERS, "always", "random"], 1) == [*BUYERS, "always", "random"]
    with refuses(ValueError, "standard", "training", "validation", "test"):
        pool("persuasion", "no-such-pool")


@pytest.mark.parametrize(("seat", "wanted"), [(0, BUYERS), (1, SELLERS)])
def test_tickets_seat_everybody_who_fits_in_turn(seat, wanted):
    drawn = make_specs("persuasion", range(6), [seat], [*SELLERS, *BUYERS], **BINARY)
    times = 6 // len(wanted)
    assert sorted(ticket.opponents[0] for ticket in drawn) == sorted(wanted * times)


def test_tickets_without_an_able_opponent_are_refused():
    with refuses(ValueError, "seat 1"):
        make_specs("persuasion", [0], [0], SELLERS)


def test_a_seat_that_changes_hands_is_no_conversation_to_learn_from():
    myopic = {**BINARY, "buyer": "myopic"}
    assert make_specs("persuasion", [0], [0], BUYERS, **myopic)
    with refuses(ValueError, 1):
        make_specs("persuasion", [0], [1], SELLERS, **myopic)


@pytest.mark.parametrize(("buyer", "count"), [("long-living", 1), ("myopic", 3)])
def test_everybody_who_took_a_seat_has_a_transcript(buyer, count):
    record = econzoo.play("persuasion", ["honest", "always"], seed=4, buyer=buyer, **BINARY)
    found = transcripts(record, 1)
    assert len(found) == count
    assert transcript(record, 1) == found[-1]
    for chat in found:
        assert [message["role"] for message in chat[:3]] == ["system", "user", "assistant"]
        assert len(chat) == 1 + 2 * 3 // count
    assert len(transcripts(record, 0)) == 1


@pytest.mark.parametrize(
    ("seat", "opponents", "seats"), [("both", BUYERS, {0}), ("both", SELLERS, {1}), ("both", ["always"], {0, 1})]
)
def test_the_learner_takes_the_seats_that_leave_a_place_for_the_others(seat, opponents, seats):
    env = make_single_agent("persuasion", opponents, seat=seat, **BINARY)
    seen = set()
    for seed in range(12):
        observation, _ = env.reset(seed=seed)
        seen.add(env.unwrapped.seat)
        ended = False
        while not ended:
            observation, _, terminated, truncated, _ = env.step(int(np.flatnonzero(observation["action_mask"])[0]))
            ended = terminated or truncated
    assert seen == seats


def test_opponents_that_cannot_sit_opposite_are_refused():
    with refuses(ValueError, "seat 0"):
        make_single_agent("persuasion", SELLERS, seat=0)


@pytest.mark.parametrize(
    ("seat", "opponents", "seats", "told"),
    [
        ("both", ["bayes"], (0,), ["seat 0", "seat 1"]),
        ("both", SELLERS, (1,), ["seat 1", "seat 0"]),
        ("both", ["bayes", "honest"], (0, 1), []),
        ("both", ["random"], (0, 1), []),
        ("0", ["bayes"], (0,), []),
    ],
)
def test_ppo_tells_which_seats_the_learner_takes(tmp_path, seat, opponents, seats, told):
    args = PPORecipe("persuasion", opponents=opponents, out=str(tmp_path), seats=seat)
    assert args.learner_seats == seats
    assert bool(args.describe_seats()) == bool(told)
    says(args.describe_seats(), *told)


def test_ppo_refuses_opponents_that_leave_no_seat(tmp_path):
    for settings, *named in (
        ({"seats": "1", "opponents": ["bayes", "grim"]}, "bayes, grim", "seats=1"),
        ({"seats": "0", "opponents": ["bayes"], "eval_opponents": ["bayes", "honest"]}, "eval_opponents='honest'"),
        ({"seats": "2"}, "seats=2", 0, 1, "both"),
    ):
        with refuses(ValueError, *named):
            PPORecipe("persuasion", out=str(tmp_path / "out"), **settings)
        assert not (tmp_path / "out").exists()


def test_ppo_says_the_seats_before_it_trains(tmp_path, capsys, monkeypatch):
    from econzoo.train.rl import command, ppo

    monkeypatch.setattr(ppo, "train_ppo", lambda args: tmp_path / "policy.zip")
    command.train_and_report(PPORecipe("persuasion", opponents=["bayes"], out=str(tmp_path)))
    says(capsys.readouterr().out, "seat 0", "seat 1")


@pytest.mark.parametrize(("seat", "never", "always"), [("0", "signal(0.35)", "never"), ("1", "never", "quota")])
def test_ppo_is_evaluated_against_those_opposite(tmp_path, seat, never, always):
    args = PPORecipe("persuasion", out=str(tmp_path), seats=seat)
    assert never not in args.eval_opponents
    assert always in args.eval_opponents
