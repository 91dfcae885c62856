"""Wrong input: the page names field, value and bounds, keeps what was typed, and nothing is stored."""

from __future__ import annotations

import pytest

WRONG = [
    ("bargaining", {}, "offer", "gain", "50000", "50000 is out of range. Please type a number from 0 to 10,000."),
    ("bargaining", {}, "offer", "gain", "much", "'much': Please type a number from 0 to 10,000"),
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
