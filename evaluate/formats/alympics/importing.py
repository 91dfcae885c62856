"""Import of ALYMPICS' published games as records.

Every day of a game is verified (`econzoo.evaluate.formats.alympics.checking`). A game without differences becomes a
record with bids as moves, supplies as nature's moves, and each resident's text before the bid as a model call. A game
with differences is imported only on request; its record then has the published bids, outcomes by EconZoo's rules, and
the differences in its source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import escape_name
from econzoo.envs.core import game as find_game
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.formats.alympics.checking import GAME, CheckResult, Difference, check
from econzoo.evaluate.formats.alympics.day_tables import read_day_table
from econzoo.evaluate.formats.alympics.published import Answer, File, PublishedGame, find_published_games
from econzoo.evaluate.formats.alympics.published import read_published_game
from econzoo.evaluate.run import EnvPool, ImportReport, NotImportableError, convert_rule_errors, recompute_record
from econzoo.evaluate.run import seed_of

ALYMPICS = "alympics"
"""Value of ``format`` in the source of imported records."""

DIFFERS = "differs from the rules"
"""Kind of the reason why a game with differences is skipped."""

MODEL, PERSON = "gpt-4-32k", "human"
"""Players of the published games (from the paper; not in the files) and of tables of days."""

TABLE = ".csv"
"""Suffix of a table of days (`econzoo.evaluate.formats.alympics.day_tables`)."""

# One game


def to_record(
    game: PublishedGame, check_result: CheckResult, player: str = MODEL, pool: EnvPool | None = None
) -> Record:
    """Convert a published game to a record."""
    with convert_rule_errors():
        record = recompute_record(_skeleton(game, player), pool)
    if record.status != "finished":
        raise NotImportableError("truncated", f"the file ends after day {len(game.days)}, before the game ends")
    answers = [day.answers[name] for day in game.days for name in game.names if name in day.answers]
    # Imported with differences, residents may die earlier by the rules than in the file; then bids are left over.
    if len(record.turns) < len(answers):
        raise NotImportableError(
            "outside our rules", "by the rules, residents die that live in the file, or die earlier"
        )
    for turn, answer in zip(record.turns, answers, strict=True):
        turn.calls = [_thought_call(answer)] if answer.prompt else []
    record.seconds = 0.0
    record.source = _source(game, check_result)
    return record


def _skeleton(game: PublishedGame, player: str) -> Record:
    """A record with bids and supplies, without the fields computed by the rules."""
    rules = find_game(GAME)
    turns = [
        Turn(seat, day.result.day, {"bid": day.result.bids[name]}, None)
        for day in game.days
        for seat, name in enumerate(game.names)
        if name in day.answers
    ]
    return Record(
        game=GAME,
        params=rules.params(**game.params)[0],
        options={},
        seed=seed_of(ALYMPICS, game.id),
        players=[player] * len(game.names),
        faces=["structured"] * len(game.names),
        chance=[float(day.result.supply) for day in game.days],
        turns=turns,
        source={"format": ALYMPICS},
    )


def _thought_call(answer: Answer) -> dict[str, Any]:
    """Model call with the text of an answer, from which ALYMPICS' model extracted the bid."""
    texts = {"prompt": answer.prompt, "reply": answer.reply}
    return {"purpose": "thought", "about_seat": None, **texts, "tokens": [0, 0], "seconds": 0.0, "cost": 0.0}


def _source(game: PublishedGame, checked: CheckResult) -> dict[str, Any]:
    """Id of the game, first and last texts of each resident, and differences from the rules."""
    source = {"format": ALYMPICS, "id": game.id, "rules": list(game.briefs), "ends": list(game.ends)}
    odd = [dict(one._asdict()) for one in checked.differences]
    return {**source, "differences": odd} if odd else source


# Many games


class DifferingDay(NamedTuple):
    """A day with differences from the rules.

    Attributes:
        day: Day, from 1.
    """

    file: str
    day: int
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        return f"{self.file}, day {self.day}: {'; '.join(map(str, self.differences))}"


@dataclass
class AlympicsImport(ImportReport):
    """Report of an import; `twice` has ids of games, each with that of a preceding one with identical content."""

    odd: list[DifferingDay] = field(default_factory=list)
    days: int = 0
    printed: int = 0
    games: list[PublishedGame] = field(default_factory=list)
    twice: list[tuple[str, str]] = field(default_factory=list)

    @property
    def failed_count(self) -> int:
        """Number of files that are not valid games."""
        return sum(kind != DIFFERS for _, kind, _ in self.skipped)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        odd = [
            {"file": one.file, "day": one.day, "differences": [dict(d._asdict()) for d in one.differences]}
            for one in self.odd
        ]
        return {**vars(self), "odd": odd, "games": [game.id for game in self.games], "failed": self.failed_count}

    def lines(self) -> list[str]:
        differences = sum(len(one.differences) for one in self.odd)
        return [
            *map(str, self.odd),
            *self.skipped_lines(),
            *(f"{game} is identical to {other}; both are counted" for game, other in self.twice),
            f"{self.days - len(self.odd):,} of {self.days:,} days agree with the rules; "
            f"{self.printed - differences:,} of {self.printed:,} printed numbers and lists of winners agree",
            self.describe_counts(),
        ]


def import_games(path: str | Path, out: str | Path, player: str = "", keep_invalid: bool = False) -> AlympicsImport:
    """Append published games to a file of records, each once.

    Args:
        player: Name of the player in all seats; empty: the paper's model, or ``human`` for a table of days.
    """
    done, pool = AlympicsImport(), EnvPool()
    player = player or (PERSON if Path(path).suffix.lower() == TABLE else MODEL)
    done.add(
        find_published_games(path),
        lambda file: _read_record(file, player, keep_invalid, pool, done),
        Path(out),
        ALYMPICS,
    )
    return done


def read_game(file: File) -> PublishedGame:
    """Read a published game from chats or a table of days."""
    return (
        read_day_table(file) if isinstance(file, Path) and file.suffix.lower() == TABLE else read_published_game(file)
    )


def _read_record(file: File, player: str, keep_invalid: bool, pool: EnvPool, done: AlympicsImport) -> Record:
    """Record of a file; the result of its check is added to `done`."""
    game = read_game(file)
    checked = check(game)
    done.twice += [(game.id, one.id) for one in done.games if one._replace(id=game.id) == game][:1]
    done.games.append(game)
    done.days += checked.days
    done.printed += checked.printed
    for day in checked.days_with_differences:
        done.odd.append(
            DifferingDay(escape_name(file), day, tuple(one for one in checked.differences if one.day == day))
        )
    if checked.differences and not keep_invalid:
        raise NotImportableError(
            DIFFERS, f"{checked.days_text}; --keep-invalid imports its bids with outcomes by the rules"
        )
    return to_record(game, checked, player, pool)
