"""How a model is asked by verifiers (``verifiers.v1``) in a game here."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.extras import explain_missing_library

with explain_missing_library("the adapter to verifiers", extra="verifiers"):
    import httpx
    import verifiers.v1 as vf
    from verifiers.v1.dialects.chat import message_to_wire

__all__ = ["ChatHarness"]


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model for one reply, from this process: verifiers' own harness starts an interpreter for each."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any
    ) -> Any:
        """Sends the conversation on to the endpoint that verifiers listens at."""
        system, messages = self.resolve_prompt(data)
        said = [{"role": "system", "content": system}] if system else []
        said += map(message_to_wire, messages)
        asked: dict[str, Any] = {
            "json": {"model": ctx.model, "messages": said},
            "headers": {"Authorization": f"Bearer {secret}"},
        }
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(f"{endpoint}/chat/completions", **asked)
        return vf.ProgramResult(
            exit_code=int(answer.is_error), stdout="", stderr=answer.text if answer.is_error else ""
        )
