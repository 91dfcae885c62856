"""Replay pages: a record step by step, with its texts, and whether the rules confirm it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game
from econzoo.envs.core.faces import role_names
from econzoo.evaluate.analyses import match_outline, shares_of_equilibrium
from econzoo.evaluate.run import format_value
from econzoo.people.server import is_operator, parse_count, render_page, site_path, texts
from econzoo.people.table.choices import parameter_meaning
from econzoo.people.table.move_words import format_payoff, localize_story
from econzoo.people.table.pairs import Step, steps_of
from econzoo.people.table.public_view import describe_turns
from econzoo.people.table.record_check import CheckedRecord, check_record
from econzoo.people.table.seat_view import TextPart, describe_gain, game_title, split_parts
from econzoo.people.table.tables import Tables

MAX_SHOWN = 60
"""Maximum turns on a page."""

MAX_PROBLEMS = 20


class ReplayPosition(NamedTuple):
    shown_turns: int
    total_turns: int

    @classmethod
    def from_address(cls, typed: str, of: int) -> ReplayPosition:
        """Parse the position in a URL; default: the end."""
        return cls(min(parse_count(typed, of), of), of)

    @property
    def first_shown(self) -> int:
        """First turn shown, from 0."""
        return max(0, self.shown_turns - MAX_SHOWN)


class ReplayView:
    """The page of a record."""

    def __init__(self, checked: CheckedRecord, typed: str, address: Mapping[str, str]) -> None:
        self.checked_record, self.record, self.address = checked, checked.record, address
        self.position = ReplayPosition.from_address(typed, len(self.record.turns))

    @cached_property
    def game(self) -> Game:
        return find_game(self.record.game)

    @property
    def title(self) -> str:
        """Name of the game."""
        return game_title(self.game.name, self.record.params)

    @cached_property
    def match(self) -> dict[str, Any]:
        """Outline of the match, with its turns."""
        turns = describe_turns(self.record, not self.checked_record.problems)
        return localize_story(self.record, {**match_outline(self.record, ""), "turns": turns})

    @cached_property
    def steps(self) -> list[Step]:
        """What each turn took."""
        return steps_of(self.record, self.match["turns"])

    @property
    def gain_description(self) -> str:
        return describe_gain(self.record.game)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """Turns shown, each with its ``number`` and the text that its seat ``read``."""
        shown = self.match["turns"][self.position.first_shown : self.position.shown_turns]
        transcript = self.checked_record.transcript
        prompts = transcript.prompts if transcript else [None] * self.position.total_turns
        return [
            {
                **turn,
                "number": number + 1,
                "step": self.steps[number],
                "read": split_parts(prompt.split("\n")) if prompt else [],
            }
            for number, turn in enumerate(shown, start=self.position.first_shown)
            for prompt in [prompts[number]]
        ]

    @property
    def seats(self) -> list[dict[str, Any]]:
        """Recorded payoff, replayed payoff and share of the equilibrium payoff of each seat."""
        payoffs = self.checked_record.payoffs
        replayed = [""] * len(self.record.players)
        if payoffs is not None:
            replayed = [format_payoff(self.game, one) for one in payoffs]
        seats = zip(self.match["seats"], replayed, shares_of_equilibrium(self.record), strict=True)
        return [{**seat, "again": payoff, "share": share} for seat, payoff, share in seats]

    @property
    def problems(self) -> list[tuple[int | None, str]]:
        """(turn, message) of the first problems."""
        return [(one.turn, str(one)) for one in self.checked_record.problems[:MAX_PROBLEMS]]

    @property
    def rules(self) -> list[tuple[str, list[TextPart]]]:
        """(role, rules) of every seat."""
        texts: Sequence[str | None] = (
            self.checked_record.transcript.rules if self.checked_record.transcript else self.record.rules
        )
        roles = role_names(self.game, len(self.record.players), self.record.params)
        return [(role, split_parts(text.split("\n"))) for role, text in zip(roles, texts, strict=False) if text]

    @property
    def setting(self) -> list[tuple[str, str, str]]:
        """(name, value, meaning) of every parameter."""
        meanings = {one.name: parameter_meaning(self.game.name, one) for one in self.game.parameters}
        return [(name, format_value(value), meanings.get(name, "")) for name, value in self.record.params.items()]


def replay_page(line: str, request: Request, *address: str, **links: str) -> Response:
    """Render the replay page of a record.

    Args:
        *address: URL parameters to keep when the turn changes.
        **links: Paths of related pages: ``back``, ``record``, ``film``, ``calls``.
    """
    parameters = {name: request.query_params[name] for name in address}
    try:
        seen = ReplayView(check_record(line), request.query_params.get("turn", ""), parameters)
        seen.match  # noqa: B018 (computed here to catch its errors)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    except Exception as error:  # an untrusted record must not cause a server error
        raise HTTPException(422, texts().say("replay.cannot_be_shown", problem=type(error).__name__)) from None
    return render_page("replay.html", title=texts().say("replay.title", game=seen.title), seen=seen, links=links)


class ReplayPages:
    """Replay pages of this server's matches."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def routes(self) -> list[Route]:
        return [
            Route("/replay/{match}", self.replay, methods=["GET"]),
            Route("/replay/{match}/record.jsonl", self.record, methods=["GET"]),
        ]

    async def replay(self, request: Request) -> Response:
        """A finished match, step by step."""
        return await run_in_threadpool(self._replay, request)

    def _replay(self, request: Request) -> Response:
        match = request.path_params["match"]
        links = {"film": site_path(f"/watch/{match}?at=0"), "record": site_path(f"/replay/{match}/record.jsonl")}
        return replay_page(self._line(request), request, **links)

    async def record(self, request: Request) -> Response:
        """Download the record of a finished match."""
        line = await run_in_threadpool(self._line, request)
        name = {"content-disposition": f'attachment; filename="{check_record(line).record.id}.jsonl"'}
        return PlainTextResponse(line + "\n", media_type="application/jsonl", headers=name)

    def _line(self, request: Request) -> str:
        """Record line of a match; of a running one only for the operator."""
        match = request.path_params["match"]
        try:
            line = self._tables.store.record_line(match)
            if line is None and is_operator(request):
                return self._tables.open_match(match).paused_record().to_json()
        except KeyError:
            raise HTTPException(404) from None
        except ValueError as error:
            raise HTTPException(409, str(error)) from None
        if line is None:
            raise HTTPException(409, texts().say("replay.goes_on"))
        return line
