"""Figures of behaviour, in the style of all figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from econzoo.evaluate.behaviour import agreement, concession, honesty, trust
from econzoo.evaluate.behaviour.offers import GAMES
from econzoo.evaluate.behaviour.rows import ALL, Row, distinct, pick
from econzoo.evaluate.escapes import short, shortened
from econzoo.evaluate.figures import INK, SERIES, WIDTH, axes, color, marker, styled, whole_numbers
from econzoo.evaluate.formats import known

LINE_LENGTH, BESIDE_NAME, ROW_HEIGHT = 68, 8, 0.2
"""Of legends: characters that fit beside each other, those that a marker takes, and inches that a row takes."""

DASHES = ("-", "--", ":", "-.")

FEWEST = 5
"""Offers below which a round is not drawn, unless all rounds have fewer."""


@styled
def concession_figure(rows: Sequence[Row], game: str, role: str) -> Figure:
    """What each player asked for in one seat, round by round, above the share of matches that still ran."""
    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, gridspec_kw={"height_ratios": [2.6, 1.0]})
    mine = [row for row in rows if row.game == game and row.role == role]
    players = players_of(pick(mine, measure=concession.ASKED))
    drawn = {player: often(pick(mine, measure=concession.ASKED, player=player)) for player in players}
    last = max((int(row.key) for curve in drawn.values() for row in curve), default=1)
    for at, player in enumerate(players):
        _curve(above, drawn[player], at, short(player))
        running = [row for row in pick(mine, measure=concession.RUNNING, player=player) if int(row.key) <= last]
        steps = [int(row.key) for row in running], [row.value for row in running]
        below.step(*steps, where="mid", color=color(at), linestyle=_dashes(at))
    above.set_ylabel(GAMES[game].word)
    below.set_ylabel("still\nrunning")
    below.set_ylim(0.0, 1.05)
    below.set_xlabel("round")
    whole_numbers(below)
    _legend(above)
    return figure


def players_of(rows: Sequence[Row]) -> list[str]:
    """The players of some rows, always in the same order, so that each keeps its colour from figure to figure."""
    return sorted(set(distinct(rows, "player")) - {ALL})


def often(curve: Sequence[Row]) -> list[Row]:
    """The points of a curve that are made of enough offers."""
    return [row for row in curve if row.n >= FEWEST] or list(curve)


@styled
def agreement_figure(rows: Sequence[Row], game: str) -> Figure:
    """The share of matches without a deal after each round, for every player."""
    figure, ax = axes(3.2)
    curves = [row for row in pick(rows, measure=agreement.WITHOUT, game=game) if not math.isnan(row.value)]
    players = players_of(curves)
    for at, player in enumerate(players):
        curve = pick(curves, player=player)
        rounds = [0.0, *(float(row.key) for row in curve)]
        rounds.append(rounds[-1] + 0.5)  # so that the last step is seen
        value, low, high = ([1.0, *end, *end[-1:]] for end in (_end(curve, name) for name in ("value", "low", "high")))
        ax.step(rounds, value, where="post", color=color(at), linestyle=_dashes(at), label=short(player))
        ax.fill_between(rounds, low, high, step="post", color=color(at), alpha=0.13, linewidth=0)
    ax.set_ylim(0.0, 1.05)
    ax.set_xlim(left=0)
    ax.set_xlabel("round")
    ax.set_ylabel("matches without a deal")
    whole_numbers(ax)
    _legend(ax)
    return figure


@styled
def honesty_figure(rows: Sequence[Row], game: str) -> Figure:
    """Lie rates of every seller by what was lied about, as bars with their intervals."""
    found = pick(rows, measure=honesty.LIES, game=game)
    players = players_of(found)[::-1]
    figure, ax = axes(0.9 + 0.62 * len(players))
    for at, (key, height) in enumerate(((honesty.RECOMMEND_BAD, 0.19), (honesty.DISCOURAGE_GOOD, -0.19))):
        bars = {place: row for place, p in enumerate(players) for row in pick(found, player=p, key=key)}
        places = [place + height for place in bars]
        ax.barh(places, [100 * row.value for row in bars.values()], 0.32, color=SERIES[1 - at], label=key)
        ends = [(known(row.low, row.value), known(row.high, row.value)) for row in bars.values()]
        ax.hlines(places, [100 * low for low, _ in ends], [100 * high for _, high in ends], color=INK, linewidth=1.2)
    ax.set_yticks(range(len(players)), [*shortened(players).values()])
    ax.set_xlabel("percent of the products of that quality")
    ax.set_xlim(0.0, 100.0)
    ax.grid(visible=False, axis="y")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


@styled
def reliability_figure(rows: Sequence[Row], game: str) -> Figure:
    """Purchase rate against belief in each bin, for every buyer; the diagonal is a calibrated buyer."""
    figure, ax = axes(3.9)
    ax.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    players = players_of(pick(rows, measure=trust.RATE, game=game))
    for at, player in enumerate(players):
        rates = often(pick(rows, measure=trust.RATE, game=game, player=player))
        beliefs = {row.key: row.value for row in pick(rows, measure=trust.BELIEF, game=game, player=player)}
        x = [beliefs[row.key] for row in rates]
        ax.vlines(x, _end(rates, "low"), _end(rates, "high"), color=color(at), linewidth=1.2)
        ax.plot(x, [r.value for r in rates], color=color(at), linewidth=0.9, alpha=0.6)
        ax.plot(x, [r.value for r in rates], marker(at), color=color(at), markersize=4.5, label=short(player))
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("belief of a Bayesian buyer that the product is good")
    ax.set_ylabel("purchase rate")
    _legend(ax)
    return figure


def _curve(ax: Axes, rows: Sequence[Row], at: int, label: str) -> None:
    """A line with points and its interval as a band."""
    rounds = [int(row.key) for row in rows]
    ax.fill_between(rounds, _end(rows, "low"), _end(rows, "high"), color=color(at), alpha=0.16, linewidth=0)
    ax.plot(rounds, [r.value for r in rows], color=color(at), linewidth=1.4)
    ax.plot(rounds, [row.value for row in rows], marker(at), color=color(at), markersize=4.5, label=label)


def _end(rows: Sequence[Row], name: str) -> list[float]:
    """One end of the intervals; the value itself where there is none."""
    return [known(getattr(row, name), row.value) for row in rows]


def _dashes(at: int) -> str:
    """Another pattern for each time the colours are used up."""
    return DASHES[(at // len(SERIES)) % len(DASHES)]


def _legend(ax: Axes) -> None:
    """The names below everything, in as many columns as fit; the figure grows by what they take."""
    lines, names = ax.get_legend_handles_labels()
    if not names:
        return
    columns = max(1, min(len(names), LINE_LENGTH // (max(map(len, names)) + BESIDE_NAME)))
    figure: Any = ax.get_figure()
    figure.set_figheight(figure.get_figheight() + ROW_HEIGHT * math.ceil(len(names) / columns))
    figure.legend(lines, names, loc="outside lower center", ncols=columns)
