"""Recording of answers and results of a match, and what its record reveals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, repeat
from typing import Any

from econzoo.envs.core.contract import Event, Game, Outcome
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.faces import MAX_REPLY, Reply, describe_fact
from econzoo.envs.core.record.provenance import current_software
from econzoo.envs.core.record.record import Record, Turn, none_if_nan
from econzoo.envs.core.record.turn import encode_reply


def start_record(
    game: Game,
    params: dict[str, Any],
    players: list[str],
    faces: list[str],
    seed: int,
    options: dict[str, Any],
    libraries: Iterable[str] = (),
) -> Record:
    """Create the record of a new match; `libraries` are those of its players."""
    match = game.name, params, options, seed, players, faces
    software = current_software(*sorted({*libraries})).to_plain()
    return Record(*match, versions=game.versions._asdict(), software=software)


def record_answer(
    record: Record, env: GameEnv, reply: Any, prompt: str | None, step: Callable[[Any], None], **turn_fields: Any
) -> None:
    """Play an answer of the selected agent and record the move, error or default action.

    Args:
        reply: Answer. Its recorded form is played, so that the record replays.
        step: Step function of `env` or a wrapper.
    """
    seat, kept = env.possible_agents.index(env.agent_selection), encode_reply(env.game, reply)
    turn = Turn(seat, env.game_state.round, kept, None, prompt, **turn_fields)
    if isinstance(reply, Reply):
        turn.finish, turn.limit = reply.finish, reply.limit
    events, errors, defaults, waited = len(env.events), env.errors[seat], env.defaults[seat], seat in env.pending
    step(turn.answer)
    turn.default = env.defaults[seat] > defaults
    if env.errors[seat] > errors and env.last_error is not None:
        turn.error = list(env.last_error)
    played = _find_chosen_move(env, seat, events, waited)
    turn.action = None if played is None else env.game.actions.to_plain(played)
    record.turns.append(turn)


def _find_chosen_move(env: GameEnv, seat: int, events: int, waited: bool) -> Any:
    """Return the move that the seat has just chosen, given the state before its answer, or None."""
    for event in env.events[events:]:
        if event.seat == seat and event.action is not None:
            return env.chosen_actions.get(seat, event.action)
    return env.pending[seat] if seat in env.pending and not waited else None


def record_result(record: Record, env: GameEnv) -> None:
    """Write the result, or the current state, into a record, unless a player left or paused the match.

    A truncated match has no result; the payoffs of its position are stored separately.
    """
    record.chance, record.rulings = list(env.chance_draws), list(env.rulings) if env.game.referee else None
    if record.status not in ("abandoned", "paused"):
        record.forfeit, record.status = env.forfeiting_seat, match_status(env)
    if record.is_truncated:
        clear_result(record)
        record.position_payoffs = list(env.payoffs)
    else:
        record_outcome(record, env.payoffs, env.outcome())
    record.errors, record.defaults = list(env.errors), list(env.defaults)


def record_outcome(record: Record, payoffs: Iterable[float], outcome: Outcome) -> None:
    """Write payoffs and metrics into a record."""
    record.payoffs = list(payoffs)
    record.metrics = {
        "gains": [none_if_nan(gain) for gain in outcome.gains],
        "efficiency": none_if_nan(outcome.efficiency),
        "fairness": none_if_nan(outcome.fairness),
        "agreed": bool(outcome.agreed),
    }


def clear_result(record: Record) -> None:
    """Write a placeholder result into the record of a failed or truncated match."""
    seats = len(record.players)
    record.payoffs, record.errors, record.defaults = [0.0] * seats, [0] * seats, [0] * seats
    record.metrics = {"gains": [None] * seats, "efficiency": None, "fairness": None, "agreed": False}
    record.rules = record.rules or [None] * seats


def match_status(env: GameEnv) -> str:
    """Return the status of a match that nobody left: ``"forfeited"``, ``"truncated"`` or ``"finished"``."""
    if env.forfeiting_seat is not None:
        return "forfeited"
    return "truncated" if env.is_truncated else "finished"


def revealed_facts(game: Game, record: Record) -> list[str]:
    """Describe the facts that each turn revealed, from recorded rulings or by replaying the match."""
    if record.rulings is not None:
        results = [game.rules.Result(**result) for ruling in record.rulings for result in ruling["results"]]
        return _align_with_turns(record, [describe_fact(game, Event(0, 0, None, result)) for result in results])
    if game.rules.facts is None:
        return [""] * len(record.turns)
    # The largest limit, as the moves were checked against theirs when they were played.
    env = GameEnv(game, face="structured", on_error="raise", max_message=MAX_REPLY, **record.params)
    env.reset(seed=record.seed, options={"chance": record.chance})
    for turn in record.turns:
        if turn.action is not None:
            while env.terminations[env.agent_selection]:  # eliminated seats have no recorded moves
                env.step(None)
            env.step(turn.action)
    return _align_with_turns(record, [describe_fact(game, event) for event in env.events if event.action is not None])


def _align_with_turns(record: Record, move_facts: Iterable[str]) -> list[str]:
    """Facts by turn, from facts by move: invalid answers are turns without a move."""
    facts = chain(move_facts, repeat(""))  # simultaneous moves that were never revealed have no fact
    return ["" if turn.action is None else next(facts) for turn in record.turns]
