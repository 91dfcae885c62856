"""Base class of players."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, NamedTuple

from econzoo.baselines.scheduling import Task
from econzoo.envs.core.record import Probabilities, Served, Turn
from econzoo.wrappers import Listener, SeatInfo


class Usage(NamedTuple):
    """Resources used by an answer.

    Attributes:
        tokens: Prompt and completion tokens.
        cost: US dollars.
        dropped_turns: Turns cut from the transcript because it was too long.
        closed_by_grammar: Whether the reply hit the token limit and the grammar completed it.
        calls: Model calls ahead of the final one, in the format of `econzoo.envs.core.record.Turn`; tokens and cost are
            totals.
        reasoning: Reported reasoning ahead of the reply.
        cached_tokens: Prompt tokens read from the provider's cache.
        unsupported: Options not honoured by the server; see `econzoo.envs.core.record.Turn`.
        served: What served the reply; see `econzoo.envs.core.record.Turn`.
        seconds: Total duration of the calls (`econzoo.baselines.models.Completion`); None: as measured from outside.
        probabilities: Probabilities of the kinds of move; see `econzoo.envs.core.record.Turn`.
    """

    tokens: tuple[int, int] = (0, 0)
    cost: float = 0.0
    dropped_turns: int = 0
    closed_by_grammar: bool = False
    calls: tuple[dict[str, Any], ...] = ()
    reasoning: str = ""
    cached_tokens: int = 0
    unsupported: tuple[str, ...] = ()
    served: Served = Served()
    seconds: float | None = None
    probabilities: Probabilities = Probabilities()


class PlayerLeft(Exception):  # noqa: N818 - not an error: a person may leave
    """Raised by a player that leaves the match, which is recorded so far."""


class PausedMatch(Exception):  # noqa: N818 - not an error: the match goes on later
    """Raised by a player that pauses the match; see `econzoo.evaluate.run.resuming`."""


class Player(Listener):
    """Base of all players. Arguments are positional, so that subclasses may rename them.

    Attributes:
        face: Face of the environment that the player uses.
        spec: Player spec, its name in records.
        wants_schema: Whether it needs ``info["json_schema"]``.
        wants_seen: Whether it needs ``info["seen"]``: the information state without any face
            (`econzoo.envs.core.faces.structured_face.InformationState`).
        usage: Resources used by the last answer, if applicable.
        persona: Text of the persona from its spec in this match; None: no persona.
        seats: Seats that it can take in games with different roles; None: all.
        only_game: Name of the only game that it can play; None: any with its spec.
        libraries: Libraries of its model, whose versions are recorded.
        match: Id of the current match; empty without a record.
        deterministic: Whether its moves only depend on its observations in the match, not on its seed, time or other
            matches. If all players are deterministic and there are no chance moves, a match is the same with every
            seed, and a tournament plays it once.
    """

    seats: ClassVar[tuple[int, ...] | None] = None
    only_game: str | None = None
    libraries: tuple[str, ...] = ()
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
        """Start a match.

        Args:
            seat: Seat of the player.
            info: Information for the seat.
            seed: Random seed of the player.
        """

    def act(self, observation: Any, info: dict[str, Any], /) -> Any:
        """Return the player's action.

        Args:
            observation: Observation of the player's face.
            info: Info of the environment; with ``error`` and ``attempt`` after an invalid action.

        Returns:
            Action of the player's face.
        """
        raise NotImplementedError

    def recall(self, observation: Any, info: dict[str, Any], turn: Turn, /) -> Any:
        """Replay a turn of a paused match to restore the player's state.

        By default the player acts again, which suits players that only depend on their seed and observations. People
        and language models return the recorded reply instead.

        Args:
            observation: Observation of the turn.
            info: Info of the turn.
            turn: Recorded turn; ``turn.reply`` is the answer.

        Returns:
            The player's answer; the match resumes only if it equals the recorded one.
        """
        return self.act(observation, info)

    @property
    def recomputes_on_recall(self) -> bool:
        """Whether `recall` recomputes the answer, which checks the recorded one."""
        return type(self).recall is Player.recall

    def fork(self) -> Player:
        """Return a copy for a concurrent match; heavy parts are shared."""
        return copy.copy(self)

    def can_take_seat(self, seat: int, /) -> bool:
        """Whether the player can take a seat."""
        return self.seats is None or seat in self.seats

    def act_in_steps(self, observation: Any, info: dict[str, Any], /) -> Task[Any] | None:
        """Return a task with the answer of `act`, which waits for calls of models; None: the player is asked directly.

        So other matches go on meanwhile.
        """
        return None

    @property
    def call_key(self) -> Hashable | None:
        """Key of the calls that the player waits for, which are counted together; None: it needs none."""
        return self.batch_key

    @property
    def is_served(self) -> bool:
        """Whether its calls are made in parallel, by the threads of a server's client."""
        return False

    @property
    def batch_key(self) -> Hashable | None:
        """Key of players that `act_batch` can handle together; None: one at a time."""
        return None

    @property
    def concurrency(self) -> int:
        """How many calls with its `call_key` are answered at once, if the player is told; 0: unknown."""
        return 0

    @classmethod
    def act_batch(
        cls, players: Sequence[Player], observations: Sequence[Any], infos: Sequence[dict[str, Any]], /
    ) -> list[Any]:
        """Return the actions of several players with the same `batch_key`, in order.

        A failed one is returned as an `Exception`.
        """
        return [player.act(o, i) for player, o, i in zip(players, observations, infos, strict=True)]

    def __repr__(self) -> str:
        return f"<player {self.spec}>"


__all__ = ["PlayerLeft", "PausedMatch", "Player", "SeatInfo", "Usage"]
