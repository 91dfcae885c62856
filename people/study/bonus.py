"""Bonus of a participant: one rule for pages, export and operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from econzoo.envs.core import game as find_game
from econzoo.envs.core import strip_float_noise
from econzoo.envs.core.contract import CHANCE, DONE, PASS, SEVERAL, Game, Move, exact_decimal
from econzoo.envs.core.record import Record
from econzoo.people.study.declaration import Study
from econzoo.people.study.matching import PlannedMatch
from econzoo.people.study.payment import ROUND, Bonus, Unit
from econzoo.people.study.study_data import Participant, Result, ResultStore, participant_results

DRAW = "draw"
"""Kind of the event with the seed of a participant's payment draw."""


def bonus_so_far(study: Study, store: ResultStore, own: Sequence[PlannedMatch], one: Participant) -> Bonus:
    """Return the bonus for a participant's finished matches."""
    results = () if one.place is None else participant_results(store, own, one.place)
    return compute_bonus(study, results, store.draw_seed(one.token))


def compute_bonus(study: Study, found: Iterable[Result], seed: str) -> Bonus:
    """Return the bonus for a participant's finished matches; `seed` decides which of them are paid."""
    over = list(found)
    rates = {one.planned_match.number + 1: study.rate(one.planned_match.setting) for one in over}
    return study.payment.bonus(bonus_payoffs(study, over), seed, rates)


def has_common_unit(study: Study) -> bool:
    """Whether all matches have the same unit of payoff and the same rate."""
    dollars = {find_game(game).facts.money for game in study.games}
    same = bool(study.payment.points_name) or len(dollars) == 1
    return same and len({study.rate(setting) for setting in study.settings_by_match}) == 1


def bonus_payoffs(study: Study, found: Iterable[Result]) -> dict[Unit, float]:
    """Return the payoffs that count for the bonus, by match or by (match, round), as the study pays."""
    payoffs: dict[Unit, float] = {}
    for one in found:
        if one.payoff is None:
            continue
        number = one.planned_match.number + 1
        if study.payment.pays == ROUND:
            rounds = payable_payoffs(study, one.record, one.seat)
            payoffs |= {(number, round): payoff for round, payoff in enumerate(rounds, start=1)}
        else:
            payoffs[number,] = one.payoff
    return payoffs


def payable_payoffs(study: Study, record: Record, seat: int) -> list[float]:
    """Return the payoffs of a match that can be paid: one per round if rounds are paid, else one."""
    return round_payoffs(record, seat) if study.payment.pays == ROUND else [record.payoffs[seat]]


# Rounds


def has_round_payoffs(game: str) -> bool:
    """Whether the payoff of a match is the sum of its round payoffs."""
    rules = find_game(game)
    return "rounds" in rules.defaults and not rules.actions.source


def round_payoffs(record: Record, seat: int) -> list[float]:
    """Return the payoff of a seat in each round of a recorded match, as increments of its payoff under replay.

    A forfeit counts in the round in which it happened, so that the sum is the payoff of the match.
    """
    previous, earned = Decimal(0), []
    so_far = [*_payoffs_after_rounds(record, seat)]
    for payoff in [*so_far[:-1], record.payoffs[seat]]:
        # Differences of decimals: those of floats have noise, which rounding to cents could reveal.
        total = exact_decimal(strip_float_noise(payoff))
        earned.append(float(total - previous))
        previous = total
    return earned


def _payoffs_after_rounds(record: Record, seat: int) -> Iterator[float]:
    """Yield the payoff after each round; the last round may be incomplete."""
    game = find_game(record.game)
    rules, (_, params) = game.rules, game.params(**record.params)
    played, state = _RecordedMoves(game, params, record), rules.initial(params)
    while moves := played.moves_at(state):
        after = rules.apply(params, state, moves)
        if after.round > state.round:
            yield rules.payoffs(params, after)[seat]
        state = after
    yield rules.payoffs(params, state)[seat]


class _RecordedMoves:
    """The recorded moves of a match in the form of the rules."""

    def __init__(self, game: Game[Any, Any, Any], params: Any, record: Record) -> None:
        self._rules, self._params, self._schema = game.rules, params, game.actions_of(params)
        self._actions = iter([(turn.seat, turn.action) for turn in record.turns if turn.action is not None])
        self._draws = iter(record.chance)

    def moves_at(self, state: Any) -> tuple[Move, ...]:
        """Return the moves made in a state; empty: the match ended or was interrupted."""
        turn = self._rules.to_act(self._params, state)
        nobody = (0.0,) * self._schema.width
        if turn == DONE:
            return ()
        if turn == CHANCE:
            return tuple(Move(CHANCE, (draw, *nobody[1:])) for draw in islice(self._draws, 1))
        if turn != SEVERAL:
            return tuple(self._schema.move(self._schema.from_plain(action)) for _, action in islice(self._actions, 1))
        seats = range(len(self._rules.payoffs(self._params, state)))
        movers = [seat for seat in seats if True in self._rules.legal(self._params, state, seat)]
        given = islice(self._actions, len(movers))
        moves = {seat: self._schema.move(self._schema.from_plain(action)) for seat, action in given}
        # Without the moves of all the match was interrupted, and its last round has none.
        return tuple(moves.get(seat, Move(PASS, nobody)) for seat in seats) if len(moves) == len(movers) else ()
