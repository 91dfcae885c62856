"""What a player has seen, said and been told so far: everything that its parts may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.prompts import Prompts, load
from econzoo.envs.core.faces.structured_face import Seen
from econzoo.envs.core.faces.text_face import Teller

if TYPE_CHECKING:
    from econzoo.baselines.models.chat import Message
    from econzoo.wrappers.seating import SeatInfo


@dataclass
class Diary:
    """One match as its player knows it.

    Attributes:
        info: What the player was told when it sat down.
        seat: Where it sits.
        texts: What the parts say to the model, by ``"table.name"``.
        transcript: The system message, then in turn what was read and what was answered.
        rounds: Round of each message of the transcript; 0 for the system message.
        seen: What the seat may know now; None where the player is not told.
    """

    info: SeatInfo
    seat: int
    texts: Prompts
    transcript: list[Message] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    seen: Seen | None = None

    @property
    def game(self) -> Game:
        """The game."""
        return self.info.game

    @property
    def round(self) -> int:
        """Round of the game, 1-based; 0 where the player is not told."""
        return self.seen.view.round if self.seen else 0

    @property
    def roles(self) -> Sequence[str]:
        """A name for each seat."""
        teller = self.info.teller
        return teller.roles if teller else self.game.roles(self.info.seats)

    @property
    def teller(self) -> Teller:
        """Puts the game into words for this seat."""
        return self.info.teller or teller(self, self.info.messages, self.seat)

    def write(self, role: str, content: str) -> None:
        """Adds a message of the round that is played."""
        self.transcript.append({"role": role, "content": content})
        self.rounds.append(0 if role == "system" else self.round)

    def known(self) -> Seen:
        """What the seat may know now.

        Raises:
            ValueError: The player is not told.
        """
        if self.seen is None:
            raise ValueError("this player needs info['seen'], what env.seen(agent) says; econzoo.play fills it in")
        return self.seen

    def before(self, round: int) -> int:
        """How many messages at the beginning of the transcript are from earlier rounds, the system message included."""
        return next((i for i, of in enumerate(self.rounds) if of >= round and i), len(self.rounds))


def teller(diary: Diary, messages: bool, seat: int) -> Teller:
    """Puts the game into words for any seat, with the templates that this one reads.

    Args:
        diary: Of the own seat.
        messages: Whether that seat may send words.
        seat: Which one it is.
    """
    own = diary.info.teller
    prompts, actions = (own.prompts, own.actions) if own else (load(diary.game.package), None)
    return Teller(diary.game, prompts, messages, tuple(diary.roles), actions, seat)
