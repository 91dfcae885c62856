"""Records of persuasion as a table with one row per round: quality, message, purchase, and a Bayesian belief.

The Bayesian buyer assumes that the seller recommends a good product with one fixed probability and a bad one with
another. Both are unknown, with a uniform prior. After h good products, of which the seller recommended r, the next good
one is recommended with probability (r + 1) / (h + 2) (Laplace's rule of succession), and likewise for the bad ones.
With these two and the prior of a good product, Bayes' rule gives the belief. A buyer who does not know the prior learns
it by the same rule from disclosed qualities. Myopic buyers observe no history, so they have no such belief.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pandas as pd

from econzoo.baselines.persuasion.reader import reader_of
from econzoo.baselines.persuasion.signals import DISCOURAGED, RECOMMENDED, detect_signal, needs_reader, recorded_signal
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import PLACE_COLUMNS, places
from econzoo.evaluate.analyses.behaviour.rows import frame_of

GAME = "persuasion"
SELLER, BUYER = 0, 1
GOOD, BAD = 1.0, 0.0
QUALITY = {RECOMMENDED: GOOD, DISCOURAGED: BAD}
"""Signal to the quality that it claims."""

KEYWORDS_LABEL = "by keywords"
"""Suffix of the role if messages were read by keywords."""

Reader = Callable[[str], float]
"""Function that reads a message: 1.0 for a good product, 0.0 for a bad one, NaN if unclear."""

COLUMNS = ["round", "third", "good", "said", "words", "bought", "caught", "belief", "worth_it"]
FLAGS = ("words", "caught")
"""Boolean columns; the others of `COLUMNS` are numbers."""


def exchange_table(records: Iterable[Record], read: Reader) -> pd.DataFrame:
    """Return one row per seat and complete round.

    Columns: ``match``, ``cluster``, ``setting``, ``game``, ``player``, ``opponent``, ``role``, ``seat``, ``round``,
    ``third`` (of the match: 1, 2, 3), ``good`` (quality), ``said`` (1.0 good, 0.0 bad, NaN: no message, unreadable, or
    a default move), ``words`` (whether the message is free text), ``bought`` (NaN for a default move), ``caught``
    (whether an earlier lie was revealed), ``belief`` (of the Bayesian buyer, NaN for myopic ones) and ``worth_it``
    (the belief above which buying pays in expectation).

    Readings recorded by the buyer's own model take precedence over `read`. Roles of matches read by keywords have the
    suffix `KEYWORDS_LABEL`.
    """
    rows = (row for record in records if record.game == GAME for row in _rows(record, read))
    table = frame_of(rows, [*PLACE_COLUMNS, *COLUMNS])
    return table.astype({name: bool if name in FLAGS else float for name in COLUMNS})  # also without rows


def read_keywords(message: str) -> float:
    """Read a message by keywords, as scripted buyers do (`econzoo.baselines.persuasion.signals`)."""
    return QUALITY.get(detect_signal(message), math.nan)


def model_reader(spec: str, records: Iterable[Record]) -> Reader:
    """Read all messages of records with a language model; returns a lookup of its readings."""
    rounds = [pair for record in records if record.game == GAME for pair in _rounds(record)]
    unread = [_message_text(talk) for talk, deed in rounds if recorded_signal(deed.calls) is None]
    # Every distinct message is read once, in the order of the records.
    messages = list(dict.fromkeys(message for message in unread if needs_reader(message)))
    readings = {}
    for message, one in zip(messages, reader_of(spec).read(messages), strict=True):
        if isinstance(one, Exception):
            raise one
        readings[message] = QUALITY.get(one.signal, math.nan)
    return lambda message: readings[message] if message in readings else read_keywords(message)


def _rows(record: Record, read: Reader) -> Iterator[dict[str, Any]]:
    # Keywords miss many messages, so matches that need them are reported under a role of their own.
    by_keywords = read is read_keywords and any(_needs_keywords(talk, deed) for talk, deed in _rounds(record))
    suffix = f", {KEYWORDS_LABEL}" if by_keywords else ""
    where = [{**place, "role": f"{place['role']}{suffix}"} for place in places(record)]
    # The number of rounds is None if it is not disclosed.
    seller, last = _Seller(record.params), record.params["rounds"] or record.params["max_rounds"]
    for at, (talk, deed) in enumerate(_rounds(record)):
        good = record.chance[at]
        said = math.nan if talk.default else _read_message(talk, deed, read)
        row = {
            "round": talk.round,
            "third": math.ceil(3 * talk.round / last),
            "good": good,
            "said": said,
            "words": _message_text(talk) != "",
            "bought": math.nan if deed.default else float(deed.action["kind"] == "buy"),  # type: ignore[index]
            "caught": seller.is_caught,
            "belief": seller.belief(said),
            "worth_it": seller.belief_threshold,
        }
        # The history is that before the round: a buyer decides before it learns the quality.
        yield from ({**place, **row} for place in where)
        seller.record_round(good, said, bought=deed.action["kind"] == "buy")  # type: ignore[index]


def _rounds(record: Record) -> Iterator[tuple[Turn, Turn]]:
    """The seller's and the buyer's turn of every complete round."""
    played = [turn for turn in record.turns if turn.action is not None]
    sellers = [turn for turn in played if turn.seat == SELLER]
    # A match that was cut off between the two turns of a round has one more of the seller.
    yield from zip(sellers, [turn for turn in played if turn.seat == BUYER], strict=False)


def _message_text(turn: Turn) -> str:
    return str((turn.action or {}).get("message", ""))


def _needs_keywords(talk: Turn, deed: Turn) -> bool:
    """Whether a message is free text without a recorded reading."""
    return needs_reader(_message_text(talk)) and recorded_signal(deed.calls) is None


def _read_message(talk: Turn, deed: Turn, read: Reader) -> float:
    kind, recorded = talk.action["kind"], recorded_signal(deed.calls)  # type: ignore[index]
    if kind != "say":
        return GOOD if kind == "recommend" else BAD
    if recorded is not None:
        return QUALITY.get(recorded, math.nan)
    return read(_message_text(talk)) if _message_text(talk) else math.nan


class _Seller:
    """The history of a seller before a round."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.is_caught = False
        self._myopic = params["buyer"] == "myopic"
        self._prior = params["prior"] if params["buyer_knows_prior"] else None
        self._quality_counts = {GOOD: 0, BAD: 0}
        self._signal_counts = dict.fromkeys([(quality, said) for quality in (GOOD, BAD) for said in (GOOD, BAD)], 0)
        high, low = params["high_value"], params["low_value"]
        # Values are multiples of the price, so buying pays if belief * high + (1 - belief) * low > 1.
        self.belief_threshold = (1.0 - low) / (high - low) if high > low else math.nan

    def belief(self, said: float) -> float:
        """Return the probability of a good product given a message; NaN if undefined."""
        if self._myopic or math.isnan(said):
            return math.nan
        good, bad = self._quality_counts[GOOD], self._quality_counts[BAD]
        prior = (good + 1) / (good + bad + 2) if self._prior is None else self._prior
        if_good, if_bad = (
            prior * self._signal_probability(GOOD, said),
            (1 - prior) * self._signal_probability(BAD, said),
        )
        return if_good / (if_good + if_bad)

    def _signal_probability(self, quality: float, said: float) -> float:
        """Predictive probability of a message given the quality."""
        counts = {word: self._signal_counts[quality, word] for word in (GOOD, BAD)}
        return (counts[said] + 1) / (counts[GOOD] + counts[BAD] + 2)

    def record_round(self, good: float, said: float, bought: bool) -> None:
        """Update the history; myopic buyers observe lies about sold products only."""
        self._quality_counts[good] += 1
        if math.isnan(said):
            return
        self._signal_counts[good, said] += 1
        is_revealed = (bought and said == GOOD) if self._myopic else True
        self.is_caught |= good != said and is_revealed
