"""GLEE's metrics of every match, by hand from the formulas of the paper and of its code."""

from __future__ import annotations

import csv
import io
import math

import pytest
from glee_files import REPEATED, bargaining, negotiation, persuasion

from econzoo.evaluate.analyses.glee_metrics import Metrics, metrics_of
from econzoo.evaluate.formats.glee.folders import read_published_game
from econzoo.evaluate.formats.glee.importing import to_record
from econzoo.evaluate.run import play_match
from econzoo.evaluate.show import write_rows
from refusals import refuses

NAN = math.nan
NO_DEAL = [(60, 40), "reject", (40, 60), "reject", (55, 45), "reject"]

TABLE = {  # game: Alice's gain, Bob's gain, efficiency, fairness by the paper, and by the code
    "p = 0.55 in round 3, discounts 0.9 and 0.8": (
        bargaining(*NO_DEAL[:4], (55, 45), "accept"),
        (0.55 * 0.81, 0.45 * 0.64, 0.55 * 0.81 + 0.45 * 0.64, 1 - 4 * 0.05**2),
        None,
    ),
    "no deal in 3 rounds: the code leaves everything to Bob": (
        bargaining(*NO_DEAL, rounds=3),
        (0.0, 0.0, 0.0, 1.0),
        (0.0, 0.8**2, 0.8**2, 0.0),
    ),
    "a trade at 1.1, between the values 1 and 1.2": (
        negotiation(11_000, "AcceptOffer"),
        (0.1, 0.1, 1.0, 1.0),
        None,
    ),
    "a trade at 1.5, above both: the code does not look at the price": (
        negotiation(15_000, "AcceptOffer"),
        (0.5, -0.3, 0.0, 1 - 4 * 0.4**2),
        (0.5, -0.3, 1.0, 1 - 4 * 0.4**2),
    ),
    "equal values, a trade at another price": (
        negotiation(9_000, "AcceptOffer", values=(1.0, 1.0)),
        (-0.1, 0.1, 0.0, 1 - 4 * 0.1**2),
        (-0.1, 0.1, 1.0, 1 - 4 * 0.1**2),
    ),
    "equal values, no trade": (negotiation(9_000, "BuyFromJhon", values=(1.0, 1.0)), (0.0, 0.0, 1.0, 1.0), None),
    "no trade where there should be one": (negotiation(9_000, "BuyFromJhon"), (0.0, 0.0, 0.0, 1.0), None),
    "no trade where there should be none": (
        negotiation(15_000, "RejectOffer", values=(1.5, 0.8), rounds=1),
        (0.0, 0.0, 1.0, 1.0),
        None,
    ),
    "a trade where there should be none": (
        negotiation(12_000, "AcceptOffer", values=(1.5, 0.8)),
        (-0.3, -0.4, 0.0, 1 - 4 * 0.05**2),
        None,
    ),
    "six good ones bought, 14 bad ones not, v = 3": (
        persuasion(*REPEATED),
        (6 / 20, 6 * 2 / 20, 1.0, 1.0),
        (6 / 20, (6 * 2 - 14) / 20, 1.0, 1.0),
    ),
    "everything bought": (
        persuasion(*[("high", "yes", "yes")] * 2, *[("low", "yes", "yes")] * 3),
        (1.0, (2 * 2 - 3) / 5, 1.0, 0.0),
        (1.0, 2 * 2 / 5, 1.0, 0.0),
    ),
    "nothing bought": (
        persuasion(("high", "no", "no"), ("low", "no", "no")),
        (0.0, 0.0, 0.0, 1.0),
        (0.0, -1 / 2, 0.0, 1.0),
    ),
    "only good ones: fairness is not defined": (
        persuasion(("high", "yes", "yes"), ("high", "yes", "no")),
        (0.5, 2 / 2, 0.5, NAN),
        None,
    ),
    "only bad ones: efficiency is not defined": (
        persuasion(("low", "yes", "yes"), ("low", "yes", "no"), c=0.5),
        (0.5, -0.5 / 2, NAN, 0.5),
        (0.5, -1 / 2, NAN, 0.5),
    ),
}


def test_by_hand(tmp_path):
    for case, (game, by_paper, by_code) in TABLE.items():
        record = to_record(read_published_game(game.save(tmp_path)))[0]
        for definition, expected in (("paper", by_paper), ("glee-code", by_code or by_paper)):
            found = metrics_of(record, definition)
            assert found[:2] == ("AB12CD34EF56GH78", game.config["game_type"]), (case, definition)
            assert found[2:] == pytest.approx(expected, nan_ok=True), definition


def test_the_definition_of_the_record_does_not_matter():
    never = "boulware(0.2, low=0.6)"
    one, other = (play_match("bargaining", [never, never], 1, metrics=m) for m in ("paper", "glee-code"))
    assert one.metrics != other.metrics
    for definition in ("paper", "glee-code"):
        assert metrics_of(one, definition)[2:] == metrics_of(other, definition)[2:]


CHANGES = {  # what somebody changed in the record of 60:40 of 100, accepted; where replay finds it
    "the money, so that the parts do not sum to it": (lambda r: r.params.update(money=200.0), "turn 1, action"),
    "a payoff": (lambda r: r.payoffs.__setitem__(0, 61.0), "payoffs"),
    "a metric": (lambda r: r.metrics.update(efficiency=0.5), "metrics"),
    "a move, but not the answer it came from": (lambda r: r.turns[0].action.update(gain=50.0), "turn 1, action"),
    "an answer, so that nobody could have played on": (lambda r: r.turns[0].reply.update(gain=1e4), "turn 1"),
    "the end": (lambda r: r.turns.pop(), "payoffs"),
    "the rules' version": (lambda r: r.versions.update(rules=99), "versions.rules: expected 0, found 99"),
}


def test_what_does_not_replay_has_no_metrics(tmp_path):
    folder = bargaining((60, 40), "accept").save(tmp_path)
    for wrong, where in CHANGES.values():
        for definition in ("paper", "glee-code"):
            record = to_record(read_published_game(folder))[0]
            wrong(record)
            with refuses(ValueError, where):
                metrics_of(record, definition)


def test_the_id_that_others_know(tmp_path):
    own = play_match("bargaining", ["fair", "fair"])
    record = to_record(read_published_game(persuasion(*REPEATED).save(tmp_path, "FFFF")))[0]
    assert [metrics_of(one).id for one in (own, record)] == [own.id, "FFFF"]


def test_clipping_cuts_efficiency_and_fairness_only(tmp_path):
    game = negotiation(25_000, "AcceptOffer")
    record = to_record(read_published_game(game.save(tmp_path)))[0]
    plain = metrics_of(record)
    cut = plain.clip()
    assert plain[2:] == pytest.approx((1.5, -1.3, 0.0, 1 - 4 * 1.4**2))
    assert cut[2:] == pytest.approx((1.5, -1.3, 0.0, 0.0))


def test_the_table_as_csv(tmp_path):
    own = play_match("bargaining", ["fair", "fair"])
    game = persuasion(("low", "yes", "no"))
    rows = [metrics_of(own), metrics_of(to_record(read_published_game(game.save(tmp_path)))[0])]
    file = io.StringIO()
    assert write_rows(file, Metrics._fields, rows) == 2
    header, first, second = csv.reader(io.StringIO(file.getvalue()))
    assert header == ["id", "family", "alice_gain", "bob_gain", "efficiency", "fairness"]
    assert first == [own.id, "bargaining", "0.5", "0.5", "1.0", "1.0"]
    assert second == ["AB12CD34EF56GH78", "persuasion", "0.0", "0.0", "", "1.0"]
