"""``econzoo study``: studies with people, but for the pages, which ``econzoo study run`` shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from econzoo.envs.core.extras import need

File = Annotated[Path, typer.Argument(metavar="FILE", help="The study's file.")]


def init(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Name of the game; see [bold]econzoo games[/bold].")],
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Where it goes; default: GAME.toml. Never replaced.")
    ] = None,
    design: Annotated[
        str, typer.Option(help="A published design instead of an example: glee-human, GLEE's 195 settings with people.")
    ] = "",
) -> None:
    """Write a commented file of a study that runs as it is.

    Examples: econzoo study init bargaining | econzoo study init persuasion --design glee-human
    """
    from econzoo.envs.core.env.options import one_of
    from econzoo.envs.core.registry import game as find_game
    from econzoo.people.study.designs import DESIGNS
    from econzoo.people.study.example import example, published_example

    path = file or Path(f"{find_game(game).name}.toml")
    if path.exists():
        raise ValueError(f"{path} exists already; allowed: the name of a new file")
    if design:
        one_of("--design", design, tuple(DESIGNS))
    text = published_example(design, game, str(path)) if design else example(game, str(path))
    path.write_text(text, encoding="utf-8")
    print(f"The study is in {path}. Next: econzoo study plan {path}")


def plan(
    file: File,
    table: Annotated[bool, typer.Option("--table", help="Print the randomisation table alone, as CSV.")] = False,
    preregistration: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write a preregistration with the design filled in.")
    ] = None,
    payoff: Annotated[float | None, typer.Option(help="Mean payoff of a match, for the expected bonus.")] = None,
    sd: Annotated[float | None, typer.Option(help="Standard deviation of a payoff, for the detectable effect.")] = None,
    icc: Annotated[
        float,
        typer.Option(
            help="Correlation of payoffs within an independent group: 1, as if it were one observation, to 0."
        ),
    ] = 1.0,
    paired: Annotated[
        float | None,
        typer.Option(
            help="Correlation of a group's mean payoffs in two settings, for effects within participants; default: "
            "from --records, or 0."
        ),
    ] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Records to take payoffs, their deviation and times from.")
    ] = None,
) -> None:
    """What a study costs, how long it takes, what it can find, and who plays whom.

    Examples: econzoo study plan bargaining.toml --sd 1500 | econzoo study plan bargaining.toml --table > table.csv |
    econzoo study plan bargaining.toml --records runs/pilot --preregistration plan.md
    """
    from econzoo.evaluate.show.csv_files import write_rows
    from econzoo.evaluate.show.terminal import show
    from econzoo.people.study.design import read_study
    from econzoo.people.study.expected_earnings import recorded
    from econzoo.people.study.matching import planned
    from econzoo.people.study.plan import Known, counts_table, lines, study_plan, table_heads, table_rows
    from econzoo.people.study.preregistration import preregistration as text

    study = read_study(file)
    if table:
        matches = planned(study)
        write_rows(sys.stdout, table_heads(matches), table_rows(study, matches))
        return
    made = study_plan(study, Known(payoff, recorded(study, records) if records else None, sd, icc, paired))
    show([counts_table(made)])
    print("\n".join(lines(made)))
    if preregistration:
        preregistration.write_text(text(made), encoding="utf-8")
        print(f"The preregistration is in {preregistration}; fill in what stands in brackets")


Folder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Where the study has run; by default it bears the study's name.")
]


def export(
    folder: Folder,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The zip file; default: NAME-export.zip beside the folder.")
    ] = None,
    identified: Annotated[
        bool, typer.Option("--identified", help="Keep ids, labels and completion codes, as payments need them.")
    ] = False,
) -> None:
    """Write a study as one zip file: records, tables, payments, GLEE's folders, codebook. It may still be running.

    Ids are hashed with a secret of the folder, unless they are asked for.

    Examples: econzoo study export bargaining-pilot | econzoo study export bargaining-pilot --identified --out pay.zip
    """
    from econzoo.people.study.export import export_study

    print("\n".join(export_study(folder, out, identified).lines()))


def forget(
    folder: Folder,
    id: Annotated[str, typer.Argument(metavar="ID", help="Under which the participant came, as in their link.")],
) -> None:
    """Remove what identifies a participant; their moves stay, and a random id where theirs was.

    Who was forgotten cannot take part again under the same id: a hash of it stays, keyed by the folder's export.salt.

    Removed are the id, the label, the completion code, what else came with the link, and their questionnaire. What they
    wrote to others in a match is part of its record and stays. Exports that were written before are not changed. Pay
    before: who has no id and no code any more stands in no list of payments.

    Example: econzoo study forget bargaining-pilot 5f2c8a1e
    """
    from econzoo.envs.core.plurals import many
    from econzoo.people.study.forgetting import forget as forgotten

    found = forgotten(folder, id)
    print(f"{many(len(found), 'participant')} forgotten; delete earlier exports, or write them again")
    for bonus in [one.due_cents for one in found if one.is_paid]:
        print(
            f"They had a completion code: the fee and a bonus of {bonus / 100:.2f} are due, if they were not paid yet"
        )


def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Folders of records: an unpacked export, and those of models."),
    ],
    table: Annotated[Path | None, typer.Option("--csv", metavar="OUT", help="Also write the table there.")] = None,
) -> None:
    """People against models in matched settings: the same parameters, the same seat, the same company.

    Example: econzoo study compare bargaining-pilot-export runs/models
    """
    need("study compare", "scipy")
    from econzoo.evaluate.analyses.without_result import told_without_result
    from econzoo.evaluate.show.csv_files import write_csv
    from econzoo.evaluate.show.terminal import show
    from econzoo.people.study.people import HEADS, comparison_rows, comparison_table, people_against_models

    without: list[Any] = []
    found = people_against_models(folders, without)
    show([comparison_table(found), *filter(None, [told_without_result(without)])])
    if table:
        print(f"The table is in {write_csv(table, HEADS, comparison_rows(found))}")
