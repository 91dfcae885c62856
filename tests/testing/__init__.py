"""Conformance suite for games of any package.

    from econzoo.testing import check_game

    check_game(GAME)                       # raises an error that lists all problems with remedies

or with pytest, one test per check:

    from econzoo.testing import checks_of

    @pytest.mark.parametrize("check", checks_of(GAME), ids=str)
    def test_conformance(check):
        check()

The suite plays the game on every face, in every setting of its scenarios and of its `cases`, with PettingZoo's and
Gymnasium's own tests, and compares the compiled game with the scalar one. Secrets, edge-case settings and long matches
are declared by ``cases.py`` in the game's folder (see `econzoo.envs.core.contract.cases.Cases`).
"""

from __future__ import annotations

import traceback
import warnings
from importlib.resources import files
from typing import NamedTuple
from unittest import SkipTest

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Cases, Game, Secret, check_arguments
from econzoo.testing.suite import Check, ConformanceWarning, checks_of

__all__ = ["Cases", "Check", "ConformanceError", "ConformanceWarning", "Report", "Secret", "check_game", "checks_of"]


class ConformanceError(AssertionError):
    """A game fails checks of the conformance suite; the message lists them with their remedies."""


class Report(NamedTuple):
    """Result of the suite for a conforming game.

    Attributes:
        passed: Number of passed checks.
        skipped: Checks that do not apply or need a missing library, with reasons.
        warnings: Missing parts that only games of this package must have.
    """

    passed: int
    skipped: tuple[str, ...]
    warnings: tuple[str, ...]


@check_arguments
def check_game(game: Game, thorough: bool = False) -> Report:
    """Run all checks on a game.

    Args:
        game: Game, registered or not.
        thorough: Whether to play all settings on all faces with more seeds; otherwise a subset, which takes about a
            minute.

    Raises:
        ConformanceError: Checks failed; the message lists them with remedies.
        TypeError: Not a `Game`.
    """
    if not isinstance(game, Game):
        raise TypeError(f"invalid game={game!r}: expected a Game")
    chosen = [one for one in checks_of(game) if thorough or one.quick]
    failed, skipped, passed = dict[str, list[Check]](), [], 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConformanceWarning)
        for one in chosen:
            try:
                one()
                passed += 1
            except SkipTest as reason:
                skipped.append(f"{one}: {reason}")
            except Exception as error:
                failed.setdefault(_describe_failure(one, error), []).append(one)
    if failed:
        number = sum(map(len, failed.values()))
        summary = f"{game.name} fails {number} of {format_count(len(chosen), 'check')} of econzoo.testing"
        raise ConformanceError("\n\n".join([summary, *[_format_failure(*each) for each in failed.items()]]))
    found = [str(one.message) for one in caught if issubclass(one.category, ConformanceWarning)]
    return Report(passed, tuple(skipped), tuple(dict.fromkeys(found)))


def _describe_failure(one: Check, error: Exception) -> str:
    """Describe a failure and its remedy; for errors raised in the game's code, its line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    found = str(error) or f"the line `{place.line}` does not hold"
    kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    own = place.filename.startswith(str(files(one.game.package)))
    return f"  found: {kind}{found}\n  {f'Fix line {place.lineno} of {place.filename}.' if own else one.remedy_text}"


def _format_failure(failure: str, checks: list[Check]) -> str:
    """Format a failure with the checks that share it, the first one in full."""
    others = f", and {format_count(len(checks) - 1, 'other')}" if len(checks) > 1 else ""
    return f"{checks[0]}{others}\n  should hold: {checks[0].description}\n{failure}"
