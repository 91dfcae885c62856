"""The analysis in plain sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.telling import elided
from econzoo.evaluate.analyses.regression.metagame import MetaGame
from econzoo.evaluate.analyses.regression.observations import seat, words
from econzoo.evaluate.analyses.regression.tables import Group, parts, points
from econzoo.evaluate.run.folder import left_out
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.numbers import percent

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.study import FamilyStudy, Study

LEVEL = 60
"""Characters of a level in a sentence."""

NAMED = 6
"""Pairs that one sentence names."""


def labels(levels: Sequence[str], length: int) -> dict[str, str]:
    """Levels for a narrow column: shortened if they can still be told apart, else numbered from 1, for a legend."""
    found = {level: elided(level, length) for level in levels}
    if len(set(found.values())) == len(found):
        return found
    return {level: f"#{number}" for number, level in enumerate(found, start=1)}


def sentences(study: Study) -> list[str]:
    """What a reader should know first: of every family its size and the largest clear effects."""
    said = [sentence for family in study.families for sentence in _family(family)]
    said += left_out(study.unreadable)
    return said


def _family(family: FamilyStudy) -> list[str]:
    observations = family.observations
    table = observations.table
    count = len({name for seat in observations.seats for name in table[seat]})
    configurations = table["configuration"].nunique()
    found = parts(family)
    largest = [_largest(found["parameters"], "parameter"), _largest(found["players"], "player")]
    text = (
        f"{words(family.name).capitalize()}: {many(len(table), 'match')} of {many(count, 'player')} "
        f"in {many(configurations, 'configuration')}."
    )
    return [" ".join([text, *(sentence for sentence in largest if sentence)])]


def _largest(groups: list[Group], kind: str) -> str:
    """The largest effect that differs from 0, all effects of its metric counted."""
    effects = [e for group in groups for row in group.rows.values() for e in row.values() if not math.isnan(e.effect)]
    if not effects:
        return ""
    sure = [effect for effect in effects if effect.clear]
    if not sure:
        return f"No effect of a {kind} is clear of 0."
    most = max(sure, key=lambda effect: abs(effect.effect))
    return (
        f"Largest clear effect of a {kind}: {words(most.parameter)} = {elided(most.value, LEVEL)} against "
        f"{elided(most.baseline, LEVEL)}, {points(most.effect)} points of {words(most.metric)}."
    )


def meta_sentences(meta: MetaGame) -> list[str]:
    """What the meta-game is and what was found."""
    size = f"{len(meta.rows)} by {len(meta.columns)}"
    if meta.empty:
        pairs = ", ".join(f"{called(a)} with {called(b)}" for a, b in meta.empty[:NAMED])
        more = f" and {many(len(meta.empty) - NAMED, 'other')}" if len(meta.empty) > NAMED else ""
        return [f"No game of choosing players ({size}): some pairs never met: {pairs}{more}."]
    pure = sum(one.pure for one in meta.equilibria)
    mixed = len(meta.equilibria) - pure
    said = [f"The game of choosing players ({size}) has {_count(pure, 'pure')} and {_count(mixed, 'mixed')}."]
    if meta.searched is not None:
        said.append(
            "It is too large for a full search: there may be more equilibria that mix over more than "
            f"{meta.searched} players a side, or over unequal numbers."
        )
    if meta.degenerate:
        said.append("Some best replies are tied, so there may be a continuum of equilibria; its corners are listed.")
    if meta.unequal:
        said.append("Pairs did not meet equally often in every configuration, so gains compare unlike markets in part.")
    if any(one.clear is not None for one in meta.equilibria):
        said.append(f"Clear: whoever else is sent gains less, all of them counted (Holm); intervals {meta.told}.")
    return said


def _count(number: int, kind: str) -> str:
    return f"{number or 'no'} {kind} Nash {'equilibrium' if number == 1 else 'equilibria'}"


def equilibrium_line(meta: MetaGame, number: int, roles: tuple[str, ...]) -> str:
    """One equilibrium for the terminal."""
    one = meta.equilibria[number]
    sides = [
        f"{seat(role)} sends {_mixture(mixture)} and gains {gain:.3f}"
        for role, mixture, gain in zip(roles, (one.first, one.second), one.gains, strict=True)
    ]
    sure = {True: "; clear", False: "; not clear", None: ""}[one.clear]
    return f"{number + 1}. {'pure' if one.pure else 'mixed'}: {'; '.join(sides)}{sure}"


def _mixture(mixture: dict[str, float]) -> str:
    if len(mixture) == 1:
        return called(next(iter(mixture)))
    return ", ".join(f"{called(player)} {percent(probability)}" for player, probability in mixture.items())
