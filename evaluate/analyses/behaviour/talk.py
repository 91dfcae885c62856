"""Information in symbols and responses to them: measures of emergent communication, from records.

======================  ==================================================================================  ===========
measure                 information in bits                                                                 in the arm
======================  ==================================================================================  ===========
``signalling``          of a symbol about what its sender alone knows (`GameFacts.private`)                 on
``consistency``         of a symbol about its sender's own next move (speaker consistency)                  on
``coordination``        of a symbol about the next move of who received it (instantaneous coordination)     on
``listening``           the same where symbols are drawn at random on their way: what they cause            scrambled
``influence``           of a symbol about the move that a trained policy would make after it, all else      on
                        as it was (causal influence; see `influence` beside this module)
======================  ==================================================================================  ===========

The first is positive signalling, the last two are positive listening in the sense of Lowe et al. (2019),
arXiv:1903.05168; consistency and coordination are those of Jaques et al. (2019), arXiv:1810.08647, which can be above 0
without an effect of messages, by a common cause. A scrambled channel is an experiment: received symbols are random, so
any dependence on them is causal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from econzoo.baselines import PolicyPlayer
from econzoo.baselines import player as make_player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import ALPHABET, NO_SYMBOL, UNKNOWN, Game, symbol_count, symbol_index
from econzoo.envs.core.faces import last_symbol_features
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import TurnContext, places, replay_texts
from econzoo.evaluate.analyses.behaviour.influence import BITS, Counterfactual
from econzoo.evaluate.run import EnvPool
from econzoo.evaluate.stats import estimate, factorize, jackknife, max_information, mutual_information
from econzoo.evaluate.stats import permutation_p_value

SIGNALLING, CONSISTENCY, COORDINATION = "signalling", "consistency", "coordination"
LISTENING, INFLUENCE = "listening", "influence"

BINS = 4
"""Number of quantile bins for numbers with more than twice as many values."""

_GROUP_COLUMNS = ["measure", "game", "player", "role"]


class SymbolMeasure(NamedTuple):
    """An estimate.

    Attributes:
        bits: Of information.
        low: Lower end of the 95% interval over matches; NaN where there is none.
        p: Of a permutation test that there is none; NaN of `INFLUENCE`, which is no estimate from counts.
        n: Symbols that it is made of.
    """

    measure: str
    game: str
    player: str
    role: str
    bits: float
    low: float
    high: float
    p: float
    n: int


def has_symbols(record: Record) -> bool:
    """Whether symbols are sent in a match in the place of words."""
    return symbol_count(record.params) > 0


def symbol_measures(on: Iterable[Record], scrambled: Iterable[Record] = ()) -> list[SymbolMeasure]:
    """All measures, for every player in every role."""
    rows = [row for record in on if has_symbols(record) for row in _rows(record, True)]
    rows += [row for record in scrambled if has_symbols(record) for row in _rows(record, False)]
    found: list[SymbolMeasure] = []
    table = pd.DataFrame(rows)
    for names, group in table.groupby(_GROUP_COLUMNS, sort=False) if rows else ():
        measure, game, player, role = map(str, names)
        found.append(SymbolMeasure(measure, game, player, role, *_information(group.reset_index(drop=True), measure)))
    return found


def _information(table: pd.DataFrame, measure: str) -> tuple[float, float, float, float, int]:
    """The value of a measure, the ends of its interval, its p-value, and how many symbols it is made of."""
    if measure == INFLUENCE:
        one = estimate(table.assign(all="all"), ["all"], ["observed"])["all"]["observed"]
        return one.mean, one.low, one.high, math.nan, len(table)
    x, y = factorize(table["symbol"].tolist())[0], factorize(_classes(table["observed"].tolist()))[0]

    def statistic(weights: np.ndarray) -> np.ndarray:
        return mutual_information(x, y, weights)[:, None]

    value, low, high = (float(one[0]) for one in jackknife(statistic, table, is_skewed=False))
    # Information is never negative, but its bias-corrected estimate can be slightly, and the interval has to contain
    # it.
    low, high = max(low, min(value, 0.0)), min(high, max_information(x, y))
    return value, low, high, permutation_p_value(x, y, factorize(table["match"].tolist())[0]), len(table)


def _classes(observed: Sequence[tuple[str, float]]) -> list[tuple[str, int]]:
    """Kinds of things with numbers, of which those of each kind that has many are cut into `BINS`."""
    kinds = np.array([kind for kind, _ in observed])
    numbers, out = np.array([number for _, number in observed]), np.zeros(len(observed), int)
    for kind in np.unique(kinds):
        own = numbers[kinds == kind]
        values, place = np.unique(own, return_inverse=True)
        if len(values) > 2 * BINS:
            place = np.searchsorted(np.quantile(own, np.arange(1, BINS) / BINS), own, side="right")
        out[kinds == kind] = place
    return list(zip(kinds.tolist(), out.tolist(), strict=True))


def _rows(record: Record, on: bool) -> Iterator[dict[str, Any]]:
    """A row for every symbol and what it may tell: what its sender knows, and the next moves."""
    game, place = find_game(record.game), places(record)
    policies = _policies(record) if on else {}
    asked, beside = replay_texts(record, [*policies.values()], EnvPool()).contexts, [*policies]
    actions, sent = game.actions.with_symbols(symbol_count(record.params)), dict[int, int]()
    for turn, context in zip(record.turns, asked, strict=True):
        if turn.action is None or context is None:
            continue
        seat, about = turn.seat, {**place[turn.seat], "match": record.id}
        did = _move(game, turn)
        # `sent` is updated at the end of a turn: consistency compares a symbol with the next move, not with its own.
        if on and seat in sent:
            yield {**about, "measure": CONSISTENCY, "symbol": sent[seat], "observed": did}
        received = last_symbol_features(seat, len(place), context.seen.events, actions)
        for _, said in _received_symbols(received, actions.symbols):
            yield {**about, "measure": COORDINATION if on else LISTENING, "symbol": said, "observed": did}
        for bits in _bits(context, record.players[seat], beside):
            yield {**about, "measure": INFLUENCE, "symbol": NO_SYMBOL, "observed": bits}
        said = symbol_index(turn.action.get(_message_key(game, turn), ""), len(ALPHABET))
        if on and said != NO_SYMBOL:
            sent[seat] = said
            for known in _private_values(game, context):
                yield {**about, "measure": SIGNALLING, "symbol": said, "observed": known}


def _policies(record: Record) -> dict[str, Counterfactual]:
    """The trained policies of a match, by spec."""
    made = {spec: make_player(spec, record.game) for spec in set(record.players) if spec.startswith("ppo:")}
    return {spec: Counterfactual(one) for spec, one in made.items() if isinstance(one, PolicyPlayer)}


def _bits(context: TurnContext, spec: str, beside: Sequence[str]) -> list[float]:
    advised: Mapping[str, Any] | None = context.advice[beside.index(spec)] if spec in beside else None
    return [bits for bits in advised[BITS] if bits is not None] if advised else []


def _received_symbols(received: Sequence[float], count: int) -> Iterator[tuple[int, int]]:
    """(other seat, symbol) of those that were received."""
    for place, flag in enumerate(received):
        if flag:
            yield divmod(place, count)


def _message_key(game: Game, turn: Turn) -> str:
    kind = game.actions.kinds[game.actions.index[(turn.action or {}).get("kind", game.actions.names[0])]]
    return kind.message or ""


def _move(game: Game, turn: Turn) -> tuple[str, float]:
    """The kind of a move, and the last of its numbers; 0 if it has none."""
    assert turn.action is not None
    move = game.actions.move(game.actions.from_plain(turn.action))
    used = len(game.actions.marks[move.kind])
    return game.actions.names[move.kind], float(move.values[used - 1]) if used else 0.0


def _private_values(game: Game, context: TurnContext) -> Iterator[tuple[str, float]]:
    """What a seat alone knows, field by field."""
    for name in game.facts.private_fields:
        value = getattr(context.seen.view, name)
        if value != UNKNOWN:
            yield name, float(value)
