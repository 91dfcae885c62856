"""Replies that were cut, withheld, refused, empty or still thoughts are counted apart, in every table."""

from __future__ import annotations

import json

import pytest

import econzoo
from econzoo.__main__ import main
from econzoo.envs.core.record import Record, RecordFile
from econzoo.envs.core.record.record import Turn
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.judging import evidence
from econzoo.evaluate.analyses.judging.evidence import items_of
from econzoo.evaluate.analyses.summary import summarize
from econzoo.evaluate.run import read_records
from econzoo.evaluate.stats.outcomes import outcome

BID = '{"number": 30}'


def turn(error: str | None = None, **fields: object) -> Turn:
    return Turn(0, 1, "x", None, error=error and [error, "why"], **fields)


def test_an_outcome_is_what_became_of_a_reply_and_not_of_its_move():
    for one, is_a in [
        (turn(), ""),
        (turn("no_json"), ""),
        (turn("cut", finish="length"), "cut"),
        (turn("thinking", finish="length"), "thinking"),
        (turn("thinking"), "thinking"),
        (turn("empty"), "empty"),
        (turn("filtered", finish="content_filter"), "filtered"),
        (turn("refusal", finish="refusal"), "refusal"),
        (turn(finish="length"), "cut"),  # a move stood in it
        (turn(closed_by_grammar=True), "cut"),  # by a grammar
    ]:
        assert outcome(one) == is_a, one


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two matches of two rounds: of five answers one is cut, one withheld and one a thought."""
    path = tmp_path_factory.mktemp("outcomes")
    answers = f"<think>So|no|{BID}|{BID} as I|{BID}"
    spec = f"mock:{answers}?finish=length,content_filter,stop,length,stop"
    for seed in range(2):
        record = econzoo.play("guess_average", [spec, "fixed(50, 0)"], seed=seed, players=2, rounds=2)
        assert [t.error and t.error[0] for t in record.turns if t.seat == 0] == [
            "thinking",
            "filtered",
            None,
            "cut",
            None,
        ]
        RecordFile(path / "records.jsonl").append(record)
    return path


def test_they_are_shares_of_all_answers(folder):
    summary = summarize(read_records(folder))
    model = next(name for name in summary.players if name.startswith("mock"))
    found = {name: one.mean for name, one in summary.overall[model].items() if name.endswith("_rate")}
    wanted = {"error_rate": 0.6, "default_rate": 0.0, "cut_rate": 0.2, "filtered_rate": 0.2, "thinking_rate": 0.2}
    assert found == pytest.approx(wanted), "outcomes that nobody had are no columns"


def test_the_page_and_the_terminal_have_columns_for_those_that_occur(folder):
    text = analyze(folder).to_html()
    for head in ("cut", "filtered", "thinking"):
        assert f'<th scope="col" class="n wrap">{head}</th>' in text
    for head in ("refused", "empty"):
        assert f'<th scope="col" class="n wrap">{head}</th>' not in text


def test_a_tournament_prints_them(tmp_path, capsys):
    spec = f"mock:no|{BID}|{BID}?finish=content_filter,stop,stop"
    settings = ["-p", "players=2", "-p", "rounds=1", "--seeds", "1", "--out"]
    with pytest.raises(SystemExit, match="0"):
        main(["tournament", "guess_average", spec, "fixed(50, 0)", *settings, str(tmp_path / "models")])
    told = capsys.readouterr().out
    assert "filtered" in told
    assert "content filter" in told
    with pytest.raises(SystemExit, match="0"):
        main(["tournament", "guess_average", "mono", "last", *settings, str(tmp_path / "others")])
    assert "filtered" not in capsys.readouterr().out


@pytest.fixture
def reasoned() -> Record:
    record = econzoo.play("guess_average", [f"mock:{BID}", "fixed(50, 0)"], players=2, rounds=1)
    given = json.loads(record.to_json())
    given["turns"][0]["reasoning"] = "Two thirds of <45>."
    return Record.from_json(json.dumps(given))


def test_judges_read_what_a_model_thought_only_if_they_are_asked_to(reasoned):
    for reasoning in (False, True):
        item = items_of([reasoned], "0", reasoning)[0]
        assert ("Thought: Two thirds" in evidence(item.record, item.seat).transcript) == reasoning


def test_the_page_shows_it_beside_the_reply(reasoned, tmp_path):
    RecordFile(tmp_path / "records.jsonl").append(reasoned)
    analyze(tmp_path).write(tmp_path, ())
    text = (tmp_path / "summary" / "matches" / f"{reasoned.id}.html").read_text()
    assert "<summary>reasoning</summary>" in text
    assert "Two thirds of &lt;45&gt;." in text
