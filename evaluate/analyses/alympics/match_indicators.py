"""The indicators of the ALYMPICS games for recorded matches, and what players predicted; games say what they mean.

Predictions are read from the calls of a model that turns recorded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.prompts import load_templates
from econzoo.envs.core.faces.text_face import Teller
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.families.k_level import adaption_index, mean
from econzoo.envs.games.guess_average import indicators as guess
from econzoo.envs.games.survival_auction import indicators as auction
from econzoo.evaluate.analyses.alympics.days import AUCTION, GUESS, Step, days_of, params_of, steps


class PlayerIndicators(NamedTuple):
    """Of one player in one match of guess_average or survival_auction.

    Attributes:
        win_rate: Rounds won as a part of rounds played.
        survival_round: Last round that the player was in: the one in which it went out, or the last of all. A match
            that ends early because all are out is not stretched to its full length, as the public code does.
        adaption_index: Deviation in the second half over that in the first; NaN where it does not exist.
        prediction_error: Mean over the rounds with predictions; NaN if there are none.
        rounds_predicted: How many rounds have a prediction that can be read; NaN if the player never made one.
    """

    win_rate: float
    survival_round: int
    adaption_index: float
    prediction_error: float
    rounds_predicted: float


INDICATOR_MODULES: dict[str, Any] = {GUESS: guess, AUCTION: auction}
"""Modules with ``win_rate``, ``deviations`` and ``prediction_error``, by the name of the game."""

LENGTH_PARAMETERS = {GUESS: "rounds", AUCTION: "days"}
"""The parameter that says how many rounds there are."""


def player_indicators(record: Record, seat: int = 0) -> PlayerIndicators:
    """Indicators of one player in a match of guess_average or survival_auction.

    Raises:
        ValueError: It is a match of another game, or does not fit the rules.
    """
    if record.game not in INDICATOR_MODULES:
        raise ValueError(f"players of {record.game} are not measured; allowed: {', '.join(INDICATOR_MODULES)}")
    measured, rounds = INDICATOR_MODULES[record.game], getattr(params_of(record), LENGTH_PARAMETERS[record.game])
    days = days_of(record, record.game)
    told, errors = _predictions(record, seat)
    deviations, won = measured.deviations(days, seat), measured.win_rate(days, seat)
    return PlayerIndicators(won, len(deviations), adaption_index(deviations, rounds), mean(errors), told)


def _predictions(record: Record, seat: int) -> tuple[float, list[float]]:
    """Rounds with a prediction, NaN if the player never tried; and the error of each."""
    error, told = INDICATOR_MODULES[record.game].prediction_error, predictions_of(record, seat)
    played = {step.state_before.round: step.amounts for step in steps(record) if not math.isnan(step.amounts[seat])}
    errors = [
        error(list(told[at].values()), _other_amounts(amounts, seat)) for at, amounts in played.items() if at in told
    ]
    return (float(len(errors)) if prediction_calls(record, seat) else math.nan), errors


def _other_amounts(amounts: tuple[float, ...], seat: int) -> list[float]:
    return [amount for other, amount in enumerate(amounts) if other != seat]


# What players predicted for the others, read from the calls of a model that their turns recorded


PREDICTION, SIMULATION = "prediction", "simulation"
"""Purposes, as records name them, of calls that predict and of those in which a model answers in place of another."""

Calls = list[dict[str, Any]]

Predictions = dict[int, float]
"""Seat to amount."""


def predictions_of(record: Record, seat: int) -> dict[int, Predictions]:
    """What a player predicted for the others, round by round.

    The calls of all answers of a round count, those of unusable ones too: asked again, a player goes on from what it
    thought before. A simulation in the place of another seat counts as it would if that seat had answered so; of
    several, the last. For how a prediction in free text is read see `written`. A simulation counts before a text. What
    cannot be read, what the other seat may not do, and what is predicted for the dead is left out: it is no prediction.

    Args:
        record: A match of one of the ALYMPICS games.
        seat: Whose predictions.

    Returns:
        Round to (seat to amount), of the rounds that are over; rounds without predictions are left out.

    Raises:
        ValueError: Its moves do not fit the rules.
    """
    by_round = prediction_calls(record, seat)
    told = {
        step.state_before.round: _round_predictions(record, seat, step, by_round.get(step.state_before.round, []))
        for step in steps(record)
    }
    return {round: found for round, found in told.items() if found}


def prediction_calls(record: Record, seat: int) -> dict[int, Calls]:
    """The calls with which a seat predicted, by round; rounds without such calls are left out."""
    found: dict[int, Calls] = {}
    for turn in record.turns:
        for call in turn.calls if turn.seat == seat else ():
            if call["purpose"] in (PREDICTION, SIMULATION):
                found.setdefault(turn.round, []).append(call)
    return found


def _round_predictions(record: Record, seat: int, step: Step, calls: Calls) -> Predictions:
    if not calls:
        return {}
    game = find_game(record.game)
    view = game.rules.observe(params_of(record), step.state_before, seat)
    allowed = _legal_actions(game, view, [other for other in range(len(record.players)) if other != seat])
    texts = [call["reply"] for call in calls if call["purpose"] == PREDICTION]
    names = game.roles(len(record.players), record.params)
    numbers = {other: parse_prediction("\n".join(texts), names, other) for other in allowed}
    said = {other: one for other, one in numbers.items() if one is not None and _is_legal_amount(one, allowed[other])}
    prompts = load_templates(game.package, record.options.get("prompts"))
    tellers = {other: Teller(game, prompts, False, names, seat=other) for other in allowed}
    return {**said, **_simulated_predictions(tellers, calls, allowed)}


def _legal_actions(game: Game, view: Any, others: Sequence[int]) -> dict[int, Legal]:
    """What each other seat may do, as far as the seat of a view can tell; seats with no move are left out."""
    perspective: Any = game.perspective
    options = {other: perspective.options(perspective.infer_view(view, other)) for other in others}
    return {other: Legal(kinds, bounds, False) for other, (kinds, bounds) in options.items() if any(kinds)}


def _is_legal_amount(amount: float, legal: Legal) -> bool:
    ((low, high),) = legal.bounds
    return low <= amount <= high


def _simulated_predictions(tellers: Mapping[int, Teller], calls: Calls, allowed: dict[int, Legal]) -> Predictions:
    last = {
        call["about"]: call["reply"] for call in calls if call["purpose"] == SIMULATION and call["about"] in allowed
    }
    read = {seat: tellers[seat].read(reply, allowed[seat]) for seat, reply in last.items()}
    moves = {seat: tellers[seat].actions.move(one) for seat, one in read.items() if not isinstance(one, Invalid)}
    return {seat: move.values[0] for seat, move in moves.items()}


# Free text

MARKER = re.compile(r"^\s*(?:[-*+\u2022]\s+|#+\s+|\(?\d{1,2}[.)]\s+)*")
"""What a line of a list or a heading begins with."""

NUMBER = re.compile(r"(?<![\w.])(-?\$?\s?-?)(?>((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?))(?!\w|\.\d|\s?%)")
"""A sign, perhaps with a currency, and an amount; commas may part its thousands. A percentage is no amount."""


def parse_prediction(text: str, names: Sequence[str], seat: int) -> float | None:
    """What a text predicts for a seat.

    A line counts that names this seat, no other, and holds one number, list markers and the name itself aside. Lines
    of the form ``NAME: ...`` count before others, and of these the last. Other lines count if they all have the same
    number.

    Args:
        text: With one or more lines.
        names: Of all seats.
        seat: About whom.

    Returns:
        The amount, or None if there is none.
    """
    found = list(_prediction_lines(text, names, seat))
    formal = [amount for form, amount in found if form]
    if formal:
        return formal[-1]
    amounts = {amount for _, amount in found}
    return amounts.pop() if len(amounts) == 1 else None


def _prediction_lines(text: str, names: Sequence[str], seat: int) -> Iterator[tuple[bool, float]]:
    """Whether the line has the form ``NAME: ...``, and its number."""
    name = re.compile(rf"(?<!\w){re.escape(names[seat])}(?!\w)")
    others = [re.compile(rf"(?<!\w){re.escape(other)}(?!\w)") for at, other in enumerate(names) if at != seat]
    for line in text.splitlines():
        said = line[MARKER.match(line).end() :]  # type: ignore[union-attr]  # it matches nothing too
        numbers = NUMBER.findall(name.sub(" ", said))
        if name.search(said) and len(numbers) == 1 and not any(other.search(said) for other in others):
            sign, amount = numbers[0]
            formal = re.match(rf"[*_\s]*{name.pattern}[*_\s]*:", said) is not None
            yield formal, float(amount.replace(",", "")) * (-1.0 if "-" in sign else 1.0)
