"""Verdicts on GLEE's maps, effects and totals beside records: what is fitted, and how often an estimate fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import glee_files
import numpy as np
import pandas as pd
import pytest

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.analyses import Comparison, Place, analyze
from econzoo.evaluate.analyses.glee.maps import METRICS, glee_paper, place_of, printed_map
from econzoo.evaluate.analyses.glee.record_comparisons import counts, tables
from econzoo.evaluate.analyses.glee.record_maps import build_record_maps, compare_maps
from econzoo.evaluate.analyses.regression import regression_study
from econzoo.evaluate.analyses.regression.observations import clean_observations
from econzoo.evaluate.analyses.verdicts import COMPATIBLE, CONTRADICTS, EQUAL, INCOMPARABLE, MISSING, UNIDENTIFIED
from econzoo.evaluate.analyses.verdicts import WITHIN
from econzoo.evaluate.formats.glee.importing import import_folder

PAPER = glee_paper()
NAMES = printed_map(PAPER, "bargaining", "efficiency").names
PARAMETERS = ("delta_1", "delta_2", "money", "horizon", "complete_information", "messages")


def imported(tmp_path, games):
    for at, game in enumerate(games):
        game.save(tmp_path / "games", f"AB{at:014d}")
    taken = import_folder(tmp_path / "games", tmp_path / "records.jsonl")
    assert (taken.added, taken.skipped) == (len(games), [])
    return tmp_path / "records.jsonl"


def named(game, *names):
    for seat, name in enumerate(names, start=1):
        game.config[f"player_{seat}_args"]["model_name"] = name
    return game


@pytest.mark.slow
def test_one_pair_has_the_papers_level_whatever_it_plays(tmp_path):
    """A buyer pays five times the scale, where values are 0.8 and 1: its maps say nothing, in one game as in eight."""
    for count in (1, 8):
        absurd = [
            named(glee_files.negotiation(5e6, "AcceptOffer", values=(0.8, 1.0), money=1e6), *NAMES[:2])
            for _ in range(count)
        ]
        page = analyze(imported(tmp_path / str(count), absurd), "replicate-glee", splits=0).to_dict()
        maps = {key: rows for key, rows in page.items() if key.startswith("figure-") and key.endswith("-records")}
        assert sorted(maps) == [f"figure-{one}-records" for one in ("2a", "2b", "5a", "5b")]
        for key, (row,) in maps.items():
            assert (row["verdict"], row["difference"], row["ours"]) == (UNIDENTIFIED, None, None), key
            assert row["games"] == count


def simulated(rng, few, plays, maps, noise=0.4):
    """A study of bargaining: each pair of some models plays (configuration, seed) with the outcomes of maps and noise.

    A configuration changes every outcome, alike for all pairs.
    """
    levels = [[str(rng.choice(values)) for values in LEVELS] for _ in range(1 + max(one for one, _ in plays(0, 0)))]
    effects = rng.normal(0.0, 0.1, (len(levels), len(METRICS)))
    rows = []
    for i in few:
        for j in few:
            for configuration, seed in plays(i, j):
                outcome = 0.5 + effects[configuration] + rng.normal(0.0, noise, len(METRICS))
                found = {metric: value + maps[metric][i, j] for metric, value in zip(METRICS, outcome, strict=True)}
                setting = dict(zip(PARAMETERS, levels[configuration], strict=True))
                where = {"configuration": f"c{configuration}", "seed": str(seed)}
                rows.append({**setting, **where, "alice_player": NAMES[i], "bob_player": NAMES[j], **found})
    observed = clean_observations("bargaining", pd.DataFrame(rows), PARAMETERS, ("alice", "bob"))
    return regression_study(observed)


LEVELS = (
    ["0.8", "0.9", "0.95"],
    ["0.8", "0.9"],
    ["100", "10000"],
    ["12", "none"],
    ["true", "false"],
    ["true", "false"],
)


def printed_maps():
    return {metric: printed_map(PAPER, "bargaining", metric).values for metric in METRICS}


def verdicts_of(study):
    return list(compare_maps(PAPER, study, build_record_maps(PAPER, study)))


def same(count, seeds=1):
    """Every pair plays the same configurations and seeds."""
    return lambda i, j: [(at, seed) for at in range(count) for seed in range(seeds)]


def other(rng, count, games):
    """Every pair plays its own configurations, each game with its own seed, as in the published games."""
    drawn = {}
    return lambda i, j: drawn.setdefault(
        (i, j), [(count - 1, f"{i} {j}"), *((int(rng.integers(count)), f"{i} {j} {at}") for at in range(games))]
    )


DESIGNS = {
    "two pairs a side in twelve settings": ([0, 1], lambda rng: same(12)),
    "three a side, seeds of three settings": ([0, 1, 6], lambda rng: same(3, 4)),
    "three a side in other settings": ([0, 1, 6], lambda rng: other(rng, 20, 11)),
}


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_true_maps_are_contradicted_at_about_the_nominal_rate(design):
    """Random play whose means are the printed maps, of which 95% intervals exclude one in twenty."""
    few, plays = DESIGNS[design]
    rng, found = np.random.default_rng(7), Counter()
    for _ in range(25):
        for one in verdicts_of(simulated(rng, few, plays(rng), printed_maps())):
            assert one.freedom == len(few) ** 2 - 1
            found += one.verdicts()
    del found[MISSING]
    judged = found[CONTRADICTS] + found[COMPATIBLE] + found[WITHIN]
    assert judged >= 0.9 * found.total()
    assert 0.01 <= found[CONTRADICTS] / judged <= 0.075, found
    assert not {EQUAL, INCOMPARABLE} & {*found}  # colours have no digits


@pytest.mark.slow
def test_a_false_cell_is_contradicted_and_one_game_a_cell_says_nothing():
    rng, few = np.random.default_rng(8), [0, 1, 6]
    maps = {metric: values.copy() for metric, values in printed_maps().items()}
    for values in maps.values():
        values[0, 1] += 1.0
    study = simulated(rng, few, same(16), maps, 0.2)
    words = [one.verdict(own).word for one in verdicts_of(study) for own in one.numbers if own[:2] == NAMES[:2]]
    assert words == [CONTRADICTS] * len(METRICS)
    for plays in (same(1), same(5)):
        found = sum((one.verdicts() for one in verdicts_of(simulated(rng, few, plays, maps))), Counter())
        assert found[UNIDENTIFIED] == 9 * len(METRICS)


@pytest.mark.slow
def test_ours_is_the_printed_cell_and_the_difference_in_maps_that_control_for_parameters():
    """The jackknife's regression and that of the map are the same."""
    rng = np.random.default_rng(9)
    study = simulated(rng, [0, 1, 6], other(rng, 20, 11), printed_maps())
    assert all(heat.is_adjusted for heat in study.heats)
    for one in verdicts_of(study):
        gaps = [one.verdict(own).difference for own in one.numbers]
        assert sum(gap.mean for gap in gaps) == pytest.approx(0.0, abs=1e-9)
        heat = next(heat for heat in study.heats if one.key == f"{place_of('bargaining', heat.metric)}-records")
        for own, gap in zip(one.numbers, gaps, strict=True):
            contrast = heat.cells[own[:2]].effect - np.mean([cell.effect for cell in heat.cells.values()])
            printed = np.array([float(one.printed_cell(number)) for number in one.numbers])
            assert gap.mean == pytest.approx(contrast - (float(one.printed_cell(own)) - printed.mean()), abs=1e-9)


def test_totals_are_compared_only_for_the_whole_release(tmp_path):
    """Two imported games with three decisions; own games do not count, and one more or fewer is another release."""
    games = [
        named(glee_files.bargaining((50, 50, "Half each."), "accept"), *NAMES[:2]),
        named(glee_files.bargaining((60, 40, "More for me."), "reject", (50, 50, "No."), "accept"), *NAMES[:2]),
    ]
    records = list(read_record_file(imported(tmp_path, games)))
    own = replace(records[0], source=None)
    empty = dict.fromkeys(("games", "decisions", "messages", "words"), "0")
    for played, printed, word in [
        (records, "2", EQUAL),
        ([*records, own], "2", EQUAL),
        (records, "3", INCOMPARABLE),
        (records, "1", INCOMPARABLE),
        (records, "33.7K", INCOMPARABLE),
    ]:
        row = {"games": printed, "decisions": "3", "messages": "3", "words": "5"}
        place = Place(
            "Table 4",
            "table",
            dict.fromkeys(("bargaining", "total"), row) | dict.fromkeys(("negotiation", "persuasion"), empty),
        )
        beside = Comparison("table-4", place, counts(played, place))
        words = {(one.row, one.cell): beside.verdict(one).word for one in beside.numbers}
        assert len(words) == 8
        last = CONTRADICTS if word == EQUAL else word  # six words, not five
        for name in ("bargaining", "total"):
            assert [words[name, cell] for cell in row] == [word, word, word, last], (printed, name)


@pytest.mark.slow
def test_effects_relative_to_a_baseline_of_one_game_say_nothing():
    """Table 6: the regression fits that game exactly, so that its error is missing in the interval of each effect."""
    rng, base = np.random.default_rng(10), NAMES.index("gemini-1.5-flash")
    for games, words in ((1, {UNIDENTIFIED}), (12, {COMPATIBLE, CONTRADICTS, WITHIN, EQUAL})):

        def plays(i, j, games=games):
            return [(at, 0) for at in range(12 if i != base else games if j == 0 else 0)]

        study = simulated(rng, [0, 1, base], plays, printed_maps())
        (six,) = [one for one in tables(PAPER, [], [study]) if one.key == "table-6-records"]
        found = {six.verdict(one).word for one in six.printed_numbers if one.cell == "bargaining Alice"}
        assert found <= words, games
        halves = {six.verdict(one).word for one in six.printed_numbers if one.cell.endswith("±")}
        assert halves == {INCOMPARABLE}
