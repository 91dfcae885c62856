"""Differences between OpenAI-compatible providers, from `providers.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from econzoo.envs.core.contract import load_package_toml, unknown_name

_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Provider:
    """Differences of a provider from OpenAI's original API; `providers.toml` documents each field."""

    title: str = "an unknown server"
    hosts: tuple[str, ...] = ()
    limit: str = "max_tokens"
    seed: str = "seed"
    without: tuple[str, ...] = ()
    on: Mapping[str, Any] = field(default_factory=dict)
    off: Mapping[str, Any] = field(default_factory=dict)
    errors: str = "object"
    content: str = "text"
    calls: str = ""
    thoughts: str = ""
    usage: str = "inside"
    refuses: tuple[str, ...] = ()
    too_long: str = ""
    batch: str = ""


_TEMPLATE = {"enable_thinking", "thinking"}
"""Names of the reasoning switch in chat templates of open models: Qwen, GLM and others, DeepSeek."""


def thinking_template(on: bool) -> dict[str, bool]:
    """Return the reasoning switch for chat templates of open models."""
    return dict.fromkeys(sorted(_TEMPLATE), on)


def unknown_server() -> Provider:
    """Return the provider of an unknown address, assumed to serve open models."""
    on, off = ({"chat_template_kwargs": thinking_template(on)} for on in (True, False))
    return Provider(on=on, off=off)


@cache
def providers() -> Mapping[str, Provider]:
    return {
        name: Provider(**_lists_to_tuples(one))
        for name, one in load_package_toml(__package__, "providers.toml").items()
    }


def _lists_to_tuples(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def is_local(url: str) -> bool:
    """Whether an address is of this machine."""
    return urlsplit(url).hostname in _LOCAL_HOSTS


def provider_at(url: str, name: str | None = None) -> Provider:
    """Return the provider of an address.

    Args:
        name: Name of the provider; None: by the address.
    """
    if name is not None:
        if name not in providers():
            raise ValueError(unknown_name("provider", name, providers()))
        return providers()[name]
    # A local server is known by its port, as an entry `:11434`; "-" equals no entry.
    parts = urlsplit(url)
    host, port = parts.hostname or "", f":{parts.port}" if is_local(url) else "-"
    known = {one: provider for provider in providers().values() for one in provider.hosts}
    fits = (provider for one, provider in known.items() if f".{host}".endswith(f".{one}") or one == port)
    return next(fits, unknown_server())
