"""What supervised fine-tuning learns from: sequences of tokens, each reply with its weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.objectives import Objective
from econzoo.train.lm_advice import advice, best_of, lead_of, tried, worth_of
from econzoo.train.lm_decisions import heaviest, in_turns
from econzoo.train.lm_model import check
from econzoo.train.lm_records import Seated, transcripts
from econzoo.train.lm_stakes import reply_weights, stakes
from econzoo.train.lm_tokens import Tokens, sequences
from econzoo.train.lm_trainer import weights_of_mean_one

if TYPE_CHECKING:
    from econzoo.train.sft_args import SftArgs

__all__ = ["Lessons", "prepare", "tokenised"]


class Lessons(NamedTuple):
    """What is learned from.

    Attributes:
        chosen: Seats of matches.
        data: Sequences, with the weights of their labels.
        cells: Of every sequence.
        order: Places in `data`.
    """

    chosen: list[Seated]
    data: list[Tokens]
    cells: list[Any]
    order: list[int]

    @property
    def about(self) -> dict[str, str]:
        """For tables."""
        players = sorted({one.record.players[one.seat] for one in self.chosen})
        return {
            "game": self.chosen[0].record.game,
            "learned from": f"{', '.join(players[:5])}{', ...' * (len(players) > 5)}",
            "matches": f"{len(self.chosen):,}",
            "cells": f"{len(set(self.cells)):,}",
        }


def prepare(loaded: Any, chosen: list[Seated], args: SftArgs) -> Lessons:
    """Sequences of tokens with their weights, and the order in which they are learned from."""
    taught = [Taught.of(loaded, one, args) for one in chosen]
    at_stake, worth = [one.stakes for one in taught], [one.worth for one in taught]
    weights = reply_weights(at_stake, args.answers, worth) if args.answers else [[] for _ in chosen]
    data: list[Tokens] = []
    cells: list[Any] = []
    for one, given, replies in zip(chosen, taught, weights, strict=True):
        made = tokenised(loaded, one, args, given.meant, replies)
        data += made
        cells += [one.cell] * len(made)
    check(bool(data), "max_length", args.max_length, "enough for one turn of these matches")
    data, cells = heaviest(data, cells, args.heaviest)
    weights_of_mean_one(data)
    lengths = [len(one.ids) for one in data]
    return Lessons(chosen, data, cells, in_turns(cells, lengths, args.batch, args.steps, args.seed))


class Taught(NamedTuple):
    """What is to be learned from a seat of a match.

    Attributes:
        meant: What should have been done at each of its moves; empty: what was done.
        stakes: What is at stake at each of them; see `econzoo.train.lm_stakes.stakes`.
        worth: What each offer comes to, as far as that was tried.
    """

    meant: list[Any]
    stakes: list[float | None]
    worth: list[float | None]

    @classmethod
    def of(cls, loaded: Any, one: Seated, args: SftArgs) -> Taught:
        """Of a seat, with the advice of a teacher if there is one."""
        at_stake = stakes(one.record, one.seat) if args.answers else []
        unknown: list[float | None] = [None] * len(at_stake)
        if not args.advised:
            return cls([], at_stake, unknown)
        meant = advice(one.record, one.seat, args.teacher[0])
        if not args.trials:
            return cls(meant, at_stake, unknown)
        read = sum(len(tokens.starts) for tokens in tokenised(loaded, one, args, (), ()))
        values = tried(one.record, one.seat, args.teacher[0], Objective(args.objective), meant, read)
        tries = [*values, *[{}] * (len(meant) - len(values))]
        best = [best_of(*pair) for pair in zip(meant, tries, strict=True)]
        return cls(best, list(map(lead_of, tries)), list(map(worth_of, tries)))


def tokenised(loaded: Any, one: Seated, args: SftArgs, meant: Sequence[Any], weights: Sequence[float]) -> list[Tokens]:
    """The sequences of a seat; calls of tools all have the same weight."""
    limit = min(args.max_length or loaded.context, loaded.context)
    decimals = None if args.decimals < 0 else args.decimals
    if args.mode == "tools":
        from econzoo.train.lm_tool_calls import tool_tokens

        made = tool_tokens(loaded, one.record, one.seat, limit, decimals)
        return [made] * bool(made.ids)
    out: list[Tokens] = []
    used = 0
    for chat in transcripts(one.record, one.seat, decimals, meant=meant, grain=args.grain):
        replies = sum(message["role"] == "assistant" for message in chat)
        own, cut, turn = weights[used : used + replies], limit == loaded.context, one.record.seed
        out += sequences(loaded, chat, limit, own, cut, turn)
        used += replies
    return out
