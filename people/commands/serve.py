"""``econzoo serve``: people play in the browser, at the table or as participants of a study."""

from __future__ import annotations

import signal
import sys
from dataclasses import dataclass, field, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, options_in
from econzoo.envs.core.contract.parameters import Flag, Integer, ListOf, OrNone, Real, Text
from econzoo.envs.core.extras import require_libraries
from econzoo.evaluate.run.budget import add_budget_options, count_earlier_costs
from econzoo.people.server.options import SERVER, ServerOptions
from econzoo.people.study.declaration import MAX_COUNT, speed_up
from econzoo.people.study.study_data import FILE, STORE
from econzoo.people.study.study_file import read_study, select_session

TABLE, STUDY = "Table", "Study"
"""Panels of the options that a study says in its file, and of those that only a study has."""

SECONDS_DOMAIN = Integer(1, 86_400)


@dataclass
class ServeOptions(ServerOptions):
    """Let people play in the browser: against any players and each other, or as participants of a study.

    Examples: econzoo serve | econzoo serve bargaining.toml --port 80 |
    econzoo serve bargaining.toml --session monday | econzoo serve bargaining.toml --demo |
    for programs: econzoo serve openenv GAME | econzoo serve mcp GAME | econzoo serve player SPEC
    """

    PANELS = ("", STUDY, TABLE, SERVER)

    study: Annotated[
        str, Option(Text(), "File of a study, or the folder where one, or a table, was served before.", positional=True)
    ] = ""
    out: Annotated[
        str,
        Option(
            Text(),
            "Folder of matches and records; what was stopped goes on from there.",
            default="econzoo_web, or the study's name",
        ),
    ] = ""
    session: Annotated[
        str,
        Option(
            Text(),
            "One of several sessions of the study, with a folder and a randomisation of its own: 1 to 60 letters, "
            "digits and dashes.",
            panel=STUDY,
        ),
    ] = ""
    demo: Annotated[
        bool,
        Option(
            Flag(), "Show the study and keep nothing: whoever opens the link is a new participant, unpaid.", panel=STUDY
        ),
    ] = False
    speed: Annotated[
        float,
        Option(
            Real(1, 1000),
            "To try a study: its limits and pauses pass so many times faster, but no limit in less than 3 seconds.",
            panel=STUDY,
        ),
    ] = 1.0
    open: Annotated[bool, Option(Flag(), "Open the table in the browser.")] = True
    players: Annotated[
        list[str],
        Option(
            ListOf(Text()), "A player to offer besides each game's scripts, such as hf:smollm2; repeat it.", panel=TABLE
        ),
    ] = field(default_factory=list)
    participants: Annotated[
        int | None,
        Option(
            OrNone(Integer(1, MAX_COUNT)),
            "Participants who are wanted to finish a study that has begun: as many places are added as are missing.",
            panel=STUDY,
        ),
    ] = None
    texts: Annotated[str, Option(Text(), "Language of the pages: en, de, or a TOML file of texts.", panel=TABLE)] = "en"
    person_seconds: Annotated[
        int | None,
        Option(
            OrNone(SECONDS_DOMAIN), "Seconds for a person's move, unless the start page says otherwise.", panel=TABLE
        ),
    ] = None
    player_seconds: Annotated[
        int, Option(SECONDS_DOMAIN, "Likewise for models, policies and scripts.", panel=TABLE)
    ] = 300
    if_absent: Annotated[
        str,
        Option(
            Text(),
            "What follows if no answer comes, unless the start page says otherwise: default (the game's default "
            "action), forfeit, or a script that takes the seat.",
            panel=TABLE,
            default="as in the game's other matches",
        ),
    ] = ""
    studies: Annotated[str, Option(Text(), "Folder of the studies that /manage lists.", panel=TABLE)] = "."


def run(options: ServeOptions) -> str:
    """Serves until it is stopped; tells then how to go on.

    Raises:
        ValueError: Something is not allowed, or the folder holds neither a study nor a table.
        FileNotFoundError: There is no such file.
        OSError: The port is taken.
    """
    require_libraries("serve", "starlette", "uvicorn", "jinja2", extra="web")
    given = Path(options.study)
    if options.demo:
        return _serve_demo(options, given / FILE if given.is_dir() else given)
    if not options.study:
        home = _serve_table(options, Path(options.out or "econzoo_web"))
    elif not given.is_dir():
        home = _serve_study(options, given, options.out)
    elif options.out or options.session:
        name = "out" if options.out else "session"
        said = f"--{name}={getattr(options, name)} is not allowed with {given}, which goes on"
        raise ValueError(f"{said}; allowed: one of the two")
    elif (given / FILE).is_file():
        home = _serve_study(options, given / FILE, str(given))
    elif (given / STORE).is_file():
        home = _serve_table(options, given)
    else:
        raise ValueError(f"{given} holds no study and no table; allowed: the file of a study, or a new folder as --out")
    return f"Stopped. To go on: econzoo serve {home}"


def _serve_demo(options: ServeOptions, file: Path) -> str:
    for name in ("out", "session"):
        if value := getattr(options, name):
            raise ValueError(
                f"--{name}={value} is not allowed with --demo, which keeps nothing; allowed: one of the two"
            )
    if not options.study:
        raise ValueError("--demo is not allowed at the table; allowed: with the file of a study")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # as an interruption does: what follows tidies up
    with TemporaryDirectory(prefix="econzoo-demo-") as folder:
        _serve_study(options, file, folder)
    return "Stopped. Nothing was kept"


def _serve_table(options: ServeOptions, folder: Path) -> Path:
    from econzoo.people.table.terms import build_terms
    from econzoo.people.table_server import serve

    if options.session:
        raise ValueError(f"--session={options.session} is not allowed at the table; allowed: with the file of a study")
    if options.speed != ServeOptions.speed:
        raise ValueError(f"--speed={options.speed:g} is not allowed at the table; allowed: with a study")
    count_earlier_costs(None, options.players)
    terms = build_terms(options.person_seconds, options.player_seconds, options.if_absent or None)
    serve(folder, options, options.players, options.open, options.texts, terms, Path(options.studies))
    return folder


def _serve_study(options: ServeOptions, file: Path, out: str) -> Path:
    from econzoo.people.study_server import serve

    usual, declared = ServeOptions(), options_in(ServeOptions)
    for name in [one.name for one in fields(ServeOptions) if declared[one.name].panel == TABLE]:
        if getattr(options, name) != getattr(usual, name):
            raise ValueError(f"--{name.replace('_', '-')} is not allowed with a study; allowed: at the table")
    study = read_study(file)
    if options.session:
        study = select_session(study, options.session)
    others = [who for arm in study.arms for who in study.other_players(arm)]
    count_earlier_costs(None, [*others, *(spec for spec in (study.time.alone, study.leaving.policy) if ":" in spec)])
    folder = Path(out or "-".join(filter(None, [study.name, study.session])))
    serve(speed_up(study, options.speed), folder, options, options.demo, options.participants)
    return folder


serve = add_budget_options(command(ServeOptions, run))
