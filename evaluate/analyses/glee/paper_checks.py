"""Printed numbers of GLEE beside those derived from its other numbers, or from our games and analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import stats

from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, Place, half_unit, printed_number
from econzoo.evaluate.analyses.glee.maps import FAMILIES, GAINS, METRICS, ROLES, choices, map_of, place_of, printed_map
from econzoo.evaluate.analyses.glee.maps import pure_pairs
from econzoo.evaluate.analyses.regression import family as family_of
from econzoo.evaluate.analyses.regression import levels
from econzoo.evaluate.formats.glee import grid
from econzoo.evaluate.run import recompute_record

OTHER_NUMBERS, SUITE, RULES, FINDER = "its other numbers", "our suite", "our rules", "the maps"

NAMES = {
    "bargaining": {
        "delta_A": "delta_1",
        "delta_B": "delta_2",
        "M": "money",
        "T": "horizon",
        "CI": "complete_information",
        "MA": "messages",
    },
    "negotiation": {
        "F_A": "seller_value",
        "F_B": "buyer_value",
        "M": "money",
        "T": "horizon",
        "CI": "complete_information",
        "MA": "messages",
    },
    "persuasion": {
        "p": "prior",
        "v": "high_value",
        "M": "price",
        "T": "rounds",
        "CI": "seller_knows_value",
        "messages": "message_type",
        "buyer": "buyer",
    },
}
"""The paper's names of parameters to ours."""

LEVEL_NAMES = {"0.333333": "1/3"}
"""Our names of levels to the paper's, where they differ."""


def checks(paper: Paper) -> list[Comparison]:
    """Compare all places that can be checked without records."""
    numbers: dict[str, tuple[str, Iterator[OwnNumber]]] = {
        "table-2": (SUITE, _configurations(paper.places["table-2"])),
        "data": (OTHER_NUMBERS, _data(paper)),
        "table-4": (OTHER_NUMBERS, _totals(paper.places["table-4"])),
        "table-6": (FINDER, effects_of_maps(paper)),
        "table-7": (SUITE, _selection()),
        "table-8": ("our regressions", _baselines()),
        "equilibria": (FINDER, _equilibria(paper)),
        "best-reply": (FINDER, _best_reply(paper)),
        "same-model": (FINDER, _same_model_effects(paper)),
        "attention": (OTHER_NUMBERS, _attention(paper.places["attention"])),
        "example": (RULES, _example()),
    }
    return [Comparison(key, paper.places[key], list(own), source) for key, (source, own) in numbers.items()]


def _levels(family: str) -> list[dict[str, str]]:
    rules = find_game(family)
    return [levels(rules.params(**setting.params)[0]) for setting in grid(family)]


def _configurations(place: Place) -> Iterator[OwnNumber]:
    for family, names in NAMES.items():
        settings = _levels(family)
        for name, ours in names.items():
            printed = place.cells[family][name].split(", ")
            own = {LEVEL_NAMES.get(setting[ours], setting[ours]) for setting in settings}
            # In the printed order, so that equal sets of levels are equal texts; levels of ours alone come last.
            yield OwnNumber(family, name, ", ".join([*(x for x in printed if x in own), *sorted(own - {*printed})]))
        yield OwnNumber(family, "configurations", len(settings))
    yield OwnNumber("total", "configurations", sum(len(grid(family)) for family in FAMILIES))


def _baselines() -> Iterator[OwnNumber]:
    for family, names in NAMES.items():
        known = family_of(family)
        same = _levels(family)[0]
        # The length of a persuasion game has one level only, which is no feature with a baseline.
        first = {**{"rounds": same.get("rounds", "")}, **known.baseline, **known.merged_baseline}
        for name, ours in names.items():
            yield OwnNumber(family, name, first[ours])


def _data(paper: Paper) -> Iterator[OwnNumber]:
    models = len(printed_map(paper, *_FIRST).names)
    yield OwnNumber("models", "all", models)
    yield OwnNumber("models", "pairs", models**2)
    games = paper.places["table-4"].cells
    for family in FAMILIES:
        printed = games[family]["games"]
        # The text counts games of each model as Alice, the table those of all models.
        yield OwnNumber("games", family, printed_number(printed) / models, slack=half_unit(printed) / models)
    config, each = (paper.places["table-7"].cells[key] for key in ("variant", "games of each"))
    kinds = {"main", "variant", "random"}
    cells = {kind: paper.places["table-7"].cells[kind] for kind in kinds}
    # Footnote 13: one game more than planned in 113 configurations, two in 4, and three in one.
    more = 113 * 1 + 4 * 2 + 1 * 3
    yield OwnNumber(
        "people", "all", more + sum(int(cells[k][f]) * int(each[f"{f} {k}"]) for k in kinds for f in config)
    )


_FIRST = FAMILIES[0], GAINS[0]


def _totals(place: Place) -> Iterator[OwnNumber]:
    """Sums of the families' rounded numbers, each within half a unit."""
    for name in place.cells["total"]:
        parts = [place.cells[family][name] for family in FAMILIES]
        yield OwnNumber("total", name, sum(map(printed_number, parts)), slack=sum(map(half_unit, parts)))


def effects_of_maps(paper: Paper) -> Iterator[OwnNumber]:
    """Derive Table 6 from the maps: mean of a model's row (column) minus the baseline's, in percentage points."""
    table = paper.places["table-6"].cells
    for family in FAMILIES:
        for axis, (role, metric) in enumerate(zip(ROLES, GAINS, strict=True)):
            found = printed_map(paper, family, metric)
            means = dict(zip(found.names, found.values.mean(axis=1 - axis), strict=True))
            base = next(name for name in means if table[name][f"{family} {role} ±"] == "0")
            for name, mean in means.items():
                gap = float(mean - means[base])  # of the baseline exactly 0, without error of reading
                yield OwnNumber(name, f"{family} {role}", 100 * gap, slack=100 * found.slack(gap) * (name != base))


def _selection() -> Iterator[OwnNumber]:
    """Main configurations of both roles, variants, and 5% of the others with more than one round per person."""
    for family in FAMILIES:
        configurations = [_merge_deltas(one) for one in _levels(family) if one.get("horizon") != "1"]
        alike = [one for one in configurations if one.get("buyer") == "myopic"]
        seats = 2 * len(configurations) - len(alike)  # a person is no myopic buyer
        # Persuasion has a main configuration for either kind of buyer (appendix B.2); each is played in both roles,
        # except by a myopic buyer. The kind of buyer is therefore no parameter in which variants differ.
        kinds = 2 if alike else 1
        main = 2 * kinds - (1 if alike else 0)
        near = sum(len({one[name] for one in configurations}) - 1 for name in configurations[0] if name != "buyer")
        yield OwnNumber("main", family, main)
        yield OwnNumber("variant", family, main * near)
        yield OwnNumber("random", family, 0.05 * (seats - main * (1 + near)))


def _merge_deltas(setting: Mapping[str, str]) -> dict[str, str]:
    """Both discount factors as one parameter."""
    deltas = [name for name in setting if name.startswith("delta_")]
    rest = {name: value for name, value in setting.items() if name not in deltas}
    return {**rest, "delta": " ".join(setting[name] for name in deltas)} if deltas else rest


def _equilibria(paper: Paper) -> Iterator[OwnNumber]:
    for family in FAMILIES:
        names, found = choices(paper, family)
        pure = list(pure_pairs(names, found))
        yield OwnNumber(family, "pure", len(pure))
        for number, pair in enumerate(pure, start=1):
            for role, name in zip(ROLES, pair, strict=True):
                yield OwnNumber(family, f"{number}: {role}", name)
        reach = f"of up to {found.searched_size} models a side" if found.searched_size else "of any size"
        yield OwnNumber(family, f"mixed ones {reach}", len(found.profiles) - len(pure))


def _best_reply(paper: Paper) -> Iterator[OwnNumber]:
    family, table = FAMILIES[0], paper.places["table-6"].cells
    names = printed_map(paper, family, GAINS[0]).names
    alice, bob = ({name: float(table[name][f"{family} {role}"]) for name in names} for role in ROLES)
    # Effects of Table 6 have one decimal: with a tie there is no rank to compare.
    best_bob = max(bob, key=bob.__getitem__)
    gains = printed_map(paper, family, GAINS[0]).values[:, names.index(best_bob)]
    reply = names[int(gains.argmax())]
    above = sum(gain > alice[reply] for gain in alice.values())
    tied = sum(gain == alice[reply] for gain in alice.values())
    yield OwnNumber(family, "best Bob of Table 6", best_bob)
    yield OwnNumber(family, "best Alice against it", reply)
    yield OwnNumber(family, "its rank as Alice", above + 1 if tied == 1 else None)


NO_DIFFERENCE = "neither better nor worse"


def _same_model_effects(paper: Paper) -> Iterator[OwnNumber]:
    """Whether the diagonals of the outcome maps differ from the sum of row and column effects."""
    cells = [(family, metric) for family in FAMILIES for metric in METRICS if metric not in GAINS]
    apart = [_interaction_terms(map_of(paper.places[place_of(*cell)]).values) for cell in cells]
    chances = [float(stats.ttest_1samp(one, 0.0).pvalue) for one in apart]
    # Holm's procedure: from the smallest p-value up to the first that exceeds its level.
    left, clear = len(cells), set[int]()
    for at in np.argsort(chances):
        if chances[at] > 0.05 / left:
            break
        clear.add(int(at))
        left -= 1
    for at, (family, metric) in enumerate(cells):
        mean = float(apart[at].mean())
        yield OwnNumber(family, metric, ("better" if mean > 0 else "worse") if at in clear else NO_DIFFERENCE)
        yield OwnNumber(family, f"{metric}: mean of the diagonal", mean)
        yield OwnNumber(family, f"{metric}: p", chances[at])


def _interaction_terms(values: np.ndarray) -> np.ndarray:
    """The diagonal of a map net of row and column means."""
    return np.diag(values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean())


def _attention(place: Place) -> Iterator[OwnNumber]:
    count = {row: int(cells["failed"].replace(",", "")) for row, cells in place.cells.items()}
    started = int(printed_number(place.cells["all"]["started"]))
    # The code word comes first: only those who pass it are asked the question.
    asked, code, quiz = started - count["code word"], count["code word"], count["question"]
    yield OwnNumber("all", "failed", code + quiz)
    yield OwnNumber("all", "failed %", 100 * count["all"] / started)
    yield OwnNumber("all", "valid", started - count["all"])
    yield OwnNumber("code word", "failed", count["all"] - quiz)
    yield OwnNumber("code word", "failed %", 100 * code / started)
    yield OwnNumber("question", "failed", sum(count[f"question in {family}"] for family in FAMILIES))
    yield OwnNumber("question", "failed %", 100 * quiz / asked)
    people = 0.0
    for family in FAMILIES:
        row = f"question in {family}"
        # The text gives failures and their share of each family, which imply how many people were asked.
        of = 100 * count[row] / float(place.cells[row]["failed %"])
        people += of
        yield OwnNumber(row, "asked, by both", of)
        yield OwnNumber(row, "passed, by both", of - count[row])
    yield OwnNumber("question", "asked, by the families", people)
    yield OwnNumber("question", "asked", asked)


def _example() -> Iterator[OwnNumber]:
    """The example game under our rules."""
    params: dict[str, Any] = {"money": 1000.0, "delta": (1.0, 0.9), "horizon": 10}
    rules, faces = find_game("bargaining"), ["structured"] * 2
    moves = [
        Turn(0, 1, {"kind": "offer", "gain": 900.0}, None),
        Turn(1, 1, {"kind": "reject"}, None),
        Turn(1, 2, {"kind": "offer", "gain": 500.0}, None),
        Turn(0, 2, {"kind": "accept"}, None),
    ]
    public = rules.params(**params)[0]
    played = recompute_record(Record("bargaining", public, {}, 0, list(ROLES), faces, turns=moves))
    offer = played.turns[2].action or {}
    for role, delta in zip(ROLES, params["delta"], strict=True):
        yield OwnNumber("round 2", f"loss of {role} %", 100 * (1 - delta))
    yield OwnNumber("round 2", "offer to Alice", params["money"] - offer["gain"])
    yield OwnNumber("round 2", "offer to Bob", offer["gain"])
    for role, gain in zip(ROLES, played.payoffs, strict=True):
        yield OwnNumber("round 2", f"gain of {role}", gain)
