"""Options of ``econzoo serve``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from econzoo.envs.core.contract import Flag, Integer, ListOf, Option, OrNone, Real, Text, check_options

TABLE, STUDY, SERVER = "Table", "Study", "Server"
"""Help panels: the table, whose options a study sets in its file; studies only; network and security."""

SECONDS_DOMAIN = Integer(1, 86_400)


@dataclass
class ServeOptions:
    """Serve games to people in the browser: at the table, or as participants of a study.

    Examples: econzoo serve | econzoo serve runs/first | econzoo serve bargaining.toml --port 80 |
    econzoo serve bargaining.toml --session monday | econzoo serve bargaining.toml --demo |
    for programs: econzoo serve openenv GAME | econzoo serve mcp GAME | econzoo serve player SPEC
    """

    PANELS = ("", STUDY, TABLE, SERVER)

    port: Annotated[int, Option(Integer(0, 65_535), "Port to listen on; 0: any free port.", panel=SERVER)] = 8765
    host: Annotated[
        str,
        Option(Text(), "Address to listen on; 0.0.0.0 for participants on other machines.", panel=SERVER),
    ] = "127.0.0.1"
    root_path: Annotated[
        str, Option(Text(), "Path prefix of all pages behind a proxy, such as /econzoo.", panel=SERVER)
    ] = ""
    trust_proxy: Annotated[
        bool,
        Option(
            Flag(),
            "Trust the X-Forwarded-* headers of a proxy; safe only if all traffic passes through it.",
            panel=SERVER,
        ),
    ] = False
    password: Annotated[
        bool,
        Option(
            Flag(),
            "Prompt for an operator password for remote sign-in, or set ECONZOO_PASSWORD. "
            "Without a password, operator pages open on this machine only.",
            panel=SERVER,
        ),
    ] = False
    access_log: Annotated[
        str,
        Option(
            Text(),
            "File to append one line per request to: time, route, status, no secrets or addresses; -: standard error.",
            panel=SERVER,
        ),
    ] = ""
    study: Annotated[
        str,
        Option(
            Text(),
            "Study file, the folder of a study or table to resume, or that of a run to look at.",
            positional=True,
        ),
    ] = ""
    out: Annotated[
        str,
        Option(
            Text(),
            "Folder of matches and records; resumed if it exists.",
            default="econzoo_web, or the study's name",
        ),
    ] = ""
    session: Annotated[
        str,
        Option(
            Text(),
            "Name of a session with its own folder and randomisation: 1 to 60 letters, digits and dashes.",
            panel=STUDY,
        ),
    ] = ""
    demo: Annotated[
        bool,
        Option(Flag(), "Demo: store nothing and pay nobody; every visit is a new participant.", panel=STUDY),
    ] = False
    speed: Annotated[
        float,
        Option(
            Real(1, 1000),
            "Speed-up of time limits and pauses, for testing; no limit falls below 3 seconds.",
            panel=STUDY,
        ),
    ] = 1.0
    open: Annotated[bool, Option(Flag(), "Open the table in the browser.")] = True
    players: Annotated[
        list[str],
        Option(
            ListOf(Text()), "Player spec to offer besides the scripts, such as hf:smollm2 (repeatable).", panel=TABLE
        ),
    ] = field(default_factory=list)
    participants: Annotated[
        int | None,
        Option(
            OrNone(Integer(1, 10_000)),
            "Total participants to finish a study that has begun; missing places are added.",
            panel=STUDY,
        ),
    ] = None
    texts: Annotated[str, Option(Text(), "Language of the pages: en, de, or a TOML file of texts.", panel=TABLE)] = "en"
    person_seconds: Annotated[
        int | None,
        Option(OrNone(SECONDS_DOMAIN), "Default time limit for a person's move, in seconds.", panel=TABLE),
    ] = None
    player_seconds: Annotated[
        int, Option(SECONDS_DOMAIN, "Time limit for moves of models, policies and scripts, in seconds.", panel=TABLE)
    ] = 300
    if_absent: Annotated[
        str,
        Option(
            Text(),
            "Default rule after a timeout: default (the game's default action), forfeit, or a script that takes the "
            "seat.",
            panel=TABLE,
            default="as in the game's other matches",
        ),
    ] = ""
    studies: Annotated[str, Option(Text(), "Folder of the studies listed at /manage.", panel=TABLE)] = "."

    def __post_init__(self) -> None:
        check_options(self)
