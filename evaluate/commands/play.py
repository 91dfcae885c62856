"""``econzoo play``: single matches, their records, and paused matches."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from econzoo.baselines import add_reader, check_reader, is_person, open_journal, without_call_log
from econzoo.envs.command_line import command
from econzoo.envs.core import format_count
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Game, Integer, Option, check_options, clean
from econzoo.envs.core.faces import describe_action, event_from_plain, format_payoffs, role_names
from econzoo.envs.core.record import Record, labels, revealed_facts
from econzoo.evaluate.run import MAX_TRIES, PARAM, SPECS, Concurrent, EngineOptions, Match, PlayerCache, Run
from econzoo.evaluate.run import add_budget_options, check_free, count_previous_costs, current_engine, describe_failures
from econzoo.evaluate.run import exit_on_interrupt, has_prices, match_file, match_spending, new_match, open_engine
from econzoo.evaluate.run import open_run, parse_params, play_matches, progress_bar, raise_none_ended, read_failed_tries
from econzoo.evaluate.run import read_folder, read_match, resumable_ids, resume, save_match

MAX_PRINTED_MATCHES = 3
"""Up to this many matches, every move is printed."""


class PlayOutcome(NamedTuple):
    """Outcome of a command.

    Attributes:
        records: Records of the completed matches, those of previous commands included.
        new_count: Number of matches completed by this command.
        path: File of the paused match.
        unplayed_seeds: Seeds of the matches after the paused one.
        failed_matches: Failed matches, each with its number of tries.
    """

    records: list[Record]
    new_count: int
    paused_record: Record | None = None
    path: Path | None = None
    unplayed_seeds: Sequence[int] = ()
    failed_matches: Sequence[tuple[Record, int]] = ()


def play_and_save(
    game: str,
    players: Sequence[str],
    seeds: range,
    settings: Mapping[str, Any],
    concurrent: int | None,
    save: Path | None = None,
    out: Path | None = None,
) -> PlayOutcome:
    """Play one match per seed, until one is paused.

    Args:
        concurrent: Calls of each model at once, if no person plays; None: by the players' `concurrency`.
        save: File of a paused match; None: a new file.
    """
    if save is not None:
        check_free(save)
    matches = [new_match(game, players, seed, **settings) for seed in seeds]
    cast = PlayerCache(game)
    for spec in players:
        cast(spec)
    count_previous_costs(out, players)
    check_resumable(out)
    person = any(is_person(spec) for spec in players)
    # People play one match after the other, and an error pauses theirs, so that they need not repeat their moves.
    how = (None, None, "paused", True) if person else (concurrent, None, "failed", False)
    remote = current_engine() is not None and not person
    # A model's prompts would keep what a person wrote beyond the record, where nobody looks for it.
    with without_call_log(person), open_output_run(out, matches[0].id) as run:
        recorded, tries = ({}, {}) if out is None or person else read_recorded(out)  # people may repeat a match
        ended = {match.id: recorded[match.id] for match in matches if match.id in recorded}
        todo = [match for match in matches if match.id not in ended and len(tries.get(match.id, ())) < MAX_TRIES]
        for part in [todo] if person or not has_prices(players) else confirmed_parts(todo, players, ended):
            with progress_bar("matches", len(part), enabled=len(part) > 1 and not person) as advance:
                for record in play_on_engine(part, cast, concurrent) if remote else play_matches(part, cast, *how):
                    if record.status == "paused":
                        path = match_file(record, save)
                        save_match(record, path)
                        unplayed = seeds[run.ended_count + 1 :]
                        return PlayOutcome([*ended.values()], run.ended_count, record, path, unplayed)
                    if run.append([record.to_json()]):
                        ended[record.id] = record
                    advance(1)
    if not ended:
        run.check()
    done = [ended[match.id] for match in matches if match.id in ended]
    for record in run.failed_records:
        tries[record.id] = [*tries.get(record.id, ()), record]
    failed = [(tries[match.id][-1], len(tries[match.id])) for match in matches if match.id in {*tries} - {*ended}]
    return PlayOutcome(done, run.ended_count, failed_matches=failed)


def confirmed_parts(
    todo: Sequence[Match], players: Sequence[str], ended: Mapping[str, Record]
) -> Iterator[Sequence[Match]]:
    """Yield the matches to play, in parts if their cost must be confirmed; see `iterate_confirmed_parts`."""
    # Imported here, as matches without costs need none of it.
    from econzoo.evaluate.run import iterate_confirmed_parts

    who = (" / ".join(labels(players).values()),)
    return iterate_confirmed_parts(todo, lambda _: who, lambda: [(who, match_spending(one)) for one in ended.values()])


def play_on_engine(matches: Sequence[Match], cast: PlayerCache, concurrent: int | None) -> Iterator[Record]:
    """Play matches on the open engine."""
    # Imported here, as a single match needs none of it.
    from econzoo.evaluate.run import play_lines

    for lines in play_lines(matches, matches[0].game, cast, None, concurrent):
        yield from map(Record.from_json, lines)


def check_resumable(out: Path | None) -> None:
    """Raise `ValueError` if the file that a command appends to has records that do not replay."""
    if out is not None:
        for _ in resumable_ids(out):
            pass


def read_recorded(out: Path) -> tuple[dict[str, Record], dict[str, list[Record]]]:
    """Read the completed matches of a file, and every try of failed ones."""
    done = {record.id: record for record in read_folder(out)[0]}
    return done, {id: [record for _, record in tries] for id, tries in read_failed_tries(out).items()}


def resume_and_save(path: Path, out: Path | None = None, connect: Sequence[str] = ()) -> PlayOutcome:
    """Resume the match of a file and save the ended or paused match there.

    Args:
        connect: Addresses that the file's players may connect to with the user's key. Other addresses need confirmation
            at the terminal; without a terminal they are refused.
    """
    paused = read_match(path)
    try:
        check_resumable(out)
        person = any(map(is_person, paused.players))
        with without_call_log(person), open_output_run(out, paused.id) as run, open_journal(path) as calls:
            record = resume(paused, connect=connect, ask=partial(_confirm_connection, path))
            save_match(record, path)
            # A match that is paused again needs its replies when it is resumed.
            calls.keeps_file = record.status == "paused"
            if calls.keeps_file:
                return PlayOutcome([], 0, record, path)
            run.append([record.to_json()])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return PlayOutcome([record], 1)


def _confirm_connection(path: Path, address: str, with_key: bool) -> bool:
    """Ask at the terminal whether a file's player may connect to an address; False without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    from econzoo.evaluate.show import sanitize_text

    key = "and send your API key" if with_key else "without an API key (none given)"
    typer.echo(f"{path} contains a player hosted at {sanitize_text(address)}.", err=True)
    return typer.confirm(f"Connect to this address {key}?", default=False, err=True)


@contextmanager
def open_output_run(path: Path | None, first: str) -> Iterator[Run]:
    """Open a run that appends to a file, if one is given; see `open_run`.

    The file is opened ahead of play, so that an unwritable one is refused at once; a new file is removed if it stays
    empty.
    """
    is_new = path is not None and not path.exists()
    try:
        with open_run(path, first) as run:
            yield run
    finally:
        if is_new and path is not None and path.is_file() and not path.stat().st_size:
            path.unlink()


def print_outcome(outcome: PlayOutcome, out: Path | None, as_json: bool) -> None:
    """Print the outcome of a command; moves of a paused match stay hidden, since some may be sealed."""
    if as_json:
        print("".join(record.to_json() + "\n" for record in outcome.records), end="")
    elif outcome.records:
        print_matches(find_game(outcome.records[0].game), outcome, out)
    for line in describe_failures(outcome.failed_matches):
        print(clean(line), file=sys.stderr)
    if outcome.paused_record is None and not outcome.records:
        raise_none_ended(outcome.failed_matches)
    if outcome.paused_record is not None:
        print(clean(describe_resume(outcome, out)), file=sys.stderr if as_json else sys.stdout)


def describe_resume(outcome: PlayOutcome, out: Path | None) -> str:
    """Describe where a paused match is saved and how to resume it."""
    assert outcome.paused_record is not None
    assert outcome.path is not None
    arguments = ["econzoo", "play", "--resume", str(outcome.path), *(["--out", str(out)] if out else [])]
    reached = max((turn.round for turn in outcome.paused_record.turns), default=1)
    why = f" ({outcome.paused_record.reason})" if outcome.paused_record.reason else ""
    saved = f"Paused in round {reached}{why}. Match saved to {outcome.path}; to resume:"
    lines = [saved, f"  {shlex.join(arguments)}"]
    if seeds := outcome.unplayed_seeds:
        lines.append(f"Not played: seeds {seeds[0]} to {seeds[-1]}.")
    return "\n".join(lines)


def print_matches(game: Game, outcome: PlayOutcome, out: Path | None) -> None:
    """Print every move of up to `MAX_PRINTED_MATCHES` matches, or a table with one row per match."""
    records = outcome.records
    if len(records) <= MAX_PRINTED_MATCHES:
        for record in records:
            print(story(game, record) + "\n")
    else:
        print_table(game, records)
    if out is not None:
        played = len(records) - outcome.new_count
        known = f"; {format_count(played, 'match')} already in it" if played else ""
        print(f"{format_count(outcome.new_count, 'record')} appended to {clean(str(out))}{known}")


def print_table(game: Game, records: Sequence[Record]) -> None:
    """Print a table with one row per match."""
    from econzoo.evaluate.show import COUNT, TEXT, Column, Table, show

    roles = role_names(game, len(records[0].players), records[0].params)
    columns = [Column("players", kind=TEXT), Column("seed", kind=TEXT), Column("rounds", kind=COUNT)]
    columns += [Column("outcome", kind=TEXT), *(Column(role, digits=2) for role in roles)]
    show([Table("matches", game.name, columns, [_row(record) for record in records])])


def _row(record: Record) -> list[Any]:
    rounds = max((turn.round for turn in record.turns), default=0)
    payoffs = [None if record.is_truncated else payoff for payoff in record.payoffs]
    return [" / ".join(record.labels), str(record.seed), rounds, record.ending, *payoffs]


def story(game: Game, record: Record) -> str:
    """Format a match: one line per turn, invalid replies included, and the payoffs."""
    roles = role_names(game, len(record.players), record.params)
    parts = [f", {part}" for part in game.facts.parts] or [""] * len(roles)
    named = [f"{role}{part} ({spec})" for role, part, spec in zip(roles, parts, record.labels, strict=False)]
    between = " against " if len(named) == 2 else ", "
    lines = [f"{game.name}, seed {record.seed}: {between.join(named)}"]
    for turn, light in zip(record.turns, revealed_facts(game, record), strict=True):
        where = f"  round {turn.round:>3}  {roles[turn.seat]:<8} "
        if turn.error is not None:
            lines.append(f"{where}invalid reply: {turn.error[1]}")
        if turn.action is not None:
            action = event_from_plain(game, {"seat": turn.seat, "round": turn.round, **turn.action}).action
            lines.append(where + describe_action(game, action) + light + ("  (default)" if turn.default else ""))
    who = "" if record.forfeit is None else f" by {roles[record.forfeit]}"
    what, payoffs = "position " if record.is_truncated else "", format_payoffs(roles, record.displayed_payoffs)
    return "\n".join([*lines, f"  {record.ending}{who}; {what}payoffs: {payoffs}"])


RESUME_OPTIONS = ("resume", "out", "connect", "json")
"""Options that are not stored in the file of a paused match."""


@dataclass
class PlayOptions(EngineOptions):
    """Play matches between any players, people included; several people share this terminal.

    Examples: econzoo play bargaining spe fair --matches 3 | econzoo play bargaining human fair -p horizon=3 |
    econzoo play bargaining hf:smollm2 'boulware(0.2)' --out matches.jsonl |
    econzoo play --resume bargaining-0123456789abcdef.match.json
    """

    game: Annotated[str, Option(meaning="Name of the game.", positional=True)] = ""
    players: Annotated[
        list[str], Option(meaning=f"Players, one per seat: {SPECS}, human, 'human(\"Ann\")'.", positional=True)
    ] = field(default_factory=list)
    seed: Annotated[int, Option(Integer(0), "Seed of the first match; it grows by 1 per match.")] = 0
    matches: Annotated[int, Option(Integer(1), "Number of matches.")] = 1
    param: Annotated[list[str], Option(meaning=PARAM, letter="-p")] = field(default_factory=list)
    reader: Annotated[str | None, Option(meaning="Language model that interprets messages for scripted players.")] = (
        None
    )
    out: Annotated[str | None, Option(meaning="File to append records to.")] = None
    concurrent: Concurrent = None
    save: Annotated[str | None, Option(meaning="File for a paused match.", default="GAME-ID.match.json")] = None
    resume: Annotated[str | None, Option(meaning="Paused match to resume.")] = None
    connect: Annotated[
        list[str],
        Option(meaning="With --resume: allowed address of the file's players, with your API key (repeatable)."),
    ] = field(default_factory=list)
    json: Annotated[bool, Option(Flag(), "Print the records, one JSON line per match.")] = False

    def __post_init__(self) -> None:
        check_options(self)
        if self.resume is not None:
            for one in fields(self):
                default = [] if one.name in ("players", "param") else one.default
                if one.name not in RESUME_OPTIONS and getattr(self, one.name) != default:
                    allowed = ", ".join(f"--{name}" for name in RESUME_OPTIONS[1:])
                    raise ValueError(f"{one.name} cannot be changed with --resume; available options: {allowed}")
        elif self.connect:
            raise ValueError("--connect needs --resume: specs on the command line may always connect")
        elif not self.game or not self.players:
            raise typer.BadParameter("missing GAME and PLAYERS, or --resume FILE")


def run(options: PlayOptions) -> None:
    """Play matches, or resume a paused one, and print the outcome."""
    out = Path(options.out) if options.out else None
    if options.resume is not None:
        played = resume_and_save(Path(options.resume), out, options.connect)
    else:
        settings, seeds = parse_params(options.param), range(options.seed, options.seed + options.matches)
        check_reader(options.reader, options.players, options.game)
        players = add_reader(options.players, options.game, options.reader)
        save = Path(options.save) if options.save else None
        with exit_on_interrupt(out), open_engine(options.engine, options.ray_address):
            played = play_and_save(options.game, players, seeds, settings, options.concurrent, save, out)
    print_outcome(played, out, options.json)


play = add_budget_options(command(PlayOptions, run), plays=True)
