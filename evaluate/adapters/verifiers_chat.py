"""Chat harness of verifiers (``verifiers.v1``) for EconZoo games."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.models import acceptable_messages
from econzoo.envs.core import explain_missing_library

with explain_missing_library("the adapter to verifiers", extra="verifiers"):
    import httpx
    import verifiers.v1 as vf
    from verifiers.v1.dialects.chat import message_to_wire

__all__ = ["ChatHarness"]


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Requests one reply in this process; verifiers' own harness starts an interpreter per reply."""

    APPENDS_SYSTEM_PROMPT = SUPPORTS_RESUME = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(
        self, ctx: Any, trace: Any, runtime: Any, endpoint: str, secret: str, mcp_urls: Any, data: Any
    ) -> Any:
        """Send the conversation to verifiers' endpoint."""
        system, messages = self.resolve_prompt(data)
        conversation = [{"role": "system", "content": system}] if system else []
        conversation += map(message_to_wire, messages)
        request: dict[str, Any] = {
            "json": {"model": ctx.model, "messages": acceptable_messages(conversation)},
            "headers": {"Authorization": f"Bearer {secret}"},
        }
        # No limit here: a reply may take long, and the endpoint is verifiers' own.
        async with httpx.AsyncClient(timeout=None) as client:
            answer = await client.post(f"{endpoint}/chat/completions", **request)
        return vf.ProgramResult(
            exit_code=int(answer.is_error), stdout="", stderr=answer.text if answer.is_error else ""
        )
