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
from econzoo.evaluate.analyses.stories import brief
from econzoo.evaluate.run.settings import shown
from econzoo.people.server.fields import count_in
from econzoo.people.server.rendering import page
from econzoo.people.server.security import is_operator
from econzoo.people.server.site import at, texts
from econzoo.people.table.choices import meaning_of
from econzoo.people.table.move_words import in_own_words, paid
from econzoo.people.table.public_view import turns_told
from econzoo.people.table.record_check import Checked, check_record
from econzoo.people.table.seat_view import Part, gain_of, parts, title_of

if TYPE_CHECKING:
    from econzoo.people.table.tables import Tables

WINDOW = 60
"""Turns that a page shows at once."""

TOLD = 20
"""Problems of a record that a page lists."""


class Step(NamedTuple):
    """A place in a match.

    Attributes:
        at: How many turns are shown.
        of: How many there are.
    """

    at: int
    of: int

    @classmethod
    def asked(cls, typed: str, of: int) -> Step:
        """The place in an address; the end where there is none."""
        return cls(min(count_in(typed, of), of), of)

    @property
    def first(self) -> int:
        """The first turn that is shown, from 0."""
        return max(0, self.at - WINDOW)


class Replay:
    """The page of a record.

    Args:
        found: The record.
        typed: The turn in the address.
        address: What stands in the address besides the turn.
    """

    def __init__(self, found: Checked, typed: str, address: Mapping[str, str]) -> None:
        self.found, self.record, self.address = found, found.record, address
        self.step = Step.asked(typed, len(self.record.turns))

    @cached_property
    def game(self) -> Game:
        """What was played."""
        return find_game(self.record.game)

    @property
    def title(self) -> str:
        """Name of the game."""
        return title_of(self.game.name, self.record.params)

    @cached_property
    def match(self) -> dict[str, Any]:
        """The match as reports tell it."""
        turns = turns_told(self.record, not self.found.problems)
        return in_own_words(self.record, {**brief(self.record, ""), "turns": turns})

    @property
    def gain_of(self) -> str:
        """What the gain of this game is."""
        return gain_of(self.record.game)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """Those that are shown, each with its ``number`` and, where nothing was recorded, what its seat ``read``."""
        shown = self.match["turns"][self.step.first : self.step.at]
        read = self.found.told.prompts if self.found.told else [None] * self.step.of
        return [
            {**turn, "number": number + 1, "read": parts((read[number] or "").split("\n")) if read[number] else []}
            for number, turn in enumerate(shown, start=self.step.first)
        ]

    @property
    def seats(self) -> list[dict[str, Any]]:
        """What each seat got, what the rules pay it, and the share of its equilibrium payoff."""
        again = self.found.payoffs
        pays = ["" if again is None else paid(self.game, one) for one in again or [0.0] * len(self.record.players)]
        shares = shares_of_equilibrium(self.record)
        both = zip(self.match["seats"], pays, shares, strict=True)
        return [{**seat, "again": own, "share": share} for seat, own, share in both]

    @property
    def problems(self) -> list[tuple[int | None, str]]:
        """(turn, what is wrong) of the first problems."""
        return [(one.turn, str(one)) for one in self.found.problems[:TOLD]]

    @property
    def rules(self) -> list[tuple[str, list[Part]]]:
        """(role, what it was told) of every seat."""
        texts: Sequence[str | None] = self.found.told.rules if self.found.told else self.record.rules
        roles = role_names(self.game, len(self.record.players), self.record.params)
        return [(role, parts(text.split("\n"))) for role, text in zip(roles, texts, strict=False) if text]

    @property
    def setting(self) -> list[tuple[str, str, str]]:
        """(name, value, meaning) of every parameter."""
        meanings = {one.name: meaning_of(self.game.name, one) for one in self.game.parameters}
        return [(name, shown(value), meanings.get(name, "")) for name, value in self.record.params.items()]


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
        seen = Replay(check_record(line), request.query_params.get("turn", ""), kept)
        seen.match  # noqa: B018 (is made here, if it can be)
    except ValueError as error:
        raise HTTPException(422, str(error)) from None
    except Exception as error:  # whatever is wrong with a record from anywhere, it is no error of the page
        raise HTTPException(422, texts().say("replay.cannot_be_told", problem=type(error).__name__)) from None
    return page("replay.html", title=texts().say("replay.title", game=seen.title), seen=seen, links=links)


class Replaying:
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
        links = {"film": at(f"/watch/{match}?at=0"), "record": at(f"/replay/{match}/record.jsonl")}
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
            line = self._tables.store.line(match)
            if line is None and is_operator(request):
                return self._tables.live(match).paused().to_json()
        except KeyError:
            raise HTTPException(404) from None
        except ValueError as error:
            raise HTTPException(409, str(error)) from None
        if line is None:
            raise HTTPException(409, texts().say("replay.goes_on"))
        return line
