"""Transcript of a match for spectators."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.envs.core import dollars, require_libraries

if TYPE_CHECKING:
    from econzoo.envs.core.contract import Event, Game


def spectate(
    game: Game, events: Iterable[Event], payoffs: Sequence[float] | None, names: Sequence[str] | None = None
) -> str:
    """Return one line per move, and the payoffs if the match has ended.

    Args:
        payoffs: Payoffs in the game's own unit, or None while the match runs.
        names: Names of the seats; None: those under default parameters.
    """
    roles = names or role_names(game, count_seats(events, payoffs))
    lines = [f"{game.name}: {join_names(roles)}"]
    lines += [
        f"  round {e.round:>3}  {roles[e.seat]:<8} {describe_action(game, e.action)}{describe_fact(game, e)}"
        for e in events
    ]
    if payoffs is not None:
        lines.append(f"  payoffs    {format_payoffs(roles, payoffs)}")
    return "\n".join(lines)


def join_names(names: Sequence[str]) -> str:
    """Join names: ``Ann, Ben and Cy``."""
    return " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])


def format_payoffs(names: Sequence[str], payoffs: Sequence[float]) -> str:
    return ", ".join(f"{name} {dollars(payoff, cents=True)}" for name, payoff in zip(names, payoffs, strict=False))


def count_seats(events: Iterable[Event], payoffs: Sequence[float] | None) -> int:
    """Return the number of seats that appear in a transcript."""
    return max([2, len(payoffs or ()), *(event.seat + 1 for event in events)])


def role_names(game: Game, seats: int, public: Mapping[str, Any] | None = None) -> list[str]:
    """Return a name for each seat: the game's roles (under these public parameters), then numbered ones."""
    return list(game.roles(max(seats, len(game.facts.roles)) if public is None else seats, public))


def describe_fact(game: Game, event: Event) -> str:
    """Format the fact revealed by a move (``text.fact`` of the game) after two spaces; empty if none."""
    if event.fact is None:
        return ""
    text = getattr(game.text, "fact", str)(event.fact)
    return f"  ({text})"


def describe_action(game: Game, action: Any, names: Mapping[str, str] | None = None) -> str:
    """Describe a typed action briefly, with its message quoted.

    Args:
        action: Typed action; None: not known yet.
    """
    if action is None:
        return "(revealed)"
    called = names or {}
    plain = game.actions.to_plain(action)
    numbers = game.actions.kinds[game.actions.move(action).kind].numbers
    kind = str(plain.pop("kind", game.actions.names[0]))
    parts = [called.get(kind, kind)] if len(game.actions.names) > 1 or not plain else []
    for name, value in plain.items():
        parts.append(_describe_value(called.get(name, name), value, name in numbers and not numbers[name].is_integer))
    return "  ".join(parts)


def _describe_value(name: str, value: Any, cents: bool) -> str:
    if isinstance(value, list):
        return f"{name} {', '.join(_format_value(one, cents) for one in value)}"
    if not isinstance(value, str):
        return f"{name} {_format_value(value, cents)}"
    lines = value.strip().count("\n") + 1
    return f"{name} of {lines} lines" if lines > 1 else json.dumps(value, ensure_ascii=False)


def _format_value(value: Any, cents: bool) -> str:
    return value if isinstance(value, str) else dollars(value, cents=cents)


def replace_names(text: str, names: Iterable[str]) -> str:
    """Replace every name in a text by a number, in order of appearance."""
    seen: dict[str, int] = {}
    either = "|".join(re.escape(name) for name in names)
    return re.sub(rf"\b(?:{either})\b", lambda name: f"<{seen.setdefault(name[0], len(seen))}>", text)


# Picture


WIDTH, HEIGHT = 960, 540
"""Size of images in pixels, constant for videos."""

HEADER, FOOTER, MARGIN = 52, 64, 24
LINE = 24
ROWS = (HEIGHT - HEADER - FOOTER - 10) // LINE
ROUND_AT, SEAT_AT, TEXT_AT = 58, 72, 176
"""Positions of columns: right edge of round numbers, left edges of names and moves."""
PAYOFFS_AT = 112
MAX_LINE_LENGTH = 400
"""Characters considered for one line, more than fit."""

PAPER, INK, FAINT_INK, BAND, BAND_INK, RULE = "#fbfaf7", "#1d2730", "#7b858d", "#1d2730", "#ffffff", "#e4e1da"
SEATS = ("#0072b2", "#c4500a", "#00805f", "#a8437f", "#8a6d00", "#3a7ca5")
"""Colour-blind safe colours of the seats (after Okabe and Ito)."""


class Row(NamedTuple):
    """One line of the image; only the first line of a move has round and seat."""

    round: int | None
    seat: int | None
    text: str


def picture(game: Game, events: Sequence[Event], payoffs: Sequence[float] | None, names: Sequence[str]) -> np.ndarray:
    """Draw the last moves that fit, in the text of `econzoo.envs.core.faces.transcript.spectate`.

    Args:
        payoffs: Payoffs in the game's own unit, or None while the match runs.

    Returns:
        RGB image, uint8 of shape (540, 960, 3).
    """
    image = pillow("Image").new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = pillow("ImageDraw").Draw(image)
    names = [printable_text(name) for name in names]
    rows, shown = last_rows(game, events)
    _draw_header(draw, game.name, join_names(names), len(events) - shown)
    _draw_rows(draw, rows, names)
    if payoffs is not None:
        _draw_footer(draw, format_payoffs(names, payoffs))
    return np.array(image)  # a writable copy


def last_rows(game: Game, events: Sequence[Event]) -> tuple[list[Row], int]:
    """Return the rows of the last moves that fit, oldest first, and the number of moves."""
    rows: list[Row] = []
    for shown, event in enumerate(reversed(events)):
        text = printable_text(describe_action(game, event.action) + describe_fact(game, event))
        first, *more = wrap_lines(text, font(16), WIDTH - MARGIN - TEXT_AT, ROWS)
        if len(rows) + 1 + len(more) > ROWS:
            return rows, shown
        rows = [Row(event.round, event.seat, first), *(Row(None, None, line) for line in more), *rows]
    return rows, len(events)


def printable_text(text: str) -> str:
    """Replace invisible characters (line breaks, bidirectional controls, surrogates) by a mark."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def wrap_lines(text: str, font: Any, width: int, most: int) -> list[str]:
    """Wrap a text to at most `most` lines of a width in pixels, with an ellipsis if truncated."""
    lines: list[str] = []
    while len(lines) < most - 1:
        line, text = split_line(text, font, width)
        lines.append(line)
        if not text:
            return lines
    return [*lines, fit_line(text, font, width)]


def split_line(text: str, font: Any, width: int) -> tuple[str, str]:
    """Split off the first line of a text, at a space if possible."""
    fits = _fitting_length(text, font, width)
    if fits == len(text):
        return text, ""
    space = text.rfind(" ", 1, fits + 1)
    # At least one character, or the text would never end.
    at = space if space > 0 else max(fits, 1)
    return text[:at].rstrip(), text[at:].lstrip()


def fit_line(text: str, font: Any, width: int) -> str:
    """Truncate a text to a width in pixels, with an ellipsis."""
    if _fitting_length(text, font, width) == len(text):
        return text
    return text[: _fitting_length(text, font, width - round(font.getlength("…")))].rstrip() + "…"


def _fitting_length(text: str, font: Any, width: int) -> int:
    """Return the number of characters that fit."""
    lengths = range(1, min(len(text), MAX_LINE_LENGTH) + 1)
    return bisect_right(lengths, width, key=lambda n: font.getlength(text[:n]))


def pillow(module: str) -> Any:
    """Import a module of Pillow lazily."""
    require_libraries("render_mode='rgb_array'", "PIL")
    return import_module(f"PIL.{module}")


@cache
def font(size: int) -> Any:
    """Return Matplotlib's font if installed, which covers many more scripts, else Pillow's."""
    package = find_spec("matplotlib")
    path = Path(package.origin or "").parent / "mpl-data/fonts/ttf/DejaVuSans.ttf" if package else Path()
    image_font = pillow("ImageFont")
    return image_font.truetype(path, size - 1) if path.is_file() else image_font.load_default(size)


def _draw_header(draw: Any, game: str, names: str, hidden: int) -> None:
    draw.rectangle((0, 0, WIDTH, HEADER), BAND)
    middle = HEADER // 2
    draw.text((MARGIN, middle), game, BAND_INK, font(21), anchor="lm")
    left, right = MARGIN + font(21).getlength(game) + 20, WIDTH - MARGIN
    if hidden:
        note = f"after {hidden:,} earlier move{'s' * (hidden > 1)}"
        draw.text((right, middle + 2), note, RULE, font(14), anchor="rm")
        right -= font(14).getlength(note) + 20
    draw.text((left, middle + 2), fit_line(names, font(14), int(right - left)), RULE, font(14), anchor="lm")


def _draw_rows(draw: Any, rows: list[Row], names: Sequence[str]) -> None:
    shown_round = None
    for i, row in enumerate(rows):
        top = HEADER + 10 + i * LINE
        middle = top + LINE // 2
        draw.text((TEXT_AT, middle), row.text, INK, font(16), anchor="lm")
        if row.seat is not None:
            name = fit_line(names[row.seat], font(16), TEXT_AT - SEAT_AT - 8)
            draw.text((SEAT_AT, middle), name, SEATS[row.seat % len(SEATS)], font(16), anchor="lm")
        if row.round not in (None, shown_round):
            shown_round = row.round
            draw.text((ROUND_AT, middle), f"{shown_round:,}", FAINT_INK, font(14), anchor="rm")
            draw.line((MARGIN, top, WIDTH - MARGIN, top), RULE if i else PAPER)


def _draw_footer(draw: Any, text: str) -> None:
    draw.line((MARGIN, HEIGHT - FOOTER, WIDTH - MARGIN, HEIGHT - FOOTER), RULE, 2)
    top = HEIGHT - FOOTER + 10
    draw.text((MARGIN, top + LINE // 2), "payoffs", FAINT_INK, font(14), anchor="lm")
    for i, line in enumerate(wrap_lines(text, font(16), WIDTH - MARGIN - PAYOFFS_AT, 2)):
        draw.text((PAYOFFS_AT, top + LINE // 2 + i * LINE), line, INK, font(16), anchor="lm")
