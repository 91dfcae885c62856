"""``econzoo serve`` starts at once and is small; open pages outlive the process that served them."""

from __future__ import annotations

import pytest
from browsing import Table
from serving import Server

from econzoo.evaluate.run import replay

pytestmark = pytest.mark.long

KILLS = 20


def test_it_starts_in_no_time_and_is_small(tmp_path, capsys):
    with Server(tmp_path) as server:
        used, memory = server.cpu_seconds, server.megabytes
        with capsys.disabled():
            print(f"\nstart: {server.seconds:.2f} s, {used:.2f} s of CPU, {memory:.0f} MB")
        assert server.printed == [server.url]
        assert server.url.startswith("http://127.0.0.1:")
        assert used < 3  # of CPU: other processes share the machine
        assert memory < 120


def test_open_pages_go_on_when_the_server_is_killed_again_and_again(browser, tmp_path):
    """Twenty times before a move: nobody reloads, nothing is lost, and the record is what the rules say."""
    with Server(tmp_path) as server:
        alice, bob = (Table(browser.new_context(), server.url) for _ in "ab")
        alice.start("matrix", player_1="human", param_rounds=str(KILLS // 2))
        bob.page.goto(alice.invitations[0])
        for move in range(KILLS):
            mover = (alice, bob)[move % 2]
            mover.page.wait_for_selector(".moves")
            server.kill()
            server.start()
            mover.move("CD"[move % 3 == 0])
        for one in (alice, bob):
            one.page.wait_for_selector(".end")
        record = alice.record()
        for one in (alice, bob):
            one.close()
    assert replay(record) == []
    assert len(record.turns) == KILLS
