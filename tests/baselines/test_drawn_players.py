"""Specs with distributions: what is drawn, when, from what, and that it is written down."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.evaluate.run import replay
from refusals import refuses

SPEC = "boulware(e~loguniform(0.05, 0.9), low~uniform(0, 0.5))"


def arguments(spec: str, seeds: int = 1000) -> list[dict[str, Any]]:
    """The arguments that are drawn with these seeds."""
    found = [player(spec, "bargaining").sample_player(seed).spec for seed in range(seeds)]
    return [dict(part.split("=") for part in one.partition("(")[2].rstrip(")").split(", ")) for one in found]


def test_every_match_draws_from_its_own_seed_and_its_record_says_what():
    records = [econzoo.play("bargaining", [SPEC, "fair"], seed=seed) for seed in (1, 1, 2)]
    assert records[0].players == [SPEC, "fair"]
    drawn = [record.sampled_players for record in records]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0][1] is None
    assert all(0.05 <= float(one[0].split("e=")[1].split(",")[0]) <= 0.9 for one in drawn)


def test_a_match_is_the_one_that_the_drawn_player_plays():
    record = econzoo.play("bargaining", [SPEC, "fair"], seed=3)
    again = econzoo.play("bargaining", [record.sampled_players[0], "fair"], seed=3)
    assert [turn.action for turn in again.turns] == [turn.action for turn in record.turns]
    assert again.sampled_players is None
    assert "sampled_players" not in again.to_json()
    assert replay(record) == []


def test_uniform_and_loguniform_lie_where_they_should():
    for distribution, share in (("uniform(0.1, 0.9)", 0.25), ("loguniform(0.1, 0.9)", 0.5)):
        values = [float(one["e"]) for one in arguments(f"boulware(e~{distribution})")]
        assert 0.1 <= min(values) < 0.11 < 0.88 < max(values) <= 0.9, (distribution, share)
        assert sum(value < 0.3 for value in values) / len(values) == pytest.approx(share, abs=0.04), distribution


def test_choice_and_integers_give_every_value_about_as_often():
    chosen = Counter(one["e"] for one in arguments("conceder(e~choice(2, 3.5))"))
    whole = Counter(one["e"] for one in arguments("conceder(e~integers(2, 4))"))
    assert sorted(chosen) == ["2", "3.5"]
    assert sorted(whole) == ["2", "3", "4"]
    assert min(*chosen.values(), *whole.values()) > 280


def test_texts_are_chosen_too_and_a_tilde_in_one_is_no_distribution():
    assert player("cycler(moves~choice('CD', 'DDC'))", "matrix").sample_player(1).spec in (
        "cycler(moves='CD')",
        "cycler(moves='DDC')",
    )
    with refuses(ValueError, "moves='C~D'", 1, 100):
        player("cycler('C~D')", "matrix")


def test_what_cannot_be_drawn_is_named():
    for spec, *named in [
        ("boulware(e~normal(0, 1))", "'e~normal(0, 1)'", "uniform(low, high)", "low <= high"),
        ("boulware(e~)", "'e~'", "uniform(low, high)"),
        ("boulware(e~uniform(0.5, 0.2))", "uniform(low, high)"),
        ("boulware(e~loguniform(0, 0.2))", "0 < low <= high"),
        ("conceder(e~integers(2, 3.5))", "integers"),
        ("boulware(e~choice())", "choice"),
        ("boulware(e~uniform(0.5, 2))", "e=2", "0 < e < 1"),
        ("boulware(f~uniform(0.5, 2))", "boulware(e=0.2, high=0.9, low=0.2)"),
    ]:
        with refuses(ValueError, *named):
            player(spec, "bargaining")
