"""Players with arguments sampled for every match: ``boulware(e~loguniform(0.05, 0.9), low~uniform(0, 0.5))``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from itertools import product
from random import Random
from typing import Any, NamedTuple

from econzoo.baselines.base import Player
from econzoo.envs.core.contract import hash_seed, parse_json
from econzoo.wrappers import SeatInfo

DIGITS = 6
"""Significant digits of a sampled number."""

_DRAW = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*~\s*(?P<kind>\w*)\s*(?:\((?P<values>[^()]*)\))?")


class Draw(NamedTuple):
    """Distribution of an argument, with its two bounds or its choices."""

    kind: str
    values: tuple[Any, ...]

    def value(self, rng: Random) -> Any:
        return DISTRIBUTIONS[self.kind](rng, *self.values)

    @property
    def ends(self) -> tuple[Any, ...]:
        """Extreme values, whose validity implies that of all."""
        return tuple(dict.fromkeys(self.values))


def _uniform(rng: Random, low: float, high: float) -> float:
    # Rounding may leave the range.
    return min(max(float(f"{rng.uniform(low, high):.{DIGITS}g}"), low), high)


def _loguniform(rng: Random, low: float, high: float) -> float:
    return min(max(float(f"{math.exp(rng.uniform(math.log(low), math.log(high))):.{DIGITS}g}"), low), high)


def _choice(rng: Random, *values: Any) -> Any:
    return values[rng.randrange(len(values))]


DISTRIBUTIONS: Mapping[str, Callable[..., Any]] = {
    "uniform": _uniform,
    "loguniform": _loguniform,
    "choice": _choice,
    "integers": Random.randint,
}
ALLOWED = (
    "uniform(low, high) with low <= high, loguniform(low, high) with 0 < low <= high, integers(low, high) with "
    "integers low <= high, or choice(a, b, ...)"
)


def _parse_draw(spec: str, found: re.Match[str]) -> Draw:
    """Parse the distribution after ``name~``."""
    try:
        # Text in specs may have single quotes, which JSON does not allow.
        values = tuple(parse_json(f"[{(found['values'] or '').replace(chr(39), chr(34))}]"))
    except ValueError:
        values = ()
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    ordered = numbers and len(values) == 2 and values[0] <= values[1]
    fits = {
        "uniform": ordered,
        "loguniform": ordered and values[0] > 0,
        "integers": ordered and all(isinstance(value, int) for value in values),
        "choice": bool(values) and all(isinstance(value, int | float | str) for value in values),
    }
    if not fits.get(found["kind"], False):
        raise ValueError(f"player {spec[:80]!r}: invalid {found[0].strip()!r}: expected {ALLOWED}")
    return Draw(found["kind"], values)


class RandomArgumentsPlayer(Player):
    """A scripted player with arguments sampled for every match from its seed."""

    def __init__(self, spec: str, make: Callable[[str], Player]) -> None:
        super().__init__(spec)
        self._make, self._text = make, spec
        self._draws = [(found, _parse_draw(spec, found)) for found in _DRAW.finditer(spec)]
        # All corners are tried now, so that no sampled match is refused later.
        for ends in list(product(*(draw.ends for _, draw in self._draws)))[:MAX_ENDS]:
            self.player = make(self._fill_in(ends))
        self.sampled_spec = ""
        self.seats = self.player.seats  # type: ignore[misc]  # those of whom it stands for
        self.only_game = self.player.only_game

    def _fill_in(self, values: tuple[Any, ...]) -> str:
        """Return the spec with these arguments."""
        text, at = [], 0
        for (found, _), value in zip(self._draws, values, strict=True):
            text += [self._text[at : found.start()], f"{found['name']}={value!r}"]
            at = found.end()
        return "".join([*text, self._text[at:]])

    def sample_player(self, seed: int) -> Player:
        """Sample the player of a match."""
        # Its own stream: the sampled player draws its moves from the same seed.
        rng = Random(hash_seed(seed, "arguments"))
        return self._make(self._fill_in(tuple(draw.value(rng) for _, draw in self._draws)))

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Sample the player of this match."""
        self.player = self.sample_player(seed)
        self.sampled_spec = self.player.spec
        self.player.reset(seat, info, seed)
        self.wants_seen = self.player.wants_seen

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        return self.player.act(observation, info)

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        self.player.on_elimination(observation, info)

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        self.player.finish(observation, info)


MAX_ENDS = 64
"""Maximum number of combinations of extreme values that are checked."""
