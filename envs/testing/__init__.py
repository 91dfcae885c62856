"""The conformance suite: what every game must hold, for games of this package and of any other.

    from econzoo.testing import check_game

    check_game(GAME)                       # raises, and names every gap and its remedy

or with pytest, one test a check:

    from econzoo.testing import checks_of

    @pytest.mark.parametrize("check", checks_of(GAME), ids=str)
    def test_conformance(check):
        check()

The suite plays the game on every face, in every setting of its scenarios and of its `cases`, with PettingZoo's and
Gymnasium's own tests, and compares the compiled game with the scalar one. Secrets, odd settings and long matches are
told by ``cases.py`` in the game's folder (see `econzoo.envs.core.contract.cases.Cases`).
"""

from __future__ import annotations

import traceback
import warnings
from importlib.resources import files
from typing import NamedTuple
from unittest import SkipTest

from econzoo.envs.core.contract.cases import Cases, Secret
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.plurals import format_count
from econzoo.testing.suite import Check, ConformanceWarning, checks_of

__all__ = ["Cases", "Check", "ConformanceError", "ConformanceWarning", "Report", "Secret", "check_game", "checks_of"]


class ConformanceError(AssertionError):
    """A game fails checks of the conformance suite; the message lists them with their remedies."""


class Report(NamedTuple):
    """What the suite found in a game that conforms.

    Attributes:
        passed: Number of checks that it passed.
        skipped: Checks that do not apply or that need a library that is not installed, and why.
        warnings: What is missing that games of this package must have.
    """

    passed: int
    skipped: tuple[str, ...]
    warnings: tuple[str, ...]


def check_game(game: Game, thorough: bool = False) -> Report:
    """Holds a game to everything that the games of this package are held to.

    Args:
        game: The game; it need not be registered.
        thorough: Whether to play all settings on all faces with more seeds; otherwise a part of them, which takes
            about a minute.

    Raises:
        ConformanceError: The game does not conform; every failed check stands in the message, with what to do.
        TypeError: This is no `Game`.
    """
    if not isinstance(game, Game):
        raise TypeError(f"game={game!r} is not allowed; allowed: a Game")
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
        told = f"{game.name} fails {number} of {format_count(len(chosen), 'check')} of econzoo.testing"
        raise ConformanceError("\n\n".join([told, *[_format_failure(*each) for each in failed.items()]]))
    found = [str(one.message) for one in caught if issubclass(one.category, ConformanceWarning)]
    return Report(passed, tuple(skipped), tuple(dict.fromkeys(found)))


def _describe_failure(one: Check, error: Exception) -> str:
    """What a failed check found, and what to do; where the game's own code raises, that is to mend its line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    found = str(error) or f"the line `{place.line}` does not hold"
    kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
    own = place.filename.startswith(str(files(one.game.package)))
    return f"  found: {kind}{found}\n  {f'Mend line {place.lineno} of {place.filename}.' if own else one.remedy_text}"


def _format_failure(failure: str, checks: list[Check]) -> str:
    """A failure with the checks that come to it, the first of them in full."""
    others = f", and {format_count(len(checks) - 1, 'other')}" if len(checks) > 1 else ""
    return f"{checks[0]}{others}\n  should hold: {checks[0].description}\n{failure}"
