"""What ``econzoo play`` keeps and tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from econzoo.envs.core.aec import GameEnv
from econzoo.envs.core.faces import typed_event
from econzoo.envs.core.game import Game
from econzoo.envs.core.parse import MAX_REPLY
from econzoo.envs.core.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.transcript import describe, role_names, to_light
from econzoo.evaluate.folder import writer

TOLD = 3
"""Matches up to which every move is told."""


@contextmanager
def kept(path: Path | None) -> Iterator[Callable[[Record], None]]:
    """Gives a function that appends a record to a file, or does nothing if there is none."""
    if path is None:
        yield lambda record: None
        return
    with writer(path) as file:
        yield lambda record: file.append([record.to_json()])


def tell(game: Game, records: Sequence[Record], out: Path | None) -> None:
    """Prints what happened: every move of a few matches, one line of each of many."""
    from econzoo.evaluate.console import show, table

    if len(records) <= TOLD:
        for record in records:
            print(story(game, record) + "\n")
    else:
        roles = role_names(game, len(records[0].players))
        heads = ["players", "seed", "rounds", "outcome", *roles]
        show(table(game.name, heads, [_row(record) for record in records]))
    if out is not None:
        print(f"{len(records)} record{'s' if len(records) > 1 else ''} appended to {out}")


def _row(record: Record) -> list[str]:
    rounds = max((turn.round for turn in record.turns), default=0)
    payoffs = [f"{payoff:,.2f}" for payoff in record.payoffs]
    return [" / ".join(record.players), str(record.seed), str(rounds), ending(record), *payoffs]


def ending(record: Record) -> str:
    """How a match ended, in a word or two."""
    if record.status == "finished":
        agreement = find_game(record.game).facts.agreement
        return agreement if record.metrics["agreed"] else f"no {agreement}"
    return record.status


def brought_to_light(game: Game, record: Record) -> list[str]:
    """What each turn of a match brought to light, in words; the match is played again for it."""
    if not hasattr(game.rules, "disclosed"):
        return [""] * len(record.turns)
    env = GameEnv(game, face="structured", on_error="raise", max_message=MAX_REPLY, **record.params)
    env.reset(seed=record.seed, options={"chance": record.chance})
    for turn in record.turns:
        if turn.action is not None:
            env.step(turn.action)
    events = iter(env.events)
    return ["" if turn.action is None else to_light(game, next(events)) for turn in record.turns]


def story(game: Game, record: Record) -> str:
    """One line a turn, unusable answers included, and the payoffs."""
    roles = role_names(game, len(record.players))
    parts = [f", {part}" for part in game.facts.parts] or [""] * len(roles)
    named = [f"{role}{part} ({spec})" for role, part, spec in zip(roles, parts, record.players, strict=False)]
    lines = [f"{game.name}, seed {record.seed}: {' against '.join(named)}"]
    for turn, light in zip(record.turns, brought_to_light(game, record), strict=True):
        where = f"  round {turn.round:>3}  {roles[turn.seat]:<8} "
        if turn.error is not None:
            lines.append(f"{where}unusable answer: {turn.error[1]}")
        if turn.action is not None:
            action = typed_event(game, {"seat": turn.seat, "round": turn.round, **turn.action}).action
            lines.append(where + describe(game, action) + light + ("  (default)" if turn.default else ""))
    who = "" if record.forfeit is None else f" by {roles[record.forfeit]}"
    payoffs = ", ".join(f"{role} {payoff:,.2f}" for role, payoff in zip(roles, record.payoffs, strict=False))
    return "\n".join([*lines, f"  {ending(record)}{who}; payoffs: {payoffs}"])
