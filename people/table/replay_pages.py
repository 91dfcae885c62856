"""Replays: any record step by step, with what was read and answered, and whether the rules confirm it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.transcript import role_names
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import shares_of_equilibrium
from econzoo.evaluate.analyses.stories import match_outline
from econzoo.evaluate.run.settings import format_value
from econzoo.people.server.fields import parse_count
from econzoo.people.server.rendering import render_page
from econzoo.people.server.security import is_operator
from econzoo.people.server.site import site_path, texts
from econzoo.people.table.choices import parameter_meaning
from econzoo.people.table.move_words import format_payoff, localize_story
from econzoo.people.table.public_view import describe_turns
from econzoo.people.table.record_check import CheckedRecord, check_record
from econzoo.people.table.seat_view import TextPart, describe_gain, game_title, split_parts

if TYPE_CHECKING:
    from econzoo.people.table.tables import Tables

MAX_SHOWN = 60
"""Turns that a page shows at once."""

MAX_PROBLEMS = 20
"""Problems of a record that a page lists."""


class ReplayPosition(NamedTuple):
    """A place in a match.

    Attributes:
        shown_turns: How many turns are shown.
        total_turns: How many there are.
    """

    shown_turns: int
    total_turns: int

    @classmethod
    def from_address(cls, typed: str, of: int) -> ReplayPosition:
        """The place in an address; the end where there is none."""
        return cls(min(parse_count(typed, of), of), of)

    @property
    def first_shown(self) -> int:
        """The first turn that is shown, from 0."""
        return max(0, self.shown_turns - MAX_SHOWN)


class ReplayView:
    """The page of a record.

    Args:
        checked_record: The record.
        typed: The turn in the address.
        address: What stands in the address besides the turn.
    """

    def __init__(self, found: CheckedRecord, typed: str, address: Mapping[str, str]) -> None:
        self.checked_record, self.record, self.address = found, found.record, address
        self.position = ReplayPosition.from_address(typed, len(self.record.turns))

    @cached_property
    def game(self) -> Game:
        """What was played."""
        return find_game(self.record.game)

    @property
    def title(self) -> str:
        """Name of the game."""
        return game_title(self.game.name, self.record.params)

    @cached_property
    def match(self) -> dict[str, Any]:
        """The match as reports tell it."""
        turns = describe_turns(self.record, not self.checked_record.problems)
        return localize_story(self.record, {**match_outline(self.record, ""), "turns": turns})

    @property
    def gain_description(self) -> str:
        """What the gain of this game is."""
        return describe_gain(self.record.game)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """Those that are shown, each with its ``number`` and, where nothing was recorded, what its seat ``read``."""
        shown = self.match["turns"][self.position.first_shown : self.position.shown_turns]
        read = (
            self.checked_record.transcript.prompts
            if self.checked_record.transcript
            else [None] * self.position.total_turns
        )
        return [
            {
                **turn,
                "number": number + 1,
                "read": split_parts((read[number] or "").split("\n")) if read[number] else [],
            }
            for number, turn in enumerate(shown, start=self.position.first_shown)
        ]

    @property
    def seats(self) -> list[dict[str, Any]]:
        """What each seat got, what the rules pay it, and the share of its equilibrium payoff."""
        again = self.checked_record.payoffs
        pays = [
            "" if again is None else format_payoff(self.game, one) for one in again or [0.0] * len(self.record.players)
        ]
        shares = shares_of_equilibrium(self.record)
        both = zip(self.match["seats"], pays, shares, strict=True)
        return [{**seat, "again": own, "share": share} for seat, own, share in both]

    @property
    def problems(self) -> list[tuple[int | None, str]]:
        """(turn, what is wrong) of the first problems."""
        return [(one.turn, str(one)) for one in self.checked_record.problems[:MAX_PROBLEMS]]

    @property
    def rules(self) -> list[tuple[str, list[TextPart]]]:
        """(role, what it was told) of every seat."""
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
    """The page of the record of a line.

    Args:
        line: Of a record.
        request: With the turn.
        *address: What else of its address stays when the turn changes.
        **links: Where else one can go: ``back``, ``record``, ``film``.

    Raises:
        HTTPException: It is no record.
    """
    kept = {name: request.query_params[name] for name in address}
    try:
        seen = ReplayView(check_record(line), request.query_params.get("turn", ""), kept)
        seen.match  # noqa: B018 (is made here, if it can be)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    except Exception as error:  # whatever is wrong with a record from anywhere, it is no error of the page
        raise HTTPException(422, texts().say("replay.cannot_be_told", problem=type(error).__name__)) from None
    return render_page("replay.html", title=texts().say("replay.title", game=seen.title), seen=seen, links=links)


class ReplayPages:
    """What is answered to who replays a match of this server.

    Args:
        tables: The matches.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def routes(self) -> list[Route]:
        """The pages."""
        return [
            Route("/replay/{match}", self.replay, methods=["GET"]),
            Route("/replay/{match}/record.jsonl", self.record, methods=["GET"]),
        ]

    async def replay(self, request: Request) -> Response:
        """A match that has ended, step by step."""
        return await run_in_threadpool(self._replay, request)

    def _replay(self, request: Request) -> Response:
        match = request.path_params["match"]
        links = {"film": site_path(f"/watch/{match}?at=0"), "record": site_path(f"/replay/{match}/record.jsonl")}
        return replay_page(self._line(request), request, **links)

    async def record(self, request: Request) -> Response:
        """The record of a match that has ended."""
        line = await run_in_threadpool(self._line, request)
        name = {"content-disposition": f'attachment; filename="{check_record(line).record.id}.jsonl"'}
        return PlainTextResponse(line + "\n", media_type="application/jsonl", headers=name)

    def _line(self, request: Request) -> str:
        """The record of a match; of one that goes on, for the operator alone, as far as it was played.

        Raises:
            HTTPException: There is none, or not yet.
        """
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
