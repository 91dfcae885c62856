"""The terms of a match: how long somebody may take for a move, and what follows if no answer comes."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.options import Option, check_option_values
from econzoo.envs.core.contract.parameters import Integer, OneOf, Text
from econzoo.envs.core.faces.finish import LEFT

ENDED = "ended"
"""Why there is no answer of somebody who has ended a match that others had left."""

DEFAULT, FORFEIT, REPLACE = "default", "forfeit", "replace"

POLICIES = (DEFAULT, FORFEIT, REPLACE)
"""What follows if no answer comes."""

MAX_SECONDS = 86_400
"""Seconds in a day."""


class Terms(NamedTuple):
    """What is agreed on before a match.

    Attributes:
        person: Seconds that a person has for a move, from when it is shown; 0: no limit.
        player: Seconds that any other player has; 0: no limit.
        policy: One of `POLICIES`; empty: what the game says of unusable answers.
        by: Spec of who takes the seat, where somebody does.
        missed: Moves that a person misses until the policy holds for the rest of the match; the game's default action
            is played for each of them. 0: the policy holds for each move that is missed.
    """

    person: Annotated[int, Option(Integer(0, MAX_SECONDS), "From when the question is shown. Empty: no limit.")] = 0
    player: Annotated[
        int, Option(Integer(0, MAX_SECONDS), "Language models, policies and scripts. Empty: no limit.")
    ] = 0
    policy: Annotated[
        str,
        Option(
            OneOf(*POLICIES),
            "When time runs out, a player fails, or a person leaves: the game's default action is played, or the seat "
            "forfeits and the match ends, or another player takes the seat.",
        ),
    ] = ""
    by: Annotated[str, Option(Text(), "A script, if another player is to take the seat.")] = "random"
    missed: Annotated[int, Option(Integer(0, MAX_SECONDS), "Missed moves until somebody has left.")] = 0

    def for_game(self, game: Game) -> Terms:
        """The terms in a game, where the policy is one of `POLICIES`."""
        return self._replace(policy=self.policy or default_policy(game))

    def match_options(self, game: Game) -> dict[str, Any]:
        """The options of the match that they mean: what follows unusable answers too."""
        follows = DEFAULT if self.missed else self.policy
        return {"on_error": follows} if follows in (DEFAULT, FORFEIT) and follows != default_policy(game) else {}

    def check(self) -> None:
        """Raises `ValueError` if a value is not allowed."""
        check_option_values("terms", Terms, self._asdict())


DEFAULT_TERMS = Terms(player=300)
"""Where nothing else is said."""


def build_terms(person: int | None, player: int, absent: str | None, missed: int = 0) -> Terms:
    """The terms of a command or a study; `absent` is a policy, or the spec of who takes the seat."""
    known = absent is None or absent in (DEFAULT, FORFEIT)
    given = Terms(person or 0, player, absent or "", missed=missed)
    return given if known else given._replace(policy=REPLACE, by=str(absent))


def default_policy(game: Game) -> str:
    """What follows unusable answers in a game for who reads and writes."""
    return game.options.on_error or FORFEIT


class Absence(NamedTuple):
    """Somebody for whom no answer came.

    Attributes:
        seat: Whose.
        turn: How many turns were played before.
        why: One of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`, or `ENDED`.
        by: Spec of who has taken the seat; empty: nobody.
        reason: What went wrong, in a line.
    """

    seat: int
    turn: int
    why: str
    by: str = ""
    reason: str = ""

    @property
    def is_permanent(self) -> bool:
        """Whether the seat's own player does not come back."""
        return bool(self.by) or self.why in (LEFT, ENDED)

    @property
    def is_deserted(self) -> bool:
        """Whether others went on without the seat's own player."""
        return self.is_permanent and self.why != ENDED

    @property
    def record_entry(self) -> dict[str, Any]:
        """Who took the seat, as records keep it."""
        return {"seat": self.seat, "turn": self.turn, "by": self.by, "why": self.why}
