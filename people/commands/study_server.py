"""``econzoo study run`` and ``export-otree``: participants take part in the browser, here or in oTree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from econzoo.envs.core.extras import need
from econzoo.evaluate.run.budget import budgeted, counting
from econzoo.people.server.options import AskPassword, LogFile, RootPath, TrustProxy


@budgeted
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The study's file.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where participants, answers and matches are kept; default: the study's name. A study that was "
            "stopped goes on from there.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in, as participants need it.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens; 0: any that is free.")] = 8765,
    root_path: RootPath = "",
    trust_proxy: TrustProxy = False,
    password: AskPassword = False,
    access_log: LogFile = "",
) -> None:
    """Run a study with people until it is stopped; prints the link for participants.

    Examples: econzoo study run bargaining.toml | econzoo study run bargaining.toml --host 0.0.0.0 --port 80
    """
    need("a study with people", "starlette", "uvicorn", "jinja2", extra="web")
    from econzoo.people import study_server
    from econzoo.people.server.serving import site_in
    from econzoo.people.study.design import read_study

    study = read_study(file)
    others = [who for arm in study.arms for who in arm.others]
    counting(None, [*others, *(spec for spec in (study.time.alone, study.leaving) if ":" in spec)])
    home = folder or Path(study.name)
    site = site_in(home, root_path, trust_proxy, study.texts, password, access_log)
    study_server.run(study, host, port, home, site)


def export_otree(
    name_or_file: Annotated[
        Path, typer.Argument(metavar="NAME_OR_FILE", help="The study's file, or the folder in which it has run.")
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the project goes: a new folder.")],
) -> None:
    """Write an oTree project of a study, for laboratories that have an oTree server.

    Its app has one page for all matches, drawn from the game's moves; rules, checks and texts are those of
    econzoo, which is installed beside oTree in an environment of its own. Seats of models are refused.

    Example: econzoo study export-otree bargaining.toml --out bargaining_otree
    """
    need("export-otree", "markupsafe", extra="web")
    from econzoo.people.otree.project import write_project
    from econzoo.people.study.design import read_study
    from econzoo.people.study.study_data import FILE

    path = name_or_file / FILE if name_or_file.is_dir() else name_or_file
    home = write_project(read_study(path), out)
    print(f"The project is in {home}. Next: read {home / 'README.md'}")
