"""Several games in one study: each is played by its own rules, in its own seats, and paid at its own rate."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from participant import PEOPLE, PROGRAM, Guest, Lab, file_of, play, study_in
from visitor import phrase

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import replay
from econzoo.people.otree.project import check_for_otree
from econzoo.people.study import Assumptions, Study, block_size, build_plan, example_study, export_study
from econzoo.people.study import has_common_unit, plan_lines, plan_matches, preregistration
from econzoo.people.study.expected_earnings import expected_bonus
from econzoo.people.study.payment import Payment
from econzoo.people.study.study_file import parse_study
from econzoo.people.texts.points import NBSP
from refusals import refuses

ROOT = Path(__file__).parents[2]

ULTIMATUM = """
[[stages]]
kind = "game"
game = "bargaining"
repetitions = 1
rate = 0.0005
[stages.settings]
money = 1000
horizon = 1
"""
TWO = f"""
[[stages]]
kind = "game"
[[stages]]
[[stages.items]]
question = "Half of it?"
{ULTIMATUM}"""
FOUR = """
[[stages]]
kind = "game"
[[stages]]
kind = "game"
game = "public_goods"
[stages.seats]
people = ["person", "person", "person", "person"]
program = ["person", "free-rider", "free-rider", "free-rider"]
"""


def text_of(stages: str = TWO, **given: object) -> str:
    return file_of(**given).replace("[payment]", f"{stages}[payment]")


def told(guest: Guest) -> str:
    """What a page says, with usual spaces."""
    return guest.text.replace(NBSP, " ")


def before_ultimatum(lab: Lab) -> tuple[Guest, Guest]:
    """Two who have cooperated twice, and read the rules of the second game."""
    ann, ben = lab.ready("ann"), lab.ready("ben")
    play(ann, ben)
    for one in (ann, ben):
        one.next().send("survey", {"item.0": "yes"})
    return ann, ben


def share(lab: Lab, ann: Guest, ben: Guest, gain: str = "600") -> tuple[Guest, Guest]:
    """Plays the second game; returns who has proposed, and who has accepted."""
    for one in (ann, ben):
        one.send("survey", {})
    first, second = (ann, ben) if ann.see().page.move_forms else (ben, ann)
    first.move("offer", gain=gain)
    second.see().move("accept")
    return first.see(), second.see()


def end(*guests: Guest) -> None:
    for one in guests:
        one.next().tell().finish()


def test_each_game_is_paid_at_its_rate_to_the_cent(new) -> None:
    lab = new(text=text_of())
    first = lab.guest("ann").agree()
    assert phrase("study.games", count=2) in first.text
    for said in ("Match 1: EUR 0.10 for each point of payoff.", "Match 2: EUR 0.05 for every 100 dollars of payoff."):
        assert said in told(first)
    ann, ben = before_ultimatum(lab)
    for one in (ann, ben):
        assert (one.where, phrase("study.title_rules") in one.text) == ("survey", True)
        assert "$1,000" in told(one), "the rules of the second game"
    proposer, responder = share(lab, ann, ben)
    assert "$600.00 = EUR 0.30" in told(proposer)
    assert "$400.00 = EUR 0.20" in told(responder)
    end(proposer, responder)
    assert [one.kept.bonus_cents for one in (proposer, responder)] == [90, 80], "60 for two rounds of cooperation"
    assert "6.00 = EUR 0.60" in told(proposer)
    assert phrase("study.paid_for", worth="EUR 0.90") in told(proposer), "dollars and points do not add up"


def test_the_best_match_is_the_one_that_is_worth_most(new) -> None:
    text = text_of().replace("partial = true", 'partial = true\npays = "best"')
    lab = new(text=text)
    proposer, responder = share(lab, *before_ultimatum(lab))
    end(proposer, responder)
    assert [one.kept.bonus_cents for one in (proposer, responder)] == [60, 60], "6 points are more than 600 dollars"
    assert phrase("study.worth_best_one") in new(text=text).guest("cid").text


def test_the_export_tells_games_apart(new) -> None:
    lab = new(text=text_of())
    proposer, responder = share(lab, *before_ultimatum(lab))
    end(proposer, responder)
    folder = lab.running.tables.records.path.parent
    with zipfile.ZipFile(export_study(folder, lab.folder / "out.zip").path) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    rows = {name: list(csv.DictReader(io.StringIO(files[f"{name}.csv"]))) for name in ("seats", "arms", "participants")}
    assert [row["game"] for row in rows["seats"]] == ["matrix", "matrix", "bargaining", "bargaining"]
    assert {(row["game"], row["payoff_completed"]) for row in rows["arms"]} == {
        ("matrix", "6.0"),
        ("bargaining", "500.0"),
    }
    assert {row["worth"] for row in rows["participants"]} == {"0.9", "0.8"}
    assert {row["payoff"] + row["paid_payoff"] for row in rows["participants"]} == {""}
    assert files["table.csv"].startswith("planned_match,arm,game,setting,")
    for game, params in (("matrix", {"rounds": 2}), ("bargaining", {"money": 1000.0, "horizon": 1})):
        assert [*json.loads(files[f"settings_{game}.json"]).values()] == [params]
    for row in rows["seats"]:
        assert row["game"] in row["setting"]
    records = read_record_file(lab.running.tables.records.path)
    assert [(one.game, replay(one)) for one in records] == [("matrix", []), ("bargaining", [])]


def test_the_second_game_goes_on_after_the_server_was_killed(new) -> None:
    lab = new(text=text_of())
    paths = [one.path for one in before_ultimatum(lab)]

    def back() -> list[Guest]:
        lab.start_again()
        again = [lab.guest(), lab.guest()]
        for one, path in zip(again, paths, strict=True):
            one.path = path
            one.see()
        return again

    ann, ben = back()
    assert {(one.where, phrase("study.title_rules") in one.text) for one in (ann, ben)} == {("survey", True)}
    ann.send("survey", {}), ben.send("survey", {})
    first = next(one for one in (ann, ben) if one.see().page.move_forms)
    first.move("offer", gain="600")
    ann, ben = back()
    next(one for one in (ann, ben) if one.page.move_forms).move("accept")
    end(ann.see(), ben.see())
    assert sorted(one.kept.bonus_cents or 0 for one in (ann, ben)) == [80, 90]


def test_practice_of_a_game_comes_after_its_rules(new) -> None:
    practice = '[[stages]]\nkind = "practice"\ngame = "bargaining"\nopponent = "fair"\n'
    lab = new(text=text_of(TWO.replace(ULTIMATUM, practice + ULTIMATUM), arms=PROGRAM, participants=1))
    ann = lab.ready("ann")
    play(ann)
    ann.next().send("survey", {"item.0": "yes"})
    assert phrase("study.title_rules") in ann.text
    ann.send("survey", {})
    assert (ann.where, phrase("survey.practice_hint") in ann.text) == ("practice", True)


def test_games_of_different_numbers_of_players(tmp_path: Path) -> None:
    """Pairs of the first game make fours of the second; alone among programs nobody waits for others."""
    for partners, groups in (("partner", 2 + 8), ("random", 1 + 8)):
        study = study_in(tmp_path, text_of(FOUR, arms=PEOPLE + PROGRAM, participants=16, partners=partners))
        assert block_size(study) == 8
        table = plan_matches(study)
        sizes = Counter((one.arm, one.repetition, len(one.places)) for one in table)
        assert sizes == {("people", 0, 2): 4, ("people", 1, 4): 2, ("program", 0, 1): 8, ("program", 1, 1): 8}
        assert len({one.group for one in table}) == groups
        for match in range(2):
            seated = Counter(who for one in table if one.repetition == match for who in one.places)
            assert seated == Counter(range(16)), "everybody plays each of the games once"
        assert {len(one.players) for one in table if study.settings[one.setting].game == "public_goods"} == {4}


def test_strangers_of_one_game_may_be_alone_in_another(tmp_path: Path) -> None:
    stages = TWO.partition("rate =")[0].replace("bargaining", "code_reading") + '[stages.seats]\npeople = ["person"]\n'
    study = study_in(tmp_path, text_of(stages, participants=6, partners="stranger", repetitions=3))
    assert [study.match_sizes(arm) for arm in study.arms] == [[2, 2, 2, 1]]
    met = Counter(frozenset(one.places) for one in plan_matches(study) if len(one.places) == 2)
    assert set(met.values()) == {1}, "nobody meets anybody twice"
    with refuses(ValueError, "people", 2, 4, "strangers"):
        plan_matches(study_in(tmp_path, text_of(FOUR.partition("program =")[0], participants=8, partners="stranger")))


def test_seats_are_balanced_within_each_game(tmp_path: Path) -> None:
    """Who proposed in one game is not by that alone the responder of the other."""
    study = study_in(tmp_path, text_of(participants=80, partners="random"))
    seats: dict[str, dict[int, int]] = {game: {} for game in study.games}
    for one in plan_matches(study):
        seats[study.settings[one.setting].game] |= {who: one.players.index(who) for who in one.places}
    same = sum(seats["matrix"][who] == seats["bargaining"][who] for who in range(80))
    assert 20 < same < 60


def test_a_stage_that_names_the_usual_game_changes_nothing(tmp_path: Path) -> None:
    plain = study_in(tmp_path)
    named = study_in(tmp_path, text_of('[[stages]]\nkind = "game"\ngame = "matrix"\n'))
    assert plan_matches(plain) == plan_matches(named)
    assert (plain.settings, has_common_unit(plain)) == (named.settings, True)


def test_rates_of_one_game_may_differ(tmp_path: Path) -> None:
    game = '[[stages]]\nkind = "game"\n'
    study = study_in(tmp_path, text_of(f"{game}{game}rate = 0.2\n"))
    assert [study.rate(one.setting) for one in plan_matches(study)] == [0.1, 0.2]
    assert (study.games, has_common_unit(study)) == (("matrix",), False)
    alike = study_in(tmp_path, text_of(f"{game}{game}rate = 0.1\n"))
    assert has_common_unit(alike)


def planned(tmp_path: Path) -> Study:
    text = text_of(arms=PEOPLE + PROGRAM.replace('"tit-for-tat"', '"random"'), participants=16)
    return study_in(tmp_path, text)


def test_the_plan_keeps_games_apart(tmp_path: Path) -> None:
    study = planned(tmp_path)
    plan = build_plan(study, Assumptions())
    assert [(one.game, len(one.between_groups)) for one in plan.effects] == [("matrix", 1), ("bargaining", 1)]
    for one in plan.effects:
        assert [contrast.sizes for contrast, _ in one.between_groups] == [((2,) * 4, (1,) * 8)], (
            "the matches of one game"
        )
    assert sum("bargaining: people vs. program" in line for line in plan_lines(plan)) == 1
    registered = preregistration(plan)
    for said in ("1 match of matrix", "1 match of bargaining", "0.0005 EUR in bargaining", "0.1 EUR in matrix"):
        assert said in registered, said
    for known in (Assumptions(payoff=3.0), Assumptions(deviation=2.0)):
        with refuses(ValueError, "several games", "--records"):
            build_plan(study, known)


def test_the_expected_bonus_adds_games_at_their_rates() -> None:
    pools, rates = [[[6.0]], [[600.0]]], {0: 0.1, 1: 0.0005}
    for pays, cents in (("all", 90), ("best", 60), ("random", 45)):
        payment = Payment(fee=1.0, rate=0.1, cap=100.0, pays=pays)
        assert expected_bonus(pools, payment, rates) == pytest.approx(cents, abs=1.5 if pays == "random" else 0), pays


def test_what_does_not_fit_all_games_is_refused(tmp_path: Path) -> None:
    other = '[[stages]]\nkind = "game"\ngame = "bargaining"\n'
    practice = '[[stages]]\nkind = "practice"\nopponent = "random"\ngame = "negotiation"\n'
    gradual = PROGRAM.replace("tit-for-tat", "gradual")
    for stages, given, *named in (
        ('[[stages]]\nkind = "game"\ngame = "poker"\n', {}, "stages[1].game", "poker", "bargaining"),
        (f"{other}[stages.settings]\nrounds = 2\n", {}, "rounds", "bargaining", "money"),
        (other, {"arms": gradual, "participants": 1}, "arms[1].seats", "gradual", "bargaining"),
        (f"{other}rate = -1\n", {}, "stages[1].rate", -1),
        (f'{other}[stages.seats]\nothers = ["person"]\n', {}, "stages[1].seats.others", "people"),
        (f'{other}[stages.seats]\npeople = ["fair", "fair"]\n', {}, "stages[1].seats.people", '"person"'),
        (f'{other}[stages.seats]\npeople = ["person"]\n', {}, "stages[1].seats.people", 2),
        (f'{other}[stages.seats]\npeople = ["person", "gradual"]\n', {}, "seats.people", "gradual", "bargaining"),
        (other.replace("bargaining", "public_goods"), {}, "arms[1].seats", 4),
        (practice + other, {}, "negotiation", "bargaining"),
        (TWO, {"alone": "gradual"}, "time.alone", "gradual", "bargaining"),
        (TWO, {"leaving": "gradual"}, "leaving.policy", "gradual", "bargaining"),
    ):
        with refuses(ValueError, *named):
            study_in(tmp_path, text_of(stages, **given))
    with refuses(ValueError, "pays", "bargaining", "round"):
        study_in(tmp_path, text_of().replace("partial = true", 'partial = true\npays = "round"'))
    with refuses(ValueError, "stages", "oTree", "oTree", "stages"):
        check_for_otree(study_in(tmp_path, text_of()))


def test_the_example_of_the_documentation() -> None:
    """The stages that the page shows, in a file that `study init` has written."""
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8").partition("### Several games")[2]
    stages = page.partition("```toml\n")[2].partition("```")[0]
    usual = example_study("bargaining", "two_games.toml").replace('partners = "stranger"', 'partners = "random"')
    study = parse_study(f"{usual}\n{stages}", Path("two_games.toml"))
    assert study.games == ("bargaining", "public_goods")
    assert [study.match_sizes(arm) for arm in study.arms] == [[2, 2, 2, 4], [1, 1, 1, 1]]
    assert [study.introduces_game(number) for number in range(3)] == [False, False, True]
    assert not has_common_unit(study)
    assert len(plan_matches(study)) == 3 * (6 + 12) + 3 + 12
