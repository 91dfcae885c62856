"""What GLEE prints: its maps decoded, and checked among themselves."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import glee_files
import numpy as np
import pandas as pd
import pytest

from econzoo.evaluate.analyses import Comparison, analyze, read_paper
from econzoo.evaluate.analyses.glee import record_comparisons
from econzoo.evaluate.analyses.glee.maps import FAMILIES, GAINS, METRICS, glee_paper, map_of, model_of, place_of
from econzoo.evaluate.analyses.glee.maps import printed_map, pure_pairs
from econzoo.evaluate.analyses.glee.paper_checks import checks, effects_of_maps
from econzoo.evaluate.analyses.glee.record_comparisons import anchors
from econzoo.evaluate.analyses.regression import SETTING_FEATURE, Effect, Equilibria, pure_equilibria
from econzoo.evaluate.analyses.verdicts import COMPATIBLE, CONTRADICTS, EQUAL, MISSING, UNIDENTIFIED, VERDICTS, WITHIN
from econzoo.evaluate.formats.glee.importing import import_folder
from econzoo.evaluate.show import Figure, Table, Text
from refusals import says

PAPER = glee_paper()

TOLD = {
    "bargaining": {("claude-3-5-sonnet", "claude-3-7-sonnet")},
    "negotiation": {("gemini-2.0-flash", "gemini-1.5-pro"), ("llama-3.1-405b", "grok-2-1212")},
    "persuasion": {("gemini-1.5-pro", "mistral-large-2411")},
}
"""The only pure equilibria, as section 4 of the paper has them."""


def gains(family):
    """The models, and the printed gains of both seats."""
    first, second = (printed_map(PAPER, family, metric) for metric in GAINS)
    assert first.names == second.names
    return first.names, first.values, second.values


def pure_pairs_of(names, one, other):
    return set(pure_pairs(names, Equilibria(pure_equilibria(one, other), None, False)))


def test_the_only_pure_equilibria_of_the_maps_are_those_that_the_text_names():
    """Of 3 times 169 profiles."""
    assert {family: pure_pairs_of(*gains(family)) for family in FAMILIES} == TOLD


def test_no_other_reading_of_the_maps_has_these_equilibria():
    """Colours the other way round, Bob in the rows, maps of each other, rows or columns from the last one."""
    for read in [
        lambda a, b: (-a, -b),
        lambda a, b: (a.T, b.T),
        lambda a, b: (b, a),
        lambda a, b: (a, b.T),
        lambda a, b: (a, b[::-1]),
        lambda a, b: (a[:, ::-1], b),
    ]:
        found = {family: pure_pairs_of(names, *read(a, b)) for family in FAMILIES for names, a, b in [gains(family)]}
        assert found != TOLD


def test_rows_and_columns_of_the_maps_add_up_to_another_table():
    """The effects of models in Table 6 are the means of their rows and columns, to a few tenths of a point.

    49 are equal by the printed digits. The colours resolve the other 29 no better than the slack, 0.1 to 0.75 points.
    """
    own = list(effects_of_maps(PAPER))
    beside = Comparison("table-6", PAPER.places["table-6"], own)
    assert beside.verdicts() == Counter({EQUAL: 49, WITHIN: 29, MISSING: 168 - 78})
    printed = PAPER.places["table-6"].cells
    by_digits = [abs(one.value - float(printed[one.row][one.cell])) <= half_unit_of(printed, one) for one in own]
    assert by_digits == [beside.verdict(one).word == EQUAL for one in own]
    needed = [one.slack for one in own if beside.verdict(one).word == WITHIN]
    assert (min(needed), max(needed)) == (pytest.approx(0.1, abs=0.05), pytest.approx(0.75, abs=0.05))
    gaps = [abs(one.value - float(printed[one.row][one.cell])) for one in own]
    assert max(gaps) < 0.35
    assert np.mean(gaps) < 0.09


def half_unit_of(printed, one):
    """By hand: half of the last digit, of "4" 0.5 and of "4.1" 0.05; rounding errors of binary numbers do not count."""
    return 0.5 * 0.1 ** len(printed[one.row][one.cell].partition(".")[2]) + 1e-9


@pytest.mark.slow
def test_words_of_table_4_are_not_the_sum_of_its_rows_by_digits():
    """1.14, 1.69 and 6.95 million are 9.78, beside 9.77; games, decisions and messages add up."""
    beside = next(one for one in checks(PAPER) if one.key == "table-4")
    assert {one.cell: (beside.verdict(one).word, round(one.slack)) for one in beside.numbers} == {
        "games": (EQUAL, 150),
        "decisions": (EQUAL, 600),
        "messages": (EQUAL, 600),
        "words": (WITHIN, 15_000),
    }


def test_maps_use_the_whole_scale_and_are_within_half_a_colour_and_half_a_hundredth():
    for family in FAMILIES:
        for metric in METRICS:
            place = PAPER.places[place_of(family, metric)]
            found = map_of(place)
            assert found.values.shape == (13, 13), place.title
            assert place.resolution == pytest.approx(0.005 + np.ptp(found.values) / 255 / 2, abs=1e-5), place.title
            assert found.values.min() < 0 < found.values.max(), place.title
    assert sum(place.size for place in read_paper("glee_maps").places.values()) == 2_028


def test_versions_of_models_are_the_models():
    names = printed_map(PAPER, "bargaining", "efficiency").names
    for player, name in [
        ("claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet"),
        ("gemini-1.5-pro-002", "gemini-1.5-pro"),
        ("mistral-large-2411", "mistral-large-2411"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("gpt-4o-002-mine", "gpt-4o-002-mine"),
        ("boulware(0.2)", "boulware(0.2)"),
    ]:
        assert model_of(player, names) == name


@pytest.mark.slow
def test_without_records_the_paper_is_checked_by_itself(tmp_path):
    page = analyze(tmp_path / "new", "replicate-glee")
    places = next(part for part in page.parts if isinstance(part, Table)).rows
    assert sum(row[3] for row in places) == 2_028 + sum(one.size for one in read_paper("glee").places.values()) == 2_446
    found = {word: sum(row[4 + at] for row in places) for at, word in enumerate(VERDICTS)}
    assert Counter(found) == Counter({EQUAL: 133, WITHIN: 30, CONTRADICTS: 6, UNIDENTIFIED: 1, MISSING: 2_276})
    other = {
        (part.key, row[0], row[1])
        for part in page.parts
        if hasattr(part, "rows") and part.key != "places"
        for row in part.rows
        if row[6] in (CONTRADICTS, UNIDENTIFIED)
    }
    # 13 models with 2,500 games each are fewer than Table 4 counts, Table 7 has one person fewer than the text, and 5%
    # of what people can play are not 36 and 24.
    assert other == {
        *(("data", "games", family) for family in FAMILIES),
        ("data", "people", "all"),
        ("best-reply", "bargaining", "its rank as Alice"),
        ("table-7", "random", "negotiation"),
        ("table-7", "random", "persuasion"),
    }


def test_the_checks_of_attention_name_two_families_the_wrong_way_round():
    """Failures over their percentages are people; those who passed are near the plan of Table 7 if two are swapped."""
    cells, plan = PAPER.places["attention"].cells, PAPER.places["table-7"].cells
    passed = {
        family: int(one["failed"]) * (100 / float(one["failed %"]) - 1)
        for family, one in ((family, cells[f"question in {family}"]) for family in FAMILIES)
    }
    wanted = {
        family: sum(
            int(plan[kind][family]) * int(plan["games of each"][f"{family} {kind}"])
            for kind in ("main", "variant", "random")
        )
        for family in FAMILIES
    }
    assert sum(passed.values()) == pytest.approx(3_405, abs=3)
    swapped = {"bargaining": "bargaining", "negotiation": "persuasion", "persuasion": "negotiation"}
    for family, other in swapped.items():
        assert 0 <= passed[other] - wanted[family] < 70, family
    assert passed["negotiation"] < wanted["negotiation"]


# Records


def divided(tmp_path, cells):
    """Published games of bargaining without discounts, two of each pair, in which Alice gets what is given."""
    for at, ((alice, bob), share) in enumerate(cells.items()):
        for words in (True, False):
            offer = (round(share * 1e6), 1e6 - round(share * 1e6), *(["Take it, please."] if words else []))
            game = glee_files.bargaining(offer, "accept", money=1e6, deltas=(1.0, 1.0), words=words)
            for seat, name in ((1, alice), (2, bob)):
                game.config[f"player_{seat}_args"]["model_name"] = name
            game.save(tmp_path / "games", f"AB{2 * at + words:014d}")
    taken = import_folder(tmp_path / "games", tmp_path / "records.jsonl")
    assert (taken.added, taken.skipped) == (2 * len(cells), [])
    return tmp_path / "records.jsonl"


@pytest.mark.slow
def test_a_new_player_stands_in_the_map_beside_printed_pairs(tmp_path):
    """Alice gets half and what Figure 1 (a) prints; of the new player she gets 10 points more than the mean."""
    names, first, _ = gains("bargaining")
    few = [0, 1, 6, 11]
    cells = {(names[i], names[j]): 0.5 + first[i, j] for i in few for j in few}
    mean = np.mean([first[i, j] for i in few for j in few])
    cells |= {(name, "new"): 0.5 + mean + 0.1 for name in [names[i] for i in few]}
    cells |= {("new", names[i]): 0.5 + mean - 0.1 for i in few} | {("new", "new"): 0.5 + mean}
    page = analyze(divided(tmp_path, cells), "replicate-glee", splits=0)
    tables = {part.key: part.rows for part in page.parts if isinstance(part, Table)}
    gaps = [row[4].value.mean for row in tables["figure-1a-records"]]
    assert gaps == pytest.approx([0.0] * 16, abs=1e-5)
    assert {row[6] for row in tables["figure-1a-records"]} == {UNIDENTIFIED}  # of two games each
    in_map = {tuple(row[:2]): row[3] for row in tables["pairs_bargaining"]}
    assert in_map == pytest.approx({pair: cells[pair] - 0.5 for pair in cells if "new" in pair}, abs=1e-5)
    # Whoever meets the new player as Alice gets most; so Bob's rows of it are the worst, and it is no best reply.
    words = " ".join(part.text for part in page.parts if isinstance(part, Text))
    says(words, "5 players", "As Alice a new player is the best response to 0 of 4 models")
    says(words, "over 16 cells", "15 degrees")
    counted = {(row[0], row[1]): row[3].value for row in tables["table-4-records"]}
    assert [counted["bargaining", name] for name in ("games", "decisions", "messages", "words")] == [50, 50, 25, 75]


def test_players_who_met_no_two_of_the_papers_models_have_no_level(tmp_path):
    page = analyze(divided(tmp_path, {("one", "other"): 0.6, ("other", "one"): 0.5}), "replicate-glee", splits=0)
    says(" ".join(part.text for part in page.parts if isinstance(part, Text)), "would determine the level")
    assert not [part for part in page.parts if isinstance(part, Figure)]


def test_first_offers_go_along_with_what_people_get():
    """Offers of 0.5 to 0.8 by a model; the person takes what is offered, or half in round 2."""
    offers = [0.5, 0.6, 0.7, 0.8]

    def games(final, seat):
        rows = []
        for at, (offer, got) in enumerate(zip(offers, final, strict=True)):
            players = ("human", "gpt-4o") if seat == 0 else ("gpt-4o", "human")
            rows.append(
                {
                    "match": at,
                    "setting": "m",
                    "cluster": at,
                    "game": "bargaining",
                    "seat": 0,
                    "player": players[0],
                    "opponent": players[1],
                }
                | {"first": offer, "final": got}
            )
        return rows

    table = pd.DataFrame([*games(offers, 1), *games([0.5, 0.6, 0.6, 0.5], 0)])
    found = {one.cell: one.value for one in anchors(table)}
    assert {name: one.mean for name, one in found.items()} == pytest.approx(
        {"person as Bob": 1.0, "person as Alice": 0.0}
    )
    assert verdicts_on(table) == {"person as Bob": UNIDENTIFIED, "person as Alice": UNIDENTIFIED}  # of four games
    noise = np.random.default_rng(0).normal(0.0, 0.01, len(table) * 10)
    more = pd.concat([table.assign(cluster=f"{at}" + table["cluster"].astype(str)) for at in range(10)])
    more["final"] = more["final"] + noise
    assert verdicts_on(more) == {"person as Bob": CONTRADICTS, "person as Alice": COMPATIBLE}  # 1 and 0: 0.63 and 0.18


def verdicts_on(endings):
    beside = Comparison("anchoring", PAPER.places["anchoring"], list(anchors(endings)))
    return {one.cell: beside.verdict(one).word for one in beside.numbers}


def test_an_effect_that_a_metric_lacks_is_missing_and_not_that_of_efficiency(monkeypatch):
    monkeypatch.setattr(record_comparisons, "_count_clusters", lambda family: {})
    one = Effect("bargaining", "efficiency", SETTING_FEATURE, "CI T=12", 0.25, 0.1, 0.4, 0.1, 0.4, 5, "CI T=1")
    family = SimpleNamespace(name="bargaining", fits=[SimpleNamespace(metric="efficiency", effects=[one])])
    place = SimpleNamespace(cells={"bargaining \u00b1": dict.fromkeys(METRICS, "1")})
    rows = record_comparisons._setting_effects(family, place, ())
    found = {row.cell: row.value for row in rows if "T=12" in row.row}
    assert found.pop("efficiency").mean == pytest.approx(25)
    assert {*found.values()} == {None}
