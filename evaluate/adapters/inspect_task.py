"""Games as Inspect tasks (``inspect_ai``): one sample is one match in which the evaluated model has one seat.

    from inspect_ai import eval
    from econzoo.evaluate.adapters.inspect_task import inspect_task

    eval(inspect_task("bargaining", seat=0, opponents="spe", seeds=50), model="openai/gpt-5")

Rules, prompts, retries after invalid replies and forfeits are those of `econzoo.play`. Inspect contributes its
providers, limits, logs and viewer. Every sample stores the record of its match, which replays (`inspect_records`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from econzoo.baselines import LanguageModelPlayer, ModelError, Player
from econzoo.baselines import player as make_player
from econzoo.baselines.models import REPLIES, Completion, Conversation, Schema, acceptable_messages, finish_of
from econzoo.baselines.models import has_blank_reply, is_blank, without_functions
from econzoo.baselines.parts import parts_of
from econzoo.envs.constructors import make_raw
from econzoo.envs.core import explain_missing_library
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import check_arguments
from econzoo.envs.core.faces import FINISHES
from econzoo.envs.core.record import Record, Served
from econzoo.evaluate.analyses import shares_of_equilibrium, solution_part
from econzoo.evaluate.run import new_match, play_match
from econzoo.wrappers import seat_info

__all__ = ["inspect_records", "inspect_task"]

ROLE = "inspect:"
"""Prefix of an Inspect model role that plays as an opponent."""

RECORD = "record"
"""Metadata key of the record of a sample's match."""


@check_arguments
def inspect_task(
    game: str,
    *,
    seat: int | None = None,
    opponents: str | Sequence[str] = "random",
    seeds: int | Iterable[int] = 10,
    agent: str = "",
    **params: Any,
) -> Any:
    """Build an Inspect task: matches of a game, one per seed (and seat).

    Scores are ``payoff`` (in the game's unit), ``share`` (of the equilibrium payoff, if the game has one),
    ``forfeited`` (whether the seat forfeited the match) and ``errors`` (number of invalid replies), each with mean and
    standard error, and by seat. Inspect's standard errors treat all samples as independent.

    Args:
        game: Name of the game.
        seat: Seat of the evaluated model; None: every seat, with the same seeds.
        opponents: Spec for all other seats, or one spec per other seat in order; ``inspect:ROLE`` is the model of an
            Inspect role (``model_roles``), by default the evaluated one.
        seeds: Seeds of the matches, or their number (0, 1, 2, ...).
        agent: Agent options as in a player spec: ``"reasoning=cot&memory=window(3)"``.
        **params: Game parameters and environment options.

    Returns:
        An ``inspect_ai.Task``.

    Raises:
        ValueError: An invalid game, seat, spec, seed or parameter.
        MissingLibraryError: ``inspect_ai`` is not installed.
    """
    with explain_missing_library("inspect_task", extra="inspect"):
        from inspect_ai import Task
        from inspect_ai.dataset import MemoryDataset, Sample

    numbers = list(range(seeds)) if isinstance(seeds, int) else list(seeds)
    find_game(game)
    roles = _roles(game, params)
    if seat is not None and not 0 <= seat < len(roles):
        raise ValueError(f"invalid seat={seat}: expected 0 to {len(roles) - 1}, or None for all")
    if not numbers:
        raise ValueError(f"invalid seeds={seeds!r}: expected at least one")
    parts_of("inspect", dict(parse_qsl(agent)))
    samples = []
    for own in range(len(roles)) if seat is None else [seat]:
        others = _opponent_specs(game, own, len(roles), opponents)
        for seed in numbers:
            # Only a check, ahead of a run that costs money.
            new_match(game, [*others[:own], f"{ROLE}model", *others[own:]], seed, **params)
            place = {"seed": seed, "seat": own, "role": roles[own], "opponents": others}
            samples.append(Sample(id=f"{seed}-{own}", input=_rules(game, own, seed, params), metadata=place))
    return Task(
        dataset=MemoryDataset(samples, name=game),
        solver=_solver(game, agent, params),
        scorer=_scorers(game),
        name=game,
    )


@check_arguments
def inspect_records(log: Any) -> list[Record]:
    """Return the records of the matches of an Inspect log.

    Args:
        log: Log from ``inspect_ai.eval`` or ``inspect_ai.log.read_eval_log``.
    """
    return [_record(sample.metadata) for sample in log.samples or () if RECORD in sample.metadata]


def _record(metadata: Mapping[str, Any]) -> Record:
    return Record.from_json(json.dumps(metadata[RECORD]))


def _roles(game: str, params: Mapping[str, Any]) -> list[str]:
    return list(make_raw(game, **params).roles)


def _rules(game: str, seat: int, seed: int, params: Mapping[str, Any]) -> str:
    env = make_raw(game, face="chat", **params)
    env.reset(seed=seed)
    return seat_info(env, seat).rules


def _opponent_specs(game: str, seat: int, seats: int, opponents: str | Sequence[str]) -> list[str]:
    """Specs of all seats but one."""
    given = [opponents] * (seats - 1) if isinstance(opponents, str) else list(opponents)
    if len(given) != seats - 1:
        raise ValueError(f"invalid opponents={given!r}: {game} has {seats - 1} other seats")
    for place, spec in zip([i for i in range(seats) if i != seat], given, strict=True):
        if not spec.startswith(ROLE) and not make_player(spec, game).can_take_seat(place):
            raise ValueError(f"{game}: {spec!r} cannot take seat {place} (the model has seat {seat})")
    return given


# Playing


class InspectChat:
    """An Inspect model as a `ChatModel`, for use in a thread awaited by Inspect's event loop."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """``inspect:PROVIDER/MODEL``."""
        return f"{ROLE}{self._model}"

    def complete(
        self, conversations: Sequence[Conversation], schemas: Sequence[Schema | None], seeds: Sequence[int]
    ) -> list[Completion]:
        """Complete every conversation; see `ChatModel.complete`. Schemas are ignored."""
        from anyio import from_thread

        # One at a time: Inspect runs samples concurrently, each of which is one match.
        return [from_thread.run(self._complete_one, *each) for each in zip(conversations, seeds, strict=True)]

    async def _complete_one(self, conversation: Conversation, seed: int) -> Completion:
        from inspect_ai.model import GenerateConfig

        sent = _messages(acceptable_messages(without_functions(conversation)))
        # A range of seeds that all servers support.
        out = await self._model.generate(sent, config=GenerateConfig(seed=seed % 2**31))
        usage, end = out.usage, finish_of(out.stop_reason)
        read, written = (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
        if is_blank(out.completion) and (out.error or end is None):
            raise ModelError(f"{self.name}: the provider failed: {out.error or out.stop_reason}")
        finish = end if end in FINISHES else ""
        unsupported = (REPLIES,) if has_blank_reply(conversation) else ()
        limit = written if finish else 0  # which Inspect does not tell: a reply that was cut has as many tokens
        served: Served = {"model": out.model} if out.model else {}
        ends: dict[str, Any] = {"finish": finish, "limit": limit, "unsupported": unsupported, "served": served}
        return Completion(out.completion, read, written, out.time or 0.0, **ends)


def _messages(conversation: Conversation) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
    return [kinds.get(message["role"], ChatMessageUser)(content=message["content"]) for message in conversation]


def _make_seat_player(spec: str, game: str, agent: str) -> Player:
    """Create an EconZoo player, or the model of an Inspect role."""
    if not spec.startswith(ROLE):
        return make_player(spec, game)
    from inspect_ai.model import get_model

    return _model_player(get_model(role=spec.removeprefix(ROLE)), agent)


def _model_player(model: Any, agent: str) -> LanguageModelPlayer:
    chat = InspectChat(model)
    spec = f"{chat.name}?{agent}" if agent else chat.name
    return LanguageModelPlayer(spec, chat, constrained=False, parts=parts_of(spec, dict(parse_qsl(agent))))


def _solver(game: str, agent: str, params: Mapping[str, Any]) -> Any:
    """Solver that plays the match of a sample in a thread; the viewer shows the evaluated model's transcript."""
    from anyio import CapacityLimiter, to_thread
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.solver import solver

    def match() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            place = state.metadata
            own = _model_player(get_model(), agent)
            players = [_make_seat_player(spec, game, "") for spec in place["opponents"]]
            players.insert(place["seat"], own)
            play = partial(play_match, game, players, place["seed"], **params)
            # A separate limiter, since Inspect controls the number of concurrent matches.
            record = await to_thread.run_sync(play, limiter=CapacityLimiter(1))
            # Plain JSON values, which a log of Inspect stores and reads back.
            state.metadata[RECORD] = json.loads(record.to_json())
            state.messages = _messages(own.transcript)
            last = own.transcript[-1]["content"] if own.transcript else ""
            state.output = ModelOutput.from_content(str(get_model()), last)
            return state

        return solve

    return solver(f"econzoo_{game}")(match)()


# Scoring


def _payoff(record: Record, seat: int) -> float:
    """Payoff; NaN (no score) if the match was truncated."""
    return record.payoffs[seat] if record.has_result else math.nan


def _has_forfeited(record: Record, seat: int) -> float:
    return float(record.forfeit == seat)


def _errors(record: Record, seat: int) -> float:
    return float(record.errors[seat])


def _share(record: Record, seat: int) -> float:
    """Share of the equilibrium payoff; NaN if the game or setting has none."""
    return shares_of_equilibrium(record)[seat]


MEASURES: dict[str, Callable[[Record, int], float]] = {
    "payoff": _payoff,
    "share": _share,
    "forfeited": _has_forfeited,
    "errors": _errors,
}


def _scorers(game: str) -> list[Any]:
    known = solution_part(find_game(game), "share_of_equilibrium") is not None
    return [_scorer(name, measure) for name, measure in MEASURES.items() if known or name != "share"]


def _scorer(name: str, measure: Callable[[Record, int], float]) -> Any:
    from inspect_ai.scorer import Score, grouped, mean, scorer, stderr

    def make_table() -> Any:
        async def score(state: Any, target: Any) -> Any:
            record = _record(state.metadata)
            value = measure(record, state.metadata["seat"])
            payoffs = record.payoffs if record.has_result else "none (truncated)"
            explanation = f"seed {record.seed}, payoffs {payoffs}"
            return None if math.isnan(value) else Score(value=value, explanation=explanation)

        return score

    return scorer(metrics=[mean(), stderr(), grouped(mean(), "seat")], name=name)(make_table)()
