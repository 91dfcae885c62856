"""The analysis ``predict``: prediction of the next decision of recorded players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from econzoo.baselines import player as make_player
from econzoo.envs.core import format_count, missing_library_message
from econzoo.envs.core.contract import Integer, OneOf, Option, OrNone, Real
from econzoo.evaluate.analyses import describe, played_games
from econzoo.evaluate.analyses.prediction.answers import new_predictor
from econzoo.evaluate.analyses.prediction.decisions import DecisionSet, decisions_of, participants, script_of
from econzoo.evaluate.analyses.prediction.predictors import BOOSTING, THEORY, has_boosting
from econzoo.evaluate.analyses.prediction.splitting import PERSON, SPLITS, Split, hold_out
from econzoo.evaluate.analyses.prediction.study import Answers, Task, ask_models, tasks_of
from econzoo.evaluate.analyses.prediction.tables import file_tables, gain_table, reliability_figure, score_table
from econzoo.evaluate.analyses.sparc import is_model
from econzoo.evaluate.run import LOCAL, Address, EngineName, Records, open_engine, progress_bar
from econzoo.evaluate.show import HEADING, WARNING, Page, Part, Text, method_section
from econzoo.evaluate.stats import Columns, population

SHARE = 0.2
"""Default fraction of persons or configurations held out."""

METHOD = (
    "A decision is a move without amounts, chosen among at least two kinds of move; yes is the first of these. Offers, "
    "bids and messages are not predicted. A predictor assigns each decision a probability of yes. Training and test "
    "decisions share neither a match nor a setting with the same seed, since common random numbers would leak.",
    "frequency: share of yes in the same round. rational: agreement with the theoretical move given the player's "
    "information (spe: subgame-perfect equilibrium; bayes: the Bayesian buyer), calibrated by how often players follow "
    "it; likewise for any other script. logit and boosting: ridge-penalized logit and gradient boosting on the "
    "player's numeric observation and the round. Language models read the player's earlier prompts and answers, see no "
    "other decisions and no names of players.",
    "Probabilities are clipped to [0.01, 0.99] in the log loss. Invalid answers and truncated questions of a model "
    "count as a probability of one half. Decisions with a provider failure are excluded from all scores.",
)


def predict(
    records: Records,
    *,
    of: Annotated[list[str], Option(meaning="Players whose decisions are predicted.", default="all")] = [],  # noqa: B006
    split: Annotated[str, Option(OneOf(*SPLITS), "Unit that is held out.")] = PERSON,
    test_share: Annotated[float, Option(Real(0.01, 0.99), "Fraction of persons or configurations held out.")] = SHARE,
    limit: Annotated[
        int | None, Option(OrNone(Integer(1)), "Sample this many decisions to predict.", default="all")
    ] = None,
    predictor: Annotated[
        list[str], Option(meaning="Further predictors: scripted players, or models hf:..., openai:...")
    ] = [],  # noqa: B006
    seed: Annotated[int, Option(Integer(0), "Random seed of the split and of model sampling.")] = 0,
    concurrent: Annotated[
        int | None,
        Option(OrNone(Integer(1, 4096)), "Concurrent requests per model.", default="the model's concurrency"),
    ] = None,
    engine: EngineName = LOCAL,
    ray_address: Address = None,
) -> Page:
    """Predict the next decision: log loss, calibration, and improvement over the base rate.

    Args:
        records: Records of games with a choice between kinds of move.
    """
    # An invalid predictor ends the command before the matches are replayed. The models that answer are made again
    # below: a model is in the engine's workers only if it is made while the engine is open.
    models = [new_predictor(spec).spec for spec in predictor if is_model(spec)]
    scripts = _scripts(records, [spec for spec in predictor if not is_model(spec)])
    found = _find_decisions(records, of, scripts)
    divided = hold_out(found.decisions, split, test_share, seed, limit)
    answers = {}
    if models:
        with open_engine(engine, ray_address):
            answers = ask_models(records, [*map(new_predictor, models)], divided.test, seed, concurrent)
    tasks = tasks_of(divided, scripts, answers, split, seed)
    parts: list[Part] = [*file_tables(tasks), *describe(played_games(records, records.design), [records.folder])]
    for task in tasks:
        parts += [Text(task.name, HEADING), score_table(task, _population_note(task, split)), gain_table(task)]
        parts.append(reliability_figure(task))
    parts += [Text(text, WARNING) for text in _warnings(divided, split, tasks, answers)]
    parts += method_section(*METHOD)
    return Page(
        "predict",
        "Predicting the next decision",
        parts,
        list(_facts(divided, tasks, split)),
        [*records.unreadable, *found.exclusions],
    )


def _scripts(records: Records, given: Sequence[str]) -> list[str]:
    """Return the scripted players of theory and the given ones."""
    for spec in given:
        players = [script_of(spec, game) for game in records.games]
        known = [one for one in players if one is not None]
        if not known:
            make_player(spec, records.games[0])  # raises with the reason
        # Models and people recall recorded moves instead of choosing; a colon is that of a file or model.
        if not all(one.recomputes_on_recall for one in known) or ":" in spec:
            raise ValueError(
                f"invalid predictor {spec[:80]!r}: expected a scripted player of the game, or a language model"
            )
    return list(dict.fromkeys([*(THEORY[game] for game in records.games if game in THEORY), *given]))


def _find_decisions(records: Records, players: Sequence[str], scripts: Sequence[str]) -> DecisionSet:
    # Refused, because an unknown player would silently have no decisions.
    known = {name for record in records for name in (*record.labels, *record.players)}
    for name in players:
        if name not in known:
            shown = ", ".join(sorted({label for record in records for label in record.labels})[:40])
            raise ValueError(f"invalid of={name!r}: expected players of these matches: {shown}")
    with progress_bar("matches", len(records)) as done:
        found = decisions_of(records, players, scripts, participants(records.place), done)
    if not found.decisions:
        why = f"; {found.exclusions[0]}" if found.exclusions else ""
        raise ValueError(
            f"no decisions: these matches have no choice between kinds of move, such as accept or reject{why}"
        )
    return found


def _population_note(task: Task, split: str) -> str:
    """Describe the population of the intervals of a task."""
    rows = Columns.of_rows({"setting": getattr(one, split)} for one in task.test)
    held = len({getattr(one, split) for one in task.test})
    if population(rows) == "settings":
        return f"over {split}s: the {held} held out are a sample of a larger population"
    return f"over matches: the {format_count(held, split)} held out {'is' if held == 1 else 'are'} fixed"


def _facts(divided: Split, tasks: Sequence[Task], split: str) -> Iterator[str]:
    predicted = [one for task in tasks for one in task.test]
    yield (
        f"{format_count(len(predicted), 'decision')} of "
        f"{format_count(len({one.person for one in predicted}), 'person')}"
    )
    yield f"{len(divided.train):,} training decisions"
    yield f"split by {split}"


def _warnings(divided: Split, split: str, tasks: Sequence[Task], answers: Answers) -> Iterator[str]:
    if divided.excluded:
        yield (
            f"{format_count(divided.excluded, 'decision')} excluded from both sets: they share random numbers with the "
            f"other set, or belong to a game with one {split}."
        )
    if not has_boosting():
        yield f"{BOOSTING} skipped: {missing_library_message('it', 'xgboost')}"
    unasked = len(divided.test) - sum(len(task.test) for task in tasks)
    if unasked:
        yield (
            f"{format_count(unasked, 'decision')} held out but not predicted: no training decisions of the kind, or a "
            "provider failure."
        )
    for name, found in answers.items():
        cut = sum(one.left_out > 0 for one in found.values())
        if cut:
            yield (
                f"{name}: prompts of {format_count(cut, 'decision')} exceeded the context; their middle was omitted."
            )
