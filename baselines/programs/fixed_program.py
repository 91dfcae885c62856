"""Authors who submit the same program in every meta-round: one from the library, or one from a file."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from econzoo.baselines import Player
from econzoo.envs.core import read_text, reason
from econzoo.envs.families.open_source import BASE_GAMES, INTERFACES, Failure, Limits, library, problem_of

ALLOWED = "expected a UTF-8 text file with the source of a program"


def read_program(path: str | Path) -> str:
    """Read a program file up to the maximum length of programs."""
    path, longest = Path(path), Limits().source
    allowed = f"{ALLOWED} of up to {longest:,} characters"
    try:
        # A character has at most four bytes in UTF-8.
        text = read_text(path, 4 * longest)
    except (OSError, ValueError) as error:
        raise ValueError(f"the file cannot be read ({reason(error)}); {allowed}") from None
    if len(text) > longest:
        raise ValueError(f"the file has more than {longest:,} characters; {allowed}")
    return text


def opens_fence(text: str) -> bool:
    """Whether a line of a text opens a block of Markdown."""
    return any(line.lstrip().startswith("```") for line in text.splitlines())


class FixedProgram(Player):
    """Submits one fixed program."""

    deterministic = True
    source = ""

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        return {"program": self.source}


class FileProgram(FixedProgram):
    """Submits the program in a file."""

    def __init__(self, spec: str, source: str, game: str) -> None:
        super().__init__(spec)
        self.source, self.only_game = source, game


def program_player(spec: str, path: str, given: Mapping[str, str]) -> FileProgram:
    """Create the player of ``program:FILE``, whose game follows from the program's number of parameters."""
    if given:
        raise ValueError(f"player {spec!r}: programs have no options, got {', '.join(given)}")
    try:
        source = read_program(path)
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    problems = {
        game: problem_of(source, INTERFACES[base].parameters, Limits().source) for game, base in BASE_GAMES.items()
    }
    fitting = [game for game, problem in problems.items() if problem is None]
    if not fitting and opens_fence(source):
        raise ValueError(f"player {spec!r} is not a program: it has Markdown fences (```); expected the source alone")
    if not fitting:
        raise ValueError(f"player {spec!r} is not a program: {_format_problems(problems)}")
    # At most one fits, as the games differ in the number of parameters.
    return FileProgram(spec, source, fitting[0])


def _format_problems(problems: Mapping[str, Any]) -> str:
    """Format the problem, by game unless it is the same for all."""
    first = next(iter(problems.values()))
    if first.failure is not Failure.NO_PROGRAM or len({problem.text for problem in problems.values()}) == 1:
        return str(first.text)
    return "; ".join([f"for {game}, {problem.text}" for game, problem in problems.items()])


def library_players(base: str) -> dict[str, type[FixedProgram]]:
    """Return the programs of a library as players, by name with dashes."""
    return {name.replace("_", "-"): _make_player_class(library.program(base, name)) for name in library.names(base)}


def _make_player_class(source: str) -> type[FixedProgram]:
    """Create a player class that submits a program and has its docstring."""
    attributes = {"source": source, "__doc__": ast.get_docstring(ast.parse(source)), "__module__": __name__}
    return type("WrittenProgram", (FixedProgram,), attributes)
