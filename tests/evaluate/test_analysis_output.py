"""What the analysis ``regression`` writes and says, on records with planted effects and difficult names."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from blank import make_blank
from planted import add, grid, noise, observed, record, write
from test_report import Page

from econzoo.__main__ import main
from econzoo.envs.core.contract import clean
from econzoo.evaluate.analyses.regression import page, prediction, regression_study
from econzoo.evaluate.analyses.regression.features import features
from econzoo.evaluate.analyses.regression.page import largest_effects
from econzoo.evaluate.analyses.regression.prediction import predictors, scores
from econzoo.evaluate.analyses.regression.regression import POINT, fit
from econzoo.evaluate.show import figures, write_value
from econzoo.evaluate.show.escapes import escape_latex
from refusals import says

EVIL = "</bdi><script>alert(1)</script> 50% & \\input{x} [a] \u202e_^~"
NAMES = ("ann", EVIL, "hf:org/model / two")
WORTH = dict(zip(NAMES, (0.1, 0.3, 0.2), strict=True))
COLUMNS = (
    "family,metric,parameter,value,effect,ci_low,ci_high,ci_low_clustered,ci_high_clustered,n,baseline,over,freedom,clear,"
    "caution"
)


def bargaining():
    """Bob gains 0.05 more with messages, and what the player is worth; Alice gets the rest."""
    markets = product((True, False), (0.8, 0.9), (12, None), (100.0, 10_000.0))
    for number, (messages, delta, horizon, money) in enumerate(markets):
        for a, b in product(NAMES, NAMES):
            bob = 0.4 + 0.05 * messages + WORTH[b] - 0.5 * WORTH[a]
            market = {"messages": messages, "delta": (delta, 0.9), "horizon": horizon, "money": money}
            yield record("bargaining", [a, b], number, (1 - bob, bob), **market)


def persuasion():
    for number, (prior, buyer) in enumerate(product((1 / 3, 0.5, 0.8), ("myopic", "long-living"))):
        efficiency = math.nan if number == 0 else prior
        yield record("persuasion", ["ann", "bea"], number, (0.5, -0.1), efficiency, 0.5, prior=prior, buyer=buyer)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two families in two folders, and a line that is no record."""
    place = tmp_path_factory.mktemp("records")
    write(place / "one", bargaining())
    write(place / "two", persuasion())
    with (place / "two" / "records.jsonl").open("a") as file:
        file.write("{<b>no record\n")
    return place


def command(folder, *options, code=0):
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended, contextlib.redirect_stdout(out):
        main(["analyze", str(folder), "regression", *map(str, options)])
    assert ended.value.code == code, out.getvalue()
    return out.getvalue()


@pytest.fixture(scope="module")
def told(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setattr(prediction, "TREES", 5)
        make_blank(patch, "bargaining_bob_self_gain_pairs.png", "bargaining_parameters.svg")
        return command(folder, "--splits", 2)


@pytest.fixture
def without_figures(monkeypatch, blank_figures):
    """Where figures are not looked at, they need not be drawn."""
    monkeypatch.setattr(page, "effects_figure", lambda *arguments: None)
    monkeypatch.setattr(page, "heat_figure", lambda *arguments: figures.axes(1.0)[0])


def rows(folder, name):
    with (folder / "regression" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("told")
def test_the_effects_are_in_the_csv(folder):
    text = (folder / "regression" / "effects.csv").read_text()
    assert text.splitlines()[0] == COLUMNS
    found = {(r["family"], r["metric"], r["parameter"], r["value"]): r for r in rows(folder, "effects")}
    evil = found["bargaining", "bob_self_gain", "bob_player", clean(EVIL)]
    assert float(evil["effect"]) == pytest.approx(0.2, abs=1e-9)
    assert (evil["baseline"], evil["n"]) == ("ann", str(16 * 3))
    talk = found["bargaining", "bob_self_gain", "setting", "CI=true, MA=true, T=inf"]
    assert float(talk["effect"]) == pytest.approx(0.05, abs=1e-9)
    assert talk["baseline"] == "CI=true, MA=false, T=inf"
    assert ("persuasion", "fairness", "prior", "0.8") in found


@pytest.mark.usefixtures("told")
def test_all_files_are_there(folder):
    here = folder / "regression"
    assert len(rows(folder, "observations_bargaining")) == 16 * 9
    assert len(rows(folder, "fits")) == 8
    assert {row["metric"] for row in rows(folder, "pairs") if row["n"] == "16"} >= {"fairness", "bob_self_gain"}
    assert (here / "table_players_bargaining.tex").is_file()
    assert (here / "bargaining_bob_self_gain_pairs.png").read_bytes().startswith(b"\x89PNG")
    assert (here / "bargaining_parameters.svg").stat().st_size > 5000
    (undefined,) = [r for r in rows(folder, "fits") if (r["family"], r["metric"]) == ("persuasion", "efficiency")]
    assert (undefined["n"], undefined["dropped"]) == ("5", "1")


@pytest.mark.usefixtures("told")
def test_the_best_player_is_the_equilibrium(folder):
    found = [row for row in rows(folder, "equilibria") if row["family"] == "bargaining"]
    # Bob gains most with EVIL whatever Alice does; Alice loses least with EVIL too.
    # Markets shift all gains alike, so nothing says how sure that is.
    assert [(row["seat"], row["player"], row["kind"], row["clear"]) for row in found] == [
        ("alice", clean(EVIL), "pure", ""),
        ("bob", clean(EVIL), "pure", ""),
    ]


@pytest.mark.usefixtures("told")
def test_the_page_is_whole_harmless_and_alone(folder):
    text = (folder / "regression.html").read_text(encoding="utf-8")
    read = Page(text)
    assert not {"script", "img", "iframe"} & set(read.tags)
    assert "\u202e" not in text
    assert not re.search(r"(src|href)=\"(?!#|data:image/png;)", text)
    assert {"h2", "table", "figure", "svg"} <= set(read.tags)
    says("".join(read.text), "efficiency in 1")
    assert len(read.ids) == len(set(read.ids))
    assert "<b>no record" not in text


@pytest.mark.usefixtures("told")
def test_latex_rows_have_a_cell_for_every_metric(folder):
    text = (folder / "regression" / "table_players_bargaining.tex").read_text(encoding="utf-8")
    body = [line for line in text.splitlines() if line.endswith("\\\\") and "multicolumn" not in line]
    assert len(body) > 4
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {5}
    assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    assert "\\begin{tabular}{lrrrrr}" in text
    assert "baseline ann" in text
    assert "$+20.0$" in text


def test_latex_prints_any_name():
    assert escape_latex("a_b & 50% $x #1 {y}") == r"a\_b \& 50\% \$x \#1 \{y\}"
    assert escape_latex("[x]") == "{[}x{]}"
    assert escape_latex("\\~^<") == r"\textbackslash{}\textasciitilde{}\textasciicircum{}\textless{}"


def test_the_terminal_is_80_wide_and_says_it_all(told, folder):
    assert max(len(line) for line in told.partition("Page:")[0].splitlines()) <= 80
    flat = " ".join(told.split())
    says(flat, "144 matches", "16 configurations", "efficiency in 1", "equilibrium", "line 7")
    assert str(folder / "regression.html") in told
    assert "\u202e" not in told
    says(flat, "baseline ann", "+20.0")


@pytest.mark.usefixtures("without_figures")
def test_json_is_json(folder, tmp_path):
    given = json.loads(command(folder, "--splits", 0, "--json", "--pairs", "--out", tmp_path))
    assert set(given) == {"effects", "fits", "pairs", "equilibria", "prediction", "problems"}
    assert {one["family"] for one in given["fits"]} == {"bargaining", "persuasion"}
    assert {one["parameter"] for one in given["effects"] if one["family"] == "bargaining"} >= {"pair", "setting"}
    assert [one["clear"] for one in given["equilibria"] if one["family"] == "persuasion"] == [None, None]
    assert not (tmp_path / "records.jsonl").exists()


def test_wrong_options_are_named(folder, tmp_path, capsys):
    for options, named in [
        (["--features", "some"], ("regression", "features='some'", "all")),
        (["--baseline-player", "nobody"], ("'nobody'", "ann")),
    ]:
        command(folder, *options, "--out", tmp_path / "x", code=1)
        says(capsys.readouterr().err, *named)
        assert not (tmp_path / "x").exists(), options


@pytest.mark.parametrize("kind", ["same", "unlike", "none"])
@pytest.mark.usefixtures("without_figures")
def test_repeats_of_an_id_are_told(tmp_path, kind):
    """Three matches, then two lines with ids that are taken: of the same results, or of others."""
    first = [record("bargaining", ["ann", "ann"], seed, (0.5, 0.5)) for seed in range(3)]
    more = [record("bargaining", ["ann", "ann"], seed, (0.5, 0.5 if kind == "same" else 0.4)) for seed in (0, 1)]
    more[0].seconds = 9.0
    write(tmp_path, first + (more if kind != "none" else []))
    told = " ".join(command(tmp_path, "--splits", 0).split())
    says(told, "3 matches", "1 configuration")
    assert ("(same match id): 2." in told) == (kind != "none")
    assert ("different moves" in told) == (kind == "unlike")
    page_text = (tmp_path / "regression.html").read_text(encoding="utf-8")
    assert ("(same match id): 2." in page_text) == (kind != "none")


@pytest.mark.usefixtures("without_figures")
def test_merged_parameters_can_be_told_apart_on_the_terminal(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    told = command(folder / "one", "--features", "all", "--splits", 0, "--out", tmp_path)
    lines = told.partition("\nPage:")[0].splitlines()
    assert max(map(len, lines)) <= 80
    levels = {row["value"] for row in rows(tmp_path, "effects") if row["parameter"] == "configuration"}
    names = "".join(re.split(r"  +[+\-\d.]", line)[0].strip() for line in lines).replace(" ", "")
    text = (tmp_path / "regression.html").read_text(encoding="utf-8")
    assert len(levels) == 15
    for level in levels:
        assert level.replace(" ", "") in names
        assert level in text.replace("<wbr>", "")


@pytest.mark.usefixtures("without_figures")
def test_effects_of_nothing_have_no_star(tmp_path):
    write(tmp_path, bargaining())
    told = command(tmp_path, "--splits", 0)
    assert re.search(r"\b0\.0 ", told)
    assert not re.search(r"\b0\.0[*°]", told)


def test_a_file_is_no_place_for_the_results(folder, tmp_path, capsys):
    (tmp_path / "file").write_text("kept")
    command(folder, "--out", tmp_path / "file", code=1)
    (line,) = capsys.readouterr().err.splitlines()
    says(line, tmp_path / "file", "folder")
    assert (tmp_path / "file").read_text() == "kept"


def test_no_records(tmp_path, capsys):
    command(tmp_path, code=1)
    says(capsys.readouterr().err, tmp_path)
    (tmp_path / "records.jsonl").write_text("nothing\n")
    command(tmp_path, code=1)
    says(capsys.readouterr().err, "records.jsonl", "line 1")


@pytest.mark.usefixtures("without_figures")
def test_real_records_of_all_families(tmp_path):
    import econzoo

    out = tmp_path / "matches.jsonl"
    with out.open("w") as file:
        for game in ("bargaining", "negotiation", "persuasion"):
            for seed in range(3):
                file.write(econzoo.play(game, ["random", "random"], seed=seed).to_json() + "\n")
    assert "Negotiation" in command(out, "--splits", 0)
    assert (tmp_path / "regression.html").is_file()


# Predictions


def test_the_linear_model_predicts_what_is_linear_and_the_mean_does_not():
    table = add(grid(), "alice_self_gain", {"delta_1": {"0.8": 0.3}, "alice_player": {"ben": 0.1}})
    table["alice_self_gain"] += noise(0, len(table), 0.05)
    observations = observed(table)
    one = fit(observations, "alice_self_gain", features(observations, "plain").items)
    mean, linear = scores("f", "m", one.design, table["alice_self_gain"].to_numpy(), 5, _only("mean", "linear"))
    assert (mean.model, linear.model) == ("mean", "linear")
    assert linear.rmse == pytest.approx(0.05, rel=0.1)
    assert mean.rmse == pytest.approx(table["alice_self_gain"].std(), rel=0.1)
    assert linear.rmse_2_5 <= linear.rmse <= linear.rmse_97_5
    assert (linear.n_train, linear.n_test, linear.splits) == (461, 115, 5)


def _only(*names):
    return {name: predictors()[name] for name in names}


@pytest.mark.parametrize(("name", "module"), [("XGBoost", "xgboost"), ("CatBoost", "catboost")])
def test_trees_see_what_a_sum_of_effects_cannot(name, module):
    pytest.importorskip(module)
    table = grid()
    table["alice_self_gain"] += 0.3 * ((table["delta_1"] == "0.8") ^ (table["delta_2"] == "1"))
    observations = observed(table)
    one = fit(observations, "alice_self_gain", features(observations, "plain").items)
    y = observations.table["alice_self_gain"].to_numpy()
    linear, trees = scores("f", "m", one.design, y, 2, _only("linear", name))
    assert linear.rmse == pytest.approx(0.15, rel=0.1)
    assert trees.rmse < 0.05
    assert scores("f", "m", one.design, np.ones(len(y)), 1, _only(name))[0].rmse == pytest.approx(0.0, abs=1e-6)


@pytest.mark.usefixtures("without_figures")
def test_models_that_are_not_installed_are_named(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(prediction, "find_spec", lambda name: None)
    monkeypatch.setenv("COLUMNS", "80")
    told = command(folder / "one", "--splits", 1, "--out", tmp_path)
    for text in (told, (tmp_path / "regression.html").read_text()):
        says(text, "XGBoost", "CatBoost")
    assert {row["model"] for row in rows(tmp_path, "prediction")} == {"mean", "linear"}


def test_too_few_matches_are_not_compared():
    observations = observed(grid().head(8))
    assert regression_study(observations, splits=3).scores == []


def test_sentences_name_the_largest_clear_effect():
    table = add(grid(), "efficiency", {"bob_player": {"cat": -0.4}, "delta_1": {"0.8": 0.1}})
    table["efficiency"] += noise(1, len(table), 0.01)
    said = largest_effects(regression_study(observed(table)))
    assert re.search(r"delta 1 = 0\.8 against 0\.9, \+(9\.9|10)", said)
    assert re.search(r"cat against ann, -(39\.9|40)", said)


def test_points():
    assert [write_value(POINT, value) for value in (0.1234, -0.05, 0.0, -1e-9, math.nan)] == [
        "+12.3",
        "-5.0",
        "0.0",
        "0.0",
        "-",
    ]


@pytest.mark.slow
def test_the_documented_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).resolve().parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")
    code, *_ = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    says(out.getvalue(), "efficiency", "delta_1", 0.8)
