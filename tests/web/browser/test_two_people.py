"""Two browsers at one table: what each receives, and one move whatever is pressed."""

from __future__ import annotations

import sqlite3

import pytest
from browsing import secret_in
from visitor import phrase

from econzoo.evaluate.run import replay

pytestmark = pytest.mark.long

HIDDEN = [
    ("negotiation", {"money": "1000", "seller_value": "0.987", "buyer_value": "0.997"}, "987", "997", {"price": "993"}),
    ("bargaining", {"delta": "0.9173,0.8461"}, "91.73", "84.61", {"gain": "6000"}),
]
"""Game, parameters, what the first alone may know, what the second alone may know, and a first offer."""


def invited(new, game: str, **given: str) -> tuple:
    alice, bob = new(), new()
    alice.listen()
    bob.listen()
    alice.start(game, player_1="human", **given)
    bob.page.goto(alice.invitations[0])
    return alice, bob


@pytest.mark.parametrize(("game", "given", "first", "second", "offer"), HIDDEN)
def test_no_browser_receives_what_only_the_other_may_know(new, game, given, first, second, offer, capsys):
    params = {f"param_{name}": value for name, value in given.items()}
    alice, bob = invited(new, game, param_complete_information="false", param_horizon="3", **params)
    alice.move("offer", words="take it", **offer)
    bob.settle()
    bob.move("reject")
    bob.settle()
    bob.move("offer", **offer)
    alice.settle()
    alice.page.reload()
    seen, other = alice.received, bob.received
    assert secret_in(seen, first)
    assert secret_in(other, second)
    assert not secret_in(seen, second)
    assert not secret_in(other, first)
    assert alice.streamed
    with capsys.disabled():
        answers, told = len(alice.bodies) + len(bob.bodies), len(alice.streamed) + len(bob.streamed)
        size = (len(seen) + len(other)) / 1000
        print(f"\n{game}: searched {answers} bodies and headers, {told} lines of streams, {size:.0f} kB: no secret")


def test_the_other_browser_sees_a_move_without_a_reload(new):
    alice, bob = invited(new, "bargaining", param_horizon="2")
    alice.move("offer", gain="7000", words="Take it")
    bob.page.get_by_text("Alice proposes $3,000 for you").wait_for()
    bob.move("accept")
    alice.page.get_by_test_id("payoff").wait_for()
    assert (alice.payoff, bob.payoff) == ("$7,000.00", "$3,000.00")
    assert replay(alice.record()) == []


# Exactly one move


def moves_of(server) -> int:
    with sqlite3.connect(server.folder / "econzoo_web" / "table.sqlite") as kept:
        return int(kept.execute("SELECT count(*) FROM moves").fetchone()[0])


def test_one_move_whatever_is_pressed(new, server):
    """Reload before and after, pressing twice, back, and the same seat in two tabs."""
    table = new()
    table.start("matrix", param_rounds="5", player_1="tit-for-tat")
    before = moves_of(server)
    table.page.reload()
    other = table.tab()
    other.goto(table.seat)
    assert moves_of(server) == before
    with table.page.expect_navigation():
        table.page.locator('.moves button[value="C"]').dblclick()
    table.page.reload()
    assert moves_of(server) == before + 1
    with other.expect_navigation():
        other.locator('.moves button[value="D"]').click(force=True) if other.locator("#state").get_attribute(
            "data-number"
        ) == "0" else other.reload()
    assert moves_of(server) <= before + 2
    table.page.go_back()
    table.page.go_forward()
    table.settle()
    played = moves_of(server)
    table.page.reload()
    assert moves_of(server) == played


def test_an_old_tab_cannot_answer_again(new, server):
    table = new()
    table.start("matrix", param_rounds="5", player_1="tit-for-tat")
    old = new(table.seat)  # a browser whose stream is not read: it keeps the first question
    old.page.route("**/events*", lambda route: route.abort())
    old.page.goto(table.seat)
    before = moves_of(server)
    table.move("C")
    with old.page.expect_navigation():
        old.page.locator('.moves button[value="D"]').click()
    assert moves_of(server) == before + 1
    assert phrase("table.late") in old.page.locator("main").inner_text()
