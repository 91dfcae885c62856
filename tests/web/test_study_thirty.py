"""Thirty people come to a study, and not all of them come to its end: who is where, who is paid what, what is kept."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import Guest, Lab

from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay, replay_file
from econzoo.people.participation import presence
from econzoo.people.study import export_study

STUDY = {"participants": 18, "repetitions": 2, "partners": "stranger", "move": 60, "leaving": "tit-for-tat"}

GONE = {
    **{"p3": "withdraws", "p7": "play", "p12": "debriefing", "p13": "questionnaire", "p16": "waiting", "p15": "over"},
}
"""Of those who are admitted: where they stop to answer, or withdraw."""

ENDED = ("consent", "instructions", "quiz", "excluded", "full", "done", "withdrawn")
"""Pages from which nobody here goes on."""

POINTS = {"CC": (3, 3), "CD": (0, 5), "DC": (5, 0), "DD": (1, 1)}


def choose(guest: Guest) -> str:
    """Every other participant cooperates."""
    return "CD"[guest.kept.place % 2]


def tabs(name: str, guest: Guest) -> list[Guest]:
    """One of them has the page open twice, and answers in both."""
    return [guest.lab.guest(name)] if name == "p11" else []


def step(name: str, guest: Guest) -> None:
    """Does what the page asks for."""
    stops = GONE.get(name, "")
    if stops == "waiting" or guest.where in ENDED:
        return
    page = guest.see().where
    if page == "play" and guest.page.move_forms and stops == "withdraws":
        guest.leave()
    elif page == "play" and guest.page.move_forms and stops != "play":
        for tab in (guest, *tabs(name, guest)):
            tab.move(choose(guest))
    elif page == "play" and guest.over and stops not in ("play", "over"):
        guest.next()
    elif page == "questionnaire" and stops != page:
        guest.tell()
    elif page == "debriefing" and stops != page:
        guest.finish()


def still(text: str) -> str:
    """A page without its clock."""
    return re.sub(r'data-left="\d+">[\d:]+', "", text)


def go_on(people: dict[str, Guest]) -> None:
    """Lets everybody do what they can until nobody can do anything more."""
    before = None
    while before != (before := {name: (*guest.kept, still(guest.text)) for name, guest in people.items()}):
        for name, guest in people.items():
            step(name, guest)
            guest.lab.settle()
        for live in list(guest.lab.running.tables._live.values()):
            assert live.players_idle.wait(20)  # scripts think in threads


def come(lab: Lab, wait: Callable[[float], None]) -> dict[str, Guest]:
    """Thirty people, as far as the waiting room or to where they do not go on.

    One who waits alone closes the page before the last one comes, with whom they would have played.
    """
    people = {f"w{n}": lab.guest(f"w{n}").agree().read("oak").read("elm") for n in range(4)}
    people |= {f"q{n}": lab.guest(f"q{n}").agree().read().answer("the weather").answer("the weather") for n in range(4)}
    people |= {"d0": lab.guest("d0"), "d1": lab.guest("d1").agree(), "d2": lab.guest("d2").agree().read()}
    people |= {f"p{n}": lab.ready(f"p{n}") for n in range(17)}
    wait(presence.AWAY_SECONDS)
    people["p17"] = lab.ready("p17")
    assert {people[name].where for name in ("p16", "p17")} == {"waiting"}
    people["p9"] = lab.guest("p9")  # from another browser
    return people | {"late": lab.guest("late")}


def payoffs_by_hand(lab: Lab, guest: Guest) -> list[int]:
    """Points of a participant, match by match, from the moves alone; not where somebody took the seat."""
    found = []
    for match in lab.course.seating.own_matches(guest.kept):
        id = lab.store.match_id(match.number)
        if id is None or guest.kept.place not in match.places:
            continue  # left out for them
        kept, seat = lab.store.match(id), match.players.index(guest.kept.place)
        if kept.match.players[seat] != "human" or any(one.seat == seat and one.player for one in kept.absences):
            continue
        moves = [turn.action["kind"] for turn in kept.turns]
        found.append(sum(POINTS["".join(moves[at : at + 2])][seat] for at in range(0, len(moves), 2)))
    return found


def run_out(lab: Lab) -> None:
    """Lets the clocks see whose time has run out."""
    for live in list(lab.running.tables._live.values()):
        live.tick()
    lab.settle()


@pytest.mark.slow
def test_thirty_participants(new, wait):
    lab = new(**STUDY)
    people = come(lab, wait)
    go_on(people)
    for seconds in (61, 61, 301):
        wait(seconds)
        run_out(lab)
        go_on(people)
    where = {name: guest.where for name, guest in people.items()}
    assert len(where) == len(lab.store.participants()) == 30
    early = {"d0": "consent", "d1": "instructions", "d2": "quiz"}
    early |= {"late": "consent"}  # let in, as a place was free: who waited had closed the page
    left = {"p3": "withdrawn", "p7": "play", "p12": "debriefing", "p13": "questionnaire", "p15": "play"}
    left |= {"p16": "debriefing"}  # to which the study has taken them when the time in the waiting room was over
    assert {name: page for name, page in where.items() if page not in ("done", "excluded")} == early | left
    reasons = Counter(guest.kept.excluded_reason for guest in people.values())
    assert reasons == {"code word": 4, "quiz": 4, None: 22}

    codes = [guest.kept.completion_code for guest in people.values() if guest.kept.completion_code]
    paid = {name for name, page in where.items() if page == "done"} | {"p3"}
    assert {name for name, guest in people.items() if guest.kept.completion_code} == paid
    assert len(set(codes)) == len(codes) == 13

    for name in ("p0", "p9", "p11"):  # 10 cents a point, from 25 cents to 1.50
        guest = people[name]
        points = sum(payoffs_by_hand(lab, guest))
        assert guest.kept.bonus_cents == min(max(10 * points, 25), 150)
        assert f"EUR {2 + guest.kept.bonus_cents / 100:.2f}" in guest.text
    assert people["p3"].kept.bonus_cents == 25  # the match that they left does not count

    records = [Record.from_json(line) for line in lab.store.record_lines()]
    assert [problem for record in records for problem in replay(record)] == []
    written = (lab.folder / "pilot" / "matches.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(written) == sorted(lab.store.record_lines())
    assert len(lab.store.matches()) == len(records)
    alone = [one for one in lab.store.participants() if "alone" in [kind for _, kind, _ in lab.store.events_of(one)]]
    assert len(alone) == 4  # p16 who closed the page, p17 with nobody else; p8 and p14, who were to meet p7 and p16
    for match in lab.store.matches().values():  # nothing was played twice, in whatever tab
        kept = lab.store.match(match)
        assert len(kept.turns) == 2 * 2
    check_exports(lab, people)


def check_exports(lab: Lab, people: dict[str, Guest]) -> None:
    """Thirty rows with the right ends, three of them by hand; records that replay; nobody is told."""
    folder, ids, approved = lab.folder / "pilot", [*people], ("p0", "p9", "p11")
    for name in approved:
        lab.store.approve(people[name].kept)
    files, told = (read_zip(export_study(folder, lab.folder / "out.zip", who).path) for who in (False, True))
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(told["participants.csv"]))}
    assert [*rows] == ids
    assert {name: row["page"] for name, row in rows.items()} == {name: one.where for name, one in people.items()}
    for name in approved:
        points = payoffs_by_hand(lab, people[name])
        assert (float(rows[name]["payoff"]), rows[name]["matches"]) == (sum(points), "2")
        assert rows[name]["bonus"] == f"{min(max(10 * sum(points), 25), 150) / 100:.2f}"
        assert f"\n{name},{rows[name]['bonus']}\n" in "\n" + told["payments.csv"]
    assert len(told["payments.csv"].splitlines()) == len(approved)
    assert len(told["payments_not_approved.csv"].splitlines()) == 13 - len(approved)
    (lab.folder / "again.jsonl").write_text(files["records.jsonl"], encoding="utf-8")
    again = list(replay_file(lab.folder / "again.jsonl"))
    assert [len(one.problems) for one in again] == [0] * len(lab.store.record_lines())
    everything = "\n".join(files.values())
    secrets = [
        *(f",{name}," for name in ids if name not in told["codebook.md"]),
        *(row["completion_code"] for row in rows.values()),
    ]
    assert [secret for secret in secrets if secret and secret in everything] == []
    assert [guest.token for guest in people.values() if guest.token in everything] == []
    left = [row for row in csv.DictReader(io.StringIO(files["seats.csv"])) if row["replacements"]]
    assert {row["replacements"] for row in left} == {"tit-for-tat"}
    assert {row["participant"] for row in left} == {str(ids.index(name) + 1) for name in ("p3", "p7")}


def read_zip(path: Path) -> dict[str, str]:
    """Text of every file in a zip file."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}
