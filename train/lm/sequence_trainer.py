"""TRL's trainer for rows that hold several sequences.

TRL expects one row per play of a match. Where a chat template renders earlier turns differently as a match goes on, the
policy has read its match in several sequences. They are concatenated in the row; each is computed separately, so that
every token has the probability with which it was sampled, and the row has one reward and one advantage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract import check_arguments

__all__ = ["SplitRows", "make_sequence_trainer", "pad", "split", "widen"]

COLUMN = "starts"
"""Field of a rollout: offsets in the completion at which further sequences begin."""


@check_arguments
def make_sequence_trainer(trainer: type[Any]) -> type[Any]:
    """Return a trainer class for several sequences per match, as `econzoo.train.lm.rollout_function` returns them.

    Args:
        trainer: ``GRPOTrainer`` or a subclass.
    """

    class InSequences(trainer):  # type: ignore[misc]
        """Computes the sequences of a row separately."""

        takes_sequences = True
        scores_all = False  # `_score` also computes rows of one sequence
        _starts: Any = None

        def _generate(self, prompts: list[Any]) -> Any:
            output = super()._generate(prompts)
            self._starts = None
            # TRL's outputs 1 and 5 are the completions and the other fields of the rollout.
            if any(places := output[5].get(COLUMN, ())):
                marked = [[int(at in places[row]) for at in range(len(ids))] for row, ids in enumerate(output[1])]
                self._starts = pad(marked, 0).to(self.accelerator.device)
            return output

        def _generate_and_score_completions(self, inputs: list[Any]) -> dict[str, Any]:
            output = super()._generate_and_score_completions(inputs)
            if self._starts is not None:
                output[COLUMN] = widen(self._starts, output["completion_ids"])
            return output

        def _compute_loss(self, model: Any, inputs: Any) -> Any:
            self._starts = inputs.get(COLUMN)
            return super()._compute_loss(model, inputs)

        def _get_per_token_logps_and_entropies(
            self,
            model: Any,
            input_ids: Any,
            attention_mask: Any,
            logits_to_keep: int,
            batch_size: int | None = None,
            **more: Any,
        ) -> Any:
            if self._starts is None and not self.scores_all:
                scored = super()._get_per_token_logps_and_entropies
                return scored(model, input_ids, attention_mask, logits_to_keep, batch_size, **more)
            starts = None if self._starts is None else widen(self._starts, attention_mask[:, -logits_to_keep:])
            found = []
            for begin in range(0, len(input_ids), batch_size or len(input_ids)):  # as often in every process
                part = slice(begin, begin + (batch_size or len(input_ids)))
                rows = input_ids[part], attention_mask[part], None if starts is None else starts[part]
                found.append(self._score(model, rows, logits_to_keep, part, **more))
            return (*map(concatenate, zip(*found, strict=True)), None)

        def _score(self, model: Any, rows: tuple[Any, Any, Any], keep: int, part: slice, **more: Any) -> list[Any]:
            """Return log-probabilities and entropies (or None) of the last tokens of some rows.

            Args:
                keep: Number of tokens.
            """
            apart = split(*rows)
            scored = super()._get_per_token_logps_and_entropies
            *scores, _ = scored(model, apart.ids, apart.mask, apart.ids.shape[1] - 1, **more)
            return [None if one is None else apart.join(one)[:, -keep:] for one in scores]

    return InSequences


class SplitRows(NamedTuple):
    """The sequences of some rows, one per row and padded on the right.

    Attributes:
        ids: Token ids, shape (sequences, tokens).
        mask: 1 for tokens, 0 for padding; same shape.
        positions: Whether a position of the original rows holds a token, shape (rows, tokens).
    """

    ids: Any
    mask: Any
    positions: Any

    def join(self, scores: Any) -> Any:
        """Return scores of all tokens but the first of each sequence, at the tokens' positions in the rows."""
        import torch

        padded = torch.nn.functional.pad(scores, (1, 0))
        return padded.new_zeros(self.positions.shape).masked_scatter(self.positions, padded[self.mask.bool()])


def split(ids: Any, mask: Any, starts: Any = None) -> SplitRows:
    """Split rows into their sequences.

    Args:
        ids: Token ids of prompts and completions, shape (rows, tokens), padded on both sides.
        mask: 1 for tokens, 0 for padding; same shape.
        starts: 1 where a further sequence begins, for completions only; None: nowhere.
    """
    import torch
    from torch.nn.utils.rnn import pad_sequence

    where = mask.bool()
    # A number per sequence; those of two rows are further apart than a row has tokens, so that they never coincide.
    number = torch.zeros_like(ids)
    if starts is not None:
        number[:, -starts.shape[1] :] = starts
    number = number.cumsum(1) + torch.arange(len(ids), device=ids.device)[:, None] * ids.shape[1]
    lengths = number[where].unique_consecutive(return_counts=True)[1].tolist()
    parts = ids[where].split(lengths)
    return SplitRows(
        pad_sequence(parts, batch_first=True), pad_sequence([torch.ones_like(one) for one in parts], True), where
    )


def concatenate(parts: Sequence[Any]) -> Any:
    """Concatenate along the first axis; None for no parts."""
    import torch

    return None if parts[0] is None else torch.cat(list(parts))


def pad(rows: Sequence[Sequence[float]], blank: float) -> Any:
    """Stack rows of numbers, padded on the right."""
    import torch

    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[blank] * (width - len(row))] for row in rows])


def widen(rows: Any, like: Any) -> Any:
    """Pad rows with 0 to the width of `like`, since TRL may round widths up."""
    import torch

    return torch.nn.functional.pad(rows, (0, like.shape[1] - rows.shape[1]))
