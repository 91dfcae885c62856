"""Matches by the Model Context Protocol, with the library's own client: those that are played here."""

from __future__ import annotations

import json
import os
import sys
from contextlib import asynccontextmanager

import anyio
import pytest

from adapters.acceptance import GAMES, OPPONENT, Played, accept, hear

pytest.importorskip("mcp.server.fastmcp", reason="needs the extra mcp")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.memory import create_connected_server_and_client_session as connected

from econzoo.evaluate.adapters import mcp_server

pytestmark = pytest.mark.slow

OVER = "The match is over"


class Assistant:
    """A client that calls tools."""

    def __init__(self, session):
        self.session = session

    async def call(self, tool, **given):
        """The text of a result, and whether it is an error."""
        result = await self.session.call_tool(tool, given)
        return result.content[0].text, bool(result.isError)

    async def match(self, seed, seat, answer):
        text, _ = await self.call("begin_match", seed=seed, seat=seat)
        while OVER not in text:
            text, wrong = await self.call("make_move", move=answer(text))
            assert not wrong, text
        return json.loads((await self.call("see_result"))[0])


@asynccontextmanager
async def assistant(server):
    async with connected(server) as session:
        yield Assistant(session)


def test_matches_are_those_of_our_runner():
    servers = {game: mcp_server(game, [OPPONENT], **params) for game, params in GAMES.items()}

    def play(game, params, seed, seat, answer):
        async def played():
            async with assistant(servers[game]) as one:
                return await one.match(seed, seat, answer)

        result = anyio.run(played)
        return Played(result["match_seed"], result["reward"], result["forfeited"])

    accept(play)
    hear(play)


def test_two_clients_have_matches_of_their_own():
    server = mcp_server("matrix", [OPPONENT], rounds=3)

    async def both():
        async with assistant(server) as one, assistant(server) as two:
            first, _ = await one.call("begin_match", seed=1)
            await two.call("begin_match", seed=2, seat=1)
            again, _ = await one.call("read_position")
            return first, again, (await two.call("read_position"))[0]

    first, again, other = anyio.run(both)
    assert first == again
    assert "You are Alice" in first
    assert "You are Bob" in other


def test_a_move_may_be_an_object_and_tools_say_when_it_is_not_their_turn():
    async def told():
        async with assistant(mcp_server("bargaining", ["acceptor"])) as one:
            before = [await one.call(tool) for tool in ("read_position", "see_result")]
            await one.call("begin_match", seed=1)
            early = await one.call("see_result")
            end = await one.call("make_move", move={"kind": "offer", "gain": 4000})
            late = await one.call("make_move", move='{"kind":"reject"}')
            return [*before, early, late], end, json.loads((await one.call("see_result"))[0])

    refused, (text, wrong), result = anyio.run(told)
    assert all(error for _, error in refused)
    for (said, _), named in zip(refused, ("begin_match", "begin_match", "not over", "begin_match"), strict=True):
        assert named in said
    assert (OVER in text, wrong) == (True, False)
    assert (result["payoff"], result["reward"], result["errors"]) == (4000.0, 0.4, 0)


def test_the_command_serves_over_standard_input_and_output():
    words = ["-m", "econzoo", "serve", "mcp", "matrix", "--opponents", "grudger", "-p", "rounds=1"]

    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))

    async def played():
        async with stdio_client(server) as ends, ClientSession(*ends) as session:
            await session.initialize()
            return await Assistant(session).match(1, 1, lambda text: '{"kind":"D"}')

    assert anyio.run(played)["payoff"] == 5.0


def test_rules_by_seat_and_a_prompt():
    async def read():
        async with connected(mcp_server("negotiation")) as session:
            tools = [tool.name for tool in (await session.list_tools()).tools]
            rules = [(await session.read_resource(f"econzoo://rules/{seat}")).contents[0].text for seat in (0, 1)]
            return tools, rules, (await session.get_prompt("play_a_match")).messages[0].content.text

    tools, rules, prompt = anyio.run(read)
    assert tools == ["begin_match", "read_position", "make_move", "see_result"]
    assert all(name in prompt for name in ("begin_match", "make_move", "see_result"))
    assert rules[0].startswith("You are Alice")
    assert rules[1].startswith("You are Bob")
