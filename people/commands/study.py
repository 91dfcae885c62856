"""``econzoo study``: studies with people, but for the pages, which ``econzoo serve`` shows."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core.contract.options import Option, check_options
from econzoo.envs.core.contract.parameters import Flag, Integer, ListOf, OneOf, OrNone, Real, Text
from econzoo.envs.core.env.options import check_choice
from econzoo.envs.core.extras import require_libraries
from econzoo.envs.core.files import write_file
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.missing_results import describe_no_result
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.terminal import show
from econzoo.people.study.anonymity import forget as forget_participant
from econzoo.people.study.example import design_example, example_study
from econzoo.people.study.expected_earnings import read_pilot
from econzoo.people.study.expected_time import MOVE_SECONDS, read_test
from econzoo.people.study.export import export_study, format_csv
from econzoo.people.study.matching import plan_matches
from econzoo.people.study.plan import Assumptions, build_plan, counts_table, plan_lines, warning_lines
from econzoo.people.study.preregistration import preregistration
from econzoo.people.study.sessions import export_sessions
from econzoo.people.study.settings import DESIGNS
from econzoo.people.study.study_data import FILE
from econzoo.people.study.study_file import read_study
from econzoo.people.study.tables import table_heads, table_rows

File = Annotated[str, Option(Text(), "File of the study.", positional=True)]
Folder = Annotated[str, Option(Text(), "Where the study has run.", positional=True)]


class StudyOptions:
    """Base of the options of these commands.

    Raises:
        ValueError: A value is not allowed.
    """

    def __post_init__(self) -> None:
        check_options(self)


@dataclass
class InitOptions(StudyOptions):
    """Write a commented file of a study that runs as it is.

    Examples: econzoo study init bargaining | econzoo study init persuasion --design glee-human
    """

    game: Annotated[str, Option(Text(), "Name of the game.", positional=True)]
    out: Annotated[str, Option(Text(), "Where the file goes; never replaced.", default="GAME.toml")] = ""
    design: Annotated[
        str,
        Option(Text(), "A published design instead of an example: glee-human, GLEE's 195 settings with people."),
    ] = ""


def write_example(options: InitOptions) -> str:
    """Writes the file of a study.

    Raises:
        ValueError: There is such a file, or the game or the design are unknown.
    """
    path = Path(options.out or f"{find_game(options.game).name}.toml")
    if path.exists():
        raise ValueError(f"{path} exists already; allowed: the name of a new file")
    if options.design:
        check_choice("--design", options.design, tuple(DESIGNS))
        text = design_example(options.design, options.game, str(path))
    else:
        text = example_study(options.game, str(path))
    write_file(path, text, must_be_new=True)
    return f"The study is in {path}. Next: econzoo study plan {path}"


@dataclass
class PlanOptions(StudyOptions):
    """What a study costs, how long it takes, what it can find, and who plays whom.

    Examples: econzoo study plan bargaining.toml --sd 1500 | econzoo study plan bargaining.toml --table |
    econzoo study plan bargaining.toml --records runs/pilot --preregistration plan.md
    """

    file: File
    table: Annotated[bool, Option(Flag(), "Print the randomisation table alone, as CSV.")] = False
    preregistration: Annotated[str, Option(Text(), "Write a preregistration with the design filled in here.")] = ""
    payoff: Annotated[float | None, Option(OrNone(Real()), "Mean payoff of a match, for the expected bonus.")] = None
    sd: Annotated[
        float | None, Option(OrNone(Real()), "Standard deviation of a payoff, for the detectable effect.")
    ] = None
    icc: Annotated[
        float,
        Option(Real(), "Correlation of payoffs within an independent group: 1, as if it were one observation, to 0."),
    ] = 1.0
    paired: Annotated[
        float | None,
        Option(
            OrNone(Real()),
            "Correlation of a group's mean payoffs in two settings, for effects within participants.",
            default="from --records, or 0",
        ),
    ] = None
    records: Annotated[str, Option(Text(), "Records to take payoffs, their deviation and times from.")] = ""
    test: Annotated[str, Option(Text(), "Folder that `study test --out` has written, to take times from.")] = ""


def show_plan(options: PlanOptions) -> str:
    """The plan in words, below a table that is printed; or the randomisation table alone.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The study or a number is not allowed.
    """
    study = read_study(options.file)
    if options.table:
        matches = plan_matches(study)
        return format_csv(table_rows(study, matches), table_heads(study, matches)).removesuffix("\n")
    pilot = {game: read_pilot(study, game, options.records) for game in study.games} if options.records else {}
    tested = read_test(options.test) if options.test else None
    made = build_plan(study, Assumptions(options.payoff, pilot, options.sd, options.icc, options.paired, tested))
    show([counts_table(made)])
    told = plan_lines(made)
    for line in warning_lines(made):
        print(line, file=sys.stderr)
    if options.preregistration:
        write_file(options.preregistration, preregistration(made))
        told += [f"The preregistration is in {options.preregistration}; fill in what stands in brackets"]
    return "\n".join(told)


@dataclass
class TestOptions(StudyOptions):
    """Let programs take part in a study in the browser, on a server of its own, and say what went wrong.

    They read, agree, answer the quiz, wait, play moves that the pages allow, and come to the code. Some leave, come
    back, press twice or go offline. One of their moves stands for half a minute of a person: all limits and pauses of
    the study pass faster accordingly.

    Examples: econzoo study test bargaining.toml --people 24 --drop 3 | econzoo study test bargaining.toml --kill |
    econzoo study test bargaining.toml --people 200 --arrive 60 --think 4
    """

    file: File
    people: Annotated[
        int | None,
        Option(OrNone(Integer(1, 1000)), "Participants who come.", default="those of the file, and who leaves"),
    ] = None
    drop: Annotated[int, Option(Integer(0, 1000), "How many of them leave, spread over all stages.")] = 0
    browser: Annotated[bool, Option(Flag(), "Two of them have a real browser, Chromium.")] = False
    kill: Annotated[bool, Option(Flag(), "Kill the server in the middle, and start it again.")] = False
    think: Annotated[float, Option(Real(0.03, 60), "Seconds before a move, on average; twice that on other pages.")] = (
        0.5
    )
    arrive: Annotated[float, Option(Real(0, 3600), "Seconds within which they come.")] = 2.0
    seed: Annotated[int, Option(Integer(0, 2**31), "Of all that they do.")] = 1
    out: Annotated[str, Option(Text(), "New folder for what was kept, and test.json for study plan --test.")] = ""


def test_study(options: TestOptions) -> str:
    """Tries a study; ends with status 1 where something went wrong.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The study, or an option, is not allowed.
    """
    require_libraries("study test", "starlette", "uvicorn", "jinja2", extra="web")
    from econzoo.people.bots.testing import run_study_test
    from econzoo.people.bots.trial import BROWSERS, Crowd

    study = read_study(options.file)
    people = options.people or study.matching.participants + options.drop
    if 0 < len(study.recruitment.labels) < people:
        most = len(study.recruitment.labels)
        raise ValueError(f"--people={people} is not allowed: the file lists {most} labels; allowed: up to {most}")
    if options.drop > people:
        raise ValueError(f"--drop={options.drop} is not allowed: {people} come; allowed: up to {people}")
    speed, browsers = max(1.0, MOVE_SECONDS / options.think), BROWSERS if options.browser else 0
    crowd = Crowd(people, options.drop, options.arrive, options.think, speed, browsers, options.kill, options.seed)
    parts, reasons = run_study_test(study, crowd, options.out)
    show(parts)
    if reasons:
        print("\n".join(reasons), file=sys.stderr)
        raise typer.Exit(1)
    return "Nobody was stuck, everybody is paid as the file says, and all matches are kept"


@dataclass
class ExportOptions(StudyOptions):
    """Write a study as one zip file of records, tables, payments and a codebook, or as an oTree project.

    Examples: econzoo study export bargaining-pilot | econzoo study export bargaining-pilot --identified --out pay.zip |
    econzoo study export pilot-monday pilot-tuesday
    """

    folders: Annotated[
        list[str],
        Option(
            ListOf(Text(), min_length=1),
            "Where the study runs or has run; several sessions are joined; of an oTree project its file too.",
            positional=True,
        ),
    ]
    format: Annotated[str, Option(OneOf("zip", "otree"), "What is written.")] = "zip"
    out: Annotated[
        str,
        Option(
            Text(), "Where it goes.", default="NAME-export.zip or NAME-sessions.zip beside the folder, or NAME-otree"
        ),
    ] = ""
    identified: Annotated[bool, Option(Flag(), "Keep ids, labels and completion codes, as payments need them.")] = False


def write_export(options: ExportOptions) -> str:
    """Writes a study in another form.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: The study cannot be written in this form.
    """
    folder, out = options.folders[0], options.out or None
    if options.format == "zip" and len(options.folders) > 1:
        return "\n".join(export_sessions(options.folders, out, options.identified).lines())
    if options.format == "zip":
        return "\n".join(export_study(folder, out, options.identified).lines())
    if len(options.folders) > 1:
        raise ValueError(f"{options.folders[1]} is not allowed with --format otree; allowed: one study")
    if options.identified:
        raise ValueError("--identified is not allowed with --format otree; allowed: with zip")
    require_libraries("study export --format otree", "markupsafe", extra="web")
    from econzoo.people.otree.project import write_project

    path = Path(folder)
    study = read_study(path / FILE if path.is_dir() else path)
    home = write_project(study, Path(options.out or f"{study.name}-otree"))
    return f"The project is in {home}. Next: read {home / 'README.md'}"


@dataclass
class CompareOptions(StudyOptions):
    """People against models in matched settings: the same parameters, the same seat, the same company.

    Example: econzoo study compare bargaining-pilot-export runs/models
    """

    folders: Annotated[
        list[str],
        Option(ListOf(Text(), min_length=1), "Records: an unpacked export, and those of models.", positional=True),
    ]
    out: Annotated[str, Option(Text(), "Also write the table here, as CSV.")] = ""


def show_comparison(options: CompareOptions) -> str:
    """Prints the comparison.

    Raises:
        FileNotFoundError: A folder has no records.
        ValueError: There is nothing to compare.
    """
    require_libraries("study compare", "scipy")
    from econzoo.people.study.comparison import HEADS, comparison_rows, comparison_table, people_against_models

    without: list[Any] = []
    found = people_against_models(options.folders, without)
    show([comparison_table(found)])
    told = [describe_no_result(without)]
    if options.out:
        told += [f"The table is in {write_csv(Path(options.out), HEADS, comparison_rows(found))}"]
    return "\n".join(filter(None, told))


@dataclass
class ForgetOptions(StudyOptions):
    """Remove what identifies a participant; their moves stay, with a random id. Pay them before.

    Example: econzoo study forget bargaining-pilot 5f2c8a1e
    """

    folder: Folder
    id: Annotated[str, Option(Text(), "Under which the participant came, as in their link.", positional=True)]


def remove_identity(options: ForgetOptions) -> str:
    """Forgets a participant, who cannot take part again under the same id: a keyed hash of it stays.

    Removed are the id, the label, the completion code, what else came with the link, and their questionnaire. What they
    wrote to others in a match is part of its record and stays. Exports that were written before are not changed.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: Nobody came under this id.
    """
    found = forget_participant(Path(options.folder), options.id)
    told = [f"{format_count(len(found), 'participant')} forgotten; delete earlier exports, or write them again"]
    due = [one.due_cents / 100 for one in found if one.is_paid]
    told += [
        f"They had a completion code: the fee and a bonus of {b:.2f} are due, if they were not paid yet" for b in due
    ]
    return "\n".join(told)


init = command(InitOptions, write_example)
plan = command(PlanOptions, show_plan)
test = command(TestOptions, test_study)
export = command(ExportOptions, write_export)
compare = command(CompareOptions, show_comparison)
forget = command(ForgetOptions, remove_identity)
