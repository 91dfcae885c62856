"""The command: which items, which players, going on, and what it writes."""

from __future__ import annotations

import csv
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from econzoo.__main__ import main
from econzoo.envs.games.code_reading.items import set_members
from econzoo.evaluate.analyses.sparc.answers import Answer, answers, split_prompt
from econzoo.evaluate.analyses.sparc.page import MEASURES
from econzoo.evaluate.run import read_records
from econzoo.evaluate.suites.sparc.benchmark import add_prompt, benchmark_design, select_items
from refusals import refuses, says

FEW = [word for name in ("TitForTat", "Grudger", "Defector", "ALLCorALLD") for word in ("--settings", name)]


def command(*words: str, code: int = 0) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words] if words[0] == "analyze" else ["run", "sparc", *words])
    assert (ended.value.code or 0) == code


def answered(folder: Path) -> list[Answer]:
    return answers(read_records(folder))


def test_a_prompt_that_nobody_would_read_is_refused(tmp_path, capsys):
    for players in [[], ["first-move"]]:
        command(*players, "--prompts", "chain-of-thought", "--out", str(tmp_path), *FEW, code=1)
        says(capsys.readouterr().err, "--prompts", "hf:")
        assert not list(tmp_path.iterdir()), players


def test_a_subset_is_by_name():
    assert [one.name for one in select_items(["TitForTat"])] == ["TitForTat"]
    assert len(select_items(["held-out"])) == len(set_members("held-out"))
    with refuses(ValueError, "'191'"):
        select_items(["191"])


def test_a_prompt_is_an_option_of_language_models():
    for spec in ["hf:tiny", "hf:tiny?temperature=0"]:
        asked = add_prompt(spec, "chain-of-thought")
        assert asked.startswith(spec), spec
        assert asked.endswith("reasoning=cot"), spec
        assert split_prompt(asked) == (spec, "chain-of-thought"), spec
        assert add_prompt(spec, "zero-shot") == spec, spec
        assert add_prompt("static", "chain-of-thought") == "static", spec
        with refuses(ValueError, "prompt='few-shot'"):
            add_prompt(spec, "few-shot")


def test_baselines_play_beside_everybody():
    assert {"constant", "first-move", "static"} <= set(benchmark_design(["random"]).players)
    assert len(benchmark_design(["random"], with_baselines=False)) == len(set_members("all"))


def test_the_command_writes_tables_and_goes_on(tmp_path, capsys):
    place = ["--out", str(tmp_path), "--no-baselines"]
    command("static", *FEW, "--shard", "0/2", *place)
    first = len(answered(tmp_path))
    command("static", "constant", *FEW, *place)
    told = capsys.readouterr().out.rpartition("all items")[2]
    assert first < len(answered(tmp_path)) == 8
    command("analyze", str(tmp_path), "sparc", "--format", "csv")
    rows = list(csv.DictReader((tmp_path / "sparc" / "scores.csv").open(encoding="utf-8")))
    accuracy = {row["player"]: row["mean"] for row in rows if row["measure"] == "accuracy" and row["items"] == "all"}
    assert accuracy == {"static": "1.0", "constant": "0.75"}
    assert "static" in (tmp_path / "sparc.html").read_text(encoding="utf-8")
    assert "strict" in told
    assert told.count("F1: F1 score of yes") == 1, "a legend is said once, not below every table"


def test_json_has_every_measure(tmp_path, capsys):
    command("static", *FEW, "--json", "--no-baselines", "--out", str(tmp_path))
    found = json.loads(capsys.readouterr().out)
    assert {one["items"] for one in found["scores"]} == {"all", "deterministic", "stochastic"}
    assert {one["measure"] for one in found["scores"]} == set(MEASURES)
    assert [one["probability"] for one in found["answers"]].count(None) == 0


@pytest.mark.skipif(find_spec("axelrod") is None, reason="the text that it replies to comes from Axelrod")
def test_a_reply_that_cannot_be_used_is_a_failed_answer(tmp_path):
    command("mock('no idea')", "--settings", "Defector", "--no-baselines", "--out", str(tmp_path))
    assert [one.probability for one in answered(tmp_path)] == [None]


@pytest.mark.models
@pytest.mark.skipif(find_spec("axelrod") is None, reason="the text comes from Axelrod")
@pytest.mark.long
def test_an_answer_to_a_question_that_was_cut_has_failed(tmp_path, capsys):
    """The tiny model reads 200 tokens: it answers, but not to the whole program."""
    from lm_world import build_tiny, write_records

    pytest.importorskip("transformers")
    tiny = build_tiny(tmp_path / "tiny", write_records(tmp_path / "r.jsonl", [["random", "random"]], 1), context=4096)
    asked = ["--settings", "Defector", "--no-baselines", "--out"]
    command(f"hf:{tiny}?context=200&max_new_tokens=24", *asked, str(tmp_path / "cut"))
    assert [(one.probability, one.cut) for one in answered(tmp_path / "cut")] == [(None, True)]
    says(" ".join(capsys.readouterr().out.split()), "1 of 1 failed answers")
    command(f"hf:{tiny}?max_new_tokens=24", *asked, str(tmp_path / "whole"))
    assert [one.cut for one in answered(tmp_path / "whole")] == [False]


def test_bad_input_ends_in_one_line(tmp_path, capsys):
    for words, named in [
        (["--variants", "secret"], ("variants=['secret']",)),
        (["--settings", "TitForTit"], ("'TitForTit'", "'TitForTat'")),
        (["nobody"], ("nobody",)),
        (["-p", "items=all"], ("-p items", "answers")),
        (["-p", "answers=maybe"], ("answers='maybe'",)),
        (["--opponents", "static"], ("--opponents", "sparc")),
    ]:
        command(*words, "--out", str(tmp_path), code=1)
        line = capsys.readouterr().err.strip()
        says(line, *named)
        assert "\n" not in line, words
