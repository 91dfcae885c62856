"""From ALYMPICS' published games to our records.

Every day of a game is compared with our rules (`econzoo.evaluate.formats.alympics.checking`). A game without a
difference becomes a record: the bids as moves, the supplies as nature's moves, and each resident's text before the bid
as a call of its model. A game with a difference does not, unless it is asked for; its record then has the published
bids and what follows from them by our rules, and names the differences in its source.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.parameters import complete_parameters
from econzoo.envs.core.files import escape_name
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.formats.alympics.checking import GAME, CheckResult, Difference, check
from econzoo.evaluate.formats.alympics.day_tables import read_day_table
from econzoo.evaluate.formats.alympics.published import (
    Answer,
    File,
    PublishedGame,
    find_published_games,
    read_published_game,
)
from econzoo.evaluate.run.importing import ImportReport, NotImportableError, convert_rule_errors, seed_of
from econzoo.evaluate.run.replay import recompute_record
from econzoo.evaluate.run.table import EnvPool

ALYMPICS = "alympics"
"""The ``format`` in the source of imported records."""

DIFFERS = "differs from the rules"
"""Kind of the reason why a game with an odd day is skipped."""

MODEL, PERSON = "gpt-4-32k", "human"
"""Who played the published games, as the paper says and the files do not; and who those in tables of days."""

TABLE = ".csv"
"""Ending of a table of days (`econzoo.evaluate.formats.alympics.day_tables`)."""

# One game


def to_record(
    game: PublishedGame, check_result: CheckResult, player: str = MODEL, pool: EnvPool | None = None
) -> Record:
    """The record of a published game.

    Args:
        game: See `econzoo.evaluate.formats.alympics.published.read_published_game`.
        check_result: What came of its check.
        player: Name of the model in all seats.
        pool: Where environments come from, if there are many games.

    Raises:
        UnusableError: It does not come to an end by our rules, or ends before its last day.
    """
    with convert_rule_errors():
        record = recompute_record(_skeleton(game, player), pool)
    if record.status != "finished":
        raise NotImportableError("truncated", f"the file ends after day {len(game.days)}, before the game does")
    answers = [day.answers[name] for day in game.days for name in game.names if name in day.answers]
    if len(record.turns) < len(answers):
        raise NotImportableError("outside our rules", "by the rules, more residents die, or earlier, than in the file")
    for turn, answer in zip(record.turns, answers, strict=True):
        turn.calls = [_thought_call(answer)] if answer.prompt else []
    record.seconds = 0.0
    record.source = _source(game, check_result)
    return record


def _skeleton(game: PublishedGame, player: str) -> Record:
    """A record that knows the bids and supplies and not yet what follows from them."""
    rules = find_game(GAME)
    turns = [
        Turn(seat, day.result.day, {"bid": day.result.bids[name]}, None)
        for day in game.days
        for seat, name in enumerate(game.names)
        if name in day.answers
    ]
    return Record(
        game=GAME,
        version=rules.version,
        params=rules.params(**complete_parameters(rules.parameters, game.params))[0],
        options={},
        seed=seed_of(ALYMPICS, game.id),
        players=[player] * len(game.names),
        faces=["structured"] * len(game.names),
        chance=[float(day.result.supply) for day in game.days],
        turns=turns,
        source={"format": ALYMPICS},
    )


def _thought_call(answer: Answer) -> dict[str, Any]:
    """The text of an answer, from which ALYMPICS had a model take the number."""
    told = {"prompt": answer.prompt, "reply": answer.reply}
    return {"purpose": "thought", "about": None, **told, "tokens": [0, 0], "seconds": 0.0, "cost": 0.0}


def _source(game: PublishedGame, checked: CheckResult) -> dict[str, Any]:
    """The game's id, what each resident was told first and last, and what does not follow by our rules."""
    source = {"format": ALYMPICS, "id": game.id, "rules": list(game.briefs), "ends": list(game.ends)}
    odd = [dict(one._asdict()) for one in checked.differences]
    return {**source, "differences": odd} if odd else source


# Many games


class DifferingDay(NamedTuple):
    """A day that is not as the rules have it.

    Attributes:
        file: Of the game.
        day: From 1.
        differences: What is otherwise.
    """

    file: str
    day: int
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        return f"{self.file}, day {self.day}: {'; '.join(map(str, self.differences))}"


@dataclass
class AlympicsImport(ImportReport):
    """What became of published games.

    Attributes:
        odd: Days that are not as the rules have them.
        days: Days that were compared.
        printed: Numbers and lists of winners that were compared.
        games: The games that could be read and checked.
        twice: Ids of games that say what another one says word for word, and the id of that one.
    """

    odd: list[DifferingDay] = field(default_factory=list)
    days: int = 0
    printed: int = 0
    games: list[PublishedGame] = field(default_factory=list)
    twice: list[tuple[str, str]] = field(default_factory=list)

    @property
    def failed_count(self) -> int:
        """Files that are no games of ours."""
        return sum(kind != DIFFERS for _, kind, _ in self.skipped)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        odd = [
            {"file": one.file, "day": one.day, "differences": [dict(d._asdict()) for d in one.differences]}
            for one in self.odd
        ]
        return {**vars(self), "odd": odd, "games": [game.id for game in self.games], "failed": self.failed_count}

    def lines(self) -> list[str]:
        """For people."""
        differences = sum(len(one.differences) for one in self.odd)
        return [
            *map(str, self.odd),
            *self.skipped_lines(),
            *(f"{game} is {other} again, word for word; both count" for game, other in self.twice),
            f"{self.days - len(self.odd):,} of {self.days:,} days are as the rules have them; "
            f"{self.printed - differences:,} of {self.printed:,} printed numbers and lists of winners",
            self.describe_counts(),
        ]


def import_games(path: str | Path, out: str | Path, player: str = "", keep_invalid: bool = False) -> AlympicsImport:
    """Adds published games to a file of records, each once.

    Args:
        path: A file, or a folder or an archive that is searched for ``*.json``.
        out: The file; what is in it stays.
        player: Name of the player in all seats; empty: the paper's model, or of a table of days people.
        keep_invalid: Also take games with days that are not as the rules have them.

    Raises:
        FileNotFoundError: No such file or folder, or no such file in it.
        ValueError: The file holds something else than records, or is a folder.
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
    """A published game, in chats or as a table of days.

    Raises:
        UnusableError: The file is none.
    """
    return (
        read_day_table(file) if isinstance(file, Path) and file.suffix.lower() == TABLE else read_published_game(file)
    )


def _read_record(file: File, player: str, keep_invalid: bool, pool: EnvPool, done: AlympicsImport) -> Record:
    """The record of a file; what its check gave is added to `done`."""
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
            DIFFERS, f"{checked.days_text}; --keep-invalid takes its bids and the outcome by the rules"
        )
    return to_record(game, checked, player, pool)
