"""A person plays every game of the registry from the command line to its end, at a real terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from real_terminal import RealTerminal

import econzoo
from econzoo.envs.core.record import Record, read_record_file
from people import NONSENSE, Clumsy, Fingers
from refusals import says

pytestmark = pytest.mark.slow

SEATS = {name: econzoo.game(name).seats(econzoo.game(name).params()[1]) for name in econzoo.games()}

TABLES = [
    *[(name, ["human", *["random"] * (seats - 1)]) for name, seats in SEATS.items()],
    *[(name, ["random"] * (seats - 1) + ["human"]) for name, seats in SEATS.items() if seats > 1],
    ("matrix", ["human('Ann')", "human('Ben')"]),
    ("bargaining", ["human", "human"]),
]
"""Every game from its first and from its last seat; at once and in turn by two people."""

SESSION = """
from econzoo.__main__ import main
for number, table in enumerate({tables!r}):
    try:
        main(["play", table[0], *table[1], "--seed", str(number), "--out", {out!r}])
    except SystemExit as end:
        assert not end.code
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Record], str]:
    """The records of all tables, played one after the other, and what was on the screen."""
    out: Path = tmp_path_factory.mktemp("played") / "matches.jsonl"
    terminal = RealTerminal(SESSION.format(tables=TABLES, out=str(out)))
    shown = terminal.play(Clumsy(Fingers(3)))
    terminal.end()
    return list(read_record_file(out)), shown


def test_a_person_plays_to_the_end(session):
    for place, table in list(enumerate(TABLES)):
        records, shown = session
        assert len(records) == len(TABLES), shown[-3000:]
        record, (game, players) = records[place], table
        assert (record.game, record.players, record.status) == (game, players, "finished"), (place, table)
        people = [seat for seat, spec in enumerate(players) if spec.startswith("human")]
        assert [record.errors[seat] for seat in people] == [0] * len(people), (place, table)
        assert {turn.seat for turn in record.turns} >= set(people), (place, table)


def test_only_nonsense_is_asked_for_again(session):
    """Names, beginnings, numbers, capitals, thousands and dollar signs are understood in every game."""
    _, shown = session
    refused = [
        line
        for line in shown.splitlines()
        if re.search(rf"^(?!Your message|Your program).*> {re.escape(NONSENSE)}", line)
    ]
    assert shown.count("Please type") == len(refused) > 3
    says(shown, "line 1: invalid syntax")
