"""The experiments from the design to the page, with scripted players in short games."""

from __future__ import annotations

import contextlib
import csv
import io
import json

import numpy as np
import pytest

from econzoo.__main__ import main, repeat_options
from econzoo.envs.core import game as find_game
from econzoo.envs.games.water_allocation.scenarios import ALYMPICS
from econzoo.envs.games.water_allocation.scenarios import SETTINGS as NAMED
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.alympics import water_figures
from econzoo.evaluate.analyses.alympics.water_games import SETTINGS, game_from_record, group_by_lineup
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2, minimum_bids
from econzoo.evaluate.run import play_match, read_design, read_folder, run
from econzoo.evaluate.run.design import check_design, write_design
from econzoo.evaluate.suites.alympics import level_design, water_design
from refusals import refuses, says

pytestmark = pytest.mark.slow

FIVE = ["random", "all-in", "shade(0.5)", "need-based", "reserve(2)"]


def told(*arguments, code=0):
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(list(map(str, arguments)))
    assert ended.value.code == code, err.getvalue()
    return out.getvalue() if code == 0 else err.getvalue()


# Plans


def test_the_settings_are_those_of_the_paper_in_its_order():
    params = find_game("water_allocation").params
    assert [params(**NAMED[name])[0] for name in SETTINGS] == [params(**setting)[0] for setting in ALYMPICS]
    assert tuple(row for row in TABLE_2.cells if not row[-1].isdigit()) == SETTINGS


def test_the_published_rates_add_up_to_the_survivors():
    for setting in SETTINGS:
        told = TABLE_2.cells[setting]
        rates = [float(told[name]) for name in ("Alex", "Bob", "Cindy", "David", "Eric")]
        assert sum(rates) == pytest.approx(float(TABLE_2.recounted[setting]["survivors"])), setting


def test_who_sits_where():
    for players, more, lineups in [
        (["random"], {}, [("random",) * 5]),
        (FIVE, {}, [tuple(FIVE)]),
        (["random", "all-in"], {"each": True}, [("random",) * 5, ("all-in",) * 5]),
        (FIVE, {"rotate": True}, [tuple(FIVE[at:] + FIVE[:at]) for at in range(5)]),
        (["random"], {"rotate": True}, [("random",) * 5]),
    ]:
        design = water_design(players, seeds=3, seed=7, **more)
        assert design.seatings() == lineups, (players, more)
        assert design.seeds == (7, 8, 9), (players, more)
        assert len(design) == 6 * 3 * len(lineups), (players, more)


def test_two_players_are_neither_one_nor_five():
    with refuses(ValueError, "players 2", "one", 5):
        water_design(["random", "all-in"])


def test_a_tested_player_meets_four_of_a_kind():
    design = level_design("guess", ["nash"], seeds=2)
    assert design.seatings() == [("nash", *[other] * 4) for other in ("fixed", "last", "mono", "monorand")]
    assert len(level_design("auction", ["random"], ["all-in"], 4, players=3).seatings()[0]) == 3


def test_what_is_unknown_is_said_before_the_first_game(tmp_path):
    for make, named in [
        (lambda: water_design(["random"], settings=["wet"]), ("wet", "default", "scarce")),
        (lambda: water_design(["nobody"]), ("nobody",)),
        (lambda: level_design("guess", ["nash"], ["nobody"]), ("nobody",)),
    ]:
        with refuses(ValueError, *named):
            run(make(), tmp_path / "out")
        assert not (tmp_path / "out").exists(), make


def test_a_folder_may_only_get_more_lineups(tmp_path):
    write_design(water_design(["random"], each=True), tmp_path)
    assert read_design(tmp_path).lineups == (("random",) * 5,)
    check_design(water_design(["random", "all-in"], each=True), tmp_path)
    with refuses(ValueError, "manifest.json", "players", "random"):
        check_design(water_design(["all-in"]), tmp_path)


# Water


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """Two line-ups, two settings, four games of nine days each."""
    folder = tmp_path_factory.mktemp("experiments") / "water"
    design = water_design(["random", "need-based"], 4, settings=["scarce", "plenty-persona"], each=True, days=9)
    run(design, folder, jobs=1)
    return design, folder


def test_all_lineups_and_personas_have_the_same_luck(town):
    design, folder = town
    draws = {}
    for record in read_folder(folder)[0]:
        game = game_from_record(record, design)
        draws.setdefault((game.setting, game.seed), set()).add(game.supplies)
    assert len(draws) == 8
    assert all(len(found) == 1 for found in draws.values())


def numbers(page, *names):
    """Values of indicators by what names a row and indicator; the paper's apart."""
    rows = page.to_dict()["indicators"]
    return {(*(row[name] for name in names), row["indicator"]): row["value"] for row in rows if not row["published"]}


@pytest.mark.long
def test_the_table_says_what_the_payoffs_say(town):
    design, folder = town
    page = analyze(folder, "water", possible=True)
    assert page.facts[0] == "16 matches"
    found = numbers(page, "setting", "lineup")
    assert list(dict.fromkeys(key[:2] for key in found)) == [
        (setting, who) for setting in ("scarce", "plenty-persona") for who in ("random", "need-based")
    ]
    for setting, who in {key[:2] for key in found}:
        records = [r for r in read_folder(folder)[0] if (design.setting_name(r.params), r.players[0]) == (setting, who)]
        payoffs = np.array([record.payoffs for record in records])
        assert found[setting, who, "survivors"] == pytest.approx(payoffs.sum(1).mean())
        assert found[setting, who, "survival_David"] == pytest.approx(payoffs[:, 3].mean())
        assert found[setting, who, "most_survivors"] >= found[setting, who, "survivors"]
        low, high = records[0].params["supply"]
        assert found[setting, who, "rsr_start"] == pytest.approx((low + high) / 2 / 50)


@pytest.mark.long
def test_nine_days_are_not_the_papers_game(town):
    _, folder = town
    assert all(not row["published"] for row in analyze(folder, "water").to_dict()["indicators"])


@pytest.mark.usefixtures("blank_figures")
def test_files_are_written_and_come_out_the_same_again(tmp_path):
    design, folder = (
        water_design(["random", "need-based"], 2, settings=["scarce"], each=True, days=3),
        tmp_path / "town",
    )
    run(design, folder, jobs=1)
    found = analyze(folder, "water", possible=True)
    found.write(tmp_path)
    names = {path.name for path in (tmp_path / "water").iterdir()}
    curves = {
        f"{name}{end}.{form}"
        for name in ("bids", "health", "balances")
        for end in ("", "-2")
        for form in ("pdf", "svg", "png")
    }
    assert curves | {"indicators.csv", "indicators.tex", "days.csv", "minimum-bid.svg", "minimum-bid-2.png"} <= names
    before = (tmp_path / "water" / "indicators.csv").read_bytes()
    analyze(folder, "water", possible=True).write(tmp_path / "again", ["csv"])
    assert (tmp_path / "again" / "water" / "indicators.csv").read_bytes() == before
    assert len((folder / "tables" / "possible.jsonl").read_text().splitlines()) == 2  # two seeds, whoever plays
    with (tmp_path / "water" / "days.csv").open() as file:
        rows = list(csv.DictReader(file))
    answers = sum(len(record.turns) for record in read_folder(folder)[0])
    assert len(rows) == answers
    for row in (row for row in rows if row["place"] != "0"):
        assert float(row["balance"]) == pytest.approx(float(row["budget"]) - float(row["bid"]))


def test_curves_show_the_living_and_the_dead(town):
    design, folder = town
    games = next(iter(group_by_lineup(game_from_record(record, design) for record in read_folder(folder)[0]).values()))
    bids, health = (water_figures.values_by_day(games, value) for value in (water_figures.bid, water_figures.health))
    died = np.array([game.days[-1].died for game in games])
    assert (died > 0).any()
    for at, seat in np.argwhere(died > 0):
        day = died[at, seat]
        assert not np.isnan(bids[at, :day, seat]).any()
        assert np.isnan(bids[at, day:, seat]).all()
        assert (health[at, day - 1 : len(games[at].days), seat] == 0).all()
    served = minimum_bids(games)
    assert np.nanmin(served) >= 0
    figure = water_figures.curves_figure({"scarce": games}, water_figures.bid, "dollars")
    assert {line.get_label() for line in figure.axes[0].lines} >= {"Alex", "Eric", "RSR (right)"}


@pytest.mark.long
def test_a_run_in_parts_ends_like_a_whole_one(town, tmp_path):
    design, folder = town
    for part in range(3):
        run(design, tmp_path, jobs=1, shard=(part, 3))
    lines = (tmp_path / "records-1-of-3.jsonl").read_bytes()
    (tmp_path / "records-1-of-3.jsonl").write_bytes(lines[:-40])  # killed while it wrote its last record
    run(design, tmp_path, jobs=1, shard=(1, 3))
    whole, parts = analyze(folder, "water"), analyze(tmp_path, "water")
    assert parts.facts[0] == "16 matches"
    assert parts.to_dict()["indicators"] == whole.to_dict()["indicators"]


def test_matches_that_did_not_end_are_told_and_not_counted(tmp_path, capsys):
    design = water_design(["random"], 2, settings=["scarce"], days=2)
    run(design, tmp_path, jobs=1)
    lines = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    lines[0]["payoffs"][0] = 7.0
    (tmp_path / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = analyze(tmp_path, "water")
    assert found.facts[0] == "1 match"
    says(found.problems[0], "line 1", "payoffs")
    says(found.to_dict()["problems"][0]["problem"], "line 1", "payoffs")
    found.show()
    says(" ".join(capsys.readouterr().out.split()), "line 1")


@pytest.mark.usefixtures("blank_figures")
def test_the_command_plays_tells_and_shows(tmp_path):
    out = tmp_path / "town"
    arguments = ("run", "water", *FIVE, "--seeds", 1, "--settings", "scarce", "--out", out)
    text = told(*arguments)
    assert "1 of 1" in text
    assert "published" in text
    assert not list(out.glob("*.html"))
    told("analyze", out, "water", "--format", "csv")
    page = (out / "water.html").read_text()
    assert '<em><bdi class="name" title="paper (GPT-4-32k)">' in page
    assert page.count("<svg") == 5
    rows = {row["indicator"]: row for row in analyze(out, "water").to_dict()["indicators"] if row["published"]}
    assert rows["survival_David"]["value"] == 0.7
    assert [rows[name]["recounted"] for name in ("rsr_end", "survivors", "minimum_bid")] == [False, True, True]
    assert not any(row["published"] for row in json.loads(told(*arguments, "--json", "--no-paper"))["indicators"])
    assert "survivors" in told("analyze", out, "water", "--no-paper", "--format", "csv")


# K-level games


@pytest.mark.usefixtures("blank_figures")
def test_win_rates_are_payoffs_over_rounds(tmp_path):
    out = tmp_path / "guess"
    text = told(
        *("run", "guess", "nash", "k-level(2)"),
        *("--opponents", "fixed"),
        *("--opponents", "last"),
        *("--seeds", 3),
        "--out",
        out,
    )
    assert "12 of 12" in text
    rows = numbers(analyze(out, "levels"), "player", "opponent")
    pairs = [(one, other) for one in ("nash", "k-level(2)") for other in ("fixed", "last")]
    assert list(dict.fromkeys(key[:2] for key in rows)) == pairs
    for one, other in pairs:
        records = [r for r in read_folder(out)[0] if (r.players[0], r.players[1]) == (one, other)]
        assert rows[one, other, "win_rate"] == pytest.approx(sum(r.payoffs[0] for r in records) / 30)
        assert (one, other, "prediction_error") not in rows


def test_the_survival_round_counts_the_day_of_death(tmp_path):
    out = tmp_path / "auction"
    design = level_design("auction", ["bid(0)"], ["bid(10)"], 2, days=6)
    run(design, out, jobs=1)
    # Health 8, dry from the first day: 7, 5, 2, -2; dead on day 4.
    rows = numbers(analyze(out, "levels"))
    assert [rows[name,] for name in ("survival_round", "survival_rate", "win_rate")] == [4.0, 0.0, 0.0]


def test_what_is_not_allowed_ends_in_one_line(tmp_path):
    for given, named in (
        (("random", "all-in"), ("players 2", "one", 5, "--each")),
        (("random", "-p", "days=3", "-p", "days=4"), ("--param days", "repeated")),
    ):
        error = told("run", "water", *given, "--out", tmp_path / "x", code=1)
        says(error, "econzoo", *named)
        assert error.count("\n") == 1
    assert not (tmp_path / "x").exists()


# The command line


def test_options_that_may_stand_often_take_several_values():
    for given, read in [
        ("--players a b --out x", "--players a --players b --out x"),
        ("--players a --players b c", "--players a --players b --players c"),
        ("--out x y", "--out x y"),
        ("--players -5 b", "--players -5 --players b"),
        ("-p a=1 b=2 --json", "-p a=1 -p b=2 --json"),
    ]:
        assert repeat_options(given.split(), {"--players", "-p"}) == read.split(), given


# Five at a table


def test_a_tournament_of_five_seats_compares_one_against_four(tmp_path):
    from econzoo.evaluate.analyses.summary import summarize
    from econzoo.evaluate.run import read_records

    run_folder = tmp_path / "tournament"
    told("tournament", "water_allocation", "random", "all-in", "--seeds", 1, "-p", "days=5", "--out", run_folder)
    summary = summarize(read_records(run_folder))
    assert sorted(summary.groups[0].opponents) == ["all-in", "random"]
    told("analyze", run_folder)
    assert "all other seats" in (run_folder / "summary.html").read_text()
    pages = [page.read_text() for page in (run_folder / "summary" / "matches").glob("*.html")]
    assert any("served, place 1" in page for page in pages)


def test_a_story_has_the_names_of_its_own_town():
    from econzoo.evaluate.analyses import frame, story

    town = {"residents": [("Zoe", 3, 10.0), ("Yan", 4, 12.0)], "supply": (3, 7), "days": 3}
    record = play_match("water_allocation", ["all-in", "random"], 1, **town)
    assert [seat["role"] for seat in story(record, "")["seats"]] == ["Zoe", "Yan"]
    assert list(frame([record])["role"]) == ["Zoe", "Yan"]
