"""A match as a spectator reads it."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import describe_action, role_names, spectate
from econzoo.envs.games.bargaining import GAME, Accept, Offer, Reject
from refusals import says
from toy_games import LOWEST_BID, PENNIES

EVENTS = (
    Event(0, 1, Offer(6000.0, 'Half? "No".')),
    Event(1, 1, Reject()),
    Event(1, 2, Offer(7000.125)),
    Event(0, 2, Accept()),
)


def test_a_match_in_lines() -> None:
    head, *lines, end = spectate(GAME, EVENTS, (2699.9, 6300.1)).splitlines()
    assert [line.split()[1:4] for line in lines] == [
        ["1", "Alice", "offer"],
        ["1", "Bob", "reject"],
        ["2", "Bob", "offer"],
        ["2", "Alice", "accept"],
    ]
    says(head, "bargaining", "Alice", "Bob")
    says(lines[0], "6,000.00", '"Half? \\"No\\"."')
    says(lines[2], "7,000.12")
    says(end, "Alice 2,699.90", "Bob 6,300.10")


def test_a_match_that_still_runs_has_no_payoffs() -> None:
    assert "payoffs" not in spectate(GAME, EVENTS[:1], None)
    assert len(spectate(GAME, (), None).splitlines()) == 1


def test_a_message_makes_no_line_of_its_own() -> None:
    told = spectate(GAME, (Event(0, 1, Offer(1.0, "a\n  round   9  Bob      accept")),), None)
    assert len(told.splitlines()) == 2


def test_more_seats_than_names() -> None:
    for seats, names in [(2, ["Ann", "Ben", "Cy"]), (5, ["Ann", "Ben", "Cy", "Player 4", "Player 5"])]:
        assert role_names(LOWEST_BID, seats) == names, seats


def test_moves_in_a_few_words() -> None:
    assert describe_action(GAME, Accept()) == "accept"
    assert describe_action(LOWEST_BID, LOWEST_BID.actions.make(0, (2.5,))) == "bid 2.50"
    assert describe_action(PENNIES, PENNIES.actions.make(1)) == "tails"


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {}
    for mode in ("ansi", "human", None):
        env = econzoo.make("bargaining", face="structured", horizon=1, render_mode=mode)
        env.reset()
        env.step({"kind": "offer", "gain": 9000})
        env.step({"kind": "accept"})
        texts[mode] = env.render()
    assert texts["human"] is texts[None] is None
    assert capsys.readouterr().out == texts["ansi"] + "\n"
    assert texts["ansi"].split()[-4:] == ["Alice", "9,000.00,", "Bob", "1,000.00"]


def test_a_spectator_reads_what_a_move_brought_to_light():
    env = econzoo.make("persuasion", face="structured", render_mode="ansi", rounds=2, message_type="binary")
    env.reset(seed=1, options={"chance": [1.0, 0.0]})
    for kind in ("recommend", "buy", "recommend", "decline"):
        env.step({"kind": kind})
    _, *lines, _ = env.render().splitlines()
    brought = ("recommend", "high", "recommend", "low")
    for line, *named in zip(lines, "1122", ("Alice", "Bob") * 2, brought, strict=True):
        says(line, *named)
