"""What participants of a study are told of money, and who is paid."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PROGRAM, WORD, file_of, play, study_in
from visitor import phrase

from econzoo.people.participation.page_texts import Telling
from econzoo.people.study.export import export_study
from refusals import says

BARGAINING = [
    ('game = "matrix"', 'game = "bargaining"'),
    ("[settings]\nrounds = 2\n", ""),
    ('"tit-for-tat"', '"fair"'),
    ('"default"', '"forfeit"'),
]


def paid(tmp_path: Path, rate: str, *changes: tuple[str, str]) -> str:
    """What is told of payment."""
    text = file_of(arms=PROGRAM, participants=1).replace("rate = 0.10", f"rate = {rate}")
    for before, after in changes:
        text = text.replace(before, after)
    return "\n".join(Telling(study_in(tmp_path, text), None, {}).pay)


def test_a_rate_is_told_in_cents_or_more(tmp_path: Path) -> None:
    for rate, money, units in (
        ("0.10", "EUR 0.10", 1),
        ("0.01", "EUR 0.01", 1),
        ("0.0001", "EUR 0.01", "100"),
        ("0.000125", "EUR 0.0125", "100"),
        ("3e-7", "EUR 0.03", "100,000"),
        ("0", "EUR 0.00", 1),
    ):
        assert phrase("study.pay_points", rate=money, units=units, count=units) in paid(tmp_path, rate), rate
    says(paid(tmp_path, "1e-30"), "1,000,000,000")


def test_a_rate_is_told_for_dollars_where_payoffs_are_some(tmp_path: Path) -> None:
    told = phrase("study.pay_dollars", rate="EUR 0.05", units="1,000")
    assert told in paid(tmp_path, "0.00005", *BARGAINING)


def test_who_may_fail_before_the_matches_is_told_beforehand(tmp_path: Path) -> None:
    told = phrase("study.pay_tested")
    assert told in paid(tmp_path, "0.1")
    text = file_of(arms=PROGRAM, participants=1)
    start, end = text.index("[attention]"), text.index("[[questionnaire]]")
    assert told not in paid(tmp_path, "0.1", (text[start:end], ""))


def test_who_fails_reads_that_nothing_is_paid_and_whom_to_ask(new) -> None:
    lab = new()
    for one in (lab.guest("ann").agree().read("elm").read("elm"), lab.guest("ben").agree().read(WORD)):
        text = (one if one.where == "excluded" else one.answer("the weather").answer("the weather")).text
        assert phrase("study.excluded_unpaid") in text


def test_who_was_excluded_after_the_end_is_not_paid(new) -> None:
    lab = new(arms=PROGRAM, participants=1)
    ann = lab.ready("ann")
    play(ann)
    code = ann.next().tell().finish().kept.completion_code
    assert ann.kept.is_paid
    lab.course.exclude(ann.kept, "came twice")
    assert not ann.kept.is_paid
    assert code not in ann.see().text
    assert code not in ann.leave().text
    assert phrase("study.title_withdrawn") in ann.text
    row = participants(export_study(lab.folder / "pilot", lab.folder / "out.zip", identified=True).path)[0]
    assert (row["fee"], row["excluded_reason"]) == ("0.00", "came twice")


def participants(path: Path) -> list[dict[str, str]]:
    """The rows of participants.csv."""
    with zipfile.ZipFile(path) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith("participants.csv"))
        return list(csv.DictReader(io.StringIO(archive.read(name).decode())))


@pytest.mark.parametrize(
    ("url", "buttons", "copied"),
    [
        ("https://example.com/?cc={code}", ["return"], False),
        ("https://example.com/", ["return_alone"], True),
        ("", [], True),
    ],
)
def test_the_code_is_copied_where_the_link_back_has_none(new, url, buttons, copied) -> None:
    ann = (lab := new(arms=PROGRAM, participants=1, url=url)).ready("ann")
    play(ann)
    text = ann.next().tell().finish().text
    assert (phrase("study.code_hint") in text) == copied
    assert [one for one in ("return", "return_alone") if f">{phrase(f'study.{one}')}</a>" in text] == buttons
    assert lab.store.participants()[0].completion_code in text
