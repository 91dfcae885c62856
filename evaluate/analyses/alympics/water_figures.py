"""Figures of the Water Allocation Challenge after those of ALYMPICS: 4 and 7 to 9, and 6 of its first version."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from econzoo.envs.families.survival import Day
from econzoo.envs.games.water_allocation.indicators import rsr_by_day, rsr_end
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.water_games import WaterGame
from econzoo.evaluate.analyses.alympics.water_table import minimum_bids
from econzoo.evaluate.show import GREY, INK, SERIES, apply_style, legend, mean_with_band, series_styles
from econzoo.evaluate.show import set_integer_ticks, wrap_label
from econzoo.evaluate.stats import mean_of_daily_medians

WIDE, HIGH = 7.4, 2.1
"""Width of a figure, and height of a row of its panels, in inches."""

PANELS_PER_ROW = 2

GamesBySetting = dict[str, list[WaterGame]]
"""The games of one line-up by setting."""

Value = Callable[[Day, int], float]
"""Value of a resident (seat) on a day, for curves."""


def bid(day: Day, seat: int) -> float:
    """Return the bid in dollars; NaN for the dead."""
    return day.bids[seat]


def health(day: Day, seat: int) -> float:
    """Return the health points in the evening; 0 for the dead."""
    return 0.0 if day.died[seat] else float(day.healths[seat])


def balance(day: Day, seat: int) -> float:
    """Return the balance in the evening in dollars; NaN for residents who died earlier."""
    return math.nan if math.isnan(day.bids[seat]) else day.balances[seat]


def values_by_day(games: Sequence[WaterGame], value: Value) -> np.ndarray:
    """Return values by day, shape (games, days, residents); NaN on unplayed days."""
    first = games[0]
    out = np.full((len(games), first.params.days, len(first.names)), math.nan)
    for at, game in enumerate(games):
        for day in game.days:
            out[at, day.day - 1] = [value(day, seat) for seat in range(len(game.names))]
    return out


def supply_ratios(games: Sequence[WaterGame]) -> np.ndarray:
    """Return the RSR of those alive in the morning of each day, mean over played games, shape (days,)."""
    ratios = np.full((len(games), games[0].params.days), math.nan)
    for at, game in enumerate(games):
        values = rsr_by_day(game.params, game.days)
        ratios[at, : len(values)] = values
    return np.array([one.mean for one in estimates.means(ratios)])


@apply_style
def minimum_bid_figure(settings: GamesBySetting) -> Figure:
    """Plot the minimum successful bid by day: boxes over games, median (line), mean of the medians (dashed)."""
    figure, panels = _panels(len(settings))
    for (ax, edge), (name, games) in zip(panels, settings.items(), strict=True):
        bids = minimum_bids(games)
        known = [day[~np.isnan(day)] for day in bids.T]
        days = range(1, len(known) + 1)
        _boxes(ax, known)
        medians = [float(np.median(day)) if len(day) else math.nan for day in known]
        ax.plot(days, medians, color=SERIES[1], linewidth=1.4, label="median of the day")
        mean = mean_of_daily_medians(bids).mean
        ax.axhline(mean, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), label="mean of the medians")
        mean_text = "" if math.isnan(mean) else f", mean {mean:.0f}"
        _format_axes(ax, edge, f"{_title(name, games)}{mean_text}", "dollars", len(known))
    legend(figure, 8.5)
    return figure


@apply_style
def survivors_figure(settings: GamesBySetting) -> Figure:
    """Plot survivors and RSR at the end, a box over games for each setting (Figure 6 of ALYMPICS' first version)."""
    figure = Figure(figsize=(WIDE, 0.5 + 1.4 * HIGH), layout="constrained")
    values = {
        "survivors": [[float(sum(game.alive)) for game in games] for games in settings.values()],
        "RSR at the end": [[rsr_end(game.params, game.days) for game in games] for games in settings.values()],
    }
    for ax, (label, by_setting) in zip(figure.subplots(1, len(values)), values.items(), strict=True):
        known = [np.array(found)[~np.isnan(found)] for found in by_setting]
        _boxes(ax, known)
        ax.set_xticks(range(1, len(known) + 1), [*settings], rotation=30, ha="right")
        ax.set_ylim(bottom=0.0)
        ax.set_ylabel(label)
        ax.tick_params(labelsize=8)
    return figure


def _boxes(ax: Axes, days: Sequence[np.ndarray]) -> None:
    """Box plots: quartiles, and whiskers of 1.5 interquartile ranges."""
    line = {"color": SERIES[0], "linewidth": 0.8}
    ax.boxplot(
        days,
        positions=range(1, len(days) + 1),
        widths=0.6,
        manage_ticks=False,
        patch_artist=True,
        boxprops={"facecolor": SERIES[0], "alpha": 0.35, "linewidth": 0.0},
        medianprops=line,
        whiskerprops=line,
        capprops=line,
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": SERIES[0]},
    )


@apply_style
def curves_figure(settings: GamesBySetting, value: Value, label: str) -> Figure:
    """Plot a value of each resident by day, mean over games with 95% interval, and the RSR (grey, right axis)."""
    figure, panels = _panels(len(settings))
    for (ax, edge), (name, games) in zip(panels, settings.items(), strict=True):
        _ratio_axis(ax, supply_ratios(games), last=edge[1])
        values = values_by_day(games, value)
        for seat, (resident, style) in enumerate(series_styles(games[0].names).items()):
            mean_with_band(ax, estimates.means(values[:, :, seat]), style, resident)
        _format_axes(ax, edge, _title(name, games), label, values.shape[1])
    legend(figure, 8.5)
    return figure


def _ratio_axis(ax: Axes, ratios: np.ndarray, last: bool) -> None:
    """The RSR on a second axis, behind the curves."""
    other = ax.twinx()
    other.step(range(1, len(ratios) + 1), ratios, where="mid", color=GREY, linewidth=1.0, alpha=0.7)
    other.set_ylim(0.0, max(1.0, np.nanmax(ratios, initial=1.0) * 1.05))
    other.grid(visible=False)
    other.tick_params(axis="y", colors=GREY, labelsize=8)
    if last:
        other.set_ylabel("RSR", color=GREY)
    # An empty line, for the legend, which lists the lines of the first axis only.
    ax.plot([], [], color=GREY, linewidth=1.0, alpha=0.7, label="RSR (right)")
    # The second axis is drawn on top by default; the background of the first would then hide it.
    ax.set_zorder(other.get_zorder() + 1)
    ax.patch.set_visible(False)


def _panels(count: int) -> tuple[Figure, Iterator[tuple[Axes, tuple[bool, bool, bool]]]]:
    """A figure with panels in column order, each with flags: in the left column, right column, bottom row."""
    across = min(PANELS_PER_ROW, count)
    down = math.ceil(count / across)
    figure = Figure(figsize=(WIDE if across > 1 else 0.7 * WIDE, 0.5 + HIGH * down), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False, sharex=True)
    columns = list(grid.T.flat)
    for ax in columns[count:]:
        ax.set_visible(False)
    edges = [(at < down, at // down == across - 1, at % down == down - 1 or at == count - 1) for at in range(count)]
    return figure, iter(zip(columns[:count], edges, strict=True))


def _format_axes(ax: Axes, edge: tuple[bool, bool, bool], title: str, label: str, days: int) -> None:
    left, _, bottom = edge
    ax.set_title(wrap_label(title, WIDE / 2 - 0.6, 9), fontsize=9, loc="left")
    ax.set_ylim(bottom=0.0)
    ax.set_xlim(0.3, days + 0.7)
    set_integer_ticks(ax)
    ax.tick_params(labelsize=8)
    if left:
        ax.set_ylabel(label)
    if bottom:
        ax.set_xlabel("day")
        ax.tick_params(axis="x", labelbottom=True)


def _title(name: str, games: Sequence[WaterGame]) -> str:
    params = games[0].params
    return f"{name} ({params.low}\u2013{params.high})"
