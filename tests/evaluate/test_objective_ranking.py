"""Any objective ranks players: as a column, as the order, with its intervals and paired differences."""

from __future__ import annotations

import io
import json
import re

import pytest
from given_commands import command

import econzoo
from econzoo.envs.core.contract import Objective, Outcome
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.summary import ranking, sentences, summarize
from econzoo.evaluate.analyses.summary.grids import cross_play
from econzoo.evaluate.run import new_design, read_design, read_records
from econzoo.evaluate.run.design import write_design
from econzoo.evaluate.show import show
from refusals import refuses, says

pytestmark = [pytest.mark.usefixtures("blank_figures"), pytest.mark.slow]

MIX = "0.2*self_gain + 0.8*fairness"


def mean_value(records, player, spec):
    """The mean over the seats that a player took, from the records themselves; fairness needs a deal."""
    found = []
    for record in records:
        told = record.metrics
        outcome = Outcome(tuple(told["gains"]), told["efficiency"], told["fairness"], told["agreed"])
        found += [
            Objective(spec)(record.payoffs, outcome, seat) for seat, one in enumerate(record.players) if one == player
        ]
    return sum(found) / len(found)


def test_a_mix_orders_the_players_where_gain_orders_them_otherwise(small_folder, small_records):
    by_gain, by_mix = summarize(read_records(small_folder)), summarize(read_records(small_folder), objective=MIX)
    means = {player: mean_value(small_records, player, MIX) for player in by_mix.players}
    assert by_mix.players == sorted(means, key=means.__getitem__, reverse=True)
    assert by_mix.players != by_gain.players
    for player, mean in means.items():
        assert by_mix.overall[player][MIX].mean == pytest.approx(mean)
    first, *rest = by_mix.players
    for player in rest:
        gap = by_mix.groups[0].gaps_to_best[player]
        assert gap.mean == pytest.approx(means[first] - means[player])
        assert gap.low < gap.mean < gap.high


def test_tables_sentences_and_page_say_by_what_players_are_ranked(small_folder, tmp_path):
    summary, out = summarize(read_records(small_folder), objective=MIX), io.StringIO()
    show([*ranking(summary), *cross_play(summary)], out)
    text = " ".join(out.getvalue().split())
    assert text.count(MIX) >= 3
    says(sentences(summary)[1], summary.players[0], MIX)
    page = analyze(small_folder, objective=MIX).to_html()
    assert re.search(rf'<th scope="col">player</th><th scope="col" class="n wrap"[^>]*>{re.escape(MIX)}</th>', page)


def test_an_unknown_objective_is_refused_before_anything_is_played(tmp_path, capsys):
    for line in ["tournament bargaining fair --out {0}", "evaluate bargaining fair"]:
        assert command(*line.format(tmp_path / "none").split(), "--objective", "0.5*greed") == 1, line
        told = capsys.readouterr().err
        says(told, "objective='0.5*greed'", "self_gain, efficiency, fairness, nash_product")
        assert not (tmp_path / "none").exists(), line


def test_an_unknown_objective_of_an_analysis_is_refused(small_folder):
    with refuses(ValueError, "objective='0.5*greed'", "self_gain, efficiency"):
        analyze(small_folder, objective="0.5*greed")


def test_commands_rank_by_an_objective(tmp_path, capsys):
    def told(*line):
        assert command(*line) == 0
        return capsys.readouterr().out

    line = ["tournament", "bargaining", "fair", "boulware(0.2)", "random", "--seeds", 1, "--out", tmp_path]
    ranked = json.loads(told(*line, "--json", "--objective", "efficiency"))
    assert ranked["objective"] == "efficiency"
    assert [one["player"] for one in ranked["players"]] == ["random", "fair", "boulware(0.2)"]
    plain = json.loads(told(*line, "--json"))["players"]
    assert [one["player"] for one in plain] == ["fair", "boulware(0.2)", "random"]
    says(told("analyze", tmp_path, "--objective", "efficiency"), "random", "mean efficiency")


def test_a_run_by_an_objective_is_analysed_by_it(tmp_path):
    design = new_design("bargaining", ["fair", "spe", "greedy"], seeds=2, objective=MIX)
    records = econzoo.run(design, tmp_path)
    assert records.design == design
    assert summarize(records).objective == summarize(records, design).objective == MIX
    assert summarize(records, objective="efficiency").objective == "efficiency"
    gain = new_design("bargaining", ["fair", "spe", "greedy"], seeds=2)
    assert [match.id for match in gain.matches()] == [match.id for match in design.matches()]
    econzoo.run(gain, tmp_path)
    assert summarize(read_records(tmp_path)).objective == "self_gain", "no match is another one: the last design rules"
    with refuses(ValueError, "objective='joy'", "self_gain"):
        new_design("bargaining", ["fair"], objective="joy")


def test_a_manifest_with_another_objective_is_none(tmp_path):
    write_design(new_design("bargaining", ["fair"], seeds=1, objective="efficiency"), tmp_path)
    path = tmp_path / "manifest.json"
    given = json.loads(path.read_text())
    assert read_design(tmp_path).objective == given["objective"] == "efficiency"
    for written in [5, "joy", None, [], "\U0001f600"]:
        path.write_text(json.dumps({**given, "objective": written}))
        with refuses(ValueError, path, "objective", "self_gain"):
            read_design(tmp_path)
