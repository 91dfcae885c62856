"""``econzoo serve``: play in the browser, at the table or as participants of a study."""

from __future__ import annotations

import signal
import sys
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

from econzoo.envs.command_line import command
from econzoo.envs.core import require_libraries
from econzoo.envs.core.contract import options_in
from econzoo.envs.core.record import record_paths
from econzoo.evaluate.run import MANIFEST, add_budget_options, count_previous_costs
from econzoo.people.server import TABLE, ServeOptions
from econzoo.people.study import FILE, STORE, read_study, select_session, speed_up


def run(options: ServeOptions) -> str:
    """Serve until stopped; return how to resume.

    Raises:
        ValueError: An option or the study is invalid, or the folder holds no study, table or run.
        FileNotFoundError: The file does not exist.
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
        raise ValueError(f"--{name}={getattr(options, name)} cannot be combined with the existing folder {given}")
    elif (given / FILE).is_file():
        home = _serve_study(options, given / FILE, str(given))
    elif (given / STORE).is_file():
        home = _serve_table(options, given)
    elif any(given.rglob(MANIFEST)) or record_paths(given):
        return _serve_run(options, given)
    else:
        raise ValueError(f"{given} holds no study, table or run: expected a study file, or a new folder as --out")
    return f"Stopped. To resume: econzoo serve {home}"


def _serve_demo(options: ServeOptions, file: Path) -> str:
    for name in ("out", "session"):
        if value := getattr(options, name):
            raise ValueError(f"--{name}={value} cannot be combined with --demo, which stores nothing")
    if not options.study:
        raise ValueError("--demo requires a study file")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the temporary folder is removed
    with TemporaryDirectory(prefix="econzoo-demo-") as folder:
        _serve_study(options, file, folder)
    return "Stopped. Nothing was stored"


def _serve_run(options: ServeOptions, folder: Path) -> str:
    from econzoo.people import serve_run

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # so that the temporary folder is removed
    serve_run(folder, options)
    return "Stopped. The run goes on"


def _serve_table(options: ServeOptions, folder: Path) -> Path:
    from econzoo.people import serve_table
    from econzoo.people.table import build_terms

    if options.session:
        raise ValueError(f"--session={options.session} requires a study file")
    if options.speed != ServeOptions.speed:
        raise ValueError(f"--speed={options.speed:g} requires a study file")
    count_previous_costs(None, options.players)
    terms = build_terms(options.person_seconds, options.player_seconds, options.if_absent or None)
    serve_table(folder, options, options.players, options.open, options.texts, terms, Path(options.studies))
    return folder


def _serve_study(options: ServeOptions, file: Path, out: str) -> Path:
    from econzoo.people import serve_study

    usual, declared = ServeOptions(), options_in(ServeOptions)
    # A study sets these in its file.
    for name in [one.name for one in fields(ServeOptions) if declared[one.name].panel == TABLE]:
        if getattr(options, name) != getattr(usual, name):
            raise ValueError(f"--{name.replace('_', '-')} cannot be combined with a study")
    study = read_study(file)
    if options.session:
        study = select_session(study, options.session)
    others = [who for arm in study.arms for who in study.other_players(arm)]
    count_previous_costs(None, [*others, *(spec for spec in (study.time.alone, study.leaving.policy) if ":" in spec)])
    folder = Path(out or "-".join(filter(None, [study.name, study.session])))
    serve_study(speed_up(study, options.speed), folder, options, options.demo, options.participants)
    return folder


serve = add_budget_options(command(ServeOptions, run))
