"""Wrong input: the page names field, value and bounds, keeps what was typed, and nothing is stored."""

from __future__ import annotations

import pytest

WRONG = [
    ("bargaining", {}, "offer", "gain", "50000", "50000 is out of range. Please type a number from 0 to 10,000."),
    ("bargaining", {}, "offer", "gain", "much", "you typed 'much'. Please type a number from 0 to 10,000"),
    ("guess_average", {}, 0, "number", "-3", "-3 is out of range"),
    ("water_allocation", {}, 0, "bid", "-5", "-5 is out of range"),
    ("public_goods", {}, 0, "tokens", "1.5", "1.5 is not a whole number"),
]


@pytest.mark.parametrize(("game", "given", "kind", "field", "typed", "told"), WRONG)
def test_a_wrong_value_is_told_and_kept(new, game, given, kind, field, typed, told):
    table = new()
    table.start(game, **given)
    number = table.page.locator("#state").get_attribute("data-number")
    assert all(form.evaluate("form => form.noValidate") for form in table.page.locator("form.move").all())
    box = table.page.locator(f'.moves [name="move.{field}"]')
    label = table.page.locator(f'label[for="{box.first.get_attribute("id")}"]').inner_text()
    table.move(kind, words="Half & half", **{field: typed})
    problem = table.page.locator("#problems").inner_text()
    assert told in problem
    assert problem.startswith(label)
    assert table.page.locator(f'.moves [name="move.{field}"]').input_value() == typed
    assert table.page.locator(f'.moves [name="move.{field}"]').get_attribute("aria-invalid") == "true"
    words = table.page.locator('.moves [name="move.message"]')
    assert words.count() == 0 or words.first.input_value() == "Half & half"
    assert table.page.locator("#state").get_attribute("data-number") == number


def test_a_move_without_a_connection_is_kept_and_sent_when_there_is_one(new):
    table = new()
    table.start("bargaining", player_1="fair")
    form = table.page.locator("form.move").first
    form.locator("[name='move.gain']").fill("5000")
    form.locator("textarea").fill("Half & half")
    table.context.set_offline(True)
    form.locator("button[value=offer]").click()
    note = table.page.locator("#offline")
    note.wait_for(state="visible")
    assert form.locator("[name='move.gain']").input_value() == "5000"
    assert form.locator("textarea").input_value() == "Half & half"
    table.context.set_offline(False)
    table.page.get_by_test_id("payoff").wait_for()
    assert table.page.locator("#offline").is_hidden()
    (turn, _) = table.record().turns
    assert turn.action == {"kind": "offer", "gain": 5000.0, "message": "Half & half"}
