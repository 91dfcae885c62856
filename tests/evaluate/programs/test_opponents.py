"""Actor by opponent: on the terminal, in the files, on the page, and as judges see it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from program_sources import CLIQUE, COOPERATE, DEFECT

from econzoo.baselines.models import FunctionChat
from econzoo.evaluate.analyses.programs import tables
from econzoo.evaluate.analyses.programs.classification import Classifier
from econzoo.evaluate.analyses.programs.figures import heat_maps, strategy_figures
from econzoo.evaluate.analyses.programs.measures import ProgramMeasures, measure
from econzoo.evaluate.analyses.programs.page import ask_judges, programs
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import PAGE, TERMINAL, Divider, Table, csv_of, write_value
from refusals import says

pytestmark = pytest.mark.slow

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
    return measure(made)


def texts(table: Table) -> list[list[str]]:
    """The rows below their headings, as they are shown."""
    rows = [row for row in table.rows if not isinstance(row, Divider)]
    return [[write_value(*pair) for pair in zip(table.columns, row, strict=True)] for row in rows]


def test_the_table_has_the_objective_and_one_row_for_each_pair(found: ProgramMeasures) -> None:
    short, whole = tables.pairs_tables(found, GAME)
    for table in (short, whole):
        assert [row.detail for row in table.rows if isinstance(row, Divider)] == ["cooperative", "deceptive"]
        assert [column.title for column in table.columns[:3]] == ["against", "payoff", "coop."]
        # (3 + 0) / 2, (3 + 5) / 2 - of a turn, over both meta-rounds; the like of each: 3, and (3 + 1) / 2.
        pairs = [("3.00", "100%"), ("1.50", "100%"), ("4.00", "50%"), ("2.00", "50%")]
        assert [(row[1], row[2]) for row in texts(table)] == pairs


def test_play_says_what_each_player_is_after(found: ProgramMeasures) -> None:
    (play,) = [table for table in tables.tables(found, GAME) if table.title == "Play"]
    assert [row[1] for row in play.rows] == ["cooperative", "deceptive", "\u2013"]


def test_a_terminal_shows_the_first_pairs_and_fewer_measures(
    found: ProgramMeasures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_PAIRS", 3)
    short, whole = tables.pairs_tables(found, GAME)
    assert (short.places, whole.places) == ((TERMINAL,), (PAGE,))
    assert (len(texts(short)), len(texts(whole))) == (3, 4)
    says(short.note, "3 of 4")
    assert len(short.columns) < len(whole.columns)


def test_heat_maps_have_a_cell_for_each_pair(found: ProgramMeasures) -> None:
    first, *_ = heat_maps(found, GAME)
    assert first.heading == "payoff per turn"
    assert [text.get_text() for text in first.figure.axes[0].texts] == ["3.00", "1.50", "4.00", "2.00"]


def test_files_say_what_each_player_is_after(found: ProgramMeasures) -> None:
    made = {table.key: table for table in tables.file_tables(found, None)}
    heads, rows = csv_of(made["programs_means"])
    every = [dict(zip(heads, row, strict=True)) for row in rows]
    told = {
        (row["objective"], row["opponent_objective"]): row["value"]
        for row in every
        if row["measure"] == "payoff" and row["round"] == 0
    }
    assert told == {
        ("cooperative", ""): 2.5,  # against all
        ("cooperative", "cooperative"): 3.0,
        ("cooperative", "deceptive"): 1.5,
        ("deceptive", ""): pytest.approx(8 / 3),
        ("deceptive", "cooperative"): 4.0,
        ("deceptive", "deceptive"): 2.0,
        ("", ""): pytest.approx(31 / 12),  # all
    }


def test_judges_by_actor_and_opponent(found: ProgramMeasures, tmp_path: Path) -> None:
    """A judge that calls every defector a feint: the deceptive type alone, whomever it meets."""

    def reply(talk, schema, seed):
        own = talk[-1]["content"].split("round before")[0]
        return json.dumps({"category": "feint" if 'return "D"' in own else "counter_measure", "reason": "So."})

    judged = ask_judges(found, [Classifier("mock:one", FunctionChat(reply))], 0, tmp_path / "labels.jsonl")
    _, by_opponent = tables.strategy_tables(judged)
    assert [row[1:] for row in texts(by_opponent)] == [
        ["0%", "0%", "100%", "0%", "0%", "2"],
        ["0%", "0%", "100%", "0%", "0%", "1"],
        ["0%", "0%", "0%", "0%", "100%", "1"],
        ["0%", "0%", "0%", "0%", "100%", "2"],
    ]
    (chart,) = strategy_figures(judged)
    assert len(chart.figure.axes[0].get_yticklabels()) == 4
    heads, rows = csv_of(tables.file_tables(found, judged)[-1])
    assert heads[:9] == ["judge", "category", "game", "player", "objective", *heads[5:7], "round", "value"]
    assert heads[5:7] == ["opponent", "opponent_objective"]
    kind, sly = (f"mock:*?objective={aim}" for aim in ("cooperative", "deceptive"))
    (row,) = [row for row in rows if row[:7] == ["mock:one", "feint", GAME, sly, "deceptive", kind, "cooperative"]][:1]
    assert (row[7], row[8], row[11:]) == (0, 1.0, [1, 0])
    assert math.isnan(row[9])


@pytest.mark.usefixtures("blank_figures")
def test_the_page_has_figures_before_tables(found: ProgramMeasures) -> None:
    page = programs(Records(found.records)).to_html()
    page = page[page.index("Actor by opponent</h2>") :]
    assert page.index("<figcaption>") < page.index("Means by meta-round</h2>") < page.index("<table>")


def test_what_does_not_change_is_no_line_of_the_trends(found: ProgramMeasures) -> None:
    (trends,) = [table for table in tables.tables(found, GAME) if table.title == "Trends"]
    assert len(texts(trends)) < 12
    assert "measures" in trends.note
