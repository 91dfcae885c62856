"""Chat models behind the providers' own interfaces: Anthropic Messages, Gemini, OpenAI Responses, Bedrock, Vertex.

A wire translates the request and the reply of an interface from and to those of chat completions. So budgets, refused
options, waiting, truncation and records are those of the one client, `econzoo.baselines.models.OpenAIChat`.
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines.models.openai_chat import OpenAIChat
from econzoo.baselines.models.providers import Provider
from econzoo.baselines.models.server import Server
from econzoo.baselines.models.wire_server import INTERFACES, WireServer
from econzoo.envs.core.contract import unknown_name


class NativeChat(OpenAIChat):
    """A chat model behind its provider's own interface, with the rules and options of `OpenAIChat`.

    Thoughts and signatures go back with the result of a tool. Prompts are marked for the provider's cache.
    """

    def __init__(self, interface: str, model: str, base_url: str | None = None, **options: Any) -> None:
        """Configure the client without connecting.

        Args:
            interface: `anthropic` (Messages), `google` (generateContent), `openai-responses`, `bedrock` (Converse), or
                `vertex` (Gemini and Claude).
            model: Name of the model at the provider.
            base_url: Address; None: the provider's own.
            options: Options of `OpenAIChat`. The key is read from the provider's variable of the environment.

        Raises:
            ValueError: Unknown interface, invalid options, or an address that is not allowed.
        """
        if interface not in INTERFACES:
            raise ValueError(unknown_name("interface", interface, INTERFACES))
        self._interface, self._reasoning_tokens = interface, options.get("reasoning_tokens")
        super().__init__(model, base_url, **options)

    def _connect(
        self, model: str, base_url: str | None, api_key: str | None, concurrency: int, provider: str | None
    ) -> tuple[Server, Provider]:
        server = WireServer(self._interface, model, base_url, api_key, concurrency, self._reasoning_tokens)
        return server, server.wire.provider

    @property
    def name(self) -> str:
        """`INTERFACE:MODEL@URL`."""
        return f"{self._interface}:{self.model}@{self.base_url}"

    def __repr__(self) -> str:
        return f"NativeChat({self._interface!r}, {self.model!r}, base_url={self.base_url!r})"
