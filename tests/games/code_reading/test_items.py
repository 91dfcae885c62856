"""The list of items, its split, and its labels (no place in any list of the library means anything)."""

from __future__ import annotations

from hashlib import sha256

import pytest

from econzoo.envs.games.code_reading.items import axelrod_version, item_numbers, items, set_members
from econzoo.envs.games.code_reading.programs import grammar
from econzoo.envs.games.code_reading.programs.axelrod_source import Place, load_library
from econzoo.envs.games.code_reading.programs.execution import load_class, moves
from econzoo.envs.games.code_reading.programs.facts import Facts
from econzoo.envs.games.code_reading.programs.rendering import render_program
from refusals import refuses

OF_LIBRARY = [items()[number] for number in set_members("all")]


def test_there_are_239_of_which_some_are_known_by_heart():
    assert len(OF_LIBRARY) == 239
    assert [item_numbers()[item.name] for item in items()] == list(range(359))
    assert axelrod_version() == "4.14.0"
    label = {item.name: item.label for item in OF_LIBRARY}
    assert [label[name] for name in ("Cooperator", "TitForTat", "Grudger", "WinStayLoseShift")] == [1.0] * 4
    assert [label[name] for name in ("Defector", "Alternator", "BackStabber", "TrickyCooperator")] == [0.0] * 4
    later = {"Capri", "BurnBothEnds", "EvolvedAttention", "FrequencyAnalyzer", "Momentum"}
    assert not later & set(label)


def test_the_expected_shares_of_the_labels():
    labels = [item.label for item in OF_LIBRARY]
    assert sum(labels) / 239 == pytest.approx(0.59, abs=0.005)
    assert sum(max(label, 1 - label) for label in labels) / 239 == pytest.approx(0.968, abs=0.004)
    assert 27 <= sum(0 < label < 1 for label in labels) <= 30
    sure = [item for item in OF_LIBRARY if not item.stochastic]
    right = sum((item.first > 0) == (item.yes > 0) for item in sure)
    assert right / len(sure) == pytest.approx(0.789, abs=0.005)


def test_a_label_that_chance_can_change_has_seeds_enough():
    changing = [item for item in items() if 0 < item.yes < item.seeds]
    assert all(item.stochastic and item.seeds >= 50 for item in changing)
    assert all(item.yes in (0, item.seeds) for item in items() if not item.stochastic)
    assert all(item.yes <= item.first <= item.seeds for item in items())


def test_the_split_is_by_name_and_keeps_the_shares():
    held, training = set(set_members("held-out")), set(set_members("training"))
    assert held | training == set(set_members("all"))
    assert not held & training
    mean = {
        name: sum(items()[n].label for n in chosen) / len(chosen) for name, chosen in (("h", held), ("t", training))
    }
    assert abs(mean["h"] - mean["t"]) < 0.03


def test_facts_have_names():
    assert all(len(item.facts) == len(Facts._fields) for item in items())


def test_the_installed_library_has_the_texts_that_were_labelled():
    try:
        if load_library().version != axelrod_version():
            pytest.skip(f"Axelrod {load_library().version} is installed")
    except ImportError as missing:
        pytest.skip(str(missing))
    for item in items():
        text = render_program(Place(item.module, item.name))
        assert sha256(text.encode()).hexdigest() == item.checksum, item.name


def test_generated_items_are_no_giveaway():
    """Whoever says the likelier answer is right on 57%, and the first move on 73% of those that use no chance."""
    found = [items()[number] for number in set_members("generated")]
    assert [item.name for item in found] == sorted(grammar.names())
    assert sum(item.label > 0.5 for item in found) / len(found) == pytest.approx(0.43, abs=0.01)
    sure = [item for item in found if not item.stochastic]
    assert sum((item.first > 0) == (item.yes > 0) for item in sure) / len(sure) == pytest.approx(0.726, abs=0.005)


def test_a_generated_text_is_that_of_its_number_and_plays_as_its_label_says():
    for number in set_members("generated")[::10]:
        item = items()[number]
        text = render_program(Place(item.module, item.name))
        assert sha256(text.encode()).hexdigest() == item.checksum
        if not item.stochastic:
            assert ("D" not in moves(load_class(text), 7)) == (item.yes > 0)
    with refuses(ValueError, "Generated1", "Generated120"):
        grammar.source("Generated121")
