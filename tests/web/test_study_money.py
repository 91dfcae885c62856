"""What participants of a study are told of money, and who is paid."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PROGRAM, WORD, Guest, file_of, play, study_in
from visitor import phrase

import econzoo
from econzoo.envs.core.faces import load_templates
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.participation import StudyTexts
from econzoo.people.study import Study, export_study
from econzoo.people.texts import load_texts
from econzoo.people.texts.points import NBSP, format_points, replace_dollars, singularize, with_points
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
    return "\n".join(told_of_pay(study_in(tmp_path, text)))


def told_of_pay(study: Study) -> list[str]:
    """What is told of the payment of a study, with usual spaces."""
    return [one.replace(NBSP, " ") for one in StudyTexts(study, None, {}).pay_sentences]


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


def participants(path: Path, table: str = "participants") -> list[dict[str, str]]:
    """The rows of a table of an export."""
    with zipfile.ZipFile(path) as archive:
        return list(csv.DictReader(io.StringIO(archive.read(f"{table}.csv").decode())))


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


# -- points, and which matches are paid ------------------------------------------------------------------------------

POINTS = ('currency = "EUR"', 'currency = "points"\npaid_in = "EUR"')


def studied(new, *changes: tuple[str, str], **given) -> tuple[Guest, list[str]]:
    """Who has played all matches of a study with some lines changed, always C, 6 points a match; how matches ended."""
    text = file_of(arms=PROGRAM, participants=1, **given)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    ann, ended = (lab := new(text=text)).ready("ann"), []
    while ann.where in ("waiting", "play"):
        lab.settle()
        play(ann)
        ended.append(ann.text)
        ann.next()
    return ann.tell().finish(), ended


def worth(payoff: str, money: str) -> str:
    """As pages have it."""
    return phrase("study.worth", payoff=payoff, money=money)


def test_points_are_worth_money_after_each_match_and_in_all(new) -> None:
    ann, ended = studied(new, POINTS, repetitions=2)
    for text in ended:
        assert "6 points</strong>" in text
        assert phrase("study.end_all", worth=worth("6 points", "EUR 0.60")) in text
    assert phrase("study.paid_for", worth=worth("12 points", "EUR 1.20")) in ann.text
    assert ann.kept.bonus_cents == 120
    assert "EUR 3.20" in ann.text  # with the fee


def test_a_bonus_beyond_its_bounds_is_told_with_them(new) -> None:
    ann, _ended = studied(new, POINTS, repetitions=3)
    assert phrase("study.paid_for", worth=worth("18 points", "EUR 1.80")) in ann.text
    assert phrase("study.pay_bounds", floor="EUR 0.25", cap="EUR 1.50") in ann.text
    assert ann.kept.bonus_cents == 150


def test_the_match_that_is_drawn_is_paid_and_told_and_can_be_drawn_again_from_the_export(new) -> None:
    ann, ended = studied(new, POINTS, ("partial = true", 'partial = true\npays = "random"'), repetitions=3)
    lab, drawn = ann.lab, phrase("study.paid_random", payoff="6 points")
    assert all(phrase("study.end_random_one", worth=worth("6 points", "EUR 0.60")) in text for text in ended)
    assert (ann.text.count(drawn), ann.text.count(phrase("study.unpaid_random", payoff="6 points"))) == (1, 2)
    assert ann.kept.bonus_cents == 60
    out = export_study(lab.folder / "pilot", lab.folder / "out.zip").path
    (row,) = participants(out)
    keys = {n: hashlib.sha256(f"{row['draw_seed']}/{n}".encode()).hexdigest() for n in (1, 2, 3)}
    assert row["paid_units"] == str(min(keys, key=keys.__getitem__))
    assert (row["payoff"], row["paid_payoff"], row["bonus"], row["currency"]) == ("18", "6", "0.60", "EUR")
    events = [one for one in participants(out, "events") if one["kind"] == "draw"]
    assert [json.loads(one["details"])["seed"] for one in events] == [row["draw_seed"]]


def test_what_is_drawn_is_the_same_after_a_restart_and_another_for_others(new) -> None:
    text = file_of(participants=2, repetitions=3).replace("partial = true", 'partial = true\npays = "random"')
    lab = new(text=text)
    seeds = [lab.store.draw_seed(lab.guest(label).token) for label in ("ann", "ben")]
    lab.start_again()
    assert [lab.store.draw_seed(lab.guest(label).token) for label in ("ann", "ben")] == seeds
    assert len({*seeds, ""}) == 3


def test_the_round_that_is_drawn_is_paid(new) -> None:
    ann, ended = studied(new, POINTS, ("partial = true", 'partial = true\npays = "round"'), repetitions=2)
    assert all(phrase("study.end_round") in text for text in ended)
    assert ann.kept.bonus_cents == 30  # both chose C: 3 points in every round
    told = [phrase("study.paid_round", round=number, payoff="3 points") for number in (1, 2)]
    assert [ann.text.count(one) for one in told] in ([1, 0], [0, 1])


def test_the_best_match_is_paid(new) -> None:
    ann, ended = studied(new, POINTS, ("partial = true", 'partial = true\npays = "best"'), repetitions=2)
    assert all(phrase("study.end_best_one", worth=worth("6 points", "EUR 0.60")) in text for text in ended)
    assert (ann.kept.bonus_cents, ann.text.count(phrase("study.paid_best", payoff="6 points"))) == (60, 1)


def test_rule_and_example_stand_on_the_first_page(tmp_path: Path) -> None:
    """With 10 cents a point, from EUR 0.25 to EUR 1.50: 10 points are EUR 1.00, nearest to the middle."""
    partial = "partial = true"
    for pays, count, said in (
        ("", 0, "study.pays_all"),
        ("random", 1, "study.pays_random_one"),
        ("random", 2, "study.pays_random"),
        ("best", 1, "study.pays_best_one"),
        ("best", 2, "study.pays_best"),
        ("round", 0, "study.pays_round"),
    ):
        line = f'\npays = "{pays}"' if pays else ""
        line += f"\nmatches = {count}" if count else ""
        text = file_of(arms=PROGRAM, participants=1, repetitions=3).replace(partial, partial + line)
        told = told_of_pay(study_in(tmp_path, text.replace(*POINTS)))
        assert phrase("study.pay_currency", points="points", worth="1 point", rate="EUR 0.10") in told
        assert phrase(said, count=count) in told, said
        example = said.replace("pays", "example")
        assert any(phrase(example, payoff="10 points", money="EUR 1.00", count=count) in one for one in told), example
        assert any(phrase("study.example_total", total="EUR 3.00") in one for one in told)


def test_payoffs_in_the_tables_have_no_binary_fractions(new) -> None:
    """Three times 0.1, summed in binary, is 0.30000000000000004."""
    table = "rounds = 2\npayoffs = [[[0.05, 0.05], [0.05, 0.05]], [[0.05, 0.05], [0.05, 0.05]]]"
    ann, _ended = studied(new, ("rounds = 2", table), repetitions=3)
    (row,) = participants(export_study(ann.lab.folder / "pilot", ann.lab.folder / "out.zip").path)
    assert row["payoff"] == "0.3"


MONEY_GAMES = [name for name in econzoo.games() if econzoo.game(name).facts.money]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_no_text_of_a_game_says_dollars_where_they_are_points(lang: str) -> None:
    for name in MONEY_GAMES:
        told = load_templates(
            econzoo.game(name).package, with_points(load_texts(lang), name, "ducats").match_options(name)["prompts"]
        )
        assert [text for text in told.values() if "$" in text or "ollar" in text] == [], name
    assert with_points(load_texts(lang), "matrix", "ducats") is load_texts(lang), "it has no dollars"


def test_a_text_in_points() -> None:
    for text, told in (
        ("You get ${gain}, a loss of -${loss}.", "You get {gain} points, a loss of -{loss} points."),
        ("A dollar is worth $1 now, $0.90 later.", "A point is worth 1 point now, 0.90 points later."),
        ("Dollars that you keep", "Points that you keep"),
        ("{gain} apples", "{gain} apples"),
    ):
        assert replace_dollars(text, "points") == told
    amounts = [format_points("points", one).replace(NBSP, " ") for one in (1.0, 0.5, 4446.43, -2)]
    assert amounts == ["1 point", "0.50 points", "4,446.43 points", "-2 points"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a point is worth 1 points to you", "a point is worth 1 point to you"),
        ("worth 11 points, 0.1 points, 1.1 points", "worth 11 points, 0.1 points, 1.1 points"),
        ("1 pointsman", "1 pointsman"),
    ],
)
def test_one_of_the_points_is_called_so(text: str, told: str) -> None:
    assert singularize(text, "points") == told
    assert singularize(text, "") == text


MONEY = """
name = "money"
game = "{game}"
[[arms]]
name = "program"
seats = {seats}
[matching]
participants = 1
[words]
consent = "x"
debriefing = "y"
kept = "z"
[payment]
currency = "ducats"
paid_in = "USD"
fee = 1.0
rate = 0.001
cap = 1.0
"""


@pytest.mark.parametrize("game", MONEY_GAMES)
def test_a_study_in_points_has_no_dollars_on_any_page_and_replays(new, game: str) -> None:
    seats = ["person", *["random"] * (econzoo.game(game).facts.seats - 1)]
    lab = new(text=MONEY.format(game=game, seats=json.dumps(seats)))
    ann = lab.guest("ann").agree().send("instructions", {})
    for number in range(200):
        if '<h2 id="end">' in ann.see().text:
            break
        if ann.page.move_forms:
            ann.move(number)
    assert phrase("study.match_over", match=1, matches=1) in ann.text
    ann.next().finish()
    for text in ann.received:
        assert "$" not in text
        assert "dollar" not in text.lower()
    assert "ducats = " in ann.text
    (line,) = lab.store.record_lines()
    assert replay(Record.from_json(line)) == []


# -- lists of payments -----------------------------------------------------------------------------------------------


def test_laboratories_have_fee_bonus_and_total_of_everybody_who_is_paid(new) -> None:
    ann, _ended = studied(new, POINTS)
    lab = ann.lab
    lab.guest("ben")
    lab.store.approve(ann.kept)
    out = export_study(lab.folder / "pilot", lab.folder / "out.zip", identified=True).path
    (row,) = participants(out, "payouts")
    assert row == {
        **{"participant": "1", "id": "ann", "label": "ann", "fee": "2.00", "bonus": "0.60", "total": "2.60"},
        **{"currency": "EUR", "approved": "1"},
    }
    with zipfile.ZipFile(out) as archive:
        assert archive.read("payments.csv").decode().split() == ["ann,0.60"]  # Prolific's form: the bonus alone


# -- ends ------------------------------------------------------------------------------------------------------------

BACK = "https://app.prolific.com/submissions/complete?cc={code}"
ENDS = "".join(
    f'[ends.{end}]\nurl = "{BACK}"\ncode = "{end.upper()}"\n'
    for end in ("completed", "screened_out", "no_consent", "full", "withdrawn", "timed_out")
)


def test_every_end_shows_its_own_link_and_code(new) -> None:
    lab = new(text=file_of(arms=PROGRAM, participants=1) + ENDS)
    lost = lab.guest("ben").agree().read("elm").read("elm")
    failed = lab.guest("cem").agree().read().answer("the weather").answer("the weather")
    refused, ann = lab.guest("dan").send("consent", {"consent": "no"}), lab.ready("ann")
    lab.settle()
    play(ann)
    ann.next().tell().finish()
    ends = [(lost, "SCREENED_OUT"), (failed, "SCREENED_OUT"), (refused, "NO_CONSENT"), (ann, "COMPLETED")]
    ends += [(lab.guest("eve"), "FULL")]
    for guest, code in ends:
        links = [given["href"] for tag, given in guest.see().page.elements if tag == "a"]
        assert BACK.replace("{code}", code) in links, code
        assert f'data-testid="code">{code}<' in guest.text
    assert phrase("study.title_no_consent") in refused.text
    rows = participants(export_study(lab.folder / "pilot", lab.folder / "out.zip").path)
    assert [row["end"] for row in rows] == [code.lower() for _, code in ends]


def test_who_withdraws_or_waits_in_vain_has_ends_of_their_own(new, monkeypatch) -> None:
    lab = new(text=file_of(participants=4) + ENDS)
    ann = lab.ready("ann")
    monkeypatch.setattr(lab.course.seating, "current_seconds", lambda: 10_000.0)
    lab.settle()
    while ann.see().where not in ("debriefing", "done"):
        ann.tell()
    assert BACK.replace("{code}", "TIMED_OUT") in ann.finish().text
    assert BACK.replace("{code}", "WITHDRAWN") in lab.ready("ben").leave().text
    rows = participants(export_study(lab.folder / "pilot", lab.folder / "out.zip").path)
    assert [row["end"] for row in rows] == ["timed_out", "withdrawn"]


def test_who_is_excluded_by_the_operator_has_no_link(new) -> None:
    lab = new(text=file_of() + ENDS)
    ann = lab.ready("ann")
    lab.course.exclude(ann.kept, "came twice")
    assert 'data-testid="code"' not in ann.see().text
