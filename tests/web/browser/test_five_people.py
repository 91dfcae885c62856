"""Five browsers at the water auction: no bid is anywhere before all are in, and nobody waits for who has gone."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="browser tests need the extra browser")

from browsing import secret_in
from playwright.sync_api import expect

from econzoo.evaluate.run import replay

pytestmark = pytest.mark.long

BIDS = ("61.37", "62.41", "63.53", "64.59")
"""Dollars of the first day of all but the last; numbers that nothing else on the pages has."""

LIMIT = 20
"""Seconds for a bid: enough for what each person does before it, on a busy machine."""


def seated(new) -> list:
    """Five people: four have bid as soon as they were asked, then the fifth has opened the page."""
    people = [new() for _ in range(5)]
    for one in people:
        one.listen()
    host, *guests = people
    others = {f"player_{seat}": "human" for seat in range(1, 5)}
    host.start("water_allocation", **others, **{"param_days": "2", "terms_person_seconds": str(LIMIT)})
    links = host.invitations
    host.move("bid", bid=BIDS[0])
    for guest, link, bid in zip(guests, links, (*BIDS[1:], ""), strict=True):
        guest.page.goto(link)
        if bid:
            guest.move("bid", bid=bid)
    return people


def told(one) -> str:
    """All that a browser received, and what its page shows now: news that are streamed are kept there only."""
    return one.received + ("" if one.page.is_closed() else one.page.content())


def test_bids_are_hidden_until_all_are_in_and_the_policy_follows_where_none_comes(new, capsys):
    """Eric closes his browser, Alex leaves after the first day: both bid nothing, which pages and record say."""
    people = seated(new)
    *bidders, eric = people
    eric.page.close()
    for bidder in bidders:
        expect(bidder.page.get_by_text("Waiting for Eric to move.")).to_be_visible()
    found = [[bid for bid in BIDS if secret_in(told(one), bid)] for one in people]
    assert found == [[bid] if bid else [] for bid in (*BIDS, "")]  # one's own alone

    missed = f"Round 1, Eric: no answer within {LIMIT} seconds; the default action was played."
    for bidder in bidders:  # without a reload
        expect(bidder.page.get_by_text(missed)).to_be_visible(timeout=(LIMIT + 10) * 1000)
    assert all(secret_in(told(one), bid) for one in bidders for bid in BIDS)
    assert not any(secret_in(told(eric), bid) for bid in BIDS)

    alex, *rest = bidders
    alex.page.locator(".leave summary").click()
    alex.page.get_by_role("button", name="Leave").click()
    expect(alex.page.get_by_text("You are no longer playing: the person left.")).to_be_visible()
    for bidder in rest:
        bidder.move("bid", bid="70")
    for bidder in rest:
        expect(bidder.page.get_by_test_id("payoff")).to_be_visible(timeout=(LIMIT + 10) * 1000)
        expect(
            bidder.page.get_by_text("Round 2, Alex: the person left; the default action was played.")
        ).to_be_visible()

    record = rest[0].record()
    assert replay(record) == []
    assert [turn.action["bid"] for turn in record.turns] == [*map(float, BIDS), 0.0, 0.0, 70.0, 70.0, 70.0, 0.0]
    absent = [(turn.round, turn.seat, turn.finish, turn.limit, turn.default) for turn in record.turns if turn.finish]
    assert absent == [(1, 4, "timeout", LIMIT, True), (2, 0, "left", 0, True), (2, 4, "timeout", LIMIT, True)]
    with capsys.disabled():
        size = sum(len(one.received) for one in people) / 1000
        print(f"\nwater auction: searched {size:.0f} kB of five browsers: no bid before all were in")
