"""Any game here as an environment of verifiers (``verifiers.v1``): models in the seats, and a reward for each."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.extras import explain_missing_library
from econzoo.evaluate.adapters.open_table import AGENT, OpenTable

with explain_missing_library("the adapter to verifiers", extra="verifiers"):
    import verifiers.v1 as vf

    from econzoo.evaluate.adapters.verifiers_chat import ChatHarness
    from econzoo.evaluate.adapters.verifiers_taskset import MAX_AGENTS, GameTask, GameTaskset

__all__ = ["ChatHarness", "GameEnv", "GameTaskset"]

LOCAL_AGENT = vf.AgentConfig(runtime=vf.SubprocessConfig())
"""Verifiers' default is a sandbox in a cloud that has to be paid."""

NAMES = [f"seat_{i}" for i in range(MAX_AGENTS)]
FIELDS = {
    "__module__": __name__,
    "__annotations__": dict.fromkeys(NAMES, vf.AgentConfig),
    **dict.fromkeys(NAMES, LOCAL_AGENT),
}
Seats: Any = type(vf.EnvConfig)("Seats", (vf.EnvConfig,), FIELDS)


class GameEnvConfig(Seats):
    """The objective (`econzoo.envs.core.contract.objectives`), who has the seats of agents, and who is not trained."""

    objective: str = "self_gain"
    fixed: list[int] = []  # noqa: RUF012


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays a match; every agent reads what a language model of ours in its seat would read.

    An agent's trace has the objective's value as reward (0 where the match was cut), under the objective's name; as
    metrics ``payoff``, ``agreed``, ``rounds``, ``errors`` (unusable replies), ``forfeit`` and ``seat``; and the record
    of the match, which replays, in ``info["econzoo"]``. Where a provider fails, the episode fails, not the seat.
    """

    async def setup(self, agents: Any) -> None:
        """Takes the fixed seats out of training."""
        for seat in self.config.fixed:
            getattr(agents, f"seat_{seat}").trainable = False

    async def run(self, task: Any, agents: Any) -> None:
        """Plays the match of a task, one turn after the other."""
        data, objective = task.data, Objective(self.config.objective)
        playing = {seat: getattr(agents, f"seat_{seat}") for seat, who in enumerate(data.seats) if who == AGENT}
        names = [f"verifiers:{playing[seat].ctx.model}" if seat in playing else "" for seat in range(len(data.seats))]
        opened = (data.game, data.seats, data.seed, names)
        table = await asyncio.to_thread(OpenTable, *opened, **data.params)  # players may be models that take long
        seated = {}
        async with AsyncExitStack() as stack:
            for seat, agent in playing.items():
                told = data.model_copy(update={"system_prompt": table.record.rules[seat], "prompt": None})
                seated[seat] = await stack.enter_async_context(agent.interaction(GameTask(told, task.config)))
            over: set[int] = set()
            while not table.is_over:
                seat, reply = table.seat, ""
                if seat not in over:
                    segment = await seated[seat].turn(table.observation["text"])
                    reply = _reply(segment)
                    if segment.terminated:
                        over.add(seat)  # at a limit of verifiers': it says nothing any more
                if problems := seated[seat].trace.errors:
                    raise RuntimeError(f"seat {seat} has no answer: {problems[-1].type} {problems[-1].message}")
                await asyncio.to_thread(table.play_reply, reply)
        record = parse_json((await asyncio.to_thread(table.close)).to_json())
        for seat, agent in seated.items():
            about = {"seat": seat, "agreed": record["metrics"]["agreed"], "rounds": table.env.game_state.round}
            agent.trace.record_reward(objective.spec, table.reward(seat, objective))
            agent.trace.record_metrics({**about, **table.result(seat)})
            agent.trace.info["econzoo"] = record


def _reply(segment: Any) -> str:
    """What an agent has said, as it came: ``last_reply`` leaves out blanks at its ends."""
    said = [message.content for message in segment.messages if isinstance(message, vf.AssistantMessage)]
    return next((text for text in (segment.root_reply, *reversed(said)) if text is not None), "")
