"""Indicators and predictions of players in recorded matches of the ALYMPICS games.

The games define the indicators. Predictions are parsed from the recorded model calls of turns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, Invalid, Legal
from econzoo.envs.core.faces import Teller, load_templates
from econzoo.envs.core.record import Record
from econzoo.envs.families import adaption_index, mean
from econzoo.envs.games.guess_average import indicators as guess
from econzoo.envs.games.survival_auction import indicators as auction
from econzoo.evaluate.analyses.alympics.days import AUCTION, GUESS, Step, days_of, params_of, steps


class PlayerIndicators(NamedTuple):
    """Indicators of one player in one match of guess_average or survival_auction.

    Attributes:
        win_rate: Share of played rounds that the player won.
        survival_round: The player's last round: of its elimination, or of the match. A match that ends early because
            all are eliminated is not extended to its full length, unlike in the public code.
        adaption_index: Deviation in the second half over that in the first; NaN if undefined.
        prediction_error: Mean over the rounds with predictions; NaN if there are none.
        rounds_predicted: Rounds with a parsable prediction; NaN if the player never predicted.
    """

    win_rate: float
    survival_round: int
    adaption_index: float
    prediction_error: float
    rounds_predicted: float


INDICATOR_MODULES: dict[str, Any] = {GUESS: guess, AUCTION: auction}
"""Modules with ``win_rate``, ``deviations`` and ``prediction_error``, by the name of the game."""

LENGTH_PARAMETERS = {GUESS: "rounds", AUCTION: "days"}
"""Game to the parameter with the number of rounds."""


def player_indicators(record: Record, seat: int = 0) -> PlayerIndicators:
    """Compute the indicators of one player in a match of guess_average or survival_auction."""
    if record.game not in INDICATOR_MODULES:
        raise ValueError(f"invalid record of {record.game}: expected a match of {' or '.join(INDICATOR_MODULES)}")
    module, rounds = INDICATOR_MODULES[record.game], getattr(params_of(record), LENGTH_PARAMETERS[record.game])
    days = days_of(record, record.game)
    predicted, errors = _predictions(record, seat)
    deviations, won = module.deviations(days, seat), module.win_rate(days, seat)
    return PlayerIndicators(won, len(deviations), adaption_index(deviations, rounds), mean(errors), predicted)


def _predictions(record: Record, seat: int) -> tuple[float, list[float]]:
    """The number of rounds with a prediction (NaN if the player never predicted), and the error of each."""
    error, predictions = INDICATOR_MODULES[record.game].prediction_error, predictions_of(record, seat)
    played = {step.state_before.round: step.amounts for step in steps(record) if not math.isnan(step.amounts[seat])}
    # A round without a prediction is left out: it has no error.
    errors = [
        error(list(predictions[at].values()), _other_amounts(amounts, seat))
        for at, amounts in played.items()
        if at in predictions
    ]
    return (float(len(errors)) if prediction_calls(record, seat) else math.nan), errors


def _other_amounts(amounts: tuple[float, ...], seat: int) -> list[float]:
    return [amount for other, amount in enumerate(amounts) if other != seat]


# Predictions, parsed from the recorded model calls of turns


PREDICTION, SIMULATION = "prediction", "simulation"
"""Recorded purposes of model calls: to predict, and to answer in another seat's place."""

Calls = list[dict[str, Any]]

Predictions = dict[int, float]
"""Seat to amount."""


def predictions_of(record: Record, seat: int) -> dict[int, Predictions]:
    """Parse a player's predictions of the others' moves, round by round.

    The calls of all answers of a round are used, also those of invalid answers, as a retry continues from them. A
    simulation of another seat is parsed as an answer of that seat; of several, the last is used. Free text is parsed by
    `parse_prediction`. A simulation takes precedence over text. Unparsable or illegal amounts and predictions for
    eliminated seats are left out.
    """
    by_round = prediction_calls(record, seat)
    predictions = {
        step.state_before.round: _round_predictions(record, seat, step, by_round.get(step.state_before.round, []))
        for step in steps(record)
    }
    return {round: own for round, own in predictions.items() if own}


def prediction_calls(record: Record, seat: int) -> dict[int, Calls]:
    """Return a seat's prediction and simulation calls by round."""
    calls: dict[int, Calls] = {}
    for turn in record.turns:
        for call in turn.calls if turn.seat == seat else ():
            if call["purpose"] in (PREDICTION, SIMULATION):
                calls.setdefault(turn.round, []).append(call)
    return calls


def _round_predictions(record: Record, seat: int, step: Step, calls: Calls) -> Predictions:
    if not calls:
        return {}
    game = find_game(record.game)
    view = game.rules.observe(params_of(record), step.state_before, seat)
    allowed = _legal_actions(game, view, [other for other in range(len(record.players)) if other != seat])
    texts = [call["reply"] for call in calls if call["purpose"] == PREDICTION]
    names = game.roles(len(record.players), record.params)
    numbers = {other: parse_prediction("\n".join(texts), names, other) for other in allowed}
    written = {
        other: one for other, one in numbers.items() if one is not None and _is_legal_amount(one, allowed[other])
    }
    prompts = load_templates(game.package, record.options.get("prompts"))
    tellers = {other: Teller(game, prompts, False, names, seat=other) for other in allowed}
    return {**written, **_simulated_predictions(tellers, calls, allowed)}


def _legal_actions(game: Game, view: Any, others: Sequence[int]) -> dict[int, Legal]:
    """Legal moves of the other seats, as inferred from a view; seats without a move are left out."""
    perspective: Any = game.perspective
    options = {other: perspective.options(perspective.infer_view(view, other)) for other in others}
    return {other: Legal(kinds, bounds, False) for other, (kinds, bounds) in options.items() if any(kinds)}


def _is_legal_amount(amount: float, legal: Legal) -> bool:
    ((low, high),) = legal.bounds
    return low <= amount <= high


def _simulated_predictions(tellers: Mapping[int, Teller], calls: Calls, allowed: dict[int, Legal]) -> Predictions:
    last = {
        call["about_seat"]: call["reply"]
        for call in calls
        if call["purpose"] == SIMULATION and call["about_seat"] in allowed
    }
    read = {seat: tellers[seat].read(reply, allowed[seat]) for seat, reply in last.items()}
    moves = {seat: tellers[seat].actions.move(one) for seat, one in read.items() if not isinstance(one, Invalid)}
    return {seat: move.values[0] for seat, move in moves.items()}


# Free text

MARKER = re.compile(r"^\s*(?:[-*+\u2022]\s+|#+\s+|\(?\d{1,2}[.)]\s+)*")
"""Markers at the beginning of list items and headings."""

# The group is atomic: "1,000,000%" has no amount, not 1,000 either.
NUMBER = re.compile(r"(?<![\w.])(-?\$?\s?-?)(?>((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?))(?!\w|\.\d|\s?%)")
"""An amount with optional sign, currency and thousands separators; no percentage."""


def parse_prediction(text: str, names: Sequence[str], seat: int) -> float | None:
    """Parse a text's prediction for a seat.

    Only lines are used that name this seat, no other, and have one number besides list markers and the name. The last
    line of the form ``NAME: ...`` takes precedence. Other lines are used if they agree on the number.

    Returns:
        The amount; None if there is none.
    """
    lines = list(_prediction_lines(text, names, seat))
    formal = [amount for is_formal, amount in lines if is_formal]
    if formal:
        return formal[-1]
    amounts = {amount for _, amount in lines}
    return amounts.pop() if len(amounts) == 1 else None


def _prediction_lines(reply: str, names: Sequence[str], seat: int) -> Iterator[tuple[bool, float]]:
    """Whether the line has the form ``NAME: ...``, and its number."""
    name = re.compile(rf"(?<!\w){re.escape(names[seat])}(?!\w)")
    others = [re.compile(rf"(?<!\w){re.escape(other)}(?!\w)") for at, other in enumerate(names) if at != seat]
    for line in reply.splitlines():
        text = line[MARKER.match(line).end() :]  # type: ignore[union-attr]  # it also matches the empty string
        numbers = NUMBER.findall(name.sub(" ", text))
        if name.search(text) and len(numbers) == 1 and not any(other.search(text) for other in others):
            sign, amount = numbers[0]
            formal = re.match(rf"[*_\s]*{name.pattern}[*_\s]*:", text) is not None
            yield formal, float(amount.replace(",", "")) * (-1.0 if "-" in sign else 1.0)
