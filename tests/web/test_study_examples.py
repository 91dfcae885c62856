"""The examples that are written for every game, and GLEE's design, run as they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import Guest, Lab, study_in

import econzoo
from econzoo.people.study.example import example, published_example


@contextmanager
def first_participant(folder: Path, text: str) -> Iterator[Guest]:
    """Somebody who has consented, read the word, and answered the quiz."""
    lab = Lab(folder, study := study_in(folder, text))
    assert study.attention is not None
    guest = lab.guest("ann").agree().read(study.attention.code_word)
    yield guest.send("quiz", {f"quiz.{item}": asked.answer for item, asked in enumerate(study.quiz)})
    lab.running.close()


@pytest.mark.parametrize("game", econzoo.games())
def test_the_example_of_every_game_takes_a_participant_in(game: str, tmp_path: Path) -> None:
    with first_participant(tmp_path, example(game, "study.toml")) as ann:
        assert ann.where == ("waiting" if econzoo.game(game).facts.seats > 1 else "play")
        assert ann.kept.place == 0


@pytest.mark.parametrize("game", ["bargaining", "negotiation", "persuasion"])
def test_so_does_glees_design(game: str, tmp_path: Path) -> None:
    with first_participant(tmp_path, published_example("glee-human", game, "study.toml")) as ann:
        assert ann.where in ("waiting", "play")
