"""``econzoo evaluate``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from econzoo.baselines import POOLS
from econzoo.baselines import player as make_player
from econzoo.envs.command_line import command
from econzoo.envs.core import games
from econzoo.envs.core.contract import OBJECTIVE, SELF_GAIN, Flag, Integer, OneOf, Option, OrNone, check_options
from econzoo.evaluate.analyses import Cells, exposure_cells, exposure_table, plain_cells
from econzoo.evaluate.analyses.ceilings import share_table, shares
from econzoo.evaluate.analyses.exploitability import Exploitability, exploitability
from econzoo.evaluate.analyses.learning import Training, learning_table, learning_tables, plain_table, trainings
from econzoo.evaluate.analyses.learning import write_learning_table
from econzoo.evaluate.analyses.summary import checkpoint_parts, summarize
from econzoo.evaluate.run import SPECS, Design, EngineOptions, Records, add_budget_options, open_engine
from econzoo.evaluate.show import show
from econzoo.evaluate.suites import SEEDS, TEST_POOL_NOTICE, SuiteRequest, evaluate_families, evaluation_design
from econzoo.evaluate.suites import named_families, play_evaluation


@dataclass
class Evaluation(EngineOptions, SuiteRequest):
    """Evaluate players, or the seeds of a training, against an opponent pool in held-out settings, in every seat.

    The game comes first; it can be omitted for a policy, which names its game.

    Examples: econzoo evaluate ppo:runs/first --out runs/first/evaluation |
    econzoo evaluate bargaining 'boulware(0.2)' --pool validation --ceiling
    """

    PANELS = ("", "Design")

    players: Annotated[
        list[str], Option(meaning=f"Game (optional for a policy), then players: {SPECS}.", positional=True)
    ] = field(default_factory=list)
    pool: Annotated[str | None, Option(OrNone(OneOf(*POOLS)), "Opponent pool.", panel="Design")] = "standard"
    objective: Annotated[str, Option(OBJECTIVE, "Objective by which players are ranked.")] = SELF_GAIN
    ceiling: Annotated[
        bool,
        Option(
            Flag(),
            "Show gains as a fraction of the maximum, where known; with --families, what a player earns that knows the "
            "strategies, or only the families.",
        ),
    ] = False
    families: Annotated[
        bool,
        Option(
            Flag(),
            "Show gains by family of --opponents (default: the held-out families; one seed), and differences to "
            "scripts. {family} in a player is the name of the family that it meets.",
            panel="Design",
        ),
    ] = False
    exploitability: Annotated[
        bool, Option(Flag(), "With several players: show exploitability (exact or lower bound).")
    ] = False
    scripts: Annotated[
        bool | None, Option(OrNone(Flag()), "Also evaluate all scripts of the game.", default="with several players")
    ] = None
    by_seat: Annotated[bool, Option(Flag(), "With --scripts: also show results by seat.")] = False
    out: Annotated[str | None, Option(meaning="Output folder; an interrupted evaluation resumes.")] = None
    jobs: Annotated[int | None, Option(OrNone(Integer(1, 256)), "Processes for scripted players.")] = None
    json: Annotated[bool, Option(Flag(), "Print all numbers as JSON.")] = False

    def __post_init__(self) -> None:
        check_options(self)
        self.refuse_options("evaluate", "lineups")


def run(request: Evaluation) -> str:
    """Play and print an evaluation."""
    players = list(request.players)
    named_game = players.pop(0) if players and players[0] in games() else None
    if not players:
        raise ValueError("missing players: expected one or more specs, or a folder with seed-0, seed-1, ...")
    if request.families:
        return _by_family(request, players, named_game)
    among, out = request.pool or "standard", Path(request.out) if request.out else None
    if among == "test" and not request.opponents:
        print(TEST_POOL_NOTICE, file=sys.stderr)
    groups = trainings(players)
    policies = [spec for one in groups for spec in one.seeds]
    name = named_game or make_player(policies[0]).only_game
    if name is None:
        raise ValueError(f"{policies[0]!r} plays several games: select one, as in econzoo evaluate GAME PLAYERS")
    several = bool(request.scripts) or len(policies) > 1
    if request.by_seat and not several:
        raise ValueError("--by-seat needs --scripts: the table of one player always shows its seats")
    if request.exploitability and not several:
        raise ValueError("--exploitability needs --scripts; for one player use econzoo exploit")
    if several and request.ceiling and request.objective != SELF_GAIN:
        raise ValueError(f"invalid objective={request.objective!r}: --ceiling needs {SELF_GAIN}")
    # Players are made once ahead of play, so that a wrong one is refused before any match.
    for spec in policies:
        make_player(spec, name)
    (options, _), scripts = request.params(), several and request.scripts is not False
    how = (request.opponents, request.resolve_settings(name), request.seeds or SEEDS, among, scripts, request.reader)
    design = evaluation_design(name, policies, *how, objective=request.objective, **options)
    with open_engine(request.engine, request.ray_address):
        records = play_evaluation(design, out, request.jobs)
    return _compare(request, design, records, groups) if several else _summarize_player(request, design, records)


def _by_family(request: Evaluation, players: Sequence[str], named_game: str | None) -> str:
    """Compare players by family of opponents."""
    name = named_game or make_player(players[0]).only_game
    if name is None:
        raise ValueError("missing game: expected one, as in econzoo evaluate GAME PLAYERS --families")
    if request.by_seat or request.exploitability or request.scripts is False or request.objective != SELF_GAIN:
        raise ValueError("--families does not support --by-seat, --exploitability, --no-scripts and --objective")
    families, (options, _) = named_families(name, request.opponents), request.params()
    settings, out = request.resolve_settings(name), Path(request.out) if request.out else None
    with open_engine(request.engine, request.ray_address):
        table = evaluate_families(
            name, players, families, settings, request.seeds, out, request.jobs, request.ceiling,
            reader=request.reader, **options,
        )  # fmt: skip
    if request.json:
        return json.dumps(table.to_plain(), indent=2)
    show(table.tables())
    return ""


def _compare(request: Evaluation, design: Design, records: Records, groups: Sequence[Training]) -> str:
    """Compare several players, seeds of a training, and scripts."""
    among = "given" if request.opponents else request.pool or "standard"
    exposure = exposure_cells(design.players, records)
    values, failures = _exploitability(design) if request.exploitability else ({}, {})
    how = (request.objective, request.ceiling, request.by_seat, values, failures)
    table = learning_table(design, records, groups, among, *how)
    written = write_learning_table(table, Path(request.out)) if request.out else []
    if request.json:
        return _to_json(plain_table(table), exposure)
    show([*learning_tables(plain_table(table)), exposure_table(exposure)])
    return "\n".join(f"written: {path}" for path in written)


def _exploitability(design: Design) -> tuple[dict[str, Exploitability], dict[str, str]]:
    """Exploitability by player, and the reasons where it is unknown."""
    values: dict[str, Exploitability] = {}
    failures: dict[str, str] = {}
    for spec in design.players:
        try:
            values[spec] = exploitability(spec, design.game, design.settings)
        except ValueError as error:  # no method fits this player; its cell in the table is empty, with the reason
            failures[spec] = str(error)
    return values, failures


def _summarize_player(request: Evaluation, design: Design, records: Records) -> str:
    summary = summarize(records, design)
    exposure = exposure_cells(design.players, summary.records)
    share = shares(design, summary) if request.ceiling else {}
    if request.json:
        return _to_json(summary.to_dict(), exposure, **({"ceiling": share} if request.ceiling else {}))
    unknown = f"Ceiling unknown for {design.game} and this pool; --scripts shows the scripted baselines."
    notes = [unknown] if request.ceiling and not share else []
    show([*checkpoint_parts(summary), exposure_table(exposure), share_table(share), *notes])
    return ""


def _to_json(numbers: Mapping[str, Any], exposure: Cells, **more: Any) -> str:
    training = {"training_exposure": plain_cells(exposure)} if exposure else {}
    return json.dumps({**numbers, **training, **more}, indent=2)


evaluate = add_budget_options(command(Evaluation, run), plays=True)
