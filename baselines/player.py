"""What a player is: anything that can be told where it sits and asked for a move."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from econzoo.envs.core.record.record import Turn
from econzoo.wrappers.seating import Listener, SeatInfo


class Usage(NamedTuple):
    """What an answer took.

    Attributes:
        tokens: Prompt and completion tokens.
        cost: US dollars.
        dropped: Turns cut from the transcript because it was too long.
        closed: Whether the length limit came first and the grammar, not the model, filled in the rest.
        calls: Calls of a model before the one that gave the answer, as `econzoo.envs.core.record.Turn` keeps them;
            tokens and cost are those of all calls together.
        reasoning: What a reasoning model thought before its reply, as far as its server tells.
        cached: Those of the prompt tokens that the provider had in its cache.
        unmet: What of its spec the model's server did not take; see `econzoo.envs.core.record.Turn`.
    """

    tokens: tuple[int, int] = (0, 0)
    cost: float = 0.0
    dropped: int = 0
    closed: bool = False
    calls: tuple[dict[str, Any], ...] = ()
    reasoning: str = ""
    cached: int = 0
    unmet: tuple[str, ...] = ()


class PlayerLeft(Exception):  # noqa: N818 - not an error: a person may leave
    """Raised by a player that leaves the match; what was played so far is recorded."""


class PausedMatch(Exception):  # noqa: N818 - not an error: the match goes on later
    """Raised by a player that wants the match put aside; see `econzoo.evaluate.run.resuming`."""


class Player(Listener):
    """Base of all players. Arguments are passed by place, so that a player may call them as it likes.

    Attributes:
        face: The face of the environment that the player reads.
        spec: The spec string that makes the player; it names the player in records.
        wants_schema: Whether ``info["json_schema"]`` is to be filled in.
        wants_seen: Whether ``info["seen"]`` is to be filled in: what the seat may know now, before any face
            (`econzoo.envs.core.faces.structured_face.InformationState`).
        usage: What the last answer took, if that means anything.
        persona: Whom it was told to be in this match, not by the game but by its own spec, word for word; None: nobody.
        seats: The seats that it can take, where those of its game have different roles; None: all.
        only_game: Name of the only game that it can play; None: any that knows its spec.
        match: Id of the match that it plays; empty: none, or one without a record.
        deterministic: Whether its moves are a function of what it has observed in the match and of nothing else: not
            of its seed, of time or of other matches. Where all players are so and nature does not move, a match is
            the same with every seed, and a tournament plays it once for all of them.
    """

    seats: ClassVar[tuple[int, ...] | None] = None
    only_game: str | None = None
    deterministic: bool = False
    face: ClassVar[str] = "structured"
    wants_schema: bool = False
    wants_seen: bool = False
    persona: str | None = None
    match: str = ""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.usage: Usage | None = None

    def reset(self, seat: int, info: SeatInfo, seed: int, /) -> None:
        """Starts a match.

        Args:
            seat: Where the player sits.
            info: What it may know.
            seed: Of its own randomness, if it has any.
        """

    def act(self, observation: Any, info: dict[str, Any], /) -> Any:
        """The player's answer.

        Args:
            observation: Of the player's face.
            info: Of the environment; with ``error`` and ``attempt`` if the last answer was unusable.

        Returns:
            An action of the player's face.
        """
        raise NotImplementedError

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn, /) -> Any:
        """Goes once more through a turn of a match that was paused, so that the player is as it was then.

        Players whose answers follow from their seed and what they observe need nothing here: they are asked again.
        A player that cannot be asked twice (a person, a language model) takes over the recorded answer instead.

        Args:
            observation: As it was.
            info: As it was.
            turn: What was recorded of it; ``turn.reply`` is the answer.

        Returns:
            The answer of the player; the match goes on only if it is the recorded one.
        """
        return self.act(observation, info)

    @property
    def recomputes_on_recall(self) -> bool:
        """Whether `recall` asks it once more, so that a recorded answer can be checked."""
        return type(self).recall is Player.recall

    def fork(self) -> Player:
        """A player of the same kind for another match at the same time; heavy parts are shared."""
        return copy.copy(self)

    def can_take_seat(self, seat: int, /) -> bool:
        """Whether it can take a seat."""
        return self.seats is None or seat in self.seats

    @property
    def batch_key(self) -> Hashable | None:
        """Players with the same key can be asked together by `act_batch`; None: one by one."""
        return None

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]], /
    ) -> list[Any]:
        """The answers of several players with the same `batch_key`, in order.

        In the place of an answer that could not be had stands what went wrong, an `Exception`.
        """
        return [player.act(o, i) for player, o, i in zip(players, observations, infos, strict=True)]

    def __repr__(self) -> str:
        return f"<player {self.spec}>"


__all__ = ["PlayerLeft", "PausedMatch", "Player", "SeatInfo", "Usage"]
