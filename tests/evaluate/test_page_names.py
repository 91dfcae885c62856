"""Pages for the names that models have: nobody shares a name, lists stay short, lines break where names do."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from given_commands import command
from matplotlib.figure import Figure

from econzoo.envs.core import game, games
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.judging import Rating, judgements_page, judging_report, load_rubric
from econzoo.evaluate.analyses.regression.observations import format_column
from econzoo.evaluate.analyses.training_exposure import TRAINING
from econzoo.evaluate.run import CURVE, name_setting, no_gains_sentence, play_match
from econzoo.evaluate.show import COUNT, TEXT, Column, Page, Table, agreement_heading, legend, read_template
from econzoo.evaluate.show.page import insert_line_breaks
from refusals import refuses, says

pytestmark = [pytest.mark.usefixtures("blank_figures"), pytest.mark.slow]

MODEL = "openai:Qwen/Qwen3-235B-A22B-Thinking-2507@http://127.0.0.1:9"


def test_models_that_differ_in_an_option_stand_apart_among_who_played():
    record = play_match("bargaining", ["fair", "greedy"])
    records = [replace(record, id=f"m{heat}", players=[f"{MODEL}?temperature=0.{heat}", "fair"]) for heat in (2, 7)]
    key = load_rubric("alympics").dimensions[0].key
    ratings = [Rating(f"{one.id}:0", "ann", key, 3.0, player=one.players[0]) for one in records]
    page = (
        judgements_page(judging_report(ratings, load_rubric("alympics")), "x", "x", records)
        .to_html()
        .replace("<wbr>", "")
    )
    who = page[page.index(">Players<") : page.index("Rubric</h2>")]
    for heat in (2, 7):
        assert f"Qwen3-235B-A22B-Thinking-2507?temperature=0.{heat}</bdi>" in who


def test_lines_of_names_break_behind_signs_and_nothing_becomes_markup():
    assert insert_line_breaks("x?max_tokens=3") == "x?<wbr>max_<wbr>tokens=<wbr>3"
    assert insert_line_breaks("a_<b>&c") == "a_&lt;b&gt;&amp;<wbr>c"
    assert insert_line_breaks("boulware(0.2)") == "boulware(0.2)"


def test_every_column_of_words_keeps_whole_names():
    columns = [Column("player", kind=TEXT), Column("n", kind=COUNT), Column("against", kind=TEXT)]
    page = Page("x", "x", [Table("t", "T", columns, [["fair", 1, "a/model_of_many_parts"]])]).to_html()
    assert 'title="a/model_of_many_parts">a/<wbr>model_<wbr>of_<wbr>many_<wbr>parts</bdi></td>' in page
    assert '<td class="n">1</td>' in page


def test_names_of_columns_stand_upright_only_where_they_have_no_room(tmp_path):
    scripts = ("fair", "spe", "linear", "greedy", "random")
    named = [f"Qwen3-235B-A22B-Thinking-{number}={one}" for number, one in enumerate(scripts)]
    for upright, players in ((False, scripts), (True, named)):
        out = tmp_path / str(upright)
        assert command("tournament", "bargaining", *players, "--seeds", 1, "-p", "horizon=2", "--out", out) == 0
        assert ('<table class="heat many">' in analyze(out).to_html()) == upright


def test_in_print_no_heading_stands_at_the_end_of_a_page():
    texts = [path.read_text() for path in Path(str(files("econzoo.evaluate"))).rglob("templates/*.html")]
    used = {f"h{level}" for text in texts for level in re.findall(r"<h([2-6])", text)}
    paper = read_template("report.css").partition("@media print")[2]
    (kept,) = [rule for rule in paper.splitlines() if "break-after: avoid" in rule]
    assert {"h2", "h3"} <= used <= set(re.findall(r"\bh\d", kept))


TOWN = ("reserve(2)", "need-based", "all-in", "shade", "random")


def test_the_parts_of_an_experiment_are_few_however_many_line_ups(tmp_path):
    line = ("run", "water", *TOWN, "--rotate", "--seeds", 1, "-p", "days=2", "--settings", "scarce", "--no-paper")
    assert command(*line, "--out", tmp_path) == 0
    assert command("analyze", tmp_path, "water", "--no-paper") == 0
    page = (tmp_path / "water.html").read_text()
    nav = page[page.index("<nav") : page.index("</nav>")]
    assert nav.count("<a ") == 4
    assert "reserve" not in nav
    figures = page[page.index(">Figures</h2>") :]
    assert (figures.count("<h3>"), figures.count("<svg")) == (5 + 25, 25)
    assert "<h3>Bids</h3>" in figures
    assert "<h3>" + " / ".join(TOWN) + "</h3>" in figures


def test_legends_name_series_in_the_order_in_which_they_appear():
    figure = Figure(figsize=(5, 3))
    for panel, names in zip(figure.subplots(1, 2), (("Alex", "Bob"), ("Bob", "Cindy")), strict=True):
        for name in names:
            panel.plot([0, 1], label=name)
    legend(figure)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["Alex", "Bob", "Cindy"]


def test_an_agreement_is_told_with_an_article_only_where_there_are_several():
    for name in games():
        facts = game(name).facts
        assert facts.agreement_with_article in {
            *("a deal", "a trade", "a sale", "a right answer"),
            *("mutual cooperation", "full survival", "full contribution"),
        }, name
        assert agreement_heading(facts) in {
            facts.agreement if facts.agreement_with_article == facts.agreement else f"{facts.agreement}s",
            facts.rate,
        }, name


def test_one_of_many_is_told_in_the_singular():
    says(no_gains_sentence(1, 2), "1 of 2", "has")
    says(no_gains_sentence(2, 3), "2 of 3", "have")


def test_columns_of_a_regression_are_told_as_seats_are_called():
    assert [format_column(one) for one in ("alice_self_gain", "buyer_2_player", "delta_1", "seller_value")] == [
        *("Alice's gain", "Buyer 2's player", "delta 1", "seller value")
    ]


def test_markets_have_the_names_of_the_game_also_where_no_plan_lies_beside():
    bargaining = game("bargaining")
    assert name_setting(bargaining, bargaining.params(delta=(0.7, 0.7))[0]) == "impatient"
    assert name_setting(bargaining, {"delta": (0.7, 0.71)}) == "delta=0.7,0.71"
    assert name_setting(game("water_allocation"), {"supply": [15, 25], "persona": True}) == "medium-persona"


def test_a_learning_curve_says_what_was_trained(tmp_path):
    (tmp_path / CURVE).write_text("steps,opponent,reward\n0,calm,0.1\n10,calm,0.4\n")
    pool = ["calm=boulware(0.2)"]
    options = {"game": "bargaining", "opponents": pool, "settings": ["train"], "objective": "self_gain", "steps": 10}
    exposure = {"game": "bargaining", "opponents": pool}
    (tmp_path / TRAINING).write_text(json.dumps({"format": 1, "options": options, "training_exposure": exposure}))
    text = analyze(tmp_path).to_html().replace("<wbr>", "")
    for part in (
        f"bargaining, training in {tmp_path.name}: Two players divide",
        "Concedes little until close to the deadline",
        "self_gain",
    ):
        assert part in text
    (tmp_path / TRAINING).write_text('{"format": 2}')
    with refuses(ValueError, TRAINING, "format 2", "format 1"):
        analyze(tmp_path)
