"""How complex a program is, by the library radon."""

from __future__ import annotations

import math
import warnings
from statistics import fmean
from typing import NamedTuple

from econzoo.envs.core.extras import needed_for
from econzoo.evaluate.analyses.programs.syntax import parsed


class Complexity(NamedTuple):
    """Measures of one program; NaN where there is nothing to measure.

    Attributes:
        sloc: Lines that are neither blank nor comments.
        cyclomatic: Mean of the cyclomatic complexity (McCabe 1976) over the functions and classes, from 1.
        volume: Halstead's volume (Halstead 1977), in bits.
        difficulty: Halstead's difficulty.
        effort: Volume times difficulty.
    """

    sloc: float
    cyclomatic: float
    volume: float
    difficulty: float
    effort: float


UNDEFINED = Complexity(*[math.nan] * 5)


def complexity(source: str | None) -> Complexity:
    """The complexity of a program.

    Args:
        source: The text; None or blank where there is no program.

    Returns:
        Its measures; all NaN if there is no program or it is not Python, never 0: a program that does not run is not a
        simple one.

    Raises:
        ImportError: radon is not installed.
    """
    with needed_for("the complexity of programs"):
        from radon.complexity import cc_visit_ast
        from radon.metrics import h_visit_ast
        from radon.raw import analyze

    tree = parsed(source)
    if tree is None or source is None:
        return UNDEFINED
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the program's own escapes
        blocks = [block.complexity for block in cc_visit_ast(tree)]
        lines, halstead = analyze(source).sloc, h_visit_ast(tree).total
    mean = fmean(blocks) if blocks else math.nan
    return Complexity(float(lines), mean, float(halstead.volume), float(halstead.difficulty), float(halstead.effort))
