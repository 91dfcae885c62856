"""Games as OpenEnv environments: a server with one seat per client, and the client.

    econzoo serve openenv bargaining --opponents fair --port 8000

and in the client

    from econzoo.evaluate.adapters.openenv import Answer, SeatClient

    with SeatClient("http://127.0.0.1:8000").sync() as env:
        result = env.reset(seed=3, seat=1)
        while not result.done:
            result = env.step(Answer(text=my_agent(result.observation.text)))
        print(result.reward)
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
from starlette.responses import JSONResponse

from econzoo.envs.core.contract import check_arguments, clean, unknown_name
from econzoo.evaluate.adapters.one_seat import IDLE_SECONDS, OneSeat, SeatObservation

__all__ = ["Answer", "SeatClient", "TextObservation", "openenv_app"]

MAX_SESSIONS = 16
"""Maximum number of concurrent clients."""


class Answer(Action):  # type: ignore[misc]
    """Reply of a seat: free text with a move as a JSON object, as described in the observation."""

    text: str


class TextObservation(Observation):  # type: ignore[misc]
    """Observation of a seat; the final ``about`` has payoffs, forfeit and seed, for the experimenter."""

    text: str = ""
    about: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)


class SeatServer(Environment):  # type: ignore[misc]
    """The matches of one session."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, table: OneSeat) -> None:
        super().__init__()
        self._seat, self._state = table.fork(), State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, seat: int | None = None,
        options: dict[str, Any] | None = None, **others: Any,
    ) -> TextObservation:  # fmt: skip
        """Begin a match; see `OneSeat.begin`."""
        for name in others:  # the server passes on all that a client sends
            raise ValueError(unknown_name("argument of reset", name, ("seed", "episode_id", "seat", "options")))
        seen = self._seat.begin(seed, seat, options)
        self._state = State(episode_id=episode_id, step_count=0)
        return _to_observation(seen)

    def step(self, action: Answer, timeout_s: float | None = None, **_: Any) -> TextObservation:
        """Play a reply; see `OneSeat.answer`."""
        seen = self._seat.answer(action.text)
        self._state.step_count += 1
        return _to_observation(seen)

    @property
    def state(self) -> State:
        """The client's id of the match, and the number of replies."""
        return self._state


def _to_observation(seen: SeatObservation) -> TextObservation:
    return TextObservation(text=seen.text, about=seen.info, reward=seen.reward, done=seen.is_over)


@check_arguments
def openenv_app(game: str, opponents: Sequence[str] = ("random",), seat: int = 0, **params: Any) -> Any:
    """Create the server of a game, for up to `MAX_SESSIONS` concurrent clients.

    It checks nobody: `econzoo serve openenv` puts it behind its front door.

    Args:
        game: Name of the game.
        opponents: See `OneSeat`.
        seat: Default seat of a client; override with ``reset(seat=...)``.
        **params: Game parameters and environment options.

    Returns:
        A ``fastapi.FastAPI``.

    Raises:
        ValueError: An invalid name or value, or opponents that cannot take the other seats.
    """
    sessions = ConcurrencyConfig(max_concurrent_envs=MAX_SESSIONS, session_timeout=IDLE_SECONDS)
    factory = partial(SeatServer, OneSeat(game, opponents, seat, params))
    app = create_fastapi_app(factory, Answer, TextObservation, concurrency_config=sessions, env_name=game)
    app.add_exception_handler(ValueError, _refuse_value)
    return app


async def _refuse_value(request: Any, error: Exception) -> JSONResponse:
    """Answer what a client asks for and there is not, such as a seat."""
    return JSONResponse({"detail": clean(str(error))}, 422)


class SeatClient(EnvClient):  # type: ignore[misc]
    """Client of `openenv_app`; ``reset`` takes ``seed``, ``seat`` and ``options``, ``step`` an `Answer`."""

    def _step_payload(self, action: Answer) -> dict[str, Any]:
        return {"text": action.text}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult:
        ended, reward = {"done": payload.get("done", False)}, {"reward": payload.get("reward")}
        return StepResult(observation=TextObservation(**payload["observation"], **ended, **reward), **ended, **reward)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
