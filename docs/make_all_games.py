"""Decides each row of the table of all games in docs/results.md by the page's rule, from the figures that stand there.

    python docs/make_all_games.py

A learner is above (or below) the best script if its difference is so over seeds, and over settings after Holm's
correction over all scripts of all rows. The p value over settings is Student's, with the standard error that follows
from the end of the printed interval on the side of 0. Only the best scripts' p values stand in the table, so Holm's
correction is bounded: by Bonferroni's over all scripts, and by that over the rows alone. Digits that printing dropped
are counted for the first bound against the difference and for the second in its favour.
"""

from __future__ import annotations

import re
from math import atan, sqrt
from pathlib import Path

from econzoo.baselines import candidates
from econzoo.evaluate.stats import CONFIDENCE, quantile
from econzoo.evaluate.stats.students_t import central_probability

PAGE = Path(__file__).parent / "results.md"
HEAD = "| game | PPO |"
FREEDOM = {"negotiation": 9}
"""Settings that are unlike less one; twelve elsewhere."""

NUMBER = re.compile(r"(?<![\d.])[-+]?\d+\.(\d+)")


def numbers(cell: str) -> tuple[list[float], float]:
    """The numbers of a cell, and half a unit of their last digit."""
    found = list(NUMBER.finditer(cell))
    return [float(one[0]) for one in found], 0.5 * 10.0 ** -max(len(one[1]) for one in found)


def p_value(difference: float, end: float, freedom: int) -> float:
    """Two-sided p value of a positive difference whose 95% interval begins at `end`."""
    t = max(difference / (difference - end), 0.0) * quantile((1 + CONFIDENCE) / 2, freedom)
    return 1.0 - central_probability(atan(t / sqrt(freedom)), freedom)


def main() -> None:
    """Prints a line for each row."""
    table = PAGE.read_text(encoding="utf-8").partition(HEAD)[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in table]
    names = [re.sub(r"\[(\w+)\]\([^)]*\)", r"\1", row[0]) for row in rows]
    games = [name.partition(",")[0] for name in names]
    count = sum(len(candidates(game)) for game in set(games))
    print(f"{len(rows)} rows, {count} scripts: p below {(1 - CONFIDENCE) / count:.5f} is significant after Holm's")
    print(f"correction, and p above {(1 - CONFIDENCE) / len(rows):.5f} is not")
    for name, game, row in zip(names, games, rows, strict=True):
        (difference,), half = numbers(row[7])
        (settings, step), (seeds, _) = numbers(row[8]), numbers(row[9])
        sign = 1 if difference > 0 else -1
        end, over_seeds = (min(sign * one for one in ends) for ends in (settings, seeds))
        size, freedom = abs(difference), FREEDOM.get(game, 11)
        most = p_value(size - half, end - step, freedom)
        least = p_value(size + half, min(end + step, size), freedom) if end + step < size else 0.0
        if over_seeds <= 0 or least > (1 - CONFIDENCE) / len(rows):
            told = "not shown"
        elif most < (1 - CONFIDENCE) / count:
            told = "above" if sign > 0 else "below"
        else:
            told = "open: the printed digits do not decide"
        print(f"{name:<26} p {least:.5f} to {most:.5f}, over seeds {sign * over_seeds:+.3f}: {told}")


if __name__ == "__main__":
    main()
