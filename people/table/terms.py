"""Terms of a match: time limits of moves, and the policy for absent players."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from econzoo.envs.core.contract import Game, Integer, OneOf, Option, Text, check_option_values
from econzoo.envs.core.faces import LEFT

ENDED = "ended"
"""Reason of a missing answer: the person ended a match that others had left."""

DEFAULT, FORFEIT, REPLACE = "default", "forfeit", "replace"

POLICIES = (DEFAULT, FORFEIT, REPLACE)

MAX_SECONDS = 86_400
"""Maximum time limit: one day."""


class Terms(NamedTuple):
    """Time limits and absence policy of a match.

    Attributes:
        person_seconds: Time limit of a person's move in seconds, from when it is shown; 0: no limit.
        player_seconds: Time limit of any other player's move in seconds; 0: no limit.
        policy: One of `POLICIES`; empty: the game's policy for invalid replies.
        substitute: Spec of the substitute under the policy `REPLACE`.
        missed: Number of missed moves, each played as the default action, after which the policy applies to the rest
            of the match; 0: the policy applies to each missed move.
    """

    person_seconds: Annotated[
        int, Option(Integer(0, MAX_SECONDS), "Time from display of the question. Empty: no limit.")
    ] = 0
    player_seconds: Annotated[
        int, Option(Integer(0, MAX_SECONDS), "Limit for language models, policies and scripts. Empty: no limit.")
    ] = 0
    policy: Annotated[
        str,
        Option(
            OneOf(*POLICIES),
            "When time runs out, a player fails or a person leaves: play the game's default action, forfeit and end "
            "the match, or let a substitute take the seat.",
        ),
    ] = ""
    substitute: Annotated[str, Option(Text(), "Script that takes the seat as a substitute.")] = "random"
    missed: Annotated[int, Option(Integer(0, MAX_SECONDS), "Missed moves until a person counts as having left.")] = 0

    def for_game(self, game: Game) -> Terms:
        """The terms with the game's default policy filled in."""
        return self._replace(policy=self.policy or default_policy(game))

    def match_options(self, game: Game) -> dict[str, Any]:
        """Match options implied by the terms, which also set the policy for invalid replies."""
        # Moves missed before the limit are played as the default action, whatever follows afterwards.
        policy = DEFAULT if self.missed else self.policy
        return {"on_error": policy} if policy in (DEFAULT, FORFEIT) and policy != default_policy(game) else {}

    def check(self) -> None:
        """Raise `ValueError` if a value is invalid."""
        check_option_values("terms", Terms, self._asdict())


DEFAULT_TERMS = Terms(player_seconds=300)


def build_terms(person: int | None, player: int, absent: str | None, missed: int = 0) -> Terms:
    """Build the terms of a command or a study; `absent` is a policy or the spec of a substitute."""
    if absent is None or absent in (DEFAULT, FORFEIT):
        return Terms(person or 0, player, absent or "", missed=missed)
    return Terms(person or 0, player, REPLACE, absent, missed)


def default_policy(game: Game) -> str:
    """The game's policy for invalid replies of text players."""
    return game.options.on_error or FORFEIT


class Absence(NamedTuple):
    """A missing answer.

    Attributes:
        turn: Number of preceding turns.
        reason: One of `econzoo.envs.core.faces.finish.NO_REPLY_REASONS`, or `ENDED`.
        player: Spec of the substitute; empty: none.
        error: Error message in one line.
    """

    seat: int
    turn: int
    reason: str
    player: str = ""
    error: str = ""

    @property
    def is_permanent(self) -> bool:
        """Whether the seat's own player is gone for good."""
        return bool(self.player) or self.reason in (LEFT, ENDED)

    @property
    def is_deserted(self) -> bool:
        """Whether the others continued without the seat's own player."""
        return self.is_permanent and self.reason != ENDED

    @property
    def record_entry(self) -> dict[str, Any]:
        """Entry of a substitution in the record."""
        return {"seat": self.seat, "turn": self.turn, "player": self.player, "reason": self.reason}
