"""TRL's trainer for GRPO on the fast path.

The head is computed at the model's own tokens only, and each decision can have its own advantage. Rewards, match
advantages, clipped loss, KL term, entropy bonus and all their settings are TRL's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from econzoo.envs.core import LARGE_FILE_BYTES, read_text, write_file
from econzoo.envs.core.contract import parse_json
from econzoo.train import current_process
from econzoo.train.lm.adapters import add_adapters, map_by_seat, train_all_adapters
from econzoo.train.lm.model import label_log_probabilities
from econzoo.train.lm.sequence_trainer import make_sequence_trainer, pad, split, widen
from econzoo.train.lm.snapshots import SavedWeights
from econzoo.train.lm.tokens import IGNORED

__all__ = ["make_trainer"]

PAST_WEIGHTS = "past.safetensors"
"""File of a checkpoint with the weights of past snapshots."""


def make_trainer(model: Any, dtype: str, beta: float, rollout: Any = None, adapters: int = 1, **more: Any) -> Any:
    """Return the trainer.

    Args:
        rollout: See `econzoo.train.lm.group_rollout`; None: TRL's own rollouts, with tools.
        adapters: Number of adapters trained, one per seat; 1: one for all seats, or none.
    """
    import torch
    from trl.trainer.grpo_trainer import GRPOTrainer

    class FastGrpoTrainer(make_sequence_trainer(GRPOTrainer)):  # type: ignore[misc]
        """Computes logits at own tokens only and restores random states on resume."""

        scores_all = True
        _own: Any = None
        _seats: Any = None

        def refer(self) -> None:
            """Store the present model as the KL reference; TRL would load it again from its folder."""
            self.beta = beta
            # With an adapter TRL needs no reference: it disables the adapter.
            if beta and not hasattr(self.accelerator.unwrap_model(self.model), "peft_config"):
                self.ref_model = cast(Any, SavedWeights(self.accelerator.unwrap_model(self.model)))

        def _generate(self, prompts: list[Any]) -> Any:
            output = super()._generate(prompts)
            # The mask of own tokens and the seats are kept: TRL scores the reference and a server's samples before it
            # has built the batch of the loss.
            self._own = None if output[2] is None else pad(output[2], 0).to(self.accelerator.device)
            self._seats = torch.tensor(output[5]["seat"]).to(self.accelerator.device) if adapters > 1 else None
            return output

        def _generate_and_score_completions(self, inputs: list[Any]) -> dict[str, Any]:
            output = super()._generate_and_score_completions(inputs)
            if self._seats is not None:
                output["seat"] = self._seats
            by_token = None if rollout is None else rollout.advantages
            if by_token is not None:
                output["advantages"] = widen(pad(by_token, 0.0), output["completion_ids"]).to(self.accelerator.device)
            if rollout is None:  # TRL's own loop: the columns of `group_statistics` from TRL's metrics
                seen = self._metrics["train"]
                seen["spread"].append(1 - seen["frac_reward_zero_std"][-1])
                seen["invalid"].append(seen["tools/failure_frequency"][-1])
            return output

        def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> Any:
            mask, self._seats = inputs["completion_mask"], inputs.get("seat")
            self._own = mask if "tool_mask" not in inputs else mask * inputs["tool_mask"]
            return super()._compute_loss(model, inputs)

        def _score(
            self,
            model: Any,
            rows: tuple[Any, Any, Any],
            keep: int,
            part: slice,
            compute_entropy: bool = False,
            **more: Any,
        ) -> list[Any]:
            """Return scores of own tokens; 0 for all others, which are masked."""
            if model is self.ref_model:  # weights only, which the one model borrows
                with self.ref_model.use_weights():
                    return self._score(self.model, rows, keep, part)
            own = rows[1][:, -keep:]
            if self._own is not None:
                own = own * widen(self._own[part], own)
            if self._seats is None:
                return self._score_own(model, rows, own.bool(), compute_entropy)

            def some(places: Any) -> list[Any]:
                parts = [None if one is None else one[places] for one in rows]
                return self._score_own(model, parts, own.bool()[places], compute_entropy)

            return map_by_seat(self.accelerator.unwrap_model(model), self._seats[part], some)

        def _score_own(self, model: Any, rows: Any, own: Any, compute_entropy: bool) -> list[Any]:
            """Return scores of tokens `own` with the active adapter."""
            ids, mask, starts = rows
            plain, bonus = self.accelerator.unwrap_model(model), compute_entropy and self._entropy_bonus_enabled
            batch = trimmed_batch(ids, mask, own, starts)
            found = call_as_forward(
                model, plain, lambda: label_log_probabilities(plain, batch, dtype, self.temperature, bonus)
            )
            blank = ids.new_zeros(own.shape, dtype=found.log_probabilities.dtype)
            # a row's tokens are in the order of its sequences
            scores, entropies = (blank.masked_scatter(own, one) for one in (found.log_probabilities, found.entropies))
            return [scores, entropies if compute_entropy else None]

        # Every process saves and loads its own random state, and by the same hooks its own rollouts.
        def _save_rng_state(self, output_dir: str) -> None:
            super()._save_rng_state(output_dir)
            if rollout is not None:
                write_file(Path(output_dir) / rollout_state_file(), json.dumps(rollout.state()) + "\n")
                if rollout.snapshots is not None and current_process().is_first:
                    rollout.snapshots.save(Path(output_dir) / PAST_WEIGHTS)

        def _load_rng_state(self, checkpoint: str | None) -> None:
            super()._load_rng_state(checkpoint)
            if rollout is not None and checkpoint is not None:
                state = parse_json(read_text(Path(checkpoint) / rollout_state_file(), LARGE_FILE_BYTES))
                rollout.restore(state)
                if rollout.snapshots is not None:
                    model = self.accelerator.unwrap_model(self.model)
                    rollout.snapshots.restore(state, Path(checkpoint) / PAST_WEIGHTS, model)

        def create_optimizer(self, *args: Any) -> Any:
            if adapters > 1:  # reloaded adapters are frozen
                train_all_adapters(self.accelerator.unwrap_model(self.model))
            return super().create_optimizer(*args)

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Skipped: the card is written with the evaluation results."""

    if rollout is not None:
        more |= {"rollout_func": rollout, "reward_funcs": [rollout.rewards]}
    trainer = FastGrpoTrainer(model=model, **more)
    trainer.refer()
    if adapters > 1:
        add_adapters(trainer.accelerator.unwrap_model(trainer.model), more["peft_config"], adapters)
    return trainer


def rollout_state_file() -> str:
    """Return the file of a checkpoint with the rollout state of this process."""
    process = current_process()
    return "rollouts.json" if process.is_first else f"rollouts_{process.rank}.json"


def call_as_forward(model: Any, plain: Any, ask: Callable[[], Any]) -> Any:
    """Return ``ask()``, run as the forward pass of the whole model.

    The wrapper that synchronises several processes only takes part in its own forward pass.
    """
    if model is plain:
        return ask()
    own = plain.__dict__.get("forward")
    plain.forward = lambda *given, **named: ask()
    try:
        return model()
    finally:
        del plain.forward
        if own is not None:
            plain.forward = own


def trimmed_batch(ids: Any, mask: Any, own: Any, starts: Any = None) -> dict[str, Any]:
    """Return the sequences of some rows with their labels, trimmed to the longest one.

    Args:
        ids: Token ids of prompts and completions, shape (rows, tokens), padded on both sides.
        mask: 1 where there is a token, of the same shape.
        own: Whether the model wrote the token, for completions only.
        starts: 1 where a further sequence begins, for completions only; None: nowhere.
    """
    import torch

    apart = split(ids, mask, starts)
    own_rows = torch.cat([own.new_zeros((len(ids), ids.shape[1] - own.shape[1])), own], 1)
    chosen = own.new_zeros(apart.ids.shape).masked_scatter(apart.mask.bool(), own_rows[apart.positions])
    labels = apart.ids.masked_fill(~chosen, IGNORED)
    return {"input_ids": apart.ids, "attention_mask": apart.mask, "labels": labels, "weights": chosen.float()}
