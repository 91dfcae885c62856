"""Games as environments of OpenEnv: a server whose clients have one seat each, and the client.

    uvicorn.run(openenv_app("bargaining", opponents=["fair"]), port=8000)  # econzoo serve openenv

and elsewhere

    from econzoo.evaluate.adapters.openenv import Answer, SeatClient

    with SeatClient("http://127.0.0.1:8000").sync() as env:
        told = env.reset(seed=3, seat=1)
        while not told.done:
            told = env.step(Answer(text=my_agent(told.observation.text)))
        print(told.reward)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, ConcurrencyConfig, Observation, State

from econzoo.evaluate.adapters.one_seat import OneSeat, SeatObservation

__all__ = ["Answer", "SeatClient", "TextObservation", "openenv_app"]

MAX_SESSIONS = 16
"""Clients at once."""

IDLE_SECONDS = 3600.0
"""Seconds after which a client that says nothing loses its session."""


class Answer(Action):  # type: ignore[misc]
    """What a seat says: free text with a move as a JSON object, as the observation asks for it."""

    text: str


class TextObservation(Observation):  # type: ignore[misc]
    """What a seat reads; at the end ``about`` holds payoffs, forfeit and seed of the match, for the experimenter."""

    text: str = ""
    about: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)


class SeatServer(Environment):  # type: ignore[misc]
    """The matches of one session.

    Args:
        table: Whose fork the session plays at.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, table: OneSeat) -> None:
        super().__init__()
        self._seat, self._state = table.fork(), State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, seat: int | None = None, **_: Any
    ) -> TextObservation:
        """Begins a match; see `OneSeat.begin`."""
        told = self._seat.begin(seed, seat)
        self._state = State(episode_id=episode_id, step_count=0)
        return _to_observation(told)

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> TextObservation:
        """Plays an answer; see `OneSeat.answer`."""
        told = self._seat.answer(action.text)
        self._state.step_count += 1
        return _to_observation(told)

    @property
    def state(self) -> State:
        """The id that the client gave the match, and how many answers were played."""
        return self._state


def _to_observation(told: SeatObservation) -> TextObservation:
    return TextObservation(text=told.text, about=told.info, reward=told.reward, done=told.is_over)


def openenv_app(game: str, opponents: Sequence[str] = ("random",), seat: int = 0, **params: Any) -> Any:
    """The server of a game, for `MAX_SESSIONS` clients at once.

    Args:
        game: Name.
        opponents: See `OneSeat`.
        seat: Of a client, unless its ``reset(seat=...)`` says otherwise.
        **params: Parameters of the game and options of the environment.

    Returns:
        A ``fastapi.FastAPI``.

    Raises:
        ValueError: A name or a value is not allowed, or the opponents cannot take the other seats.
    """
    sessions = ConcurrencyConfig(max_concurrent_envs=MAX_SESSIONS, session_timeout=IDLE_SECONDS)
    made = partial(SeatServer, OneSeat(game, opponents, seat, params))
    return create_fastapi_app(made, Answer, TextObservation, concurrency_config=sessions, env_name=game)


class SeatClient(EnvClient):  # type: ignore[misc]
    """A client of `openenv_app`; ``reset`` takes ``seed`` and ``seat``, ``step`` an `Answer`."""

    def _step_payload(self, action: Answer) -> dict[str, Any]:
        return {"text": action.text}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult:
        ended, reward = {"done": payload.get("done", False)}, {"reward": payload.get("reward")}
        return StepResult(observation=TextObservation(**payload["observation"], **ended, **reward), **ended, **reward)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
