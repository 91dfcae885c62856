"""Matches that failed select nobody: their bounds stand beside every mean, and no word orders whom they could order."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import product

import pytest
from losing import lose

from econzoo.baselines import RandomPlayer
from econzoo.evaluate.analyses import analyze
from econzoo.evaluate.analyses.glee_benchmark import results
from econzoo.evaluate.analyses.glee_benchmark import tables as glee_tables
from econzoo.evaluate.analyses.learning import Training, learning_table, learning_tables, plain_table
from econzoo.evaluate.analyses.learning import write_learning_table
from econzoo.evaluate.analyses.summary import notes, ranking, sentences, summarize
from econzoo.evaluate.analyses.summary.grids import cross_play
from econzoo.evaluate.run import new_design, read_design, read_records, run
from econzoo.evaluate.show import HEADING, PAGE, TERMINAL, WARNING, Text
from econzoo.evaluate.stats import BEST, MEDIAN, MISSING, TRIMMED, WORST, Interval, count_established
from econzoo.evaluate.suites import evaluation_design, play_evaluation
from refusals import says

pytestmark = pytest.mark.usefixtures("blank_figures")

EXTREMES = (0.0, 1.0)
"""Least and greatest share of the money."""

RANKING_WORDS = re.compile(
    r"\b(first|highest|best(?! case)|followed|winner|beats|above|rank\w*|gap to)\b", re.IGNORECASE
)


def played(folder, players=("fair", "random", "greedy"), seeds=3, game="bargaining", setting=None, **options):
    run(new_design(game, list(players), [setting or {"horizon": 4}], seeds, **options), folder, jobs=1)
    return folder


def gains(records, player, opponent=None):
    """Gains of the player's seats."""
    return [
        one.metrics["gains"][seat]
        for one in records
        for seat, spec in enumerate(one.players)
        if spec == player and opponent in (None, one.players[1 - seat])
    ]


def extreme_means(known, missing_count):
    """Means under every assignment of the extremes to the missing seats."""
    return [
        (sum(known) + sum(values)) / (len(known) + missing_count) for values in product(EXTREMES, repeat=missing_count)
    ]


def ends(values):
    return pytest.approx((min(values), max(values)))


def cases(found):
    return found[WORST].mean, found[BEST].mean


def test_bounds_are_the_extremes_over_all_that_the_missing_matches_can_be(tmp_path):
    lost = lose(
        played(tmp_path), lambda one: one.seed == 1 and one.players in (["fair", "random"], ["random", "random"])
    )
    records = read_records(tmp_path)
    summary, means = summarize(records), {}
    assert len(lost) == 2
    for player in summary.players:
        means[player] = extreme_means(gains(records, player), len(gains(lost, player)))
        assert cases(summary.overall[player]) == ends(means[player]), player
        for other in summary.opponents:
            both = extreme_means(gains(records, player, other), len(gains(lost, player, other)))
            assert cases(summary.pairs[player, other]) == ends(both), (player, other)
    first, *rest = summary.players
    for player in rest:
        gaps = [one - two for one, two in product(means[first], means[player])]
        assert summary.groups[0].gap_cases[player] == ends(gaps), player
    assert summary.overall["random"][MISSING].mean == pytest.approx(3 / 18)
    assert cases(summary.overall["greedy"]) == pytest.approx([summary.overall["greedy"]["self_gain"].mean] * 2)


def test_of_matches_that_only_repeat_each_pairing_weighs_once_with_its_missing_ones(tmp_path):
    lost = lose(played(tmp_path, ["fair", "greedy"]), lambda one: one.players == ["fair", "greedy"] and one.seed > 0)
    records = read_records(tmp_path)
    summary = summarize(records)
    assert (len(summary.records), len(lost)) == (4, 2)
    seats = {(*one.players, seat): one.metrics["gains"][seat] for one in summary.records for seat in (0, 1)}
    fair = [seats["fair", "fair", 0], seats["fair", "fair", 1], seats["greedy", "fair", 1]]
    pairing = extreme_means([seats["fair", "greedy", 0]], 2)
    assert cases(summary.overall["fair"]) == ends([(sum(fair) + one) / 4 for one in pairing])


def test_bounds_are_shown_from_one_per_cent_on(tmp_path):
    """Of 104 seats of a player one is less than 1%, and two are more."""
    folder = played(tmp_path, ["random", "fair"], seeds=26)
    lose(folder, lambda one: one.players == ["fair", "random"] and one.seed == 0)
    found = summarize(read_records(folder))
    assert not found.has_cases
    assert WORST not in found.overall["fair"]
    says(sentences(found)[-1], "1 match failed and is ignored.")
    says(sentences(found)[1], "highest")
    lose(folder, lambda one: one.players == ["fair", "random"] and one.seed == 1)
    assert summarize(read_records(folder)).overall["random"][MISSING].mean == pytest.approx(2 / 104)


def test_terminals_show_the_bounds_in_place_of_robust_means(tmp_path):
    folder = played(tmp_path, seeds=8)

    def shown():
        (table, *_) = ranking(summarize(read_records(folder)))
        return {column.key for column in table.columns if TERMINAL in column.places}

    assert {MEDIAN, TRIMMED} <= shown()
    lose(folder, lambda one: one.players == ["fair", "greedy"])
    assert {WORST, BEST} <= shown()
    assert not {MEDIAN, TRIMMED} & shown()


def test_one_planned_match_is_one(tmp_path):
    folder = played(tmp_path, ["random", "fair"], seeds=26)
    lose(folder, lambda one: one.players == ["fair", "random"] and one.seed == 0)
    says(sentences(summarize(read_records(folder)))[0], "1 more is planned.")


@pytest.fixture
def selected(tmp_path):
    """A folder in which only those matches of a player failed that paid it nothing."""
    lose(played(tmp_path, seeds=8), lambda one: 0.0 in gains([one], "greedy"))
    return tmp_path


def test_a_player_whose_bad_matches_failed_is_not_called_first(selected):
    summary = summarize(read_records(selected))
    assert summary.players[0] == "greedy", "its mean is the highest"
    first, second = (summary.overall[player] for player in summary.players[:2])
    assert first[WORST].mean < second[BEST].mean
    texts = [*sentences(summary), *(one.text for one in notes(summary))]
    texts += [text for table in ranking(summary) for text in (table.title, *table.sentences)]
    texts += [column.title for table in ranking(summary) for column in table.columns]
    texts = [text for text in texts if "trimmed mean" not in text.lower()]
    found = {text: RANKING_WORDS.findall(text) for text in texts}
    assert not any(found.values()), found
    says(texts[1], "greedy", "fair", "cannot be ordered")
    says(" ".join(texts), "10 of 72 matches are missing (10 matches failed)")
    assert summary.numbers[1].rows[0][-2] < 0 < summary.numbers[1].rows[0][-1]


def test_pages_and_files_show_the_bounds(selected):
    page = analyze(selected)
    headings = [part.text for part in page.parts if isinstance(part, Text) and part.kind == HEADING]
    assert "Ranking" not in headings
    html = page.to_html()
    for text in ("worst case", "best case", "10 of 72 matches are missing", "\u2020"):
        assert text in html, text
    assert "failed and are ignored" not in html
    assert "<summary>5 more</summary>" in html, "10 failures, of which 5 are listed"
    assert {WORST, BEST, MISSING} <= page.to_dict()["players"][0].keys()
    assert {WORST, BEST} <= page.to_dict()["gaps_to_best"][0].keys()


def test_cells_of_cross_play_with_missing_matches_are_marked(selected):
    summary = summarize(read_records(selected))
    grid = next(table for table in cross_play(summary) if PAGE in table.places)
    cells = ((row[0], column, cell) for row in grid.rows for column, cell in zip(grid.columns, row, strict=True))
    marked = {(player, column.key) for player, column, cell in cells if getattr(cell, "mark", "")}
    assert marked == {pair for pair, one in summary.pairs.items() if one[MISSING].mean > 0}
    assert 0 < len(marked) < len(summary.pairs)


def test_who_is_first_under_both_bounds_is_called_so(tmp_path):
    pair = {"random", "mock:*"}
    lose(played(tmp_path, ["fair", *pair], seeds=8), lambda one: set(one.players) == pair and one.seed < 2)
    summary = summarize(read_records(tmp_path))
    assert (summary.players[0], summary.groups[0].established) == ("fair", 1)
    leader = sentences(summary)[1]
    says(leader, "fair has the highest", "cannot be ordered")
    assert "followed" not in leader


def test_a_difference_is_significant_only_under_both_bounds(selected):
    for player, gap in summarize(read_records(selected)).groups[0].gaps_to_best.items():
        assert gap.distinct == (player == "random")


def test_a_player_of_which_every_match_failed_stays_and_nobody_is_above_it(tmp_path):
    lose(played(tmp_path, opponents=["fair"]), lambda one: "greedy" in one.players)
    summary = summarize(read_records(tmp_path))
    assert summary.players[-1] == "greedy"
    assert math.isnan(summary.overall["greedy"]["self_gain"].mean)
    assert cases(summary.overall["greedy"]) == EXTREMES
    says(sentences(summary)[1], "fair and greedy cannot be ordered")
    assert "greedy" in analyze(tmp_path).to_html()


def test_an_opponent_whose_matches_failed_is_not_left_out_of_the_bounds(tmp_path):
    """Without its matches against greedy, random would be compared over the other opponents, as everybody."""
    lose(played(tmp_path), lambda one: set(one.players) == {"random", "greedy"})
    summary = summarize(read_records(tmp_path))
    records, lost = read_records(tmp_path), 6
    assert cases(summary.overall["random"]) == ends(extreme_means(gains(records, "random"), lost))
    assert math.isnan(summary.pairs["random", "greedy"]["self_gain"].mean)
    says(ranking(summary)[0].legend, "against opponents that all players met")


def test_truncated_matches_are_missing_too(tmp_path):
    summary = summarize(read_records(played(tmp_path, max_cycles=2)))
    assert len(summary.without_result) > 5
    assert summary.has_cases
    says(summary.no_result_note, f"{len(summary.without_result)} matches were truncated")


def test_matches_that_do_not_replay_are_missing_too(tmp_path):
    path = played(tmp_path) / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0].replace('"payoffs":[', '"payoffs":[1'), *lines[1:]]))
    told = " ".join(part.text for part in analyze(tmp_path).parts if isinstance(part, Text))
    says(told, "1 of 27 matches is missing (1 match does not replay)", "1 line could not be read")


def test_several_games_show_the_bounds(tmp_path):
    lose(played(tmp_path / "a"), lambda one: "greedy" in one.players and one.seed == 0)
    played(tmp_path / "b", ["random", "fair"], game="multi_issue", setting={})
    page = analyze(tmp_path)
    rows = {(row["game"], row["player"]): row for row in page.to_dict()["games"]}
    assert rows["bargaining", "greedy"][WORST]["mean"] < rows["bargaining", "greedy"][BEST]["mean"]
    assert not rows["multi_issue", "fair"][WORST]
    says(page.to_html(), "bargaining: 5 of 27 matches are missing")


def test_the_learning_table_shows_the_bounds_and_names_no_best_script(tmp_path):
    lose(played(tmp_path, seeds=8), lambda one: 0.0 in gains([one], "greedy"))
    records = read_records(tmp_path)
    found = learning_table(read_design(tmp_path), records, [Training("made", {"random": 0})], "given")
    (one,) = found.comparisons
    summary = summarize(records)
    for script in one.scripts:
        assert cases(script.more) == pytest.approx(cases(summary.overall[script.spec])), script.spec
    assert [gap.cases[0] < gap.cases[1] for gap in one.trainings[0].gaps] == [True, True]
    assert plain_table(found)["comparisons"][0]["best_script"] is None
    says(learning_tables(plain_table(found))[0].legend, "10 of 72 matches are missing", "not established")
    (_, table, _) = write_learning_table(found, tmp_path / "out")
    assert table.read_text().splitlines()[0].endswith(f"high_new_seed,{MISSING},{WORST},{BEST}")


def test_the_benchmark_of_glee_shows_the_bounds(tmp_path):
    lose(played(tmp_path), lambda one: one.seed == 0 and "greedy" in one.players)
    found, design = results(tmp_path), read_design(tmp_path)
    records, seats = read_records(tmp_path), found.groups["Alice", ""]
    for player, one in seats.items():
        known = [record.metrics["gains"][0] for record in records if record.players[0] == player]
        assert cases(one) == ends(extreme_means(known, 9 - len(known))), player
    table, *rest = glee_tables(design, found)
    says(table.legend, "not established")
    says(rest[-1].text, "5 of 27 matches are missing")


def test_places_are_established_in_order():
    def of(worst, best):
        return {name: Interval(value, math.nan, math.nan, 1) for name, value in ((WORST, worst), (BEST, best))}

    a, b, c = of(0.5, 0.6), of(0.2, 0.5), of(0.1, 0.3)
    assert count_established([a, b, c]) == 1
    assert count_established([a, c]) == 2
    assert count_established([b, a]) == 0
    assert count_established([a, of(math.nan, math.nan)]) == 2
    assert count_established([{}, {}]) == 2


def test_a_label_of_a_failed_match_is_that_of_the_design(tmp_path):
    design = new_design("bargaining", ["mine=fair", "random"], [{"horizon": 4}], 3)
    run(design, tmp_path, jobs=1)
    lose(tmp_path, lambda one: one.seed == 0)
    assert set(summarize(read_records(tmp_path)).players) == {"mine", "random"}
    renamed = replace(design, players=("yours=fair", "random"))
    assert set(summarize(read_records(tmp_path), renamed).players) == {"yours", "random"}


def test_analyses_without_bounds_warn_and_order_nobody(tmp_path):
    run(new_design("matrix", ["defector", "random"], ["default"], 8), tmp_path / "a", jobs=1)
    assert not [part for part in analyze(tmp_path / "a", "evolution").parts if getattr(part, "kind", "") == WARNING]
    lose(tmp_path / "a", lambda one: one.players == ["defector", "random"] and one.seed < 2)
    page = analyze(tmp_path / "a", "evolution")
    says([part.text for part in page.parts if getattr(part, "kind", "") == WARNING], "random 8.3%", "order no players")
    run(new_design("guess_average", ["fixed(50, 0)", "random"], ["default"], 8), tmp_path / "b", jobs=1)
    assert {"differences"} <= {getattr(part, "key", "") for part in analyze(tmp_path / "b", "levels").parts}
    lose(tmp_path / "b", lambda one: one.seed == 0)
    page = analyze(tmp_path / "b", "levels")
    assert "differences" not in {getattr(part, "key", "") for part in page.parts}
    says([part.text for part in page.parts if getattr(part, "kind", "") == WARNING], "random 12%")


def test_matches_that_fail_in_memory_have_bounds_too(monkeypatch):
    act = RandomPlayer.act

    def fail(player, observation, info):
        if int(player.match, 16) % 4 == 0:
            raise ValueError("HTTP 400")
        return act(player, observation, info)

    monkeypatch.setattr(RandomPlayer, "act", fail)
    design = evaluation_design("bargaining", ["fair", "greedy"], ["random"], [{"horizon": 4}], seeds=12)
    records = play_evaluation(design, None, 1)
    assert 0 < len(records) < len(design)
    (one,) = learning_table(design, records, [Training("made", {"fair": 0})], "given").comparisons
    shares = {own.spec: own.more[MISSING].mean for own in (*one.scripts, *one.trainings[0].policies)}
    lost = [record for record in (line.record for line in records.unreadable) if record]
    assert shares == pytest.approx({spec: sum(spec in one.players for one in lost) / 24 for spec in shares})
