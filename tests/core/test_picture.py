"""A match as a picture: the last moves that fit, in frames of one size, whatever is said."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import Event
from econzoo.envs.core.env.options import RenderModeError
from econzoo.envs.core.faces import picture
from econzoo.envs.core.faces.transcript import HEIGHT, ROWS, WIDTH, font, last_rows, printable_text, wrap_lines
from econzoo.envs.games.bargaining import GAME, Accept, Offer, Reject
from refusals import refuses

pytest.importorskip("PIL")
NAMES = ("Alice", "Bob")
HAGGLING = tuple(
    event
    for number in range(1, 101)
    for event in (Event(0, number, Offer(6000.0, f"offer {number}")), Event(1, number, Reject()))
)
SHORT = (Event(0, 1, Offer(6000.0, "Half?")), Event(1, 1, Accept()))


def test_a_short_match_is_told_whole() -> None:
    rows, shown = last_rows(GAME, SHORT)
    assert shown == 2
    assert [tuple(row) for row in rows] == [(1, 0, 'offer  gain 6,000.00  "Half?"'), (1, 1, "accept")]


def test_of_a_long_match_the_last_moves_are_told() -> None:
    rows, shown = last_rows(GAME, HAGGLING)
    assert shown == len(rows) == ROWS, "every move has one line here"
    assert (rows[-1].round, rows[-1].text) == (100, "reject")
    assert 'offer 100"' in rows[-2].text


def test_a_move_is_told_whole_or_not_at_all() -> None:
    long = Event(0, 2, Offer(1.0, " ".join(["word"] * 100)))
    rows, shown = last_rows(GAME, (*HAGGLING, long, *HAGGLING[: ROWS - 3]))
    assert shown == len(rows) == ROWS - 3, "three lines are left, and the long offer takes more"


def test_words_without_end_are_cut_with_a_mark() -> None:
    rows, shown = last_rows(GAME, (*SHORT, Event(0, 2, Offer(1.0, "word " * 10_000))))
    assert shown == 1
    assert len(rows) == ROWS
    assert rows[-1].text.endswith("…")
    assert [row.seat for row in rows] == [0] + [None] * (ROWS - 1)


@settings(max_examples=30)
@given(st.text(max_size=60).map(printable_text), st.integers(40, 400))
def test_lines_fit_and_lose_nothing_but_spaces(text: str, width: int) -> None:
    lines = wrap_lines(text, font(16), width, 10_000)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(font(16).getlength(line) <= width for line in lines)


@settings(max_examples=30)
@given(st.text(st.characters(exclude_categories=()), max_size=60), st.floats(allow_nan=False, allow_infinity=False))
@example("\ud800\u202e\x00\r\n\u2028 \u05e9\u05dc\u05d5\u05dd \u4f60\u597d \U0001f91d", -0.0)
def test_anything_can_be_said(words: str, payoff: float) -> None:
    seen = picture(GAME, (Event(0, 1, Offer(1.0, words)),), (payoff, payoff), (words, "Bob"))
    assert seen.shape == (HEIGHT, WIDTH, 3)


def test_every_move_and_the_payoffs_can_be_seen() -> None:
    frames = [picture(GAME, SHORT[:moves], None, NAMES) for moves in range(3)] + [picture(GAME, SHORT, (1, 2), NAMES)]
    assert len({frame.tobytes() for frame in frames}) == 4
    assert np.array_equal(frames[0], picture(GAME, (), None, NAMES))


def test_a_town_has_more_names_and_payoffs_than_a_line_holds() -> None:
    names = [f"Resident {i}" for i in range(100)]
    assert picture(GAME, SHORT, [1.0] * 100, names).shape == (HEIGHT, WIDTH, 3)


def test_letters_are_found_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("econzoo.envs.core.faces.transcript.find_spec", lambda name: None)
    assert font.__wrapped__(16).getname() != font(16).getname()


def test_without_pillow_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    env = econzoo.make("bargaining", render_mode="rgb_array")
    env.reset()
    with refuses(ImportError, "render_mode='rgb_array'", "pillow"):
        env.render()


def test_every_view_draws_the_same() -> None:
    for made in [econzoo.make, econzoo.make_raw, econzoo.make_parallel]:
        env = made("bargaining", face="structured", render_mode="rgb_array")  # type: ignore[operator]
        env.reset(seed=1)
        move = {"kind": "offer", "gain": 6000.0, "message": "Half?"}
        env.step(move if hasattr(env, "agent_selection") else {"player_0": move})
        assert np.array_equal(env.render(), picture(GAME, SHORT[:1], None, NAMES)), made


def test_an_unknown_mode_raises_what_libraries_catch() -> None:
    for caught in (TypeError, ValueError, gymnasium.error.UnsupportedMode):
        for made in (econzoo.make, econzoo.make_raw, econzoo.make_parallel):
            with refuses(caught, "render_mode='video'", None, "human", "ansi", "rgb_array"):
                made("bargaining", render_mode="video")
    with pytest.warns(UserWarning, match="render_modes"), pytest.raises(RenderModeError):
        gymnasium.make("econzoo:econzoo/Bargaining-v0", render_mode="video")
