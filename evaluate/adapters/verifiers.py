"""EconZoo games as verifiers environments (``verifiers.v1``), with models in the seats and a reward for each."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from econzoo.envs.core import explain_missing_library
from econzoo.envs.core.contract import Objective, parse_json
from econzoo.evaluate.adapters.open_table import AGENT, OpenTable

with explain_missing_library("the adapter to verifiers", extra="verifiers"):
    import verifiers.v1 as vf

    from econzoo.evaluate.adapters.verifiers_chat import ChatHarness
    from econzoo.evaluate.adapters.verifiers_taskset import MAX_AGENTS, GameTask, GameTaskset

__all__ = ["ChatHarness", "GameEnv", "GameTaskset"]

LOCAL_AGENT = vf.AgentConfig(runtime=vf.SubprocessConfig())
"""Local runtime; verifiers' default is a paid cloud sandbox."""

NAMES = [f"seat_{i}" for i in range(MAX_AGENTS)]
# One field of the configuration for each seat, since verifiers finds its agents there; so they are made by a loop.
FIELDS = {
    "__module__": __name__,
    "__annotations__": dict.fromkeys(NAMES, vf.AgentConfig),
    **dict.fromkeys(NAMES, LOCAL_AGENT),
}
Seats: Any = type(vf.EnvConfig)("Seats", (vf.EnvConfig,), FIELDS)


class GameEnvConfig(Seats):
    """Objective (`econzoo.envs.core.contract.objectives`), agents by seat, and seats that are not trained (`fixed`)."""

    objective: str = "self_gain"
    fixed: list[int] = []  # noqa: RUF012


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays a match; agents read the prompts of language-model players.

    An agent's trace has the objective's value as reward, under the objective's name (0 if the match was truncated; less
    than any result for a forfeit or default actions, see `econzoo.envs.core.contract.objectives`);
    metrics ``payoff``, ``agreed``, ``rounds``, ``errors`` (invalid replies), ``forfeit`` and ``seat``; and the record
    of the match in ``info["econzoo"]``. A provider error fails the episode, not the seat.
    """

    async def setup(self, agents: Any) -> None:
        """Exclude the fixed seats from training."""
        for seat in self.config.fixed:
            getattr(agents, f"seat_{seat}").trainable = False

    async def run(self, task: Any, agents: Any) -> None:
        """Play the match of a task, turn by turn."""
        data, objective = task.data, Objective(self.config.objective)
        playing = {seat: getattr(agents, f"seat_{seat}") for seat, who in enumerate(data.seats) if who == AGENT}
        names = [f"verifiers:{playing[seat].ctx.model}" if seat in playing else "" for seat in range(len(data.seats))]
        opened = (data.game, data.seats, data.seed, names)
        table = await asyncio.to_thread(OpenTable, *opened, **data.params)  # players may be slow models
        seated = {}
        async with AsyncExitStack() as stack:
            for seat, agent in playing.items():
                own = data.model_copy(update={"system_prompt": table.record.rules[seat], "prompt": None})
                seated[seat] = await stack.enter_async_context(agent.interaction(GameTask(own, task.config)))
            over: set[int] = set()
            while not table.is_over:
                seat, reply = table.seat, ""
                if seat not in over:
                    segment = await seated[seat].turn(table.observation["text"])
                    reply = _reply(segment)
                    if segment.terminated:
                        over.add(seat)  # at a limit of verifiers; later replies are empty
                if problems := seated[seat].trace.errors:
                    raise RuntimeError(f"seat {seat} has no answer: {problems[-1].type} {problems[-1].message}")
                await asyncio.to_thread(table.play_reply, reply)
        record = parse_json((await asyncio.to_thread(table.close)).to_json())
        for seat, agent in seated.items():
            metrics = {"seat": seat, "agreed": record["metrics"]["agreed"], "rounds": table.env.game_state.round}
            agent.trace.record_reward(objective.spec, table.reward(seat, objective))
            agent.trace.record_metrics({**metrics, **table.result(seat)})
            agent.trace.info["econzoo"] = record


def _reply(segment: Any) -> str:
    """Unmodified reply of an agent (``last_reply`` strips whitespace)."""
    replies = [message.content for message in segment.messages if isinstance(message, vf.AssistantMessage)]
    return next((text for text in (segment.root_reply, *reversed(replies)) if text is not None), "")
