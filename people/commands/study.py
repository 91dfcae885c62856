"""``econzoo study``: plan, test, export and compare studies with people; ``econzoo serve`` runs them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.command_line import command
from econzoo.envs.core import format_count, require_libraries, write_file
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Flag, Integer, ListOf, OneOf, Option, OrNone, Real, Text, check_options
from econzoo.envs.core.env import check_choice
from econzoo.evaluate.analyses import describe_no_result
from econzoo.evaluate.show import show, write_csv
from econzoo.people.study import DESIGNS, FILE, MOVE_SECONDS, Assumptions, build_plan, counts_table, design_example
from econzoo.people.study import example_study, export_sessions, export_study, format_csv, plan_lines, plan_matches
from econzoo.people.study import preregistration, read_pilot, read_study, read_test, table_heads, table_rows
from econzoo.people.study import warning_lines
from econzoo.people.study import forget as forget_participant

File = Annotated[str, Option(Text(), "Study file.", positional=True)]
Folder = Annotated[str, Option(Text(), "Folder of the study.", positional=True)]


class StudyOptions:
    """Base of the options of these commands; raises `ValueError` for an invalid option."""

    def __post_init__(self) -> None:
        check_options(self)


@dataclass
class InitOptions(StudyOptions):
    """Write a commented example study, ready to run.

    Examples: econzoo study init bargaining | econzoo study init persuasion --design glee-human
    """

    game: Annotated[str, Option(Text(), "Name of the game.", positional=True)]
    out: Annotated[str, Option(Text(), "Output file; must not exist.", default="GAME.toml")] = ""
    design: Annotated[
        str,
        Option(Text(), "Published design to use: glee-human (the 195 human settings of GLEE)."),
    ] = ""


def write_example(options: InitOptions) -> str:
    """Write an example study file.

    Raises:
        ValueError: The file exists, or the game or design is unknown.
    """
    path = Path(options.out or f"{find_game(options.game).name}.toml")
    if path.exists():
        raise ValueError(f"{path} already exists: expected a new file name")
    if options.design:
        check_choice("--design", options.design, tuple(DESIGNS))
        text = design_example(options.design, options.game, str(path))
    else:
        text = example_study(options.game, str(path))
    write_file(path, text, must_be_new=True)
    return f"Study written to {path}. Next: econzoo study plan {path}"


@dataclass
class PlanOptions(StudyOptions):
    """Estimate cost, duration and detectable effects of a study, and print its randomisation table.

    Examples: econzoo study plan bargaining.toml --sd 1500 | econzoo study plan bargaining.toml --table |
    econzoo study plan bargaining.toml --records runs/pilot --preregistration plan.md
    """

    file: File
    table: Annotated[bool, Option(Flag(), "Print only the randomisation table, as CSV.")] = False
    preregistration: Annotated[str, Option(Text(), "Write a preregistration draft to this file.")] = ""
    payoff: Annotated[float | None, Option(OrNone(Real()), "Mean payoff per match, for the expected bonus.")] = None
    sd: Annotated[float | None, Option(OrNone(Real()), "Standard deviation of payoffs, for the detectable effect.")] = (
        None
    )
    icc: Annotated[
        float,
        Option(Real(), "Intraclass correlation of payoffs within independent groups, 0 to 1."),
    ] = 1.0
    paired: Annotated[
        float | None,
        Option(
            OrNone(Real()),
            "Correlation of a group's mean payoffs between two settings, for within-participant effects.",
            default="from --records, or 0",
        ),
    ] = None
    records: Annotated[str, Option(Text(), "Records of a pilot: payoffs, standard deviation and times.")] = ""
    test: Annotated[str, Option(Text(), "Output folder of `study test`, for expected times.")] = ""


def show_plan(options: PlanOptions) -> str:
    """Print the table of counts and return the plan as text, or the randomisation table alone.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The study or an assumption is invalid.
    """
    study = read_study(options.file)
    if options.table:
        matches = plan_matches(study)
        return format_csv(table_rows(study, matches), table_heads(study, matches)).removesuffix("\n")
    pilot = {game: read_pilot(study, game, options.records) for game in study.games} if options.records else {}
    tested = read_test(options.test) if options.test else None
    plan = build_plan(study, Assumptions(options.payoff, pilot, options.sd, options.icc, options.paired, tested))
    show([counts_table(plan)])
    lines = plan_lines(plan)
    for line in warning_lines(plan):
        print(line, file=sys.stderr)
    if options.preregistration:
        write_file(options.preregistration, preregistration(plan))
        lines += [f"Preregistration written to {options.preregistration}; fill in the brackets"]
    return "\n".join(lines)


@dataclass
class TestOptions(StudyOptions):
    """Test a study with bots on its own server and report all problems.

    Bots consent, answer the quiz, wait, play random legal moves and reach the completion code. Some leave, return,
    submit twice or lose their connection. One bot move stands for half a minute of a person; all time limits of the
    study are shortened accordingly.

    Examples: econzoo study test bargaining.toml --people 24 --drop 3 | econzoo study test bargaining.toml --kill |
    econzoo study test bargaining.toml --people 200 --arrive 60 --think 4
    """

    file: File
    people: Annotated[
        int | None,
        Option(OrNone(Integer(1, 1000)), "Number of bots.", default="participants of the file, plus --drop"),
    ] = None
    drop: Annotated[int, Option(Integer(0, 1000), "Bots that drop out, spread over all stages.")] = 0
    browser: Annotated[bool, Option(Flag(), "Run two of the bots in a real browser (Chromium).")] = False
    kill: Annotated[bool, Option(Flag(), "Kill and restart the server halfway.")] = False
    think: Annotated[float, Option(Real(0.03, 60), "Mean seconds per move; twice that on other pages.")] = 0.5
    arrive: Annotated[float, Option(Real(0, 3600), "Seconds within which all bots arrive.")] = 2.0
    seed: Annotated[int, Option(Integer(0, 2**31), "Random seed.")] = 1
    out: Annotated[str, Option(Text(), "New folder for the data, with test.json for study plan --test.")] = ""


def test_study(options: TestOptions) -> str:
    """Test a study; exits with status 1 if there are problems.

    Raises:
        FileNotFoundError: The file does not exist.
        ValueError: The study or an option is invalid.
    """
    # Before the imports below, which need these libraries.
    require_libraries("study test", "starlette", "uvicorn", "jinja2", extra="web")
    from econzoo.people.bots import BROWSERS, Crowd, run_study_test

    study = read_study(options.file)
    people = options.people or study.matching.participants + options.drop
    if 0 < len(study.recruitment.labels) < people:
        most = len(study.recruitment.labels)
        raise ValueError(f"invalid --people={people}: expected at most {most}, the number of labels in the file")
    if options.drop > people:
        raise ValueError(f"invalid --drop={options.drop}: expected at most {people}, the number of participants")
    # The mean thinking time of a bot stands for that of a person.
    speed, browsers = max(1.0, MOVE_SECONDS / options.think), BROWSERS if options.browser else 0
    crowd = Crowd(people, options.drop, options.arrive, options.think, speed, browsers, options.kill, options.seed)
    parts, reasons = run_study_test(study, crowd, options.out)
    show(parts)
    if reasons:
        print("\n".join(reasons), file=sys.stderr)
        raise typer.Exit(1)
    return "No problems: nobody was stuck, all payments follow the file, and all matches are stored"


@dataclass
class ExportOptions(StudyOptions):
    """Export a study as a zip file (records, tables, payments, codebook) or as an oTree project.

    Examples: econzoo study export bargaining-pilot | econzoo study export bargaining-pilot --identified --out pay.zip |
    econzoo study export pilot-monday pilot-tuesday
    """

    folders: Annotated[
        list[str],
        Option(
            ListOf(Text(), min_length=1),
            "Study folder; several sessions are merged. For oTree also a study file.",
            positional=True,
        ),
    ]
    format: Annotated[str, Option(OneOf("zip", "otree"), "Output format.")] = "zip"
    out: Annotated[
        str,
        Option(Text(), "Output path.", default="NAME-export.zip or NAME-sessions.zip beside the folder, or NAME-otree"),
    ] = ""
    identified: Annotated[bool, Option(Flag(), "Include ids, labels and completion codes (for payment).")] = False


def write_export(options: ExportOptions) -> str:
    """Write a study in the chosen format.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: The study cannot be written in this format.
    """
    folder, out = options.folders[0], options.out or None
    if options.format == "zip" and len(options.folders) > 1:
        return "\n".join(export_sessions(options.folders, out, options.identified).lines())
    if options.format == "zip":
        return "\n".join(export_study(folder, out, options.identified).lines())
    if len(options.folders) > 1:
        raise ValueError(f"--format otree takes one study: unexpected {options.folders[1]}")
    if options.identified:
        raise ValueError("--identified cannot be combined with --format otree")
    require_libraries("study export --format otree", "markupsafe", extra="web")
    from econzoo.people.otree import write_project

    path = Path(folder)
    study = read_study(path / FILE if path.is_dir() else path)
    project = write_project(study, Path(options.out or f"{study.name}-otree"))
    return f"Project written to {project}. Next: read {project / 'README.md'}"


@dataclass
class CompareOptions(StudyOptions):
    """Compare people with models in matched situations: same parameters, seat and other players.

    Example: econzoo study compare bargaining-pilot-export runs/models
    """

    folders: Annotated[
        list[str],
        Option(ListOf(Text(), min_length=1), "Records of people (unpacked export) and of models.", positional=True),
    ]
    out: Annotated[str, Option(Text(), "Also write the table to this CSV file.")] = ""


def show_comparison(options: CompareOptions) -> str:
    """Print the comparison.

    Raises:
        FileNotFoundError: A folder has no records.
        ValueError: There is nothing to compare.
    """
    require_libraries("study compare", "scipy")
    from econzoo.people.study import HEADS, comparison_rows, comparison_table, people_against_models

    without: list[Any] = []
    comparisons = people_against_models(options.folders, without)
    show([comparison_table(comparisons)])
    lines = [describe_no_result(without)]
    if options.out:
        lines += [f"Table written to {write_csv(Path(options.out), HEADS, comparison_rows(comparisons))}"]
    return "\n".join(filter(None, lines))


@dataclass
class ForgetOptions(StudyOptions):
    """Delete identifying data of a participant; their moves remain under a random id. Pay first.

    Example: econzoo study forget bargaining-pilot 5f2c8a1e
    """

    folder: Folder
    id: Annotated[str, Option(Text(), "Participant id, as in the entry link.", positional=True)]


def remove_identity(options: ForgetOptions) -> str:
    """Forget a participant, who cannot take part again under the same id: a keyed hash of it remains.

    The id, label, completion code, other link parameters and questionnaire are deleted. Messages in matches are part
    of the records and remain. Earlier exports are not changed.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: No participant has this id.
    """
    forgotten = forget_participant(Path(options.folder), options.id)
    lines = [f"{format_count(len(forgotten), 'participant')} forgotten; delete or rewrite existing exports"]
    bonuses = [one.due_cents / 100 for one in forgotten if one.is_paid]
    lines += [
        f"Completion code was issued: unless already paid, the fee and a bonus of {b:.2f} are due" for b in bonuses
    ]
    return "\n".join(lines)


init = command(InitOptions, write_example)
plan = command(PlanOptions, show_plan)
test = command(TestOptions, test_study)
export = command(ExportOptions, write_export)
compare = command(CompareOptions, show_comparison)
forget = command(ForgetOptions, remove_identity)
