"""Actor by opponent: on the terminal, in the files, on the page, and as judges see it."""

from __future__ import annotations

import csv
import json

import pytest
from program_sources import CLIQUE, COOPERATE, DEFECT

from econzoo.baselines.models.mock_chat import FunctionChat
from econzoo.evaluate.analyses.programs.classifying import Classifier
from econzoo.evaluate.analyses.programs.files import written, written_strategies
from econzoo.evaluate.analyses.programs.measured import measured
from econzoo.evaluate.analyses.programs.opponents import COLUMNS, NARROW, heat_maps, pairs_table
from econzoo.evaluate.analyses.programs.page import page
from econzoo.evaluate.analyses.programs.strategy_tables import strategy_charts, strategy_tables
from econzoo.evaluate.commands.programs import shown, strategies_of

for library in ("radon", "pandas", "matplotlib"):
    pytest.importorskip(library)

GAME = "program_matrix"
KIND, SLY = (f"mock:*?reasoning=author(2)&objective={aim}" for aim in ("cooperative", "deceptive"))


@pytest.fixture
def found(by_hand):
    """Two types that meet each other and themselves, with payoffs of the prisoner's dilemma by hand."""
    first = (COOPERATE, COOPERATE, "CC", "CC", (6.0, 6.0))
    made = []
    for players, second in (
        ((KIND, SLY), (COOPERATE, DEFECT, "CC", "DD", (0.0, 10.0))),
        ((KIND, KIND), (CLIQUE, CLIQUE, "CC", "CC", (6.0, 6.0))),
        ((SLY, SLY), (DEFECT, DEFECT, "DD", "DD", (2.0, 2.0))),
    ):
        record = by_hand([first, second], len(made))
        record.players = list(players)
        made.append(record)
    return measured(made)


def test_the_table_has_the_objective_and_one_row_for_each_pair(found):
    table = pairs_table(found, GAME)
    assert table.heads[:4] == ["player", "objective", "against", "payoff"]
    # (3 + 0) / 2, (3 + 5) / 2 - of a turn, over both meta-rounds; the like of each: 3, and (3 + 1) / 2.
    assert [(row[1], row[3], row[5]) for row in table.rows] == [
        ("cooperative", "3.00", "100%"),
        ("cooperative", "1.50", "100%"),
        ("deceptive", "4.00", "50%"),
        ("deceptive", "2.00", "50%"),
    ]


def test_a_terminal_shows_the_first_pairs_and_fewer_measures(found):
    table = pairs_table(found, GAME, 3)
    assert len(table.rows) == 3
    assert "The first 3 of 4 pairs" in table.note
    assert len(table.heads) < len(pairs_table(found, GAME).heads)
    assert set(NARROW) < set(COLUMNS)


def test_heat_maps_have_a_cell_for_each_pair(found):
    (title, figure), *_ = heat_maps(found, GAME)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert title == "payoff per turn"
    assert texts == ["3.00", "1.50", "4.00", "2.00"]


def test_files_say_what_each_player_is_after(found, tmp_path):
    written(found, tmp_path)
    with (tmp_path / "programs_means.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["measure"] == "payoff" and row["round"] == "0"]
    told = {(row["objective"], row["opponent_objective"]): row["value"] for row in rows}
    assert told == {
        ("cooperative", ""): "2.5",  # against all
        ("cooperative", "cooperative"): "3.0",
        ("cooperative", "deceptive"): "1.5",
        ("deceptive", ""): "2.6666666666666665",
        ("deceptive", "cooperative"): "4.0",
        ("deceptive", "deceptive"): "2.0",
        ("", ""): "2.5833333333333335",  # all
    }


def test_judges_by_actor_and_opponent(found, tmp_path):
    """A judge that calls every defector a feint: the deceptive type alone, whomever it meets."""

    def reply(talk, schema, seed):
        own = talk[-1]["content"].split("round before")[0]
        return json.dumps({"category": "feint" if 'return "D"' in own else "counter_measure", "reason": "So."})

    judged = strategies_of(found, [Classifier("mock:one", FunctionChat(reply))], 0, tmp_path / "labels.jsonl", 1)
    _, by_opponent = strategy_tables(judged)
    assert [row[2:] for row in by_opponent.rows] == [
        ["0%", "0%", "100%", "0%", "0%", "2"],
        ["0%", "0%", "100%", "0%", "0%", "1"],
        ["0%", "0%", "0%", "0%", "100%", "1"],
        ["0%", "0%", "0%", "0%", "100%", "2"],
    ]
    (chart,) = strategy_charts(judged)
    labels = [label.get_text() for label in chart.figure.axes[0].get_yticklabels()]
    assert len(labels) == 4
    text = written_strategies(judged, found.specs, tmp_path).read_text(encoding="utf-8").splitlines()
    assert text[0].startswith("judge,category,game,player,objective,opponent,opponent_objective,round,value,low,high")
    assert (
        f"mock:one,feint,{GAME},mock:*?objective=deceptive,deceptive,mock:*?objective=cooperative,cooperative,0,1.0,,,1,0"
        in text
    )


@pytest.mark.usefixtures("blank_figures")
def test_the_page_has_figures_before_tables(found):
    text = page(found, "here", None).text
    assert text.index("Cooperative moves</figcaption>") < text.index("over meta-rounds</h2>") < text.index("<table>")


def test_what_does_not_change_is_no_line_of_the_trends(found):
    trends = next(table for table in shown(found, None) if getattr(table, "title", "") == "Trends")
    assert trends.row_count < 12
