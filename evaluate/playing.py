"""What ``econzoo play`` plays, keeps and tells."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.structured_face import typed_event
from econzoo.envs.core.faces.transcript import describe, paid, role_names
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.folder import writer
from econzoo.evaluate.match import Cast, play_matches
from econzoo.evaluate.progress import progress_bar
from econzoo.evaluate.resuming import check_free, match_file, read_match, resume, save_match
from econzoo.evaluate.stories import brought_to_light, ending
from econzoo.evaluate.table import new_match

TOLD = 3
"""Matches up to which every move is told."""


class Played(NamedTuple):
    """What came of a command.

    Attributes:
        done: Records of the matches that have ended.
        paused: The match that was paused, which is the last one that was played.
        path: Where it is kept.
        left: Seeds of the matches that were not played.
    """

    done: list[Record]
    paused: Record | None = None
    path: Path | None = None
    left: Sequence[int] = ()


def play_and_keep(
    game: str,
    players: Sequence[str],
    seeds: range,
    settings: Mapping[str, Any],
    concurrent: int,
    save: Path | None = None,
    out: Path | None = None,
) -> Played:
    """Plays a match for every seed, until one is paused.

    Args:
        game: Name.
        players: One spec for each seat.
        seeds: Of the matches.
        settings: Parameters and options.
        concurrent: Matches at once where no person plays.
        save: Where to keep a match that is paused; None: a new file.
        out: Where records are appended.

    Raises:
        ValueError: Something is not allowed.
    """
    if save is not None:
        check_free(save)
    todo = [new_match(game, players, seed, **settings) for seed in seeds]
    cast = Cast(game)
    for spec in players:
        cast(spec)
    person = any(is_person(spec) for spec in players)
    done: list[Record] = []
    with progress_bar("matches", len(todo), shown=len(todo) > 1 and not person) as told, kept(out) as keep:
        for record in play_matches(todo, cast, 1 if person else concurrent):
            if record.status == "paused":
                path = match_file(record, save)
                save_match(record, path)
                return Played(done, record, path, seeds[len(done) + 1 :])
            done.append(record)
            keep(record)
            told(1)
    return Played(done)


def resume_and_keep(path: Path, out: Path | None = None) -> Played:
    """Plays the match of a file on; the file then holds the match as it is after that, ended or paused.

    Raises:
        ValueError: The match cannot go on; see `econzoo.evaluate.resuming.resume`.
        FileNotFoundError: No such file.
    """
    paused = read_match(path)
    try:
        with kept(out) as keep:
            record = resume(paused)
            save_match(record, path)
            if record.status == "paused":
                return Played([], record, path)
            keep(record)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Played([record])


@contextmanager
def kept(path: Path | None) -> Iterator[Callable[[Record], None]]:
    """Gives a function that appends a record to a file, or does nothing if there is none.

    The file is opened at once, so that one that cannot be written to is refused before anything is played; one that was
    made for it goes away again if no match has ended.
    """
    if path is None:
        yield lambda record: None
        return
    made = not path.exists()
    try:
        with writer(path) as file:
            yield lambda record: file.append([record.to_json()])
    finally:
        if made and path.is_file() and not path.stat().st_size:
            path.unlink()


def shown(played: Played, out: Path | None, as_json: bool) -> None:
    """Prints what came of a command; what was done in a match that is paused stays hidden, sealed moves above all."""
    if as_json:
        print("".join(record.to_json() + "\n" for record in played.done), end="")
    elif played.done:
        tell(find_game(played.done[0].game), played.done, out)
    if played.paused is not None:
        print(how_to_go_on(played, out), file=sys.stderr if as_json else sys.stdout)


def how_to_go_on(played: Played, out: Path | None) -> str:
    """Where a paused match is, and the command that plays it on."""
    assert played.paused is not None
    assert played.path is not None
    words = ["econzoo", "play", "--resume", str(played.path), *(["--out", str(out)] if out else [])]
    reached = max((turn.round for turn in played.paused.turns), default=1)
    lines = [
        f"Paused; the last answer was given in round {reached}. The match is kept in {played.path}; to go on:",
        f"  {shlex.join(words)}",
    ]
    if played.left:
        lines.append(f"Not played: the matches with the seeds {played.left[0]} to {played.left[-1]}.")
    return "\n".join(lines)


def tell(game: Game, records: Sequence[Record], out: Path | None) -> None:
    """Prints what happened: every move of a few matches, one line of each of many."""
    from econzoo.evaluate.console import show, table

    if len(records) <= TOLD:
        for record in records:
            print(story(game, record) + "\n")
    else:
        roles = role_names(game, len(records[0].players), records[0].params)
        heads = ["players", "seed", "rounds", "outcome", *roles]
        show(table(game.name, heads, [_row(record) for record in records]))
    if out is not None:
        print(f"{len(records)} record{'s' if len(records) > 1 else ''} appended to {out}")


def _row(record: Record) -> list[str]:
    rounds = max((turn.round for turn in record.turns), default=0)
    payoffs = [dollars(payoff, cents=True) for payoff in record.payoffs]
    return [" / ".join(record.players), str(record.seed), str(rounds), ending(record), *payoffs]


def story(game: Game, record: Record) -> str:
    """One line a turn, unusable answers included, and the payoffs."""
    roles = role_names(game, len(record.players), record.params)
    parts = [f", {part}" for part in game.facts.parts] or [""] * len(roles)
    named = [f"{role}{part} ({spec})" for role, part, spec in zip(roles, parts, record.players, strict=False)]
    between = " against " if len(named) == 2 else ", "
    lines = [f"{game.name}, seed {record.seed}: {between.join(named)}"]
    for turn, light in zip(record.turns, brought_to_light(game, record), strict=True):
        where = f"  round {turn.round:>3}  {roles[turn.seat]:<8} "
        if turn.error is not None:
            lines.append(f"{where}unusable answer: {turn.error[1]}")
        if turn.action is not None:
            action = typed_event(game, {"seat": turn.seat, "round": turn.round, **turn.action}).action
            lines.append(where + describe(game, action) + light + ("  (default)" if turn.default else ""))
    who = "" if record.forfeit is None else f" by {roles[record.forfeit]}"
    payoffs = paid(roles, record.payoffs)
    return "\n".join([*lines, f"  {ending(record)}{who}; payoffs: {payoffs}"])
