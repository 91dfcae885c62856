"""Figures of behaviour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from econzoo.evaluate.analyses.behaviour import choices, deals, persuasion
from econzoo.evaluate.analyses.behaviour.offers import GAMES
from econzoo.evaluate.analyses.behaviour.rows import ALL_PLAYERS, Row, distinct, select_rows
from econzoo.evaluate.show import INK, SERIES, WIDTH, SeriesStyle, apply_style, axes, band, format_tick, legend
from econzoo.evaluate.show import reliability_curves, series_styles, set_integer_ticks, set_percent_ticks, whisker
from econzoo.evaluate.show import wrap_labels
from econzoo.evaluate.stats import Interval

LOG_MIN_ROUNDS, LOG_EARLY_SHARE, LOG_EARLY_PARTS = 20, 0.9, 4
"""An axis of at least 20 rounds is logarithmic if 90% of events are in its first quarter."""

MIN_OFFERS = 5
"""Minimum number of offers for a round to be plotted, unless all rounds have fewer."""


@apply_style
def concession_figure(rows: Sequence[Row], game: str, role: str) -> Figure:
    """Plot each player's demands in one seat by round, above the share of matches that still run."""
    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.6, 1.0]})
    mine = [row for row in rows if row.game == game and row.role == role]
    players = players_of(select_rows(mine, measure=deals.MEAN_DEMAND))
    curves = {
        player: frequent_points(select_rows(mine, measure=deals.MEAN_DEMAND, player=player)) for player in players
    }
    last = max((int(row.key) for curve in curves.values() for row in curve), default=1)
    styles = series_styles(players_of(rows))
    for player in players:
        _curve(above, curves[player], styles[player], player)
        running = [row for row in select_rows(mine, measure=deals.STILL_RUNNING, player=player) if int(row.key) <= last]
        steps = [int(row.key) for row in running], [row.value for row in running]
        below.step(*steps, where="mid", color=styles[player].color, linestyle=styles[player].dashes)
    set_percent_ticks(below.yaxis)
    above.set_ylabel(GAMES[game].word)
    below.set_ylabel("still\nrunning")
    below.set_ylim(0.0, 1.05)
    below.set_xlabel("round")
    set_integer_ticks(below)
    legend(figure)
    return figure


def players_of(rows: Sequence[Row]) -> list[str]:
    """Return the players of some rows in a fixed order, which keeps colours equal between figures."""
    return sorted(set(distinct(rows, "player")) - {ALL_PLAYERS})


def frequent_points(curve: Sequence[Row]) -> list[Row]:
    """Return the points of a curve with at least `MIN_OFFERS` offers; all points if none has as many."""
    return [row for row in curve if row.n >= MIN_OFFERS] or list(curve)


@apply_style
def agreement_figure(rows: Sequence[Row], game: str) -> Figure:
    """Plot the share of matches without a deal after each round, for every player."""
    figure, ax = axes(3.2)
    curves = [row for row in select_rows(rows, measure=deals.NO_DEAL_SHARE, game=game) if not math.isnan(row.value)]
    styles = series_styles(players_of(rows))
    begin = _format_round_axis(ax, [int(row.key) for row in _decreasing_points(curves)])
    for player in players_of(curves):
        curve = select_rows(curves, player=player)
        rounds = [begin, *(float(row.key) for row in curve)]
        rounds.append(rounds[-1] + 0.5)  # so that the last step is visible
        values, ends = [row.value for row in curve], [whisker(row.interval) for row in curve]
        shares, style = [1.0, *values, *values[-1:]], styles[player]
        ax.step(rounds, shares, where="post", color=style.color, linestyle=style.dashes, label=player)
        band(ax, rounds, [(1.0, 1.0), *ends, *ends[-1:]], style, step="post")
    ax.set_ylim(0.0, 1.05)
    set_percent_ticks(ax.yaxis)
    ax.set_xlabel("round")
    ax.set_ylabel("matches without a deal")
    legend(figure)
    return figure


def _decreasing_points(curves: Sequence[Row]) -> list[Row]:
    """The points at which a curve decreases, which determine the axis."""
    return [
        row
        for player in players_of(curves)
        for last, row in pairwise([None, *select_rows(curves, player=player)])
        if row is not None and row.value < (1.0 if last is None else last.value)
    ]


def _format_round_axis(ax: Axes, events: Sequence[int]) -> float:
    """Format the axis of rounds, logarithmic if nearly all events are early; return its lower end."""
    last = max(events, default=1)
    if last < LOG_MIN_ROUNDS or sorted(events)[int(LOG_EARLY_SHARE * (len(events) - 1))] > last / LOG_EARLY_PARTS:
        ax.set_xlim(0, 1.04 * last + 0.5)
        set_integer_ticks(ax)
        return 0.0
    # A logarithmic axis has no 0, so curves begin shortly before the first round.
    ax.set_xscale("log")
    ax.set_xlim(0.8, 1.1 * last)
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(format_tick)
    ax.xaxis.set_minor_locator(NullLocator())
    return 0.8


@apply_style
def honesty_figure(rows: Sequence[Row], game: str) -> Figure:
    """Plot lie rates of every seller by quality, as bars with intervals."""
    found = select_rows(rows, measure=persuasion.LIES, game=game)
    players = players_of(found)[::-1]  # bars are drawn from below
    figure, ax = axes(0.9 + 0.62 * len(players))
    for at, (key, height) in enumerate(((persuasion.RECOMMEND_BAD, 0.19), (persuasion.DISCOURAGE_GOOD, -0.19))):
        bars = {place: row for place, p in enumerate(players) for row in select_rows(found, player=p, key=key)}
        places = [place + height for place in bars]
        ax.barh(places, [100 * row.value for row in bars.values()], 0.32, color=SERIES[1 - at], label=key)
        ax.plot([100 * row.value for row in bars.values()], places, "|", color=INK, markersize=8)  # visible at 0 too
        low, high = 100 * np.array([whisker(row.interval) for row in bars.values()]).reshape(-1, 2).T
        ax.hlines(places, low, high, color=INK, linewidth=1.2)
    ax.set_yticks(range(len(players)), wrap_labels(players))
    ax.set_xlabel("percent of the products of that quality")
    ax.set_xlim(0.0, 100.0)
    ax.grid(visible=False, axis="y")
    legend(figure)
    return figure


def reliability_figure(rows: Sequence[Row], game: str) -> Figure:
    """Plot purchase rate against belief by bin for every buyer; a calibrated buyer is on the diagonal."""
    curves: dict[str, list[tuple[float, Interval]]] = {}
    for player in players_of(select_rows(rows, measure=persuasion.RATE, game=game)):
        rates = frequent_points(select_rows(rows, measure=persuasion.RATE, game=game, player=player))
        beliefs = {row.key: row.value for row in select_rows(rows, measure=persuasion.BELIEF, game=game, player=player)}
        curves[player] = [(beliefs[row.key], row.interval) for row in rates]
    axis_labels = "belief of a Bayesian buyer that the product is good", "purchase rate"
    return reliability_curves(curves, series_styles(players_of(rows)), *axis_labels)


def choice_figure(rows: Sequence[Row], game: str) -> Figure:
    """Plot how often kinds of move were chosen by their probability; sampled replies are on the diagonal."""
    curves: dict[str, list[tuple[float, Interval]]] = {}
    for player in players_of(select_rows(rows, measure=choices.CHOSEN, game=game)):
        mine = [
            row for row in rows if (row.game, row.player) == (game, player) and row.key.startswith(choices.ANY_KIND)
        ]
        means = {(row.role, row.key): row.value for row in select_rows(mine, measure=choices.PROBABILITY)}
        roles = distinct(chosen := select_rows(mine, measure=choices.CHOSEN), "role")
        for role in roles:
            curve = [(means[role, row.key], row.interval) for row in frequent_points(select_rows(chosen, role=role))]
            curves[f"{player} as {role}" if len(roles) > 1 else player] = sorted(curve, key=lambda point: point[0])
    return reliability_curves(curves, series_styles(list(curves)), "probability of a kind of move", "share chosen")


def _curve(ax: Axes, rows: Sequence[Row], style: SeriesStyle, label: str) -> None:
    """A line with points, and its interval as a band."""
    rounds, values = [int(row.key) for row in rows], [row.value for row in rows]
    band(ax, rounds, [whisker(row.interval) for row in rows], style)
    ax.plot(rounds, values, color=style.color, linestyle=style.dashes, linewidth=1.4)
    ax.plot(rounds, values, style.marker, color=style.color, markersize=4.5, label=label)
