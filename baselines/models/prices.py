"""List prices of models, from `prices.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from econzoo.baselines.models.providers import is_local, provider_at, providers
from econzoo.baselines.models.server import OPENAI_URL
from econzoo.baselines.models.token_counts import Prices
from econzoo.baselines.models.wire_server import INTERFACES
from econzoo.envs.core.contract import load_package_toml

_SNAPSHOT = r"(?:-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}))?"
"""Date of a snapshot at the end of a model's name."""

_SPEC = re.compile(
    r"(?<![\w-])(?P<prefix>openai|openai-responses|anthropic|google|bedrock|vertex):(?P<model>[^\s?'\"]+?)"
    r"(?:@(?P<url>https?:[^\s?'\"]+))?(?=[\s?'\"]|$)(?P<options>\?[^'\"]*)?"
)
"""A served model in a spec, alone or as the model of another player."""

_VERTEX = "aiplatform.googleapis.com"
_AT_BEDROCK = re.compile(r"(?P<place>[a-z]+\.)?anthropic\.(?P<model>claude-.+?)(-v\d+(:\d+)?)?")
_AT_VERTEX = re.compile(r"(?P<model>claude-.+?)(-v\d+)?(@(?P<day>\d{8}))?")

_UNIFORM = re.compile(r"claude-(3|(opus|sonnet)-4(-[01])?(-\d{8})?$)")
"""Models of one price everywhere; later ones cost a tenth more at Bedrock and Vertex unless the endpoint is global."""


class ListPrice(NamedTuple):
    """The price of a model.

    Attributes:
        prices: US dollars per million tokens; see `Prices`.
        date: For which the source gives the prices, as in ``2026-11-18``.
        source: Address of the page that was read; several are separated by a semicolon.
    """

    model: str
    prices: Prices
    date: str
    source: str

    def __str__(self) -> str:
        read, *cached, written = (f"${price:g}" for price in self.prices)
        return f"{self.model} {read}{''.join(f' ({one} cached)' for one in cached)} read and {written} written"


@cache
def price_list() -> Mapping[str, Sequence[ListPrice]]:
    """Return the prices of each provider of `providers`."""
    tables = load_package_toml(__package__, "prices.toml")
    return {
        provider: [
            ListPrice(model, tuple(map(float, prices)), part["date"], part["source"])
            for part in parts
            for model, prices in part["models"].items()
        ]
        for provider, parts in tables.items()
    }


def list_price(model: str, url: str, provider: str | None = None) -> ListPrice | None:
    """Return the list price of a model at an address; None if it is unknown, or a server of this machine.

    Args:
        provider: Name of the provider; None: by the address.
    """
    if is_local(url):
        return None
    found = provider_at(url, provider)
    name = next((name for name, one in providers().items() if one is found), "")
    name, model = _at_its_maker(model, urlsplit(url).hostname or "") or (name, model)
    fits = [one for one in price_list().get(name, ()) if _is_name_of(one.model, model)]
    return max(fits, key=lambda one: len(one.model), default=None)


def _at_its_maker(model: str, host: str) -> tuple[str, str] | None:
    """Return maker and name there of a model that Bedrock or Vertex offers at the maker's price, else None."""
    if host.startswith("bedrock-runtime.") and (found := _AT_BEDROCK.fullmatch(model)):
        name, is_global = found["model"], found["place"] == "global."
    elif host.endswith(_VERTEX) and (found := _AT_VERTEX.fullmatch(model)):
        name = f"{found['model']}-{found['day']}" if found["day"] else found["model"]
        is_global = host == _VERTEX
    else:
        return None
    return ("anthropic", name) if is_global or _UNIFORM.match(name) else None


def _is_name_of(listed: str, model: str) -> bool:
    return re.fullmatch(re.escape(listed) + _SNAPSHOT, model, re.IGNORECASE) is not None


class SpecPrices(NamedTuple):
    """What is known of the costs of the models of some specs.

    Attributes:
        listed: List prices of models without a price of their own.
        is_reported: Whether a server reports the cost of each reply.
    """

    listed: list[ListPrice]
    is_reported: bool

    def __str__(self) -> str:
        dates = sorted(price.date for price in self.listed)
        when = " to ".join(dict.fromkeys([dates[0], dates[-1]]))
        what = "; ".join(map(str, self.listed))
        return f"prices of {when}, per million tokens: {what}; price_per_million=... overrides"


def prices_of(specs: Collection[str]) -> SpecPrices:
    """Return the list prices of all served models in specs that give no price."""
    listed, is_reported = dict[str, ListPrice](), False
    for found in (match for spec in specs for match in _SPEC.finditer(spec)):
        options = found["options"] or ""
        if "price_per_million=" in options:
            continue
        interface = INTERFACES.get(found["prefix"])
        url = found["url"] or (interface.url() if interface else os.environ.get("OPENAI_BASE_URL") or OPENAI_URL)
        named = re.search(r"[?&]provider=(\w+)", options)
        provider = named[1] if named and named[1] in providers() else None
        is_reported |= provider_at(url, provider).usage == "cost"
        if (price := list_price(found["model"], url, provider)) is not None:
            listed[price.model] = price
    return SpecPrices(list(listed.values()), is_reported)
