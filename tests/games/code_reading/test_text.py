"""What a reader reads: the question, the program in its variant, and the truth after the answer."""

from __future__ import annotations

import ast
import warnings

import pytest

import econzoo
from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.items import item_numbers
from econzoo.envs.games.code_reading.programs import axelrod_source
from econzoo.envs.games.code_reading.text import _warn_of_another_release, program_of
from games.facts import tells
from refusals import refuses, says


@pytest.fixture
def axelrod():
    try:
        return axelrod_source.load_library()
    except ImportError as missing:
        pytest.skip(str(missing))


def test_the_text_shows_the_program_and_the_question(axelrod):
    for variant in VARIANTS:
        env = econzoo.make("code_reading", face="text", item="Grudger", variant=variant)
        env.reset(seed=0)
        text = env.last()[0]["text"]
        assert program_of(item_numbers()["Grudger"], variant) in text
        assert "10 rounds" in text, variant
        assert ("Grudger" in text) == (variant in ("plain", "stripped"))


def test_prose_before_the_answer_is_read_over(axelrod):
    env = econzoo.make("code_reading", face="text", item="Grudger")
    env.reset(seed=0)
    env.step('It only defects after a defection.\n{"kind": "probability", "probability": 0.9}')
    assert env.game_state.answer == 0.9
    told = env.observe("player_0")["text"]
    assert "with probability 1." in told
    tells(told, "-0.11 -4.61")  # ln 0.9, ln 0.01


def test_without_the_library_only_texts_are_missing(monkeypatch):
    monkeypatch.setattr(axelrod_source, "find_spec", lambda name: None)
    axelrod_source.load_library.cache_clear()
    try:
        env = econzoo.make("code_reading", item="Grudger")
        env.reset(seed=0)
        env.step(0)
        env = econzoo.make("code_reading", face="text", item="Grudger")
        env.reset(seed=0)
        with refuses(ImportError, "econzoo[programs"):
            env.observe("player_0")
    finally:
        axelrod_source.load_library.cache_clear()


@pytest.mark.slow
def test_another_release_is_noticed(axelrod, monkeypatch):
    monkeypatch.setattr(
        "econzoo.envs.games.code_reading.text.load_library", lambda: axelrod_source.Library(axelrod.root, "9.9.9")
    )
    _warn_of_another_release.cache_clear()
    try:
        with pytest.warns(UserWarning, match="9.9.9") as told:
            _warn_of_another_release()
        says(told[0].message, "9.9.9", "4.14.0")
    finally:
        _warn_of_another_release.cache_clear()


def test_every_variant_is_python(axelrod):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for variant in VARIANTS:
            assert ast.parse(program_of(0, variant)).body
