"""The folder of a study that has run: participants, answers and matches as the server keeps them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from given import study, text

from econzoo.baselines import Player
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import play_match
from econzoo.people.participation import Participants
from econzoo.people.study import PlannedMatch, plan_matches

SMALL = {"participants": "participants = 4", "repetitions": "repetitions = 1", "partners": 'partners = "partner"'}
"""Four participants: two who play with each other, two with a program."""

EVIL = "=HYPERLINK(1)"
"""An id that a spreadsheet would compute."""

IDS = ("5f01aa", EVIL, "5f03cc", "5f04dd", "5f05ee")
"""Of who has come; the last one was excluded and never admitted."""


class Scripted(Player):
    """A person whose answers are known beforehand."""

    face = "chat"

    def __init__(self, *answers: str) -> None:
        super().__init__("human")
        self.answers = answers

    def fork(self) -> Player:
        return self

    def reset(self, seat: int, info: Any, seed: int) -> None:
        self.left = list(self.answers)

    def act(self, observation: Any, info: Any) -> str:
        return self.left.pop(0)


OFFER, ACCEPT = '{"kind": "offer", "gain": %d, "message": "Ann here"}', '{"kind": "accept"}'


def played(plan: PlannedMatch) -> Record:
    """A match that the first seat's offer of 60 of 100 ends; programs wait, and people answer them by an offer."""
    settings = study(**SMALL).settings[plan.setting].params
    offer = OFFER % (0.6 * settings["money"])
    people = {0: Scripted(offer, ACCEPT, ACCEPT), 1: Scripted(ACCEPT, ACCEPT)}
    seats: Sequence[Any] = [people[at] if isinstance(who, int) else "fair" for at, who in enumerate(plan.players)]
    return play_match("bargaining", seats, plan.seed, **settings)


def ran(folder: Path) -> dict[int, Record]:
    """Writes the folder of a study in which all four played and one more was excluded; returns records by number."""
    source = text(**SMALL).replace("boulware(0.2)", "fair")
    (folder / "study.toml").write_text(source, encoding="utf-8")
    table = plan_matches(study(**SMALL))
    records = {one.number: played(one) for one in table}
    Participants(folder / "table.sqlite", "pilot").close()
    with closing(sqlite3.connect(folder / "table.sqlite")) as db, db:
        for place, name in enumerate(IDS[:4]):
            row = (f"token{place}", name, name, place, 100 + place, f"CODE{place}")
            db.execute(
                "INSERT INTO participants (token, study, source, external_id, label, place, page, attention_left, "
                "quiz_left, bonus_cents, completion_code, finished) "
                "VALUES (?, 'pilot', 'links', ?, ?, ?, 'done', 2, 2, ?, ?, CURRENT_TIMESTAMP)",
                row,
            )
            db.execute(
                "INSERT INTO events VALUES (?, CURRENT_TIMESTAMP, 'entry', ?)", (f"token{place}", '{"ip": "no"}')
            )
            db.execute(
                "INSERT INTO events VALUES (?, CURRENT_TIMESTAMP, 'page', ?)", (f"token{place}", '{"page": "done"}')
            )
            db.execute(
                "INSERT INTO answers VALUES (?, 'questionnaire', 0, 1, ?, CURRENT_TIMESTAMP)",
                (f"token{place}", f"{30 + place}"),
            )
        db.execute(
            "INSERT INTO participants (token, study, source, external_id, label, page, attention_left, quiz_left, "
            "excluded_reason) VALUES ('token4', 'pilot', 'links', ?, '', 'excluded', 0, 2, 'wrong code word')",
            (IDS[4],),
        )
        for attempt, typed in enumerate(("Oak", "elm"), start=1):
            db.execute(
                "INSERT INTO answers VALUES ('token4', 'attention', 0, ?, ?, CURRENT_TIMESTAMP)", (attempt, typed)
            )
        for number, record in records.items():
            parts = [json.dumps(part) for part in (record.params, record.options, record.players)]
            db.execute(
                "INSERT INTO matches (id, game, params, options, players, seed, terms, record) "
                "VALUES (?, ?, ?, ?, ?, ?, '{}', ?)",
                (f"m{number}", record.game, *parts, record.seed, record.to_json()),
            )
            db.execute("INSERT INTO planned_matches VALUES ('pilot', ?, ?)", (number, f"m{number}"))
            for seat, place in enumerate(table[number].players):
                if isinstance(place, int):
                    db.execute("INSERT INTO roster VALUES ('pilot', ?, ?, ?)", (number, seat, place))
    return records
