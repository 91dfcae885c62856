"""Figures for the names that models have: nothing is cut, nobody looks like another, noise has no colour."""

from __future__ import annotations

import math
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.text import Text

from econzoo.envs.core.record import labels
from econzoo.evaluate.analyses import Curve, Group
from econzoo.evaluate.analyses.alympics.levels import LevelGame, deviation_figure
from econzoo.evaluate.analyses.behaviour import deals, persuasion
from econzoo.evaluate.analyses.behaviour.figures import agreement_figure, concession_figure, honesty_figure
from econzoo.evaluate.analyses.behaviour.figures import reliability_figure
from econzoo.evaluate.analyses.behaviour.rows import Row
from econzoo.evaluate.analyses.evolution import StudyOptions, evolution_study, payoff_matrix
from econzoo.evaluate.analyses.evolution.figures import curves_figure, fixation_figure, line_figure, payoff_figure
from econzoo.evaluate.analyses.evolution.figures import simplex_figure
from econzoo.evaluate.analyses.learning_curve import Point
from econzoo.evaluate.analyses.programs.estimates import Cell as Place
from econzoo.evaluate.analyses.programs.estimates import Mean
from econzoo.evaluate.analyses.programs.figures import chart, round_figure
from econzoo.evaluate.analyses.programs.tables import COLUMNS
from econzoo.evaluate.analyses.regression import Effect
from econzoo.evaluate.analyses.regression.figures import effects_figure, heat_figure
from econzoo.evaluate.analyses.regression.pairs import Cell, Heat, heat
from econzoo.evaluate.analyses.regression.study import FeatureEffects
from econzoo.evaluate.analyses.summary import figures as summary_figures
from econzoo.evaluate.show import SEQUENTIAL_PALETTE, SERIES, Figure, figures, heat_map, min_max_scale, series_styles
from econzoo.evaluate.show import symmetric_scale, wrap_label
from econzoo.evaluate.show.files import PDF, PNG, SVG, write_parts
from econzoo.evaluate.stats import Interval

SPECS = [
    "openai:gpt-4o-mini?requests_per_minute=60",
    "openai:anthropic/claude-3-7-sonnet-20250219?requests_per_minute=60",
    "hf:meta-llama/Llama-3.1-8B-Instruct",
    "A NAME WITH ALL OF THE FORTY CHARACTERS M=spe",
    "linear(high=0.98765432100000, low=0.12345678900000, more=0.12345678900000)",
]
NAMES = [*labels(SPECS).values()]
SOME = Interval(0.4, 0.3, 0.55, 9)
GAME = "bargaining"


def summary(names=NAMES):
    seats = {(name, role): {"share": SOME} for name in names for role in ("Alice", "Bob")}
    overall = {name: {"efficiency": SOME, "fairness": SOME} for name in names}
    facts, group = (
        SimpleNamespace(role_with_part=lambda role: f"{role} (seller)"),
        Group("", names, names, overall, {}, {}, {}),
    )
    return SimpleNamespace(players=names, seats=seats, facts=facts, groups=[group])


def pairs(names=NAMES, effect=0.1):
    cells = {pair: Cell(0.5, effect, 4) for pair in product(names, names)}
    return Heat(GAME, "alice_self_gain", names, names, cells, True)


def family(names=NAMES):
    numbers = 0.1, 0.05, 0.2, 0.01, 0.3, 9
    effects = [Effect(GAME, "self_gain", "alice_player", name, *numbers, names[0]) for name in names[1:]]
    group = FeatureEffects("alice_player", names[0], {one.value: {one.metric: one} for one in effects})
    return SimpleNamespace(fits=[SimpleNamespace(metric="self_gain")], groups=lambda players: [group])


def rows(measure, keys, role="", game=GAME, names=NAMES):
    return [Row(measure, game, name, role, str(key), 0.5, 0.4, 0.6, 9) for name in names for key in keys]


def types(count):
    settings = StudyOptions(generations=9, population=5, runs=2, starts=3)
    return evolution_study(payoff_matrix.matrix_from_payoffs(NAMES[:count], np.eye(count) + 0.5), settings)


def means():
    return {name: [Mean("x", GAME, name, "all", at, 0.5, 0.4, 0.6, 9, 0) for at in (1, 2)] for name in NAMES}


def bars():
    every = [SimpleNamespace(key=key, name=key * 9) for key in "abcdef"]
    share = {one.key: Mean("x", GAME, "", "", 0, 1 / 6, 0.1, 0.2, 9, 0) for one in every}
    met = [(Place(GAME, one, other, 0), share) for one, other in combinations(NAMES, 2)]
    return chart(met, SimpleNamespace(categories=every, keys="abcdef"))


FIGURES = {
    "equilibrium": lambda: summary_figures.equilibrium_figure(summary()),
    "pareto": lambda: summary_figures.pareto_figure(summary()),
    "learning": lambda: summary_figures.learning_figure(
        Curve("x", "steps", "reward", {name: [Point(at, 0.5, 0.4, 0.6) for at in (0, 9000)] for name in NAMES})
    ),
    "pairs": lambda: heat_figure(pairs()),
    "effects": lambda: effects_figure(family(), players=True),
    "concession": lambda: concession_figure(
        rows(deals.MEAN_DEMAND, [1, 2], "Alice") + rows(deals.STILL_RUNNING, [1, 2], "Alice"), GAME, "Alice"
    ),
    "agreement": lambda: agreement_figure(rows(deals.NO_DEAL_SHARE, [1, 2]), GAME),
    "honesty": lambda: honesty_figure(rows(persuasion.LIES, [persuasion.RECOMMEND_BAD]), GAME),
    "reliability": lambda: reliability_figure(rows(persuasion.RATE, [1]) + rows(persuasion.BELIEF, [1]), GAME),
    "rounds": lambda: round_figure(means(), "tree similarity to the opponent's last program", True),
    "strategies": bars,
    "payoffs": lambda: payoff_figure(types(5)),
    "fixation": lambda: fixation_figure(types(5)),
    "shares": lambda: curves_figure(types(5), np.arange(3), np.full((3, 5), 0.2), "time"),
    "simplex": lambda: simplex_figure(types(3)),
    "line": lambda: line_figure(types(2)),
    "deviation": lambda: deviation_figure(
        [LevelGame(one, other, 0, {}, [1.0, 2.0]) for one in NAMES[:2] for other in NAMES], "the target", "round"
    ),
}


def cut_off(figure):
    """The texts of a figure that do not lie on its canvas as a whole."""
    figure.draw_without_rendering()
    hidden = {id(text) for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for text in _beyond(axis)}
    shown = [one for one in figure.findobj(Text) if one.get_visible() and id(one) not in hidden]
    texts = [one for one in shown if isinstance(one, Text) and one.get_text().strip()]
    return [one.get_text() for one in texts if not _inside(figure, one.get_window_extent())]


def _beyond(axis):
    """Labels of ticks that are not drawn, because they lie beyond the ends of their axis."""
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [text for tick in ticks if not low <= tick.get_loc() <= high for text in (tick.label1, tick.label2)]


def _inside(figure, box):
    canvas = figure.bbox
    return bool(canvas.x0 <= box.x0 and box.x1 <= canvas.x1 and canvas.y0 <= box.y0 and box.y1 <= canvas.y1)


@pytest.mark.slow
def test_no_text_is_cut_at_an_edge():
    """Each figure with five long names: every one is on it, whole."""
    for name, make in FIGURES.items():
        assert cut_off(make()) == [], name


@pytest.mark.slow
def test_no_text_is_cut_in_a_file(tmp_path):
    """It is laid out once, and letters are not as wide at other sizes."""
    figure = effects_figure(family(["gemini-1.5-flash", "a", "b"]), players=True)
    write_parts([Figure("x", "X", "", figure)], tmp_path, [PDF, PNG, SVG])
    for dots in (72, 160):
        figure.set_dpi(dots)
        assert cut_off(figure) == []


def test_a_text_beyond_the_edge_is_found():
    figure, ax = figures.axes(2.0)
    ax.text(0.9, 0.5, "beyond the edge", transform=ax.transAxes, in_layout=False)
    assert cut_off(figure) == ["beyond the edge"]


def test_every_player_is_named_in_full():
    for name in ["pairs", "pareto", "rounds", "equilibrium"]:
        figure = FIGURES[name]()
        legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
        ticks = [text.get_text() for text in figure.axes[0].get_yticklabels()]
        told = {text.replace("\n", "").replace(" ", "") for text in legends + ticks}
        assert {name.replace(" ", "") for name in NAMES} <= told, name


def test_a_label_in_lines_has_all_of_its_characters():
    for width in [0.3, 1.0, 1.8]:
        for name in NAMES:
            assert wrap_label(name, width).replace("\n", "").replace(" ", "") == name.replace(" ", ""), width
        assert wrap_label("claude-3-7-sonnet-20250219") == "claude-3-7-sonnet-\n20250219", width


# Colours


def seen_by(color, view):
    """A colour in OKLab, as by the matrices of Machado et al. (2009) somebody sees it who lacks a kind of cones."""
    part = np.array([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.clip(np.array(view) @ np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4), 0, 1)
    cones = np.cbrt(np.array([(0.4122, 0.5363, 0.0514), (0.2119, 0.6807, 0.1074), (0.0883, 0.2817, 0.63)]) @ linear)
    return np.array([(0.2105, 0.7936, -0.0041), (1.978, -2.4286, 0.4506), (0.0259, 0.7828, -0.8087)]) @ cones


VIEWS = {
    "all cones": np.eye(3),
    "no red": [(0.1523, 1.0526, -0.2049), (0.1145, 0.7863, 0.0992), (-0.0039, -0.0481, 1.052)],
    "no green": [(0.3673, 0.8606, -0.2280), (0.2801, 0.6725, 0.0474), (-0.0118, 0.0429, 0.9689)],
}


def test_ten_colours_are_told_apart():
    assert len(set(SERIES)) == 10
    for view, seen_as in VIEWS.items():
        seen = [seen_by(color, seen_as) for color in SERIES]
        assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 0.1, view


def test_an_eleventh_player_has_the_first_colour_with_another_marker_and_other_dashes():
    first, *others, eleventh = series_styles(map(str, range(11))).values()
    assert first.color == eleventh.color
    assert first.color not in {one.color for one in others}
    assert first.marker != eleventh.marker
    assert first.dashes != eleventh.dashes
    assert len(set(series_styles(map(str, range(40))).values())) == 40


def test_a_player_has_its_colour_whoever_else_is_on_the_figure():
    """Two of three players stand on the second figure, the last of them first."""
    everybody = rows(deals.NO_DEAL_SHARE, [1], names=["a", "b", "c"])
    one = agreement_figure(everybody, GAME)
    fewer = [*rows(deals.NO_DEAL_SHARE, [1], game="negotiation", names=["c", "b"]), *everybody]
    other = agreement_figure(fewer, "negotiation")
    hues = [{line.get_label(): line.get_color() for line in figure.axes[0].lines} for figure in (one, other)]
    assert hues[1] == {name: hues[0][name] for name in "bc"}
    group = summary(["a", "b", "c"]).groups[0]._replace(players=["c", "b"])
    drawn = summary_figures.pareto_figure(summary(["a", "b", "c"]), group)
    assert {line.get_label(): line.get_color() for line in drawn.axes[0].lines}["c"] == series_styles("abc")["c"].color


# Scales


def test_what_rounding_leaves_is_white_and_stands_on_no_scale():
    """Both players always take half: in floats the effects are of the size of 1e-16, and not 0."""
    values = np.array([[1e-14, -2e-14], [3e-15, 0.0]])
    around, upwards = symmetric_scale(100 * values), min_max_scale(0.5 + values)
    assert np.allclose(around(100 * values), 0.5, atol=1e-6)
    assert np.allclose(upwards(0.5 + values), 0.0, atol=1e-6)
    figure = heat_figure(pairs(effect=1e-16))
    figure.draw_without_rendering()
    bar = figure.axes[1].yaxis
    assert not [one for one in [*bar.get_ticklabels(), bar.get_offset_text()] if "e" in one.get_text()]


def test_effects_of_pairs_that_rounding_made_are_none():
    from pandas import DataFrame

    table = DataFrame({"first": ["a", "a", "b"], "second": ["a", "b", "b"], "gain": [0.1 + 0.2, 0.3, 0.6 - 0.3]})
    table["configuration"], table["seed"] = "all", 0
    assert table["gain"].nunique() > 1
    found = heat(SimpleNamespace(table=table, seats=["first", "second"], family=GAME, metrics=["gain"]), "gain", [])
    assert {cell.effect for cell in found.cells.values()} == {0.0}


def falling(ends):
    """The last deals of players in these rounds, of games of up to 99 rounds."""
    return [
        Row(deals.NO_DEAL_SHARE, GAME, f"p{at}", "", str(key), 1.0 if key < end else 0.2, 0.1, 1.0, 9)
        for at, end in enumerate(ends)
        for key in range(1, 100)
    ]


def test_the_axis_of_rounds_fits_what_happens():
    for ends, scale, right in [
        (range(3, 19), "linear", (18, 20)),
        ([*range(3, 19), 99], "log", (99, 120)),
        ([20, 60, 99], "linear", (99, 105)),
    ]:
        ax = agreement_figure(falling(ends), GAME).axes[0]
        assert ax.get_xscale() == scale, ends
        assert right[0] <= ax.get_xlim()[1] <= right[1], ends
        assert ax.yaxis.get_major_formatter()(0.5, 0) == "50%", ends


# Heat maps


@pytest.mark.slow
def test_a_map_of_thirteen_players_can_be_read_on_a_page():
    """It is 960 pixels wide there: letters of 9.5 points have at least 10 pixels, and all numbers are written."""
    names = [f"{name} {at}" for at in range(3) for name in NAMES][:13]
    figure = heat_figure(pairs(names))
    assert 9.5 * 960 / (72 * figure.get_figwidth()) >= 10
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts.count("+10.0") == texts.count("n=4") == 169
    assert cut_off(figure) == []


@pytest.mark.slow
def test_a_wide_figure_keeps_its_size_on_a_phone():
    """Below that it scrolls: 11 inches on 362 pixels would have letters of 4."""
    svg = figures.to_svg(heat_figure(pairs([f"{name} {at}" for at in range(3) for name in NAMES][:13])), "x")
    least = float(svg.partition("min-width:")[2].partition("px")[0])
    assert 9.5 / 72 * figures.MIN_PIXELS_PER_INCH >= 7
    assert least > 500


def test_figures_are_written_for_papers_too(tmp_path):
    written = write_parts([Figure("pairs", "Pairs", "", heat_figure(pairs(NAMES[:1])))], tmp_path)
    assert {path.suffix for path in written} == {".pdf", ".png", ".svg"}
    assert (tmp_path / "pairs.pdf").read_bytes().startswith(b"%PDF")
    assert b"CreationDate" not in (tmp_path / "pairs.pdf").read_bytes()


def test_the_scale_of_shares_is_in_percent():
    assert "access" in COLUMNS["access_paper"].title
    drawn = heat_map(
        "ab",
        "ab",
        np.ones((2, 2)),
        [[("", "")] * 2] * 2,
        SEQUENTIAL_PALETTE,
        min_max_scale(np.ones((2, 2))),
        "x",
        format_value=lambda share: f"{share:.0%}",
    )
    drawn.draw_without_rendering()
    assert [tick.get_text() for tick in drawn.axes[1].get_yticklabels()] == ["100%"]
    assert math.isclose(drawn.axes[1].get_ylim()[0], 1.0)


def test_an_opponent_of_learning_has_the_look_and_the_label_that_it_has_elsewhere():
    curve = Curve("x", "steps", "reward", {spec: [Point(0, 0.5, 0.4, 0.6)] for spec in (SPECS[2], "spe")})
    lines = summary_figures.learning_figure(curve, ["ann", "Llama-3.1-8B-Instruct"]).axes[0].lines
    assert [line.get_label() for line in lines] == ["Llama-3.1-8B-Instruct", "spe"]
    assert [line.get_color() for line in lines] == [*SERIES[1:3]]
