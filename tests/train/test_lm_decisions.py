"""The data of supervised fine-tuning: whose play, which cells, in which order, and how much each reply counts."""

from __future__ import annotations

import math
from collections import Counter

import pytest

import econzoo
from econzoo.evaluate.analyses import decision_stakes
from econzoo.train.lm.dataset import assign_matches, interleave_cells, play_assigned_matches, top_fraction
from econzoo.train.lm.episode_specs import draw_setting, make_split_lookup
from econzoo.train.lm.relabelling import MAX_WEIGHT, MIN_WEIGHT, reply_weights
from econzoo.train.lm.tokens import Tokens
from refusals import refuses


def taught(count=8, teachers=("fair",), plays=1, opponents=("acceptor(0.4)",), seats=(), settings=("train",), **params):
    return assign_matches(
        "bargaining", teachers, count, plays, opponents, seats, settings, 0, [{"messages": False, **params}]
    )


class TestLessons:
    def test_seats_opponents_and_teachers_take_turns(self):
        found = taught(16, teachers=("fair", "greedy"), opponents=("acceptor(0.4)", "linear"))
        seen = Counter((who, one.seat, one.opponents) for who, one in found)
        assert len(seen) == 8
        assert set(seen.values()) == {2}

    def test_a_match_can_be_played_more_than_once(self):
        (_, first), (_, again) = taught(1, plays=2)
        assert first.params == again.params
        assert first.seed != again.seed

    def test_a_teacher_that_draws_plays_a_match_in_more_than_one_way(self):
        found = play_assigned_matches(
            "bargaining", taught(2, teachers=("quantal(2)",), plays=8, opponents=("greedy",)), None
        )
        assert len({str([turn.action for turn in record.turns]) for record in found}) > 8

    def test_explorers_meet_all_opponents_in_a_setting_in_all_seats(self):
        found = assign_matches(
            "bargaining", ["fair", "greedy"], 2, 8, ["linear", "spe"], (), ["train"], 0, rotate_plays=True
        )
        for part in (found[:8], found[8:]):
            assert len({str(one.params) for _, one in part}) == 1
            assert len({one.seed for _, one in part}) == 8
            assert Counter(one.seat for _, one in part) == {0: 4, 1: 4}
            assert Counter(one.opponents for _, one in part) == {("linear",): 4, ("spe",): 4}
            assert Counter(who for who, _ in part) == {"fair": 4, "greedy": 4}
        assert found[0][1].params != found[8][1].params
        # Each teacher meets each opponent in each seat.
        assert {*Counter((who, one.opponents, one.seat) for who, one in found).values()} == {2}

    def test_parameters_with_several_values_take_turns(self):
        found = assign_matches(
            "bargaining", ["fair"], 5, 1, ["linear"], (), ["train"], 0, [{"messages": yes} for yes in (True, False)]
        )
        assert Counter(one.params["messages"] for _, one in found) == {True: 3, False: 2}
        assert len({one.seed for _, one in found}) == 5

    @pytest.mark.parametrize(
        ("given", "split"),
        [
            ({"opponents": ("greedy(0.9)",)}, "validation"),
            ({"opponents": ("greedy(0.84)",)}, "test"),
            ({"settings": ("validation",)}, "validation"),
            ({"settings": ("test",)}, "test"),
        ],
    )
    def test_nothing_of_the_validation_or_the_test_is_learned_from(self, given, split):
        with refuses(ValueError, split):
            taught(**given)

    def test_a_setting_of_the_validation_that_is_drawn_is_drawn_again(self):
        """With two rounds for all, some of 400 discount factors in hundredths are those of the validation."""
        fixed = {"messages": False, "horizon": 2}
        held_back = make_split_lookup("bargaining", **fixed)
        drawn = [{**draw_setting("bargaining", "plain", seed, lambda one: None), **fixed} for seed in range(400)]
        found = [one.params for _, one in taught(400, seats=(0,), settings=("plain",), horizon=2)]
        assert any(map(held_back, drawn))
        assert not any(map(held_back, found))
        others = [(old, new) for old, new in zip(drawn, found, strict=True) if not held_back(old)]
        assert all(list(old["delta"]) == list(new["delta"]) for old, new in others), "these are drawn as ever"

    def test_drawn_arguments_are_settled(self):
        found = taught(4, opponents=("acceptor(threshold~uniform(0.1, 0.6))",))
        specs = {spec for _, one in found for spec in one.opponents}
        assert len(specs) == 4
        assert not any("~" in spec for spec in specs)

    def test_matches_that_are_kept_are_not_played_again(self, tmp_path, monkeypatch):
        found, file = taught(4), tmp_path / "teacher_plays.jsonl"
        first = play_assigned_matches("bargaining", found, file)
        monkeypatch.setattr("econzoo.train.lm.dataset.play_matches", lambda matches, cast: iter(()))
        assert [record.id for record in play_assigned_matches("bargaining", found, file)] == [
            record.id for record in first
        ]
        assert [record.players[one.seat] for record, (_, one) in zip(first, found, strict=True)] == ["fair"] * 4


class TestTurns:
    def test_cells_have_the_same_share_however_many_sequences_they_have(self):
        cells = ["many"] * 30 + ["one"]
        order = interleave_cells(cells, [1] * 31, batch=2, steps=60, seed=0)
        assert Counter(cells[place] for place in order) == {"many": 60, "one": 60}
        assert len(set(order)) == 31

    def test_within_a_batch_the_shorter_come_first(self):
        lengths = [5, 1, 4, 2, 3, 9]
        order = interleave_cells(range(6), lengths, batch=3, steps=4, seed=1)
        batches = [[lengths[place] for place in order[start : start + 3]] for start in range(0, 12, 3)]
        assert batches == [sorted(one) for one in batches]

    def test_more_steps_go_on_where_fewer_end(self):
        few, more = (interleave_cells(range(7), [1] * 7, 2, steps, seed=3) for steps in (5, 9))
        assert more[:10] == few
        assert interleave_cells(range(7), [1] * 7, 2, 5, seed=4) != few


class TestStakes:
    def played(self, first, second, **params):
        return econzoo.play("bargaining", [first, second], money=100.0, messages=False, **params)

    def test_in_the_last_round_an_offer_is_worth_itself(self):
        """Who rejects the 50 of `fair` then gets nothing."""
        record = self.played("fair", "fair", horizon=1)
        assert decision_stakes(record, 0) == [None]
        assert decision_stakes(record, 1) == [pytest.approx(0.5)]

    def test_it_is_less_what_can_be_had_later(self):
        """In round 2 `acceptor(0.2)` takes 20, and 80 are worth 72 with a factor of 0.9."""
        record = self.played("acceptor(0.2)", "acceptor(0.6)", horizon=2, delta=(0.9, 0.9))
        offered = 1 - record.turns[0].action["gain"] / 100
        assert decision_stakes(record, 1)[0] == pytest.approx(offered - 0.72, abs=1e-6)

    def test_one_who_draws_is_known_by_its_odds(self):
        record = self.played("random", "fair", horizon=1)
        assert decision_stakes(record, 1) == [pytest.approx(1 - record.turns[0].action["gain"] / 100)]

    @pytest.mark.parametrize("spec", ["tit-for-tat", "quantal"])
    def test_of_one_who_remembers_or_errs_nothing_is_known(self, spec):
        record = self.played(spec, "fair", horizon=3)
        assert math.isnan(decision_stakes(record, 1)[0])

    def test_a_game_without_a_solution_of_this_kind_has_none(self):
        record = econzoo.play("matrix", ["random", "random"], seed=0)
        assert set(decision_stakes(record, 0)) == {None}

    def test_negotiation_has_them_too(self):
        record = econzoo.play("negotiation", ["anchor(2)", "fixed-price(0.5)"], horizon=2, messages=False)
        assert any(one is not None and not math.isnan(one) for seat in (0, 1) for one in decision_stakes(record, seat))

    def test_weights_follow_them_within_bounds(self):
        weights = reply_weights([[None, 0.1, -0.3], [math.nan, 0.0, 2.0]], answers=4.0)
        mean = 0.6
        assert weights[0] == pytest.approx([1.0, 4 * 0.1 / mean, 4 * 0.3 / mean])
        assert weights[1] == pytest.approx(
            [4.0, 4 * MIN_WEIGHT, 4 * 2.0 / mean if 2.0 / mean < MAX_WEIGHT else 4 * MAX_WEIGHT]
        )

    def test_offers_weigh_what_they_come_to(self):
        """0.4 on average: one of 0.8 is twice as heavy, and worthless ones are not left out."""
        weights = reply_weights([[None, 0.1], [None, None, None]], 2.0, [[0.8, None], [0.4, 0.0, None]])
        assert weights == [pytest.approx([2.0, 2.0]), pytest.approx([1.0, MIN_WEIGHT, 1.0])]


class TestTheHeaviest:
    def sequence(self, read, weights):
        """Replies of two tokens, each behind so many that are read."""
        one = Tokens()
        for weight in weights:
            one.read(range(read))
            one.write([1, 2], weight=weight)
        return one

    def test_they_have_the_most_at_stake_a_token(self):
        """0.25, 0.5 and 0.4 a token: long ones are not better for being long."""
        data = [self.sequence(2, [1.0, 1.0]), self.sequence(2, [2.0]), self.sequence(3, [1.0, 3.0, 2.0])]
        assert top_fraction(data, "abc", 0.5) == ([data[1], data[2]], ["b", "c"])
        assert top_fraction(data, "abc", 0.3) == ([data[1]], ["b"])

    def test_all_of_them_stay_as_they_are(self):
        data = [self.sequence(2, [1.0]), self.sequence(2, [2.0])]
        assert top_fraction(data, "ab", 1.0) == (data, ["a", "b"])
